#!/bin/sh
# sionls: lines, order, JSON.
. "$(dirname "$0")/lib.sh"

cd "$GOLDEN/serial" || exit 99
multi=$GOLDEN/mpi/m01_multi.sion

run sionls s04_multichunk.sion
cat >"$scratch/wanted" <<'END'
s04_multichunk.sion: 3 tasks, 1 file, 5.5 KiB, chunks 68 % full, closed
    task     rank       size  chunks  file
       0        0      300 B       1  s04_multichunk.sion
       1        1    4.1 KiB       6  s04_multichunk.sion
       2        2    1.1 KiB       3  s04_multichunk.sion
END
check 'a container' printed "$scratch/wanted"

run sionls -l --sort=size s04_multichunk.sion
cat >"$scratch/wanted" <<'END'
s04_multichunk.sion: 3 tasks, 1 file, 5.5 KiB, chunks 68 % full, closed
    task     rank          bytes  chunks     chunk size  full  file
       1        1           4173       6           1024   68%  s04_multichunk.sion
       2        2           1112       3            512   72%  s04_multichunk.sion
       0        0            300       1            512   59%  s04_multichunk.sion
END
check 'long list, largest tasks first' printed "$scratch/wanted"

# order ARGUMENTS...: prints the numbers of the tasks in order
order()
{
    run sionls "$@"
    succeeded && awk 'NR > 2 && $1 ~ /^[0-9]/ { printf "%s ", $1 }' "$scratch/out"
}
ordered()
{
    wanted=$1
    shift
    test "$(order "$@")" = "$wanted"
}
check 'by rank' ordered "$("$builddir/siondump" --json s08_granks.sion |
    awk -F '[:,]' '/"task":/ { print $4, $2 }' | sort -n | awk '{ printf "%s ", $2 }')" \
    --sort=rank s08_granks.sion
check 'the order by rank is not the default' sh -c 'test "$1" != "$2"' - "$(order --sort=rank s08_granks.sion)" \
    "$(order s08_granks.sion)"
check 'by chunks, most first' ordered '1 2 0 ' --sort=chunks s04_multichunk.sion
check 'reversed' ordered '2 1 0 ' -r s04_multichunk.sion
check 'reversed size' ordered '0 2 1 ' -r --sort=size s04_multichunk.sion
run sionls --sort=file "$multi"
awk 'NR > 2 { print $NF }' "$scratch/out" >"$scratch/files"
sort "$scratch/files" >"$scratch/sorted"
check 'by file' same "$scratch/files" "$scratch/sorted"
check 'all files of a set' test "$(uniq "$scratch/files" | wc -l)" -gt 1
check 'every task once' test "$(wc -l <"$scratch/files")" -eq \
    "$("$builddir/siondump" "$multi" | sed -n 's/.*number of tasks: *//p')"

run sionls -n 1 s04_multichunk.sion
check 'a part of the list' sh -c 'grep -qx " *\.\.\. 2 more (-n 0 shows all)" "$1" && test "$(wc -l <"$1")" -eq 4' - "$scratch/out"
run sionls -n 0 s04_multichunk.sion
check 'all' test "$(wc -l <"$scratch/out")" -eq 5
run sionls -n 3 s04_multichunk.sion
check 'exactly all tasks' test "$(wc -l <"$scratch/out")" -eq 5
if command -v script >/dev/null; then
    "$builddir/test/tools/make_many" "$scratch/many.sion" 1000 1 10
    script -qec "stty rows 20 cols 80; '$builddir/sionls' '$scratch/many.sion'" /dev/null </dev/null \
        >"$scratch/out" 2>&1
    check 'a screenful on a terminal' grep -q '\.\.\. 984 more' "$scratch/out"
else
    skip 'a screenful on a terminal' 'no script(1)'
fi
run sionls s07_keyval.sion
check 'records are mentioned' grep -q 'key-value records, closed$' "$scratch/out"

# ---- several containers, and failures ----

run sionls s01_single.sion s04_multichunk.sion
check 'two containers with a blank line between them' sh -c 'grep -c "closed$" "$1" | grep -qx 2 && grep -c "^$" "$1" | grep -qx 1' \
    - "$scratch/out"
run sionls s01_single.sion ../invalid/i12_unclosed_zero.sion s04_multichunk.sion
check 'one that cannot be read' failed_with 2 'i12_unclosed_zero.sion'
check 'the other containers are listed' test "$(grep -c 'closed$' "$scratch/out")" -eq 2
run sionls --sort=colour s01_single.sion
check 'an unknown order' failed_with 1 "not 'colour'"
run sionls -n x s01_single.sion
check 'a wrong number' failed_with 1 "'x'"
run sionls
check 'no container' ended 1

# ---- names of files ----

run sionls --members "$multi"
printf '%s\n' "$multi" "$multi.000001" "$multi.000002" >"$scratch/names"
check 'all files of a set' printed "$scratch/names"
buddy=$GOLDEN/buddy/m06d_buddy3l2.sion
run sionls --members "$buddy"
for level in '' _BUDDY_00 _BUDDY_01; do
    printf '%s\n' "$buddy$level" "$buddy$level.000001" "$buddy$level.000002"
done >"$scratch/names"
check 'and of its copies' printed "$scratch/names"
cp "$GOLDEN/serial/s01_single.sion" "$scratch/two lines
"
run sionls --members "$scratch/two lines
"
printf '%s\n\n' "$scratch/two lines" >"$scratch/names"
check 'a name as it is' printed "$scratch/names"
run sionls --members nothing.sion "$multi"
check 'the others, if a container cannot be read' failed_with 2 'nothing.sion'
run sionls --members --json "$multi"
check 'names and JSON' failed_with 1 'only one of --advice, --files, --members, --follow, --generations and --json can be used'

# ---- advice ----

mkdir "$scratch/it's"
run sionls --advice "$scratch/it's"
check 'advice on a folder' succeeded
# A shell that reads the advice gets the values which a new container there has.
taken()
{
    "$builddir/sionmerge" "$1/new.sion" s01_single.sion && (
        lfs() { :; }
        nfiles=0
        . "$scratch/out"
        "$builddir/siondump" "$1/new.sion" | grep -q "filesystem blocksize: *$fsblksize bytes" && test "$nfiles" -ge 1
    )
}
check 'a shell can read the advice, and it is right' taken "$scratch/it's"
cp s04_multichunk.sion "$scratch"
run sionls --advice "$scratch/s04_multichunk.sion"
check 'advice on a container' sh -c 'cd "$2" && PATH=$1:$PATH && . ./out >report && sionls s04_multichunk.sion.new' \
    - "$builddir" "$scratch"
run sionls --advice "$scratch/s04_multichunk.sion.new"
check 'a container that followed the advice gets no more' grep -qx '# It is good as it is.' "$scratch/out"
run sionls --advice "$scratch/nothing" "$scratch"
check 'advice on a missing file' failed_with 2 "$scratch/nothing"
check 'advice on the other operands' grep -q '^fsblksize=' "$scratch/out"
run sionls --advice --json "$scratch"
check 'advice does not go with JSON' failed_with 1 'only one of'

if command -v python3 >/dev/null; then
    "$builddir/siondump" --json "$multi" >"$scratch/0"
    "$builddir/siondump" --json s07_keyval.sion >"$scratch/1"
    run sionls --json --sort=size "$multi" s07_keyval.sion
    check 'JSON' python3 -c 'import json, sys
listed = json.load(open(sys.argv[1]))
for path, entry in zip(sys.argv[2:], listed, strict=True):
    dump = json.load(open(path))
    tasks = {task["task"]: task for task in dump["tasks"]}
    assert entry["bytes"] == dump["bytes"]["used"] and entry["number_of_tasks"] == len(tasks)
    assert len(entry["tasks"]) == len(tasks)
    sizes = [task["bytes"] for task in entry["tasks"]]
    assert sizes == sorted(sizes, reverse=True)
    for task in entry["tasks"]:
        other = tasks[task["task"]]
        assert task["bytes"] == other["bytes"] and task["chunks"] == len(other["extents"])
        assert task["global_rank"] == other["global_rank"] and task["chunk_size"] == other["chunk_size"]
        assert task["file"] == dump["files"][other["file"]]["name"]
assert listed[1]["keyval"] and not listed[0]["keyval"]' "$scratch/out" "$scratch/0" "$scratch/1"
    run sionls --json s01_single.sion nothing.sion
    check 'JSON beside a failure' python3 -c 'import json, sys
assert len(json.load(open(sys.argv[1]))) == 1' "$scratch/out"
    run sionls --json nothing.sion
    check 'JSON without any container' python3 -c 'import json, sys
assert json.load(open(sys.argv[1])) == []' "$scratch/out"
fi
finish

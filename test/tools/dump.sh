#!/bin/sh
# siondump prints the same as SIONlib's siondump, for every sample file.
. "$(dirname "$0")/lib.sh"

# All keys of s14 are shown, also those of empty records, which SIONlib loses.
for golden in "$GOLDEN"/*/dumps/*.txt; do
    file=$(basename "$golden" .txt)
    case $file in
    s14*.k | s14*.K) continue ;;
    *.k) set -- -k ;;
    *.K) set -- -K ;;
    *.al) set -- -a -l ;;
    *.a) set -- -a ;;
    *.m) set -- -m ;;
    *.M) set -- -M ;;
    *) set -- ;;
    esac
    test $# -eq 0 || file=${file%.*}
    cd "$(dirname "$golden")/.." || exit 99
    run siondump "$@" "$file"
    check "siondump $* $file" printed "$golden"
done

cd "$GOLDEN/mpi" || exit 99
run siondump -al m01_multi.sion
check 'short options can be bundled' printed dumps/m01_multi.sion.al.txt
run siondump --all --long m01_multi.sion
check 'options have long names' printed dumps/m01_multi.sion.al.txt
run siondump m01_multi.sion --mapping
check 'options may follow the file' printed dumps/m01_multi.sion.m.txt
run siondump --mapping-table -v m01_multi.sion
check '-v changes nothing' printed dumps/m01_multi.sion.M.txt

# The parts have a fixed order, whatever the order of the options.
{
    cat dumps/m01_multi.sion.al.txt
    tail -n 2 dumps/m01_multi.sion.m.txt
    tail -n 4 dumps/m01_multi.sion.M.txt
} >"$scratch/all"
run siondump -Mmla m01_multi.sion
check 'all parts together' printed "$scratch/all"

run siondump -S m01_multi.sion
check '-S succeeds' succeeded
sed -n 17p "$scratch/out" >"$scratch/line"
check '-S: the size of the structure in memory, after the number of blocks' grep -Eq \
    '^siondump: sizeof internal struct:    [0-9]+ bytes [0-9]+ file descriptors$' "$scratch/line"
sed 17d "$scratch/out" >"$scratch/rest"
check '-S: the rest is the same' same "$scratch/rest" dumps/m01_multi.sion.txt

# A sub-file by itself has its own tasks, the names of the whole set, and no mapping.
run siondump -mM m01_multi.sion.000001
check 'a sub-file can be dumped' succeeded
tail -n 12 "$scratch/out" >"$scratch/end"
rule=------------------------------------------------------------
cat >"$scratch/expected" <<EOF
siondump: number of files:           3
siondump: file   1:                    m01_multi.sion 
siondump: file   2:                    m01_multi.sion.000001 
siondump: file   3:                    m01_multi.sion.000002 
$rule
  mapping: 
$rule
  file[000]: 
  file[001]: 
  file[002]: 
$rule
EOF
sed -n '2,$p' "$scratch/end" >"$scratch/tables"
check 'a sub-file: the mapping is empty' same "$scratch/tables" "$scratch/expected"
check 'a sub-file: number of tasks' grep -qx 'siondump: number of tasks:           2' "$scratch/out"
check 'a sub-file: sid' grep -qx 'siondump: sid:                       0' "$scratch/out"
check 'a sub-file: file number' grep -qx 'siondump: file number:               1' "$scratch/out"

# There is a line break after every 16th pair, also after the last one; file 1 has only the last
# task.
expected_pairs()
{
    printf '  mapping: '
    task=0
    while test $task -lt $(($1 - 1)); do
        printf '[%05d -> (f000,t%03d)] ' $task $task
        task=$((task + 1))
        test $((task % 16)) -ne 0 || printf '\n        '
    done
    printf '[%05d -> (f001,t000)] ' $task
    test $(((task + 1) % 16)) -ne 0 || printf '\n        '
    printf '\n'
}
cd "$scratch" || exit 99
for tasks in 17 32; do
    "$builddir/test/tools/make_set" set.sion $tasks || exit 99
    run siondump -m set.sion
    sed -n '/mapping/,/---/p' "$scratch/out" | sed '$d' >"$scratch/pairs"
    expected_pairs $tasks >"$scratch/expected"
    check "-m with $tasks tasks" same "$scratch/pairs" "$scratch/expected"
done

cd "$GOLDEN/old" || exit 99
run siondump v2.sion
check 'an old file: one warning' failed_with 0 'old file format version'

cd "$GOLDEN/serial" || exit 99
run siondump -K s14_kvedge.sion
check '-K: empty records at the end' grep -qxF 'Task 01: [00:k=<1>,size=480] [01:k=<2>,size=0]' \
    "$scratch/out"
run siondump --keys s14_kvedge.sion
check '-k: keys with empty records only' grep -qxF \
    'Task 03: key[01]=       2: #blocks=     1 totalsize=         0' "$scratch/out"
run siondump -k -K s07_keyval.sion
check '-k and -K together' succeeded
check '-k and -K together: both tables' test "$(grep -c '^-----' "$scratch/out")" = 4
"$builddir/test/tools/make_keys" "$scratch/keys.sion" 12 || exit 99
run siondump --key-list "$scratch/keys.sion"
check '-K breaks the line before records 5 and 10' test \
    "$(grep -c '^       : \[\(05\|10\):' "$scratch/out")" = 2
for option in -k -K; do
    run siondump $option s01_single.sion
    check "$option on a plain container" failed_with 2 'on rank 1: error sid = 0'
    run siondump $option -m "$GOLDEN/mpi/m01_multi.sion"
    check "$option on a plain set" failed_with 2 'on rank 8: error sid = 1'
    check "$option on a plain set: the rest of the report" grep -q 'number of files:           3' \
        "$scratch/out"
    check "$option on a plain set: and the mapping" grep -q 'mapping: .00000' "$scratch/out"
done
"$builddir/test/tools/make_many" "$scratch/places.sion" 32768 1 8 || exit 99
run siondump "$scratch/places.sion"
check 'places of tasks' grep -q 'places of tasks: *100, every 325 tasks$' "$scratch/out"
run siondump --json "$scratch/places.sion"
check 'places of tasks in JSON' grep -qF '"places": {"number": 100, "step": 325}' "$scratch/out"
printf '\001' | dd of="$scratch/places.sion" bs=1 seek=500 conv=notrunc 2>/dev/null
run siondump "$scratch/places.sion"
check 'damaged places of tasks' grep -q 'places of tasks:  *damaged' "$scratch/out"
"$builddir/test/tools/make_many" "$scratch/places.sion" 32767 1 8 || exit 99
run siondump "$scratch/places.sion"
check 'no places of fewer tasks' test "$(grep -c places "$scratch/out")" = 2 # in its name
cd "$GOLDEN/invalid" || exit 99
for option in -k -K; do
    run siondump $option i42_kv_len_huge.sion
    check "$option on damaged records" failed_with 2 'are left'
done

finish

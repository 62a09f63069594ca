#!/bin/sh
# siondefrag and sionmerge under mpiexec: the processes make one container together, the same as one
# process byte by byte; a failure of one is a failure of all.
. "$(dirname "$0")/lib.sh"

test -n "$MPIEXEC" || skip_all 'built without MPI'
cd "$scratch" || exit 99
unset PMI_RANK PMI_SIZE PMIX_RANK OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE MPI_LOCALRANKID
# Open MPI would end the other processes when one fails.
OMPI_MCA_orte_abort_on_non_zero_status=0
export OMPI_MCA_orte_abort_on_non_zero_status
make=$builddir/test/tools

# A script on.RANK, which prepares the process, runs before it. Its status is left in status.RANK.
cat >"$scratch/process" <<'END'
rank=${PMI_RANK:-$OMPI_COMM_WORLD_RANK}
here=$scratch
if test -f "$here/on.$rank"; then . "$here/on.$rank"; fi
status=0
"$@" || status=$?
echo $status >"$here/status.$rank"
exit $status
END
export scratch

# together N TOOL...: like run, with N processes
together()
{
    n=$1 tool=$2
    shift 2
    status=0
    rm -f "$scratch"/status.*
    timeout 60 sh "$LAUNCH" "$n" sh "$scratch/process" "$builddir/$tool" "$@" \
        >"$scratch/out" 2>"$scratch/err" <"${input:-/dev/null}" || status=$?
    without_mpi_lines "$scratch/out" "$scratch/err"
}

# all_failed N STATUS TEXT: each process failed, and one of them printed the reason in one line
all_failed()
{
    test "$(sort -u "$scratch"/status.*)" = "$2" || { grep . "$scratch"/status.* && return 1; }
    test "$(cat "$scratch"/status.* | wc -l)" -eq "$1" || return 1
    grep '^sion' "$scratch/err" | grep -v ': warning: SION_FAULT=' >"$scratch/lines"
    test "$(wc -l <"$scratch/lines")" -eq 1 && grep -qF -- "$3" "$scratch/lines" && return 0
    cat "$scratch/err"
    return 1
}

# nothing_left FOLDER: there is no temporary file
nothing_left()
{
    test "$(ls -A "$1")" = out.sion
}

# blocks FOLDER: prints the number of blocks that its files take
blocks()
{
    stat -c %b "$1"/* | awk '{ sum += $1 } END { print sum + 0 }'
}

# same_bytes: in alone and many, but for flag2 of a set, in which each run has a random number
same_bytes()
{
    if test -e alone/out.sion.000001; then
        for file in alone/* many/*; do
            dd if=/dev/zero of="$file" bs=1 seek=44 count=8 conv=notrunc 2>/dev/null || return 1
        done
    fi
    diff -r alone many
}

# equal NAME RANKS TOOL ARGUMENTS...: one process and several ones make the same output
equal()
{
    what=$1 ranks=$2
    shift 2
    rm -rf alone many
    mkdir alone many
    cd alone || exit 99
    run "$@"
    cd ..
    mv "$scratch/out" alone.out
    check "$what: alone" succeeded
    for n in $ranks; do
        cd many || exit 99
        together "$n" "$@"
        cd ..
        check "$what, $n processes" succeeded
        check "$what, $n processes: every byte" same_bytes
        check "$what, $n processes: the report" same "$scratch/out" alone.out
        check "$what, $n processes: holes" test "$(blocks many)" -le $(($(blocks alone) + 256))
    done
}

# ---- siondefrag ----

"$make/make_many" m.sion 40 4 70000 || exit 99
equal 'one file' '1 2 3 4' siondefrag ../m.sion out.sion
equal 'several files' '4' siondefrag --files=7 ../m.sion out.sion
equal 'small chunks' '2' siondefrag --chunksize=3000 ../m.sion out.sion
equal 'small chunks in several files' '1 2 3' siondefrag --files=3 --chunksize=1000 -q 1 ../m.sion out.sion
"$builddir/siondefrag" --files=5 --chunksize=50000 m.sion set.sion >set.out || exit 99
equal 'of a set' '3' siondefrag ../set.sion out.sion
equal 'key-value records' '2 4' siondefrag "$GOLDEN/serial/s07_keyval.sion" out.sion
equal 'of the other byte order, in several files' '3' siondefrag --files=2 "$GOLDEN/swapped/b03_keyval_bigmeta.sion" out.sion
equal 'no data at all' '2' siondefrag "$GOLDEN/serial/s12_allzero.sion" out.sion
equal 'a thousand tasks' '3' siondefrag --files=17 "$GOLDEN/serial/s09_many1000.sion" out.sion
SION_RECOVER=1 "$make/make_many" recover.sion 9 3 5000 || exit 99
equal 'of one with commit records' '3' siondefrag ../recover.sion out.sion
if test -x "$make/make_sums"; then
    "$make/make_sums" sums.sion || exit 99
    equal 'of one with checksums' '2' siondefrag ../sums.sion out.sion
fi

# ---- sionmerge ----

mkdir in
for i in 1 2 3 4 5 6 7; do head -c $((i * i * 50000)) /dev/urandom >in/$i; done
: >in/none
truncate -s 90M in/5 # the end of it is a hole
chmod 640 in/3
equal 'sionmerge' '1 2 3 4' sionmerge out.sion ../in/1 ../in/2 ../in/none ../in/3 ../in/4 ../in/5 ../in/6 ../in/7
check 'the permissions are those of all files together' test "$(stat -c %a many/out.sion)" = 640
mv many/out.sion holes.sion
equal 'more processes than files' '4' sionmerge -q 1 out.sion ../in/4 ../in/5
mkdir -p tree/a/b
cp in/1 in/none tree/a
cp in/2 in/3 in/5 tree/a/b
ln tree/a/1 tree/a/b/again
equal 'a tree' '1 2 3' sionmerge --files -n 3 --root ../tree . out.sion
equal 'a tree as more tasks' '2' sionmerge --files -n 20 --root ../tree . out.sion
printf '../in/1\n\n../in/%s\n' 2 3 4 >list
equal 'a list' '3' sionmerge -T ../list out.sion
cd many || exit 99
input=../list
together 3 sionmerge -T - out.sion
unset input
cd ..
check 'a list from standard input' succeeded
check 'a list from standard input: every byte' diff -r alone many
cp many/out.sion old.sion
equal 'holes of a container' '3' siondefrag ../holes.sion out.sion

# The first process alone writes an output that cannot have a temporary file for the others to open.
run siondefrag m.sion /dev/fd/3 3>alone.fd
check 'a descriptor: alone' succeeded
echo 'exec 3>fd.sion' >on.0
together 3 siondefrag m.sion /dev/fd/3
rm -f on.0
check 'a descriptor' succeeded
check 'a descriptor: every byte' same fd.sion alone.fd

# ---- what is printed ----

cd many || exit 99
# Open MPI cuts lines of several processes into pieces.
lines_or_pieces()
{
    if test "$MPI_FLAVOUR" = openmpi; then fold -w 1; else cat; fi | sort
}
"$builddir/siondefrag" -v ../m.sion out.sion | lines_or_pieces >../wanted
together 3 siondefrag -v ../m.sion out.sion
check '-v' succeeded
lines_or_pieces <"$scratch/out" >../found
check '-v: each line once' same ../found ../wanted
"$builddir/sionmerge" -v out.sion ../in/* | lines_or_pieces >../wanted
together 3 sionmerge -v out.sion ../in/*
check 'sionmerge -v' succeeded
lines_or_pieces <"$scratch/out" >../found
check 'sionmerge -v: each line once' same ../found ../wanted
together 3 siondefrag --quiet ../m.sion out.sion
check '--quiet' printed /dev/null
together 3 siondefrag --progress=always ../m.sion out.sion
check '--progress' test "$(grep -c '100.0%' "$scratch/err")" -eq 1
together 3 siondefrag --wrong ../m.sion out.sion
check 'a wrong option' all_failed 3 1 'unknown option --wrong'
together 3 sionmerge out.sion
check 'no files' all_failed 3 1 'either operands or in a list'
together 3 siondefrag --help
check '--help: once' test "$(grep -c '^Usage:' "$scratch/out")" -eq 1
rm -f out.sion
together 2 siondefrag --alone ../m.sion out.sion
check '--alone: each process does all the work' test "$(grep -c 'number of files\|nfiles:' "$scratch/out")" -eq 2
check '--alone: the container is right' "$builddir/siondiff" -q ../m.sion out.sion

# ---- failures: the old output stays ----

# stays NAME N STATUS TEXT: checks a failure, after a run in many/
stays()
{
    check "$1" all_failed "$2" "$3" "$4"
    check "$1: the old output stays" same out.sion ../old.sion
    check "$1: no other file is left" nothing_left .
}
cp ../old.sion out.sion
together 3 siondefrag ../missing.sion out.sion
stays 'no input' 3 2 'rank 0: cannot open ../missing.sion'
head -c 200000 ../m.sion >../cut.sion
together 3 siondefrag ../cut.sion out.sion
stays 'an input that is cut off' 3 2 'cut.sion'
# The length of the first record of task 1, the last task with data; it has 2557 bytes.
"$builddir/siondefrag" -q 1 "$GOLDEN/serial/s07_keyval.sion" ../bad.sion >../bad.out
end=$("$builddir/siondefrag" ../bad.sion ../again.sion | sed -n 's/.*start_of_varheader: *\([0-9]*\) .*/\1/p')
printf '\377\377\377\077' | dd of=../bad.sion bs=1 seek=$((end - 2557 + 8)) conv=notrunc 2>/dev/null
together 3 siondefrag ../bad.sion out.sion
check 'a damaged record' all_failed 3 2 'key-value record at byte 0 of task 1 says'
check 'a damaged record: the others are copied' test -s out.sion
check 'a damaged record: no other file is left' nothing_left .
rm -f out.sion
together 2 siondefrag --files=2 ../bad.sion out.sion
check 'a damaged record, several files' all_failed 2 2 'key-value record at byte 0 of task 1 says'
check 'a damaged record, several files: the others are copied' test -s out.sion.000001
rm -f out.sion*
cp ../old.sion out.sion
together 3 sionmerge out.sion ../in/1 ../in/2 ../in/gone
stays 'a missing file' 3 2 'rank 2: cannot read ../in/gone: No such file'
together 2 sionmerge out.sion ../in/1 out.sion
stays 'an input as output' 2 2 'rank 1: outfile out.sion is one of the files'
together 3 sionmerge --files --root .. in none out.sion
stays 'a missing tree' 3 2 'rank 0: cannot read ../none: No such file'
together 3 sionmerge --files --root .. in out.sion
check 'a task for each process' succeeded
run siondump out.sion
check 'and each has files' grep -q 'number of tasks: *3$' "$scratch/out"
cp ../old.sion out.sion
echo "cd ../elsewhere" >../on.1
mkdir ../elsewhere
together 3 sionmerge --files --root .. in out.sion
rm -f ../on.1
rmdir ../elsewhere 2>/dev/null
check 'a process that does not see the tree' all_failed 3 2 'rank 1: '
cp ../old.sion out.sion
together 3 sionmerge missing/out.sion ../in/1
check 'an output in a missing folder' all_failed 3 2 'rank 0: cannot open outfile missing/out.sion'

# A process that sees a different folder.
mkdir ../elsewhere ../elsewhere/many
echo "cd ../elsewhere/many" >../on.1
together 3 siondefrag ../m.sion out.sion
stays 'an input that one process cannot read' 3 2 'rank 1: cannot open ../m.sion'
"$make/make_many" ../elsewhere/m.sion 40 4 60000
together 3 siondefrag ../m.sion out.sion
stays 'another input' 3 2 'rank 1: ../m.sion is not what rank 0 has under this name'
cp ../m.sion ../elsewhere/m.sion
together 3 siondefrag ../m.sion out.sion
stays 'an output that one process cannot open' 3 2 'rank 1: '
check 'the message has the name of the output' sh -c '! grep -F sion- "$1"' - "$scratch/err"
rm -f ../on.1
check 'no file is left in that folder' test -z "$(ls -A ../elsewhere/many)"

# System calls that fail on one rank: the first of its kind, or all.
for fault in open:eacces:1 read:eio:1 write:enospc:1 sync:eio:1+ rename:eacces:1+; do
    for rank in 0 1; do
        test "$fault@$rank" = rename:eacces:1+@1 && continue # it renames nothing
        SION_FAULT=$fault@$rank
        export SION_FAULT
        together 2 siondefrag ../m.sion out.sion
        stays "$SION_FAULT" 2 2 "rank $rank: "
    done
done
SION_FAULT=sync:eio:1+@1
together 3 siondefrag --files=2 ../m.sion out.sion
stays 'a failure in one of several files' 3 2 'rank 1: data of out.sion may be lost, flushing it to disk failed'

# The other processes stop soon: each of these files is copied in a moment, but agreed on.
for i in 10 11 12 13 14 15 16 17 18 19; do truncate -s 60M ../in/$i; done
echo x | dd of=../in/15 conv=notrunc 2>/dev/null
SION_FAULT=write:enospc:1@1
together 2 sionmerge -v out.sion ../in/1?
stays 'a full disk of one process' 2 2 ' of out.sion: No space left'
check 'the others do not work on' test "$(grep -c '^sionmerge: task' "$scratch/out")" -eq 2
unset SION_FAULT
rm -f ../in/1?

# A full disk, if a small one can be mounted.
cd ..
mkdir disk
cat >on_a_small_disk <<'END'
mount -t tmpfs -o size=2m none disk || exit 77
cp old disk/out.sion && cd disk && sh "$LAUNCH" "$n" sh "$scratch/process" "$@"
status=$?
cmp ../old out.sion && test "$(ls -A)" = out.sion && echo unchanged >../unchanged
exit $status
END
echo old >old
for n in 1 3; do
    export n
    rm -f unchanged status.*
    status=0
    timeout 60 unshare -m sh on_a_small_disk "$builddir/siondefrag" ../m.sion out.sion \
        >"$scratch/out" 2>"$scratch/err" </dev/null || status=$?
    without_mpi_lines "$scratch/out" "$scratch/err"
    if test -e unchanged; then
        check "a full disk, $n processes" all_failed "$n" 2 'out.sion: No space left on device'
        check "a full disk, $n processes: the old output stays" test -s unchanged
    else
        skip "a full disk, $n processes" 'cannot mount a small file system'
    fi
done
finish

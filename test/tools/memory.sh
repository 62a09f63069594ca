#!/bin/sh
# Memory of the tools: at most 8 MiB, and 40 bytes for each task and for each chunk, whatever the
# size of the chunks and the number of records in them.
. "$(dirname "$0")/lib.sh"

cd "$scratch" || exit 99
make=$builddir/test/tools

# within NAME TASKS CHUNKS TOOL ARGUMENTS...: CHUNKS is the number for all tasks together
within()
{
    what=$1
    limit=$((8192 + 40 * ($2 + $3) / 1024))
    tool=$4
    shift 4
    status=0
    "$make/peak" peak "$builddir/$tool" "$@" >out 2>err || status=$?
    check "$tool $what: succeeds" ended 0
    check "$tool $what: $(cat peak) KiB of $limit" test "$(cat peak)" -le $limit
}

if has_sanitizers; then
    skip 'memory' 'sanitizers take more'
    finish
    exit
fi

# Six times as many bytes as the tools may take.
"$make/make_large" large.sion raw 48 || exit 99
for tool in sioncat siondump 'siondump -alS' 'siondump --json' 'siondump --svg=p.svg'; do
    # shellcheck disable=SC2086
    within 'of large chunks' 1 2 $tool large.sion
done
within 'of large chunks' 1 2 sionsplit large.sion part.
check 'the bytes' same part.00000 raw

# A program linked dynamically with MPI also takes MPI's memory, which is little with MPICH.
with_mpi()
{
    test "$MPI_FLAVOUR" = openmpi || within "$@"
}
with_mpi 'of large chunks' 1 2 siondefrag large.sion new.sion
with_mpi 'of large files' 2 2 sionmerge new.sion raw raw
if test -x "$builddir/sionscr" && test "$MPI_FLAVOUR" != openmpi; then
    within 'of large files' 1 1 sionscr pack -s 100M -o packed raw
    within 'of large files' 1 1 sionscr check packed
    within 'of large files' 1 1 sionscr fetch -o fetched packed
    within 'of large files' 1 1 sionscr import packed imported.sion
    mkdir -p prefix/ckpt.1 && mv large.sion prefix/ckpt.1
    within 'of large chunks' 1 2 sionscr export prefix/ckpt.1/large.sion
    rm -rf packed fetched imported.sion prefix
fi
if test -x "$builddir/sionfti"; then
    "$make/make_fti" 48 || exit 99
    mkdir extracted unpacked
    within 'of large variables' 1 1 sionfti dump Ckpt1-Rank0.fti
    within 'of large variables' 1 1 sionfti check Ckpt1-Rank0.fti
    within 'of large variables' 1 1 sionfti extract -o extracted Ckpt1-Rank0.fti
    within 'of large variables' 1 1 sionfti rehash -o rehashed Ckpt1-Rank0.fti
    within 'of large variables' 1 1 sionfti pack -o packed.sion Ckpt1-Rank0.fti
    within 'of large variables' 1 1 sionfti unpack -o unpacked packed.sion
    rm -rf extracted unpacked rehashed packed.sion Ckpt1-Rank0.fti
fi
rm -f raw part.* large.sion new.sion

"$make/make_many" tasks.sion 300000 1 4 || exit 99
for tool in sioncat siondump 'siondump -al' 'siondump --json' 'siondump --svg=p.svg'; do
    # shellcheck disable=SC2086
    within 'of many tasks' 300000 300000 $tool tasks.sion
done
with_mpi 'of many tasks' 300000 300000 siondefrag tasks.sion new.sion

"$make/make_many" chunks.sion 1000 1000 4 || exit 99
for tool in sioncat siondump 'siondump -al' 'siondump --json' 'siondump --svg=p.svg'; do
    # shellcheck disable=SC2086
    within 'of many chunks' 1000 500500 $tool chunks.sion
done
with_mpi 'of many chunks' 1000 500500 siondefrag chunks.sion new.sion
within 'of many chunks' 1000 500500 sionsplit chunks.sion part.

# 1200000 records in one chunk; each key has more than sionsplit keeps at a time.
"$make/make_keys" keys.sion 1200000 8 30000000 || exit 99
for tool in sioncat 'siondump -k' 'siondump -K' 'siondump --json -k -K'; do
    # shellcheck disable=SC2086
    within 'of many records' 1 1 $tool keys.sion
done
with_mpi 'of many records' 1 1 siondefrag -q 1 keys.sion new.sion
test "$MPI_FLAVOUR" != openmpi || run siondefrag -q 1 keys.sion new.sion
within 'of many records' 1 1 sionsplit keys.sion key.
check 'all values of each key' test "$(cat key.00000_00000000000[0-7] | wc -c)" = 1200000
check 'all values of the last key' test "$(wc -c <key.00000_000000000007)" = 150000
run sioncat keys.sion
mv out before
run sioncat new.sion
check 'the records are the same' printed before

# Some keys fit into sionsplit's table, others do not.
"$make/make_keys" few.sion 200000 5 7000000 || exit 99
within 'of fewer records' 1 1 sionsplit few.sion few.
for key in 0 1 2 3 4; do
    check "key $key" test "$(wc -c <few.00000_00000000000$key)" = 40000
done

finish

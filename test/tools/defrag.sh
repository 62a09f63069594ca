#!/bin/sh
# siondefrag: files byte by byte, reports, errors.
. "$(dirname "$0")/lib.sh"

util=$GOLDEN/util
cp -r "$GOLDEN/serial" "$GOLDEN/mpi" "$GOLDEN/swapped" "$scratch"
chmod -R u+w "$scratch"
mkdir "$scratch/defrag" "$scratch/util"
cd "$scratch" || exit 99

# writes SAMPLE INPUT OPTIONS...: the report contains the name of the output
writes()
{
    sample=$1
    input=$2
    shift 2
    run siondefrag "$@" "$input" "defrag/$sample"
    check "$sample" succeeded
    check "$sample: bytes" same "defrag/$sample" "$GOLDEN/defrag/$sample"
}
writes d_s04.sion serial/s04_multichunk.sion
writes d_s04_q1.sion serial/s04_multichunk.sion -q 1
writes d_m01_q16.sion mpi/m01_multi.sion --block-size=16
writes d_s07.sion serial/s07_keyval.sion
writes d_s07_q1.sion serial/s07_keyval.sion -q 1
writes d_s05big.sion serial/s05_endbig.sion
head -c 100000 /dev/zero >defrag/d_s04.sion
writes d_s04.sion serial/s04_multichunk.sion
for n in 1 2; do
    run siondefrag "defrag/d_s04.sion" defrag/again
    run siondefrag "defrag/again" defrag/twice.sion
done
run sioncat defrag/twice.sion
check 'a copy of a copy has the same data' printed "$util/s04_multichunk.sioncat.out"

# ---- reports ----

cd serial || exit 99
run siondefrag s04_multichunk.sion ../util/tmp.sion
check 'report' printed "$util/s04_multichunk.siondefrag.stdout"
run siondefrag -v s04_multichunk.sion ../util/tmp.sion
check 'report, -v' printed "$util/s04_multichunk.siondefrag-v.stdout"
run siondefrag s07_keyval.sion ../util/tmp.sion
check 'report of a key-value container' printed "$util/s07_keyval.siondefrag.stdout"
run siondefrag --verbose s07_keyval.sion ../util/tmp.sion
check '-v: records' grep -qx \
    'siondefrag:                               copy now key\[           5\] with 600 bytes ' "$scratch/out"
cd ../mpi || exit 99
run siondefrag -q 16 m01_multi.sion ../util/tmp.sion
check 'report of a set' printed "$util/m01_multi.siondefrag-q16.stdout"
cd .. || exit 99
run siondefrag -Q 1 serial/s04_multichunk.sion util/large.sion
check '-Q' grep -qx 'siondefrag: fsblksize outfile:         1048576' "$scratch/out"
run siondefrag serial/s12_allzero.sion util/nothing.sion
check 'report of a container without data' grep -qx 'siondefrag: file usage:                0.000000%' "$scratch/out"

# ---- every stream of every sample ----

each_stream()
{
    run siondefrag -q 1 "$GOLDEN/$1" all.sion
    check "$1" succeeded
    run sioncat "$GOLDEN/$1"
    mv "$scratch/out" before
    run sioncat all.sion
    check "$1: data" printed before
    run siondump -al "$GOLDEN/$1"
    sed -n 's/^Task \([0-9]*\): size=\(.*\) #blks.*/\1 \2/p' "$scratch/out" | awk '!seen[$0]++' >before
    run siondump -al all.sion
    sed -n 's/^Task \([0-9]*\): size=\(.*\) #blks.*/\1 \2/p' "$scratch/out" >after
    check "$1: sizes and global ranks" same after before
}
for file in serial/s01_single serial/s03_zero serial/s08_granks serial/s09_many1000 \
    serial/s10_sparse serial/s14_kvedge mpi/m02_coll2 mpi/m05_mapped mpi/m09_chunks130 \
    mpi/m10_lcomm omp/o01_omp old/v2 old/v3 swapped/b01_bigmeta_biguser \
    swapped/b04_multi; do
    each_stream "$file.sion"
done

# Chunks that do not end at the end of the copy's buffer of 1 MiB.
"$builddir/test/tools/make_many" large.sion 3 3 700001 || exit 99
run siondefrag -q 1 large.sion all.sion
check 'chunks across the end of a buffer' succeeded
run sioncat large.sion
mv "$scratch/out" before
run sioncat all.sion
check 'chunks across the end of a buffer: data' printed before

# Headers of records get this machine's byte order, as if the file had been written here.
run siondefrag -q 1 swapped/b03_keyval_bigmeta.sion all.sion
check 'records of the other byte order' succeeded
run siondefrag -q 1 serial/s07_keyval.sion straight.sion
run sioncat straight.sion
mv "$scratch/out" straight
run sioncat all.sion
check 'records of the other byte order: streams' printed straight

# ---- errors ----

run siondefrag serial/s04_multichunk.sion serial/s04_multichunk.sion
check 'the input as the output' failed_with 2 'is a file of the input'
check 'the input as the output: it does not change' same serial/s04_multichunk.sion "$GOLDEN/serial/s04_multichunk.sion"
run siondefrag mpi/m01_multi.sion mpi/m01_multi.sion.000002
check 'a file of the input set as the output' failed_with 2 'is a file of the input'
run siondefrag serial/s04_multichunk.sion missing/x
check 'an output in a missing folder' failed_with 2 'missing/x'
run siondefrag serial/s04_multichunk.sion "$scratch"
check 'a folder as the output' failed_with 2 "$scratch"
run siondefrag missing.sion util/never.sion
check 'a missing input' failed_with 2 missing.sion
for file in "$GOLDEN"/invalid/i42* "$GOLDEN"/invalid/i43*; do
    run siondefrag "$file" util/never.sion
    check "$(basename "$file")" failed_with 2 'are left'
    rm -f util/never.sion # with the other tasks
done
run siondefrag "$GOLDEN/invalid/i40_flag1_99.sion" util/never.sion
check 'unknown key-value mode' ended 2
check 'is said' grep -q '^siondefrag: unknown keyvalue mode 99, aborting$' "$scratch/err"
status=0
(
    trap '' XFSZ
    ulimit -f 2
    "$builddir/siondefrag" "$GOLDEN/serial/s04_multichunk.sion" util/never.sion
) >"$scratch/out" 2>"$scratch/err" || status=$?
check 'a full disk' failed_with 2 'util/never.sion'
check 'an unfinished output is removed' test ! -e util/never.sion
for value in 0 -1 x 4096M; do
    run siondefrag -q "$value" serial/s04_multichunk.sion util/never.sion
    check "-q $value" failed_with 1 "'$value'"
done
run siondefrag -Q 2048 serial/s04_multichunk.sion util/never.sion
check '-Q 2048' failed_with 1 'at most 2047'


# ---- several files, chunks of a size ----

"$builddir/test/tools/make_many" many.sion 10 3 3000 || exit 99
# again OPTIONS...: the streams are the same, also after another copy into one file and one chunk
again()
{
    rm -f set.sion*
    run siondefrag "$@" many.sion set.sion
    succeeded && "$builddir/siondiff" -q many.sion set.sion &&
        "$builddir/siondefrag" set.sion one.sion >"$scratch/back" && "$builddir/siondiff" -q many.sion one.sion
}
for options in '--files=1' '--files=3' '--files=10' '--chunksize=1000' '--chunksize=1' '--chunksize=100k' \
    '--files=4 --chunksize=700 -q 1'; do
    # shellcheck disable=SC2086
    check "$options: the streams" again $options
done
check 'the set has as many files' test "$(echo set.sion*)" = 'set.sion set.sion.000001 set.sion.000002 set.sion.000003'
check 'the files share the tasks' test "$("$builddir/sionls" set.sion | awk 'NR > 2 { print $NF }' | uniq -c | awk '{ printf "%s ", $1 }')" = '2 2 2 4 '
check 'the most chunks' test "$("$builddir/sionls" --sort=chunks set.sion | awk 'NR == 3 { print $(NF - 1) }')" -eq 9
check 'no chunk is larger' sh -c '"$1" -l set.sion | awk "NR > 2 && \$5 != 700 { exit 1 }"' - "$builddir/sionls"
check 'no temporary name is left' test -z "$(ls -A | grep sion-)"
if test -x "$builddir/test/src/parallel/open_mpi"; then
    run siondump set.sion
    check 'siondump reads the set' grep -q 'number of files: *4' "$scratch/out"
fi
echo old >kept.sion.000001
run siondefrag --files=11 many.sion kept.sion
check 'more files than tasks' failed_with 2 'many.sion has 10 tasks, fewer than --files=11'
run siondefrag --files=2 serial/s08_granks.sion kept.sion
check 'ranks that a set cannot have' failed_with 2 '--files needs ranks 0, 1, 2, ...'
run siondefrag --chunksize=100 serial/s07_keyval.sion kept.sion
check 'key-value records' failed_with 2 'no --chunksize'
check 'old files do not change' test "$(cat kept.sion.000001)" = old -a ! -e kept.sion
for value in 0 -1 x 1,2; do
    run siondefrag --files="$value" many.sion kept.sion
    check "--files=$value" failed_with 1 "--files takes a number from 1 to 2147483647, not '$value'"
done
for value in 0 -1 x 1kk 9000000T; do
    run siondefrag --chunksize="$value" many.sion kept.sion
    check "--chunksize=$value" failed_with 1 "--chunksize takes a number of bytes, not '$value'"
done
cp set.sion.000001 in.sion.000001
run siondefrag --files=2 in.sion.000001 in.sion
check 'a file of the set is the input' failed_with 2 'is a file of the input'
status=0
(
    trap '' XFSZ
    ulimit -f 8
    "$builddir/siondefrag" --files=2 many.sion util/never.sion
) >"$scratch/out" 2>"$scratch/err" || status=$?
check 'a full disk' failed_with 2 'util/never.sion'
check 'no file of the set is left' test -z "$(ls -A util | grep never)"

# ---- a set in the place of an older container ----

"$builddir/test/tools/make_many" older.sion 10 3 2000 || exit 99
# older KIND: makes the container that is replaced, in the folder older
older()
{
    rm -rf older
    mkdir older
    case $1 in
    none) ;;
    *) "$builddir/siondefrag" --files="$1" older.sion older/out.sion >older.out ;;
    esac
}
# state: whether the container is the old one, the new one, or is refused
state()
{
    if ! test -e place/out.sion || "$builddir/sioncat" -o cat.raw place/out.sion 2>cat.err; then
        test -e place/out.sion || { echo none && return; }
        "$builddir/siondiff" -q many.sion place/out.sion && echo new && return
        "$builddir/siondiff" -q older.sion place/out.sion && echo old && return
        echo mixture
    else
        echo refused
    fi
}
# replaces FAULT: the result is the old container or the new one, or sionrecover makes it the new one
replaces()
{
    rm -rf place
    cp -r older place
    ended=0
    SION_FAULT=$1 "$builddir/siondefrag" --files=3 many.sion place/out.sion >set.out 2>set.err || ended=$?
    now=$(state)
    case $ended,$now in
    0,new | [!0]*,new | [!0]*,old) return 0 ;;
    [!0]*,none) test -z "$(ls place)" && return ;;
    [!0]*,refused) ;;
    *) echo "status $ended, $now" && return 1 ;;
    esac
    "$builddir/sionrecover" --in-place place/out.sion >set.out 2>&1 || { cat set.out && return 1; }
    test "$(state)" = new && test -z "$(ls -A place | grep '^[.]')"
}
# killed_everywhere: in each call that changes something on the disk
killed_everywhere()
{
    call=0 ended=1
    while test "$ended" -ne 0; do
        call=$((call + 1))
        replaces any:kill:$call || { echo "killed in call $call" && return 1; }
    done
    test "$call" -gt 12
}
for kind in none 1 3 5; do
    older $kind
    for n in 1 2 3; do
        check "older container of $kind files: rename $n fails" replaces rename:eio:$n
        check '... the tool says so' test "$ended" -eq 2
        test $n -gt 1 || check '... nothing has changed' diff -r older place
    done
    check "older container of $kind files: killed in any call" killed_everywhere
done
older 3
replaces rename:eio:2
check 'what can be done is told' grep -qF 'sionrecover --in-place place/out.sion' set.err
check 'sets of tools have a number of their own' sh -c '! cmp -s "$1" "$2"' - older/out.sion place/out.sion
finish

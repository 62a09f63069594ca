#!/bin/sh
# siondiff: the same data in another layout, and each kind of difference.
. "$(dirname "$0")/lib.sh"

cd "$scratch" || exit 99
PATH=$builddir:$builddir/test/tools:$PATH
serial=$GOLDEN/serial

same_data()
{
    run siondiff "$@"
    succeeded && test ! -s "$scratch/out"
}

# differs LINE A B: siondiff prints this line alone, and with -q nothing
differs()
{
    wanted=$1
    shift
    run siondiff "$@"
    ended 1 && echo "$* differ: $wanted" | same - "$scratch/out" || return 1
    run siondiff -q "$@"
    ended 1 && test ! -s "$scratch/out"
}

for sample in serial/s04_multichunk serial/s07_keyval serial/s08_granks mpi/m01_multi omp/o01_omp; do
    check "$sample: itself" same_data "$GOLDEN/$sample.sion" "$GOLDEN/$sample.sion"
    name=${sample#*/}
    siondefrag "$GOLDEN/$sample.sion" "$name.sion" >/dev/null
    check "$sample: defragmented" same_data "$GOLDEN/$sample.sion" "$name.sion"
done
for sample in b01_bigmeta_biguser b03_keyval_bigmeta b04_multi; do
    siondefrag "$GOLDEN/swapped/$sample.sion" $sample.sion >/dev/null
    check "$sample: in the other byte order" same_data "$GOLDEN/swapped/$sample.sion" $sample.sion
done

# change FILE BYTE: changes one byte of a file
change()
{
    printf 'X' | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

# offset_of FILE TASK CHUNK
offset_of()
{
    siondump --json "$1" | awk -v task="\"task\": $2," -v chunk="\"chunk\": $3, \"offset\": " \
        'index($0, task) { sub(".*" chunk, ""); print $0 + 0 }'
}

for byte in 0 399 400 4172; do
    # A defragmented container has one chunk for each task.
    siondefrag "$serial/s04_multichunk.sion" changed.sion >/dev/null
    change changed.sion $(($(offset_of changed.sion 1 0) + byte))
    check "byte $byte" differs "rank 1, offset $byte" "$serial/s04_multichunk.sion" changed.sion
done

# Parts of 300000 bytes: several pieces are read, and the difference is in the last one.
head -c 1000000 /dev/zero >zero
head -c 999999 /dev/zero >short
cp zero other && change other 999998
: >empty
sionmerge a.sion zero empty zero >/dev/null
for variant in 'other empty zero' 'short empty zero' 'zero zero zero' 'zero empty'; do
    # shellcheck disable=SC2086
    sionmerge "b$(echo "$variant" | tr -d ' ').sion" $variant >/dev/null
done
check 'late in a large stream' differs 'rank 0, offset 999998' a.sion botheremptyzero.sion
check 'a shorter stream' differs 'rank 0, offset 999999 (1000000 and 999999 bytes)' a.sion bshortemptyzero.sion
check 'an empty stream' differs 'rank 1, offset 0 (0 and 1000000 bytes)' a.sion bzerozerozero.sion
check 'fewer tasks' differs '3 and 2 tasks' a.sion bzeroempty.sion
siondiff a.sion botheremptyzero.sion --progress=never >/dev/null
sionmerge c.sion other empty other >/dev/null
run siondiff a.sion c.sion
check 'there is a line for each task that differs' test "$(grep -c 'differ: rank [02], offset 999998$' out)" -eq 2
run siondiff --progress=always a.sion a.sion
check 'progress' grep -q '%' err

# ---- ranks ----

make_special ranks012 a1.sion
make_special ranks201 a2.sion
make_special ranks001 a3.sion
check 'ranks in another order' same_data a1.sion a2.sion
run siondiff a1.sion a3.sion
check 'without ranks of a program, tasks are compared by number' test "$(grep -c 'differ: task [12], offset 0$' out)" -eq 2

# ---- records ----

kv=$serial/s07_keyval.sion
check 'records and bytes' differs "only $kv has key-value records" "$serial/s04_multichunk.sion" "$kv"
make_special keys k.sion
cp k.sion k2.sion
at=$(offset_of k.sion 1 0)
# Records of task 1: 5 "", 5 "one", last "last", ...; a head takes 16 bytes.
change k2.sion $((at + 16 + 16 + 1))
check 'a byte of a record' differs 'rank 1, record 1 of key 5, offset 1' k.sion k2.sion
cp k.sion k2.sion
change k2.sion $((at + 16))
check 'a key' differs 'rank 1, record 1: keys 5 and 88' k.sion k2.sion
cp k.sion k2.sion
make_special more k3.sion
check 'one more record' differs 'rank 1, record 7 is in k3.sion alone' k.sion k3.sion
check 'and the reverse' differs 'rank 1, record 7 is in k3.sion alone' k3.sion k.sion

# ---- errors ----

run siondiff nothing.sion a.sion
check 'a missing first container' failed_with 2 'nothing.sion'
run siondiff a.sion nothing.sion
check 'a missing second container' failed_with 2 'nothing.sion'
run siondiff a.sion
check 'one operand' ended 2
run siondiff -x a.sion a.sion
check 'an unknown option' failed_with 2 'unknown option -x'
run siondiff "$GOLDEN/invalid/i42_kv_len_huge.sion" "$GOLDEN/invalid/i42_kv_len_huge.sion"
check 'damaged records' ended 2
finish

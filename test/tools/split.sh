#!/bin/sh
# sionsplit: names of the files, reports, errors. (streams.sh checks the bytes.)
. "$(dirname "$0")/lib.sh"

util=$GOLDEN/util
cp -r "$GOLDEN/serial" "$GOLDEN/mpi" "$scratch"
chmod -R u+w "$scratch"
mkdir "$scratch/util"

# all_parts PATTERN NUMBER: so many files in util/ match, and each equals the one of SIONlib
all_parts()
{
    n=0
    for part in "$scratch"/util/$1; do
        same "$part" "$util/$(basename "$part")" || return 1
        n=$((n + 1))
    done
    test $n -eq "$2"
}

cd "$scratch/serial" || exit 99
for name in s02_unequal4 s04_multichunk s08_granks; do
    run sionsplit $name.sion ../util/$name.
    check "$name: report" printed "$util/$name.sionsplit.stdout"
done
check 's02_unequal4: files' all_parts 's02_unequal4.*' 4
check 's04_multichunk: files' all_parts 's04_multichunk.*' 3
check 's08_granks: files' all_parts 's08_granks.*' 4
run sionsplit -g -d 3 s08_granks.sion ../util/s08_g.
check '-g -d 3: report' printed "$util/s08_granks.sionsplit-g-d3.stdout"
check '-g -d 3: files' all_parts 's08_g.*' 4
run sionsplit -v --global-ranks --digits=3 s08_granks.sion ../util/s08_g.
check 'long names of options' printed "$util/s08_granks.sionsplit-g-d3.stdout"

# SIONlib subtracts one byte for each block that a task of a set does not have.
cd "$scratch/mpi" || exit 99
sed -e 's/3364 bytes/3370 bytes/' -e 's/122.238372%/122.456395%/' \
    "$util/m01_multi.sionsplit.stdout" >"$scratch/report"
run sionsplit m01_multi.sion ../util/m01.
check 'a set: a report with the right sums' printed "$scratch/report"
check 'a set: files' all_parts 'm01.*' 8

cd "$scratch/serial" || exit 99
mkdir percent
run sionsplit s02_unequal4.sion 'percent/%s%n%d_'
check '% in the prefix stands for itself' test -e 'percent/%s%n%d_00003'
check '% in the prefix: report' grep -qxF \
    'sionsplit: filename mask:             percent/%s%n%d_%05d' "$scratch/out"

run sionsplit -d 0 s02_unequal4.sion 'percent/d'
check '-d 0: as many digits as needed' same percent/d3 "$util/s02_unequal4.00003"

head -c 10000 /dev/zero >percent/long_00000
run sionsplit s02_unequal4.sion percent/long_
check 'an existing file is replaced' same percent/long_00000 "$util/s02_unequal4.00000"

# ---- a file for each key ----

mkdir ../util
run sionsplit s07_keyval.sion ../util/s07_kv.
check 'keys: report' printed "$util/s07_keyval.sionsplit.stdout"
for name in 00000_000000000005 00000_000000000007 00000_000000000009 00001_000000000002 \
    00001_000000000003; do
    check "keys: $name" same "../util/s07_kv.$name" "$util/s07_kv.$name"
done
check 'keys: the byte after an empty record is not lost' \
    test "$(wc -c <../util/s07_kv.00001_000000000001)" = 1
check 'keys: no file for a task without keys' test ! -e ../util/s07_kv.00002
run sionsplit -v s07_keyval.sion ../util/s07_kv.
grep -v 'key\[           1\]' "$scratch/out" >"$scratch/others"
check 'keys: -v' same "$scratch/others" "$util/s07_keyval.sionsplit-v.stdout"

# ---- lists ----

mkdir some
run sionsplit -t 0,2 s04_multichunk.sion some/t
check '-t 0,2' test "$(echo some/*)" = 'some/t00000 some/t00002'
check '-t 0,2: the data' sh -c 'cmp "$1/t00000" "$2.00000" && cmp "$1/t00002" "$2.00002"' - some "$util/s04_multichunk"
run sionsplit -t 3 s04_multichunk.sion some/u
check '-t 3: there is no such task' failed_with 2 'task number 3 out of range 0 .. 2 , aborting ...'
run sionsplit -t x s04_multichunk.sion some/u
check '-t x' failed_with 1 "'x'"
rm some/*
run sionsplit --keys 2,5-7 s07_keyval.sion some/k
check '--keys 2,5-7' test "$(echo some/*)" = \
    'some/k00000_000000000005 some/k00000_000000000007 some/k00001_000000000002'
check '--keys 2,5-7: the data' same some/k00001_000000000002 "$util/s07_kv.00001_000000000002"
rm some/*
run sionsplit --keys 1-9 -t 1 s07_keyval.sion some/k
check '--keys and -t' test "$(echo some/*_000000000002)" = some/k00001_000000000002 -a \
    ! -e some/k00000_000000000005
run sionsplit --keys 5 s04_multichunk.sion some/u
check '--keys: no records' failed_with 2 's04_multichunk.sion has no key-value records'
check 'refused runs leave no files' test -z "$(ls some | grep '^u')"

# ---- errors ----

cp "$GOLDEN/invalid/i42_kv_len_huge.sion" damaged.sion
run sionsplit damaged.sion percent/damaged
check 'damaged records' failed_with 2 'are left'

# The global rank of task 1, after 1076 bytes and that of task 0. The ranks of s02 are 0, 1, 2, 3.
cp s02_unequal4.sion twice.sion
printf '\003' | dd of=twice.sion bs=1 seek=1084 conv=notrunc 2>/dev/null
run sionsplit -g twice.sion percent/twice
check '-g: two tasks would write one file' failed_with 2 'global rank 3'
check '-g: two tasks would write one file: it is not written' test ! -e percent/twice00003
run sionsplit twice.sion percent/twice
check 'the same without -g' succeeded

cd "$scratch/mpi" || exit 99
run sionsplit -d 6 m01_multi.sion m01_multi.sion.
check 'a file of the set would be overwritten' failed_with 2 \
    'outfile m01_multi.sion.000001 is a file of the input'
check 'a file of the set does not change' \
    same m01_multi.sion.000001 "$GOLDEN/mpi/m01_multi.sion.000001"

finish

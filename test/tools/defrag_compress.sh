#!/bin/sh
# siondefrag --compress: the same data, compressed anew; also of plain containers and of several
# files, with checksums, arrays, damage and a full disk.
. "$(dirname "$0")/lib.sh"
grep -q '^#define HAVE_ZSTD 1' "$builddir/config.h" || skip_all 'no zstd'
make_zip=$builddir/test/tools/make_zip
cd "$scratch" || exit 99
"$make_zip" plain.sion w data || exit 99
"$make_zip" zip.sion w,compress=zstd:1,compress_frame=20000 data || exit 99

size() # FILE
{
    wc -c <"$1"
}

stored() # FILE: bytes of all streams, as they are stored
{
    "$builddir/sioncat" --stored "$1" | wc -c
}

# pressed OPTIONS... INPUT: out.sion has the same data
pressed()
{
    run siondefrag "$@" out.sion
    succeeded && run siondiff plain.sion out.sion && succeeded
}

check 'a plain container' pressed --compress=zstd plain.sion
check 'becomes smaller' test "$(size out.sion)" -lt $(($(size plain.sion) / 4))
check 'with nothing between its streams' test "$(size out.sion)" -lt $(($(stored out.sion) + 4 * 4096))
first=$(stored out.sion)
check 'a higher level' pressed --compress=zstd:3 plain.sion
check 'makes it smaller' test "$(stored out.sion)" -lt "$first"
check 'a compressed container' pressed --compress=zstd:19 zip.sion
check 'becomes smaller, too' test "$(stored out.sion)" -lt "$(stored zip.sion)"
check 'all words' pressed --compress=zstd:3,shuffle=4,compress_frame=50000,compress_threads=2 zip.sion
run sionls out.sion
check 'shuffled, in frames of that size' grep -q 'frames of 48.8 KiB, shuffle 4)' "$scratch/out"
check 'chunks of a size' pressed --chunksize=5000 --compress=zstd plain.sion
run siondump out.sion
check 'are more than one' grep -Eq 'number of blocks: +([2-9]|[0-9]{2})' "$scratch/out"
check 'none' pressed --compress=none zip.sion
run sioncat --stored out.sion
cp "$scratch/out" all
run sioncat plain.sion
check 'is not compressed' printed all
check 'without alignment' pressed -q 1 --compress=zstd plain.sion
check 'several files' pressed --files=2 --compress=zstd plain.sion
run siondefrag --compress=zstd --files=3 out.sion set.sion
check 'of a set of files' succeeded
run siondiff plain.sion set.sion
check 'has the same data' succeeded
if command -v zstd >/dev/null; then
    run sioncat --stored -t 1 set.sion
    cp "$scratch/out" stored
    check 'a stream is a zstd file' eval 'zstd -dqc <stored | cmp - data.1'
else
    skip 'a stream is a zstd file' 'no zstd'
fi
run siondefrag --compress=zstd --files=2 set.sion set.sion
check 'the input itself' failed_with 2 'set.sion'

# ---- checksums ----

LD_LIBRARY_PATH=$builddir/.libs:$LD_LIBRARY_PATH
export LD_LIBRARY_PATH
if test -e "$builddir/.libs/libsion_checksum.so"; then
    check 'checksums' pressed --checksum --compress=zstd plain.sion
    run sionverify out.sion
    check 'are of what is stored' grep -q 'good: 3 tasks, .*, 3 checksums' "$scratch/out"
    run siondefrag --checksum plain.sion out.sion
    run sionverify out.sion
    check 'also without compression' grep -q 'good: 3 tasks, .* checksums' "$scratch/out"
else
    skip 'checksums' 'no shared libraries'
fi

# ---- what is refused ----

rm -f out.sion*
run siondefrag --compress=lz4 plain.sion out.sion
check 'another word' failed_with 1 '--compress=lz4: it takes zstd, zstd:LEVEL, or none'
run siondefrag --compress=zstd,recover plain.sion out.sion
check 'a word that is not of compression' failed_with 1 'it takes zstd'
run siondefrag --compress= plain.sion out.sion
check 'nothing' failed_with 1 'it takes zstd'
for file in "$GOLDEN"/serial/*key*.sion; do
    run siondefrag --compress=zstd "$file" out.sion
    check "records: $(basename "$file")" failed_with 2 'has key-value records, which are not compressed'
done
run siondefrag --compress=zstd plain.sion none/out.sion
check 'no folder' ended 2
mkfifo pipe
run siondefrag --compress=zstd plain.sion pipe
check 'not a file' failed_with 2 'pipe is not a regular file, which --compress needs'
rm -f pipe
check 'nothing is left' test "$(ls -A | grep -c 'out.sion')" -eq 0

# ---- damage, and a full disk ----

head -c 4130 zip.sion >bad.sion
printf x >>bad.sion
tail -c +4132 zip.sion >>bad.sion
run siondefrag --compress=zstd bad.sion out.sion
check 'a damaged stream' ended 2
run sioncat -t 0 out.sion
check 'is empty' test ! -s "$scratch/out"
run sioncat -t 1 out.sion
check 'the others are there' printed data.1
rm -f out.sion

# Shells count in units of 512 or 1024 bytes.
unit=$(trap '' XFSZ; ulimit -f 1; head -c 3000 /dev/zero 2>/dev/null >unit; wc -c <unit)
rm -f unit

# limited BYTES ARGUMENTS...: no file may be larger
limited()
{
    limit=$1
    shift
    status=0
    (
        trap '' XFSZ
        ulimit -f $((limit / unit + 1))
        "$builddir/siondefrag" "$@"
    ) >"$scratch/out" 2>"$scratch/err" || status=$?
}

run siondefrag -q 1 --compress=zstd plain.sion whole.sion
most=$(stored whole.sion)
limited $((most / 2)) -q 1 --compress=zstd plain.sion out.sion
check 'a full disk while it is compressed' failed_with 2 'out.sion'
limited $most --compress=zstd plain.sion out.sion
check 'a full disk when it is put together' failed_with 2 'out.sion'
limited $((most + 8000)) -q 1 --compress=zstd plain.sion out.sion
check 'and one that is not full' ended 0
run siondiff plain.sion out.sion
check 'has all data' succeeded
rm -f out.sion whole.sion
mkdir empty
cd empty || exit 99
limited 1 --compress=zstd ../plain.sion out.sion
check 'nothing is left after a failure' test -z "$(ls -A)"
cd ..

# ---- arrays, and what is written on ----

if test -x "$builddir/test/src/array/make"; then
    "$builddir/test/src/array/make" arrays.sion || exit 99
    run sionarray ls arrays.sion
    cp "$scratch/out" wanted
    run siondefrag --compress=zstd:5,shuffle=8 arrays.sion pressed.sion
    check 'arrays' succeeded
    run sionarray ls pressed.sion
    check 'are still there' printed wanted
    run siondiff arrays.sion pressed.sion
    check 'with their data' succeeded
    run sionarray refs pressed.sion T
    check 'which are nowhere in the file as they are: for zarr' failed_with 2 'array T'
    run sionarray xdmf pressed.sion
    check 'and for XDMF' test "$status" -ne 0
    check 'no place is named' eval '! grep -q Seek= "$scratch/out"'
fi
"$make_zip" grown.sion w data || exit 99
run siondefrag --compress=zstd:9 grown.sion on.sion
"$make_zip" on.sion a more || exit 99
cat data.1 more.1 >both
run sioncat -t 1 on.sion
check 'it can be written on' printed both

# ---- several processes ----

if test -n "$MPIEXEC"; then
    unset PMI_RANK PMI_SIZE PMIX_RANK OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE MPI_LOCALRANKID
    for n in 2 4; do
        timeout 60 sh "$LAUNCH" $n "$builddir/siondefrag" --files=2 --compress=zstd:5 plain.sion \
            together.sion >"$scratch/out" 2>&1
        run siondiff plain.sion together.sion
        check "$n processes" succeeded
        run siondefrag --files=2 --compress=zstd:5 plain.sion alone.sion
        check "$n processes store what one stores" test "$(stored together.sion)" -eq "$(stored alone.sion)"
        rm -f together.sion* alone.sion*
    done
else
    skip 'several processes' 'built without MPI'
fi
finish

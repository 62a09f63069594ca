#!/bin/sh
# Tools and compressed streams: plain bytes, unless what is stored is asked for.
. "$(dirname "$0")/lib.sh"
grep -q '^#define HAVE_ZSTD 1' "$builddir/config.h" || skip_all 'no zstd'
make_zip=$builddir/test/tools/make_zip
sample=$(cd "$srcdir" && pwd)/test/golden/compress/z01.sion
cd "$scratch" || exit 99
"$make_zip" zip.sion w,compress=zstd,compress_frame=50000 data || exit 99
"$make_zip" plain.sion w data || exit 99

for task in 0 1 2; do
    run sioncat -t $task zip.sion
    check "sioncat -t $task: plain bytes" printed data.$task
done
run sioncat plain.sion
cp "$scratch/out" all
run sioncat zip.sion
check 'sioncat: all plain bytes' printed all
check 'the container is smaller' test "$(wc -c <zip.sion)" -lt $(($(wc -c <plain.sion) / 2))
run sioncat -t 1 --stored zip.sion
cp "$scratch/out" stored
check 'sioncat --stored: fewer bytes' test "$(wc -c <stored)" -lt $(($(wc -c <data.1) / 2))
if command -v zstd >/dev/null; then
    zstd -dqc <stored >unpacked
    check 'zstd makes the plain bytes of them' same unpacked data.1
    check 'and finds no error in them' zstd -tq stored
else
    skip 'zstd makes the plain bytes of them' 'no zstd'
fi
run sioncat --stored plain.sion
check 'sioncat --stored: of other containers, the data' printed all

# made by make_zip with w,compress=zstd:19,shuffle=4: its bytes stay readable
run sioncat "$sample"
check 'a sample: all plain bytes' printed all
run sionverify "$sample"
check 'a sample: sionverify' succeeded

# ---- shuffled ----

unshuffled() # STREAM HOW WANTED
{
    zstd -dqc <"$1" >shuffled && run sioncat --unshuffle "$2" <shuffled && same "$scratch/out" "$3"
}
if command -v zstd >/dev/null; then
    "$make_zip" shuffled.sion w,compress=zstd,shuffle=5,compress_frame=70003 data || exit 99
    run sioncat -t 1 --stored shuffled.sion
    cp "$scratch/out" s.zst
    check '--unshuffle: by the stored stream' unshuffled s.zst s.zst data.1
    check '--unshuffle: by numbers' unshuffled s.zst 5:70003 data.1
    check '--unshuffle: other numbers give other bytes' eval '! unshuffled s.zst 5:70000 data.1'
    echo more >>shuffled
    run sioncat --unshuffle s.zst <shuffled
    check '--unshuffle: input that is too long' failed_with 2 'not what zstd -d makes'
    run sioncat --unshuffle data.1 <shuffled
    check '--unshuffle: what is no stored stream' failed_with 2 'no compressed stream'
    run sioncat --unshuffle 65 <shuffled
    check '--unshuffle: elements that are too large' failed_with 1 'elements of 1 to 64'
    run sioncat --unshuffle -t 1 s.zst <shuffled
    check '--unshuffle: alone' failed_with 1 'alone'
else
    skip '--unshuffle' 'no zstd'
fi

run siondiff zip.sion plain.sion
check 'siondiff: the same data' succeeded
run sionls zip.sion
total=$(wc -c <all)
check 'sionls: how they are compressed' grep -Eq "^zip.sion: 3 tasks, 1 file, .*, stored in .* \([0-9.]+x: zstd, frames of 48.8 KiB\), closed$" "$scratch/out"
run sionls -l zip.sion
check 'sionls -l: plain and stored sizes' grep -Eq "^ +1 +1 +$(wc -c <data.1) +$(wc -c <stored) +[0-9.]+  zip.sion" "$scratch/out"
run sionls --json zip.sion
check 'sionls --json' grep -Eq "\"bytes\": $total, .*\"compression\": \{\"codec\": \"zstd\", \"frame\": 50000, \"shuffle\": 1, \"bytes\": $total, \"stored_bytes\": [0-9]+\}" "$scratch/out"
run siondump -a "$sample"
check 'siondump: how they are compressed' grep -Eq "^siondump: compression: +zstd, frames of 1 MiB, shuffle 4" "$scratch/out"
check 'siondump: plain and stored bytes' grep -Eq "plain bytes: +$total in 3 frames, [0-9.]+ times the stored [0-9]+" "$scratch/out"
check 'siondump -a: of each task' grep -Eq "^Stream 01: size= +$(wc -c <data.1) B stored= " "$scratch/out"
run siondump --json "$sample"
check 'siondump --json' grep -q "\"shuffle\": 4, \"frames\": 3, \"plain_bytes\": $total" "$scratch/out"
run sionverify zip.sion
check 'sionverify' succeeded
run sionsplit zip.sion part
check 'sionsplit' same part00001 data.1

run siondefrag zip.sion copy.sion
check 'siondefrag: succeeds' succeeded
check 'siondefrag: stays compressed' test "$(wc -c <copy.sion)" -lt $(($(wc -c <plain.sion) / 2))
run sioncat --stored -t 1 copy.sion
check 'siondefrag: the stored bytes' printed stored
run sioncat copy.sion
check 'siondefrag: the plain bytes' printed all
run siondefrag --files=2 zip.sion set.sion
run sioncat set.sion
check 'siondefrag --files: the plain bytes' printed all
run siondefrag --plain zip.sion copy.sion
run sioncat --stored copy.sion
check 'siondefrag --plain: not compressed' printed all

# ---- what was never closed ----

(ulimit -c 0; "$make_zip" killed.sion w,compress=zstd,recover,shuffle=2 flushed kill) 2>/dev/null
run sioncat killed.sion
check 'it was not closed' failed_with 2 'never closed'
run sionrecover -o saved.sion killed.sion
run sioncat saved.sion
check 'sionrecover -o: all that was flushed' printed all
check 'sionrecover -o: stays compressed' test "$(wc -c <saved.sion)" -lt $(($(wc -c <plain.sion) / 2))
run sionrecover --in-place killed.sion
check 'sionrecover --in-place: succeeds' ended 0
for task in 0 1 2; do
    run sioncat -t $task killed.sion
    check "sionrecover --in-place: all that task $task has flushed" printed data.$task
done
# A program may have been killed while a chunk was full of the beginning of a frame.
(ulimit -c 0; "$make_zip" cut.sion w,compress=zstd:-100,recover,compress_frame=400000 cut kill) 2>/dev/null
run sionrecover --in-place cut.sion
run sioncat -t 0 cut.sion
check 'frames over several chunks' printed data.0

# ---- damage ----

# A stream that is damaged is told, and the others are read.
size=$(wc -c <zip.sion)
head -c 4130 zip.sion >bad.sion
printf x >>bad.sion
tail -c +4132 zip.sion >>bad.sion
check 'the damaged one has the same size' test "$(wc -c <bad.sion)" -eq "$size"
run sioncat -t 0 bad.sion
check 'a damaged stream: the tool fails' ended 2
check 'a damaged stream: the reason' grep -q 'do not begin as a compressed stream: nothing is read' "$scratch/err"
run sioncat -t 1 bad.sion
check 'the others are read' same "$scratch/out" data.1
run sionverify bad.sion
check 'sionverify: a stream that begins wrongly' ended 2
check 'it says so' grep -q '^sionverify: bad.sion: .* do not begin as a compressed stream: nothing is read' err

# A byte of a frame is another one: only who reads the frame finds it.
head -c 7000 zip.sion >bad.sion
head -c 7001 zip.sion | tail -c 1 | tr '\000-\377' '\001-\377\000' >>bad.sion
tail -c +7002 zip.sion >>bad.sion
run sioncat -t 0 bad.sion
check 'a damaged frame: it cannot be read' failed_with 2 'bad.sion: frame 1 of the compressed stream of task 0'
reason=$(sed 's/^sioncat: //' err)
run sionverify bad.sion
check 'sionverify: a damaged frame' failed_with 2 "$reason"
run sionverify --json bad.sion
check 'sionverify --json' grep -q '"good": false' out
finish

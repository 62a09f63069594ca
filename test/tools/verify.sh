#!/bin/sh
# sionverify reports good containers, missing checksums, and the place of a damaged byte, as text
# and as JSON.
. "$(dirname "$0")/lib.sh"

golden=$(cd "$GOLDEN" && pwd)
cd "$scratch" || exit 99

run sionverify "$golden/serial/s04_multichunk.sion"
check 'without checksums' said \
    "$golden/serial/s04_multichunk.sion: good as far as can be checked, but it has no checksums: 3 tasks, 5.5 KiB"
run sionverify "$golden/serial/s01_single.sion"
check 'one task' grep -q ': 1 task, ' out
run sionverify -c "$golden/serial/s04_multichunk.sion"
check 'without the requested checksums' failed_with 2 'has no checksums'
run sionverify "$golden/mpi/m01_multi.sion"
check 'a set' grep -q 'm01_multi.sion: good as far as can be checked.* 8 tasks' out
for name in i23_sv_off8 i12_unclosed_zero i43_kv_stream_short; do
    run sionverify "$golden/invalid/$name.sion"
    check "$name" failed_with 2 "$name.sion"
done
run sionverify "$golden/invalid/i34_blocksize_gt_chunk.sion"
check 'a length that is too large' ended 2
check 'is said' grep -q '^sionverify: .*i34_blocksize_gt_chunk.sion: chunk 0 of task 0 says 5000 bytes used of 512' err
"$builddir/test/tools/make_full" full.sion 2>/dev/null || exit 99
run sionverify full.sion
check 'closed on a full disk' failed_with 2 'full.sion was closed on a full disk, so data may be missing'
"$builddir/test/tools/make_many" places.sion 32768 1 8 || exit 99
run sionverify places.sion
check 'places of tasks' succeeded
cp places.sion wrong.sion
printf '\001' | dd of=wrong.sion bs=1 seek=500 conv=notrunc 2>/dev/null # one of the places
run sionverify wrong.sion
check 'places of tasks that are damaged' ended 2
check 'it says so' grep -q '^sionverify: the header of wrong.sion says other places of tasks than its chunk sizes$' err
cp places.sion wrong.sion
# Of two tasks, one gets what the other loses; byte 4 says whether the first byte is the highest.
lowest=$((7 * $(od -An -tu1 -j 4 -N 1 places.sion)))
printf '\011' | dd of=wrong.sion bs=1 seek=$((1076 + 8 * (32768 + 100) + lowest)) conv=notrunc 2>/dev/null
printf '\007' | dd of=wrong.sion bs=1 seek=$((1076 + 8 * (32768 + 30000) + lowest)) conv=notrunc 2>/dev/null
run sionverify wrong.sion
check 'chunk sizes that are others' failed_with 2 'says other places of tasks than its chunk sizes'
run sionverify "$golden/invalid/i29_nfiles0.sion"
check 'a set of no files' ended 2
check 'a warning of the number' grep -q '^sionverify: warning: the header of .*i29_nfiles0.sion says that it has 0 files: ' err
check 'the number of files' grep -q '^sionverify: the header of .*i29_nfiles0.sion says that it has 0 files$' err
cp "$golden/serial/s04_multichunk.sion" unknown.sion
printf '\377\377\377\377\377\377\377\377' | dd of=unknown.sion bs=1 seek=$((13824 + 24 + 8)) conv=notrunc 2>/dev/null
run sionverify unknown.sion
check 'a chunk of unknown length' ended 2
check 'which chunk' grep -q '^sionverify: warning: unknown.sion does not say how many bytes chunk 0 of task 1 has' err
check 'how many there are' grep -q '^sionverify: unknown.sion does not say how many bytes 1 chunk has$' err
cp "$golden/mpi/m01_multi.sion.000001" member.sion.000001
run sionverify member.sion.000001
check 'a member alone' succeeded
mv member.sion.000001 member.sion
run sionverify member.sion
check 'a member with another name' ended 2
check 'a warning of it' grep -q '^sionverify: warning: the header of member.sion says that it is file 1 of a set' err
check 'what it says it is' grep -q '^sionverify: the header of member.sion says that it is file 1 of a set, its name' err
cp "$golden/serial/s04_multichunk.sion" behind.sion
printf '\2' | dd of=behind.sion bs=1 seek=$((13824 + 16)) conv=notrunc 2>/dev/null # chunks of task 2: 3
run sionverify behind.sion
check 'a chunk behind the last one' ended 2
check 'which one' grep -q '^sionverify: warning: behind.sion says that task 2 has 2 chunks, and that its chunk 2 has 512 bytes: ' err
check 'how many such chunks' grep -q '^sionverify: behind.sion has lengths of 1 chunk behind' err
run sionverify none.sion "$golden/serial/s01_single.sion"
check 'one of two is missing' ended 2
check 'the other one is good' grep -q 's01_single.sion: good' out
run sionverify
check 'no operand' ended 1

# change OFFSET: changes one bit of the byte
change()
{
    byte=$(od -An -tu1 -j "$1" -N 1 sum.sion | tr -d ' ')
    # shellcheck disable=SC2059
    printf "\\$(printf %o $((byte ^ 8)))" | dd of=sum.sion bs=1 seek="$1" conv=notrunc 2>/dev/null
}

if test -x "$builddir/test/tools/make_sums"; then
    "$builddir/test/tools/make_sums" sum.sion || exit 99
    run sionverify --checksums sum.sion
    check 'with checksums' said 'sum.sion: good: 2 tasks, 3 MiB, 5 checksums'
    cp sum.sion whole.sion
    change 4100
    run sionverify sum.sion
    check 'a damaged byte: the exit status' ended 2
    check 'a damaged byte: its place' grep -q \
        'sum.sion: task 0, chunk 0, piece 0, from byte 4096 of the file on: the checksum is' err
    check 'a damaged byte: the number of damaged pieces' grep -q '1 of 5 pieces is damaged' err
    run sionverify --json sum.sion whole.sion
    check 'JSON: the exit status' ended 2
    check 'JSON: the damaged container' grep -q '"task": 0, "chunk": 0, "piece": 0, "offset": 4096' out
    check 'JSON: the good container' grep -q '"good": true, "tasks": 2, "files": 1, .*"checksums": "all"' out
    if command -v python3 >/dev/null; then
        check 'JSON: the syntax is right' python3 -m json.tool out
    fi
    cp whole.sion sum.sion
    change $(($(stat -c %s sum.sion) - 1))
    run sionverify sum.sion
    check 'a damaged byte in the checksums' failed_with 2 'the checksums are damaged'
    # Every byte of the checksums: 40 bytes of their head, and five CRCs.
    at=$(($(stat -c %s whole.sion) - 60))
    : >unnoticed
    for n in $(seq 0 59); do
        cp whole.sion sum.sion
        change $((at + n))
        run sionverify sum.sion
        failed_with 2 checksums >diagnostic || echo "byte $n" >>unnoticed
    done
    check 'a damaged byte anywhere in the checksums' same unnoticed /dev/null
    cp whole.sion sum.sion
    change $at
    run sionverify sum.sion
    check 'a damaged first byte of the checksums' failed_with 2 'sum.sion: the first bytes of the checksums are damaged'
    change 60
    run sionverify sum.sion
    check 'what an older file has left is not damage' said \
        'sum.sion: good as far as can be checked, but it has no checksums: 2 tasks, 3 MiB'
    cp whole.sion sum.sion
    change 60
    run sionverify sum.sion
    check 'a damaged byte in the name in the header' failed_with 2 'META1 has changed since'
    run siondump sum.sion
    check 'other tools ignore it' ended 0
    # A truncated file, and one with bytes after the end.
    head -c $(($(stat -c %s whole.sion) - 1)) whole.sion >sum.sion
    run sionverify sum.sion
    check 'a checksum is missing at the end' failed_with 2 'only 4 are there'
else
    skip 'checksums' 'neither ISA-L nor zlib'
fi
finish

#!/usr/bin/env bash
# What a process needs to compress a file with the library and with the program zstd, and to read it
# again: median seconds of processor time (user and system), and of the clock, of programs that take
# turns.
#
#     bench/compress.sh BUILD [FOLDER [MIB [ROUNDS]]]
#
# FOLDER should be in memory. zstd reads and writes files there, and decompresses to /dev/null, too.
set -eu
build=$(cd "$1" && pwd) folder=${2:-/dev/shm} mib=${3:-256} rounds=${4:-9}
cd "$(mktemp -d "$folder/compress.XXXXXX")"
trap 'cd /; rm -rf "$OLDPWD"' EXIT
TIMEFORMAT='%U %S %R'

# measure WHAT COMMAND...: one line of times in WHAT.times
measure() {
    local what=$1
    shift
    { time "$@" >/dev/null 2>failed; } 2>>"$what.times" || { cat failed >&2; exit 1; }
}

median() {
    sort -n | awk '{ list[NR] = $1 } END { printf "%.3f", list[int((NR + 1) / 2)] }'
}

"$build/bench/compress" plain.sion "$mib" 1 data >/dev/null
echo 'data,program,processor,clock'
for kind in field particles log noise; do
    rm -f ./*.times
    for ((i = 0; i < rounds; i++)); do
        rm -f x.sion x.zst y
        measure 'write: library' "$build/bench/compress" -w x.sion w,compress=zstd "data.$kind"
        measure 'write: zstd -1' zstd -q -1 -o x.zst "data.$kind"
        measure 'read: library' "$build/bench/compress" -r x.sion
        [ -s stored ] && [ "$(cat stored)" = "$kind" ] ||
            { "$build/sioncat" --stored -t 0 -o stored.zst x.sion >/dev/null && echo "$kind" >stored; }
        measure 'read: zstd -d -c' zstd -q -d -c x.zst
        measure 'read: zstd -d of the stream' zstd -q -d -c stored.zst
        measure 'read: zstd -d -o' zstd -q -d -o y x.zst
    done
    for what in 'write: library' 'write: zstd -1' 'read: library' 'read: zstd -d -c' \
        'read: zstd -d of the stream' 'read: zstd -d -o'; do
        echo "$kind,$what,$(awk '{ print $1 + $2 }' "$what.times" | median),$(awk '{ print $3 }' "$what.times" | median)"
    done
done

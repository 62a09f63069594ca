#!/usr/bin/env bash
#
# A program that writes many small files, as it is and under sionrun: seconds until all is on the disk,
# and inodes.
#
#   bench/unchanged.sh BUILD FOLDER [COUNT [BYTES [RANKS [REPEATS]]]]
#
#   FOLDER   on the file system that is measured
#   COUNT    files of each rank (10000)
#   BYTES    of each file (2000)
#   RANKS    (2)
#   REPEATS  of each way, in turn (5); medians are printed

set -u
build=$(cd "${1:?BUILD}" && pwd) || exit 1
folder=$(cd "${2:?FOLDER}" && pwd) || exit 1
count=${3:-10000} bytes=${4:-2000} ranks=${5:-2} repeats=${6:-5}
work=$(mktemp -d "$folder/scion-unchanged.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT


inodes() {
    df --output=iused "$folder" | tail -n 1
}
# once NAME COMMAND...: one run in an empty folder
once() {
    local name=$1 before begin end
    shift
    rm -rf "$work/out" "$work/x.sion" && mkdir "$work/out" && sync
    before=$(inodes)
    begin=$(date +%s.%N)
    (cd "$work" && timeout 600 "${MPIEXEC:-mpiexec}" -n "$ranks" "$@") && sync -f "$folder" || exit 1
    end=$(date +%s.%N)
    echo "$(echo "$end $begin" | awk '{ print $1 - $2 }') $(($(inodes) - before))" >> "$work/$name"
}
for _ in $(seq "$repeats"); do
    once files "$build/bench/small_files" out "$count" "$bytes"
    once container "$build/sionrun" -o x.sion --files 'out/**' "$build/bench/small_files" out "$count" "$bytes"
done

median() {
    cut -d ' ' -f "$2" "$work/$1" | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
echo "$ranks ranks, $count files of $bytes bytes each"
awk -v files="$(median files 1)" -v container="$(median container 1)" -v n="$(median files 2)" \
    -v m="$(median container 2)" 'BEGIN {
        printf "files           %8.3f s  %8d inodes\n", files, n
        printf "under sionrun   %8.3f s  %8d inodes   %.1f times as fast\n", container, m, files / container
    }'

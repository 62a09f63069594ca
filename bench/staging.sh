#!/usr/bin/env bash
#
# How long a program waits for a checkpoint: written to a folder of the node alone, staged there while
# the target is slow, and written to the slow target. The target is a FUSE file system that lets so
# many bytes through in a second.
#
#   bench/staging.sh BUILD [MIB [REPEATS [RATE]]]
#
#   MIB      of each of two tasks (64)
#   REPEATS  of each way, in turn (9); medians are printed
#   RATE     of the target, bytes a second (50000000)

set -u
build=$(cd "${1:?BUILD}" && pwd) || exit 1
mib=${2:-64} repeats=${3:-9} rate=${4:-50000000}
work=$(mktemp -d /dev/shm/scion-staging.XXXXXX) || exit 1
mkdir "$work/node" "$work/backing" "$work/target"

end() {
    fusermount3 -u "$work/target" 2> /dev/null
    rm -rf "$work"
}
trap end EXIT

(cd "$build" && make -s bench/slow_fs bench/blocked) || exit 1
"$build/bench/slow_fs" "$work/backing" "$work/target" "$rate" || exit 1

# once WAY NAME MODE: one checkpoint
once() {
    timeout 600 "${MPIEXEC:-mpiexec}" -n 2 "$build/bench/blocked" "$2" "$3" "$mib" 1 >> "$work/$1" ||
        exit 1
}
for _ in $(seq "$repeats"); do
    once alone "$work/node/c.sion" bw,posix
    once staged "$work/target/c.sion" "bw,posix,stage=$work/node"
done
once direct "$work/target/c.sion" bw,posix

median() {
    cut -d ' ' -f "$2" "$work/$1" | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
node=$(median alone 1) staged=$(median staged 1) drained=$(median staged 2) direct=$(median direct 1)
awk -v node="$node" -v staged="$staged" -v drained="$drained" -v direct="$direct" -v mib="$mib" \
    -v rate="$rate" 'BEGIN {
        printf "2 tasks, %d MiB each; the target takes %.0f MB/s\n", mib, rate / 1e6
        printf "written to the node alone   %8.3f s\n", node
        printf "staged: the program waits   %8.3f s   %.2f times that\n", staged, staged / node
        printf "staged: until it is drained %8.3f s\n", drained
        printf "written to the target       %8.3f s\n", direct
    }'

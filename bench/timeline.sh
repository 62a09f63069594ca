#!/usr/bin/env bash
#
# Measures what the heat solver does when, with and without staging, if its checkpoints go to a disk of
# 100 MB a second (bench/slow_fs):
#
#   bench/timeline.sh BUILD >FILE
#
# FILE has a line for each span of rank 0: the run, what it does, begin and end in seconds. Of three
# runs of each kind, the shortest one counts. doc/pictures/staging.awk draws it.

set -eu
build=$(cd "${1:?BUILD}" && pwd)
work=$(mktemp -d /dev/shm/scion-timeline.XXXXXX)
mkdir "$work/node" "$work/backing" "$work/target"

end() {
    fusermount3 -u "$work/target" 2> /dev/null
    rm -rf "$work"
}
trap end EXIT

(cd "$build" && make -s bench/slow_fs heat >&2)
"$build/bench/slow_fs" "$work/backing" "$work/target" 100e6

# run NAME OPTION...
run() {
    local times=$work/$1
    shift
    SION_ATOMIC=1 timeout 300 "${MPIEXEC:-mpiexec}" -n 2 "$build/heat" --rows 4096 --columns 4096 \
        --steps 400 --interval 80 --checkpoint "$work/target/heat" --times "$times" "$@" >&2
}

# spans NAME FILE: what a drain does is seen after each step
spans() {
    awk -v OFS='\t' -v name="$1" '
        function end(what, begin) { print name, what, sprintf("%.2f", begin), sprintf("%.2f", now) }
        NR == 1 { first = $1 }
        { now = $1 - first }
        $2 != doing { if (NR > 1) end(doing, since); doing = $2; since = now }
        waiting > 0 && ($3 < waiting || $4 < drained) { end("drain", draining); draining = now }
        $3 > 0 && waiting == 0 { draining = now }
        { waiting = $3; drained = $4 }' "$2"
}

# shortest NAME: of its runs
shortest() {
    for file in "$work/$1".*; do
        awk -v file="$file" 'NR == 1 { first = $1 } END { print $1 - first, file }' "$file"
    done | sort -g | head -n 1 | cut -d ' ' -f 2
}

for number in 1 2 3; do
    run direct.$number
    run staged.$number --stage "$work/node"
done
for name in direct staged; do
    spans $name "$(shortest $name)"
done

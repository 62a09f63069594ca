# shellcheck shell=bash disable=SC2154
# Sourced by bench/run.sh: compares the tools with cp, which copies the same bytes. Uses root, build,
# results, disk, memory, repeats and fail.

# make_container FILE CHUNK: two tasks of 128 MiB, in chunks of this size, 64 KiB or more
make_container() {
    timeout 600 mpiexec -n 2 "$build/partest" -f "$1" -s 128M -b 64k -r "$2" -q 65536 -R 0 > /dev/null 2>&1 ||
        fail "cannot make $1"
}

# seconds COMMAND...: how long it takes
seconds() {
    local begin=$EPOCHREALTIME

    "$@" > /dev/null || fail "$1 has failed"
    awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.3f\n", b - a }'
}

# The tools, and what they are compared with. The tools wait until their output is on the disk.
commands=(cp cp-sync siondefrag sionsplit sionmerge sioncat)

# The commands of one round, each of which writes a copy into the folder `to`.
copy_by() {
    local command=$1 from=$2 to=$3

    # shellcheck disable=SC2016
    case $command in
        cp) seconds cp --reflink=never "$from" "$to/copy" ;;
        cp-sync) seconds sh -c 'cp --reflink=never "$0" "$1" && sync "$1"' "$from" "$to/copy" ;;
        siondefrag) seconds "$build/siondefrag" "$from" "$to/copy" ;;
        sionsplit) seconds "$build/sionsplit" "$from" "$to/task" ;;
        sionmerge) seconds "$build/sionmerge" "$to/copy" "$to"/../tasks/task* ;;
        sioncat) seconds "$build/sioncat" -o "$to/copy" "$from" ;;
    esac
}

median() {
    sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# measure_tools PLACE FOLDER CHUNK: adds lines to tools.csv
measure_tools() {
    local place=$1 folder=$2/scion-tools.$$ chunk=$3 round i command base

    mkdir -p "$folder/copies" "$folder/tasks" || fail "cannot make $folder"
    make_container "$folder/from" "$chunk"
    "$build/sionsplit" "$folder/from" "$folder/tasks/task" > /dev/null || fail "sionsplit has failed"
    rm -f "$build"/tools.*.times
    echo "tools: $place, chunks of $chunk"
    for ((round = 0; round < repeats; round++)); do
        for ((i = 0; i < ${#commands[@]}; i++)); do # each follows each other one
            command=${commands[(round + i) % ${#commands[@]}]}
            copy_by "$command" "$folder/from" "$folder/copies" >> "$build/tools.$command.times"
            rm -f "$folder"/copies/*
        done
    done
    base=$(median < "$build/tools.cp.times")
    for command in "${commands[@]}"; do
        median < "$build/tools.$command.times" |
            awk -v key="$place,$chunk,$command" -v base="$base" '{ printf "%s,%.3f,%.2f\n", key, $1, $1 / base }'
    done >> "$results/tools.csv"
    rm -rf "$folder"
}

measure_all_tools() {
    echo 'place,chunks,command,seconds,ratio' > "$results/tools.csv"
    for chunk in 128M 64k; do
        measure_tools memory "$memory" "$chunk"
        measure_tools disk "$disk" "$chunk"
    done
}

write_tool_tables() {
    printf '\n# Tools and cp\n\nTwo tasks of 128 MiB; medians of %d repeats, less is faster.\n\n' "$repeats"
    echo '| place | chunks of | command | seconds | of cp |'
    echo '|---|---|---|---|---|'
    awk -F, 'NR > 1 { printf "| %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5 }' "$results/tools.csv"
}

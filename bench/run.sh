#!/usr/bin/env bash
#
# Compares ways to store the same data, in build/bench: containers, a file for each task, plain
# pwrite to one file, MPI-IO, and parallel HDF5 if Debian's libhdf5-mpich-dev is installed. Then
# compares the tools with cp, measures how costs grow with the number of tasks, and compares arrays
# with HDF5 and PnetCDF, for each MPI that is installed, in build/bench-mpich and
# build/bench-openmpi (scripts/install-packages.sh bench installs all of them). Every run repeats all
# ways in turn and takes medians. What is not installed is named and left out.
#
#   bench/run.sh [--full | --arrays | --tools | --threads | --files | --growth | --model]
#       [-o FOLDER] [-d DISK] [-m MEMORY]
#
#   --full   more tasks, more sizes of records, more repeats; without it, a run takes some minutes
#   --arrays only the arrays
#   --tools  only the tools, next to cp
#   --threads only OpenMP threads, next to a FILE* for each
#   --files  only how many files files=auto makes, and whether that is right
#   --growth only how costs grow with the number of tasks
#   --model  only what 10^5 to 10^7 ranks would need, by bench/model.py and bench/machines.txt
#   -o       folder for the results (build/bench/results): results.md, results.csv, tools.csv,
#            files.csv, growth.csv, arrays.csv and, with gnuplot, write.svg, read.svg and growth.svg
#   -d       folder on the disk to measure (default: that of the results)
#   -m       folder in memory to measure (/dev/shm)

set -u

root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
build=$root/build/bench
results=$build/results
disk=
memory=/dev/shm
tasks=(2)
records=(4k 64k 1M)
repeats=5
bytes=32M
simulate=10000
parts=(records threads files tools growth model arrays)

fail() {
    echo "bench/run.sh: $*" >&2
    exit 1
}

read_arguments() {
    while [ $# -gt 0 ]; do
        case $1 in
            --full) tasks=(1 2 4) records=(512 4k 64k 1M) repeats=9 bytes=64M ;;
            --arrays) parts=(arrays) repeats=9 ;;
            --tools) parts=(tools) repeats=9 ;;
            --threads) parts=(threads) repeats=9 ;;
            --files) parts=(files) repeats=21 ;;
            --growth) parts=(growth) repeats=9 ;;
            --model) parts=(growth model) ;;
            -o | -d | -m)
                [ $# -gt 1 ] || fail "$1 needs a folder"
                case $1 in -o) results=$2 ;; -d) disk=$2 ;; -m) memory=$2 ;; esac
                shift
                ;;
            -h | --help) sed -n '3,25s/^# \{0,1\}//p' "$0" && exit 0 ;;
            *) fail "unknown option $1" ;;
        esac
        shift
    done
    mkdir -p "$build" "$results" || fail "cannot make $results"
    results=$(cd "$results" && pwd)
    disk=${disk:-$results}
}

need_configure() {
    [ -x "$root/configure" ] || (cd "$root" && autoreconf -i) || fail "autoreconf has failed"
}

# Builds the program: partest, with HDF5 if that is installed.
build_program() {
    cd "$build" || exit 1
    [ -f config.status ] || "$root/configure" -q --with-mpi --disable-shared || fail "configure has failed"
    make -s -j2 || fail "make has failed"
    program=$build/partest
    pkg-config --exists hdf5-mpich 2> /dev/null || return 0
    make -s bench/partest_hdf5 HDF5_CFLAGS="$(pkg-config --cflags hdf5-mpich)" \
        HDF5_LIBS="$(pkg-config --libs hdf5-mpich)" && program=$build/bench/partest_hdf5
}

# measure PLACE FOLDER RANKS RECORD SYNC [OPTIONS]: adds lines to results.csv
measure() {
    local place=$1 folder=$2 ranks=$3 record=$4 sync=$5
    shift 5
    echo "$place, $ranks tasks, records of $record${sync:+, synced}"
    # shellcheck disable=SC2086 # sync is nothing or one word
    timeout 1800 mpiexec -n "$ranks" "$program" "--compare=$repeats" --output=csv -s "$bytes" \
        -b "$record" -r "$bytes" -f "$folder/scion-bench.$$" $sync "$@" > "$build/one.csv" ||
        fail "the measurement has failed"
    grep -v '^set,' "$build/one.csv" |
        sed "s/^/$place,$ranks,$record,${sync:+synced},/" >> "$results/results.csv"
}

measure_all() {
    local ranks record sync

    echo 'place,tasks,record,sync,set,method,direction,open,move,close,synced,mib_per_second,ratio' \
        > "$results/results.csv"
    for ranks in "${tasks[@]}"; do
        for record in "${records[@]}"; do
            measure memory "$memory" "$ranks" "$record" '' --simulate=0
            for sync in '' --sync; do
                measure disk "$disk" "$ranks" "$record" "$sync" --simulate=0
            done
        done
    done
    measure memory "$memory" 2 1M '' "--simulate=$simulate"
    measure disk "$disk" 2 1M '' "--simulate=$simulate"
}

# Prints the lines of results.csv as tables, one for each direction.
write_tables() {
    echo "# Ways to store the same data"
    echo
    echo "$(nproc) cores, $(uname -sr), $(date +%Y-%m-%d); $bytes a task, medians of $repeats repeats."
    echo "Ratios are relative to the container of one file; larger is faster."
    for direction in write read; do
        printf '\n## %s\n\n| place | tasks | record | method | MiB/s | ratio |\n|---|---|---|---|---|---|\n' \
            "$direction"
        awk -v direction="$direction" -F, '
            NR > 1 && $0 ~ "," direction "," {
                name = $6; i = 7
                while (name ~ /^"/ && name !~ /"$/) name = name "," $(i++)
                gsub(/"/, "", name)
                printf "| %s%s | %s | %s | %s%s | %s | %s |\n", $1, $4 == "" ? "" : ", synced", $2,
                    $5 == "tasks" ? $3 : "1k", name, $5 == "tasks" ? "" : ", many tasks", $(NF - 1), $NF
            }' "$results/results.csv"
    done
}

# Small records of OpenMP threads.
compare_threads() {
    local place n

    make -s bench/threads || fail "make has failed"
    printf '\n# OpenMP threads, and a FILE* for each\n\n'
    for place in memory disk; do
        for n in 2 4 8 16; do
            OMP_NUM_THREADS=$n bench/threads "${!place}/scion-threads.$$" 64 16 "$repeats" |
                sed "s/^/* $place: /" || fail "the measurement has failed"
        done
    done
}

# plot DIRECTION: draws the rates for the largest records, by place
plot() {
    local direction=$1 largest=${records[-1]} ranks=${tasks[0]}

    awk -v direction="$direction" -v record="$largest" -v ranks="$ranks" -F, '
        NR > 1 && $2 == ranks && $3 == record && $5 == "tasks" && $0 ~ "," direction "," {
            name = $6; i = 7
            while (name ~ /^"/ && name !~ /"$/) name = name "," $(i++)
            gsub(/"/, "", name)
            place = $1 == "memory" ? "memory (tmpfs)" : $4 == "" ? "page cache of the disk" : "disk (fsync)"
            if (!(name in seen)) { seen[name] = 1; names[++n] = name }
            if (!(place in places)) { places[place] = 1; order[++m] = place }
            if (!((name, place) in rate)) rate[name, place] = $(NF - 1)
        }
        END {
            printf "method"
            for (j = 1; j <= m; j++) printf "\t%s", order[j]
            print ""
            for (i = 1; i <= n; i++) {
                printf "%s", names[i]
                for (j = 1; j <= m; j++) printf "\t%s", rate[names[i], order[j]]
                print ""
            }
        }' "$results/results.csv" > "$build/$direction.dat"
    "$root/bench/plot.sh" "$build/$direction.dat" "$results/$direction.svg" \
        "$direction: $ranks tasks, records of $largest"
}

compare_records() {
    build_program
    measure_all
    write_tables > "$results/results.md"
    if command -v gnuplot > /dev/null; then
        plot write && plot read
    fi
}

# Touches a quarter of the free memory, at most 4 GiB. On a virtual machine, the host may first have to
# provide memory that was free for a while: touching it then takes five times as long.
warm_memory() {
    local kib

    kib=$(awk '/^MemAvailable/ { n = int($2 / 4); print n < 4194304 ? n : 4194304 }' /proc/meminfo)
    head -c "${kib}K" /dev/zero > "$memory/scion-warm.$$" 2> /dev/null
    rm -f "$memory/scion-warm.$$"
}

# Counts the messages and calls of each rank; growth.csv has what the first one does for the others.
write_model() {
    make -s bench/parts || fail "make has failed"
    timeout 60 mpiexec -n 4 bench/parts "$memory/scion-parts.$$" > "$results/parts.csv" || fail "parts has failed"
    printf '\n# What many ranks would need: computed\n\n'
    python3 "$root/bench/model.py" "$results/parts.csv" "$results/growth.csv" || return
    printf '\n## A file for each node\n\n'
    python3 "$root/bench/model.py" --files=node "$results/parts.csv" "$results/growth.csv"
}

read_arguments "$@"
# shellcheck source=bench/arrays.sh
. "$root/bench/arrays.sh"
# shellcheck source=bench/tools.sh
. "$root/bench/tools.sh"
# shellcheck source=bench/files.sh
. "$root/bench/files.sh"
# shellcheck source=bench/growth.sh
. "$root/bench/growth.sh"
need_configure
: > "$results/results.md"
for part in "${parts[@]}"; do
    warm_memory
    case $part in
        records) compare_records ;;
        threads) build_program && compare_threads >> "$results/results.md" ;;
        files) build_program && measure_files && write_files_table | tee -a "$results/results.md" ;;
        tools) build_program && measure_all_tools && write_tool_tables >> "$results/results.md" ;;
        growth) build_program && measure_growth && write_growth_table >> "$results/results.md" ;;
        model) build_program && write_model | tee -a "$results/results.md" ;;
        arrays) measure_arrays && write_array_tables >> "$results/results.md" ;;
    esac
done
echo "results: $results/results.md"

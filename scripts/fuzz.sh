#!/usr/bin/env bash
#
# Builds the fuzz targets of test/fuzz, for libFuzzer or AFL++, and runs them.
#
#   scripts/fuzz.sh build [--afl]
#   scripts/fuzz.sh run [--afl] [--seconds N] [--executions N] [TARGET ...]
#   scripts/fuzz.sh run [--quiet-seconds N] [--total-executions N] [TARGET ...]
#   scripts/fuzz.sh merge [TARGET ...]
#
# build makes, in $OUT, a program for each target, and fuzz_TARGET_seed_corpus.zip (without zip, a folder)
# of inputs to begin with. It works as the build.sh of OSS-Fuzz: CC, CXX, CFLAGS, CXXFLAGS, SRC, WORK,
# OUT and LIB_FUZZING_ENGINE are taken from the environment. By default it uses clang with libFuzzer
# and the address and undefined-behaviour sanitizers, and build/fuzz/out (--afl: build/fuzz-afl/out).
#
# run lets each target run for N seconds (by default 60), or until it has been executed N times, with
# the inputs in $CORPUS/TARGET (by default build/fuzz/corpus), which grow, and writes $LOGS/TARGET.log.
# It prints how often the target has been executed, and what libFuzzer counts as coverage. An input
# that shows a mistake is in $LOGS; the run then fails.
#
# A long run can be made in parts: $LOGS/TARGET.total adds up the executions and the processor time, and
# says how much of that time has passed since the coverage grew. With --quiet-seconds N a target is at
# its end when that are N seconds, with --total-executions N after N executions in all runs; then it is
# not run again. SIGTERM or SIGINT end the target, the counts are written, and the status is 3. These are for
# libFuzzer alone, as is merge, which keeps those inputs of $CORPUS/TARGET that together reach all that
# has been reached.

set -u

root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
engine=libfuzzer
seconds=60
executions=0
quiet_seconds=0
total_executions=0
stopped=0
targets=()

fail() {
    echo "fuzz: FAILED: $1" >&2
    [ $# -lt 2 ] || [ ! -f "$2" ] || tail -n 20 "$2" >&2
    exit 1
}

usage() {
    sed -n '3,8s/^# *//p' "$0"
}

all_targets() {
    local source

    for source in $(grep -l '^const struct fuzz_target' "$root"/test/fuzz/*.c); do
        basename "$source" .c
    done
}

choose_places() {
    local work=$root/build/fuzz

    [ $engine = libfuzzer ] || work=$root/build/fuzz-afl
    : "${WORK:=$work}" "${OUT:=$WORK/out}" "${CORPUS:=$WORK/corpus}" "${LOGS:=$WORK/logs}"
    mkdir -p "$WORK" "$OUT" "$CORPUS" "$LOGS" || fail "cannot create $WORK"
}

choose_compiler() {
    local sanitizers='-fsanitize=address,undefined -fno-sanitize-recover=undefined' symbolize=1
    local small=quarantine_size_mb=8:malloc_context_size=1

    : "${SRC:=$(dirname "$root")}" "${LIB_FUZZING_ENGINE:=-fsanitize=fuzzer}"
    if [ $engine = libfuzzer ]; then
        : "${CC:=clang}" "${CFLAGS:=-g -O1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link $sanitizers}"
    else
        : "${CC:=afl-clang-fast}" "${CFLAGS:=-g -O1 -fno-omit-frame-pointer $sanitizers}"
        export AFL_QUIET=1 AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1
    fi
    [ $engine = libfuzzer ] || symbolize=0
    # afl-fuzz refuses other options; it takes an abort for a crash. An execution allocates less than a
    # MiB, so that all it frees stays in a small quarantine. Where a block was allocated, seeds-TARGET says.
    export ASAN_OPTIONS=${ASAN_OPTIONS:-abort_on_error=1:symbolize=$symbolize:detect_odr_violation=0:$small}
}

archives='liblayer_pack libsionarray_64 libsionscr_64 libsionfti_64 libsiongen_64 libsionser_64 libsioncom_64
    libsioncom_64_lock_none libsionchecksum_64'

build_archives() {
    local log=$WORK/build.log

    if [ ! -x "$root/configure" ]; then
        (cd "$root" && autoreconf -fi) > "$log" 2>&1 || fail autoreconf "$log"
    fi
    cd "$WORK" || fail "cannot enter $WORK"
    if [ ! -f Makefile ]; then
        # A fuzzing engine's main function is not there yet: configure links without its flags.
        "$root/configure" CC="$CC" CFLAGS="$CFLAGS" --without-mpi --disable-shared --disable-fortran \
            --disable-cxx --disable-openmp --without-isal -q > "$log" 2>&1 || fail configure "$log"
    fi
    # shellcheck disable=SC2086 # a list
    make -j "$(nproc)" $(printf '%s.la ' $archives) >> "$log" 2>&1 || fail make "$log"
}

# compile PROGRAM TARGET FLAG ...
compile() {
    local program=$1 target=$2 archive

    shift 2
    set -- "$@" "$root/test/fuzz/$target.c" "$root"/test/fuzz/{driver,container,joined,memory}.c
    for archive in $archives; do
        set -- "$@" "$WORK/.libs/$archive.a"
    done
    # shellcheck disable=SC2086 # flags
    $CC $CFLAGS -std=gnu11 -include "$WORK/config.h" -I"$root/src" -I"$root/include" -I"$root/test" -I"$WORK" \
        -o "$program" "$@" -lz -lnettle -ldl >> "$WORK/build.log" 2>&1 || fail "compiling $target" "$WORK/build.log"
}

make_seeds() {
    local target=$1 folder=$OUT/fuzz_$1_seed_corpus

    rm -rf "$folder" "$folder.zip"
    mkdir -p "$folder" || fail "cannot create $folder"
    GOLDEN=$root/test/golden "$WORK/seeds-$target" --seeds "$folder" > "$WORK/seeds.log" 2>&1 ||
        fail "inputs of $target" "$WORK/seeds.log"
    cp -r "$folder/." "$CORPUS/$target/"
    if command -v zip > /dev/null 2>&1; then
        (cd "$folder" && zip -q -r "$folder.zip" .) && rm -r "$folder"
    fi
}

build() {
    local target flags='-DFUZZER'

    [ $engine = libfuzzer ] || flags="$flags -DFUZZER_SEALS"
    build_archives
    for target in $(all_targets); do
        mkdir -p "$CORPUS/$target"
        # shellcheck disable=SC2086 # flags
        compile "$OUT/fuzz_$target" "$target" $flags $LIB_FUZZING_ENGINE
        compile "$WORK/seeds-$target" "$target"
        make_seeds "$target"
        printf '[libfuzzer]\nmax_len = 65536\n' > "$OUT/fuzz_$target.options"
    done
    echo "fuzz: $(all_targets | wc -l) targets in $OUT"
}

# ---- counts over all runs of a target ----

read_total() {
    executed=0 used=0 covered=0 quiet=0
    [ ! -f "$LOGS/$1.total" ] || { read -r && read -r executed used covered quiet; } < "$LOGS/$1.total" ||
        fail "$LOGS/$1.total is damaged"
}

# Never half a file, even if the machine stops.
write_total() {
    printf 'executions seconds coverage quiet\n%s %s %s %s\n' "$executed" "$used" "$covered" "$quiet" \
        > "$LOGS/$1.total.new" && mv "$LOGS/$1.total.new" "$LOGS/$1.total" || fail "cannot write $LOGS/$1.total"
}

is_quiet() {
    [ "$quiet_seconds" -gt 0 ] && [ "$quiet" -ge "$quiet_seconds" ]
}

is_at_end() {
    is_quiet || { [ "$total_executions" -gt 0 ] && [ "$executed" -ge "$total_executions" ]; }
}

# ---- libFuzzer ----

coverage_of() {
    local found

    found=$(tail -c 65536 "$1" | grep -o 'cov: [0-9]*' | tail -n 1)
    echo $((10#0${found#cov: }))
}

# What libFuzzer counts at the end of a run.
executions_of() {
    local found

    found=$(sed -n 's/^stat::number_of_executed_units: *//p' "$1")
    echo "${found:-0}"
}

# How often the target may be executed in this run; -1: without limit.
runs_left() {
    local left=$((total_executions - executed))

    if [ "$total_executions" -eq 0 ] || { [ "$executions" -gt 0 ] && [ "$executions" -lt $left ]; }; then
        left=$((executions > 0 ? executions : -1))
    fi
    echo "$left"
}

# Processor time, so that a program that waits for a busy machine does not seem to find nothing.
count_quiet() {
    local pid=$1 log=$2 before=$3 now grown

    now=$(ps -o cputimes= -p "$pid")
    grown=$(coverage_of "$log")
    now=$((${now:-$before}))
    used=$((used + now - before)) quiet=$((quiet + now - before))
    [ "$grown" -le "$covered" ] || covered=$grown quiet=0
    counted=$now
}

# Until the target ends; SIGUSR1 lets libFuzzer write its counts and end.
watch_target() {
    local pid=$1 log=$2 counted=0

    while kill -0 "$pid" 2> /dev/null; do
        sleep 0.2
        count_quiet "$pid" "$log" "$counted"
        if is_quiet || [ $stopped -ne 0 ]; then
            kill -USR1 "$pid" 2> /dev/null
        fi
    done
}

# 72 is an interrupt; a program that had not begun to listen is ended by SIGUSR1 itself.
has_ended_well() {
    [ "$1" -eq 0 ] || [ "$1" -eq $((128 + $(kill -l USR1))) ] || { [ "$1" -eq 72 ] && [ $stopped -ne 0 ]; }
}

run_libfuzzer() {
    local target=$1 log=$LOGS/$1.log pid rc

    read_total "$target"
    ! is_at_end || { echo "$target: at its end: $executed executions, coverage $covered" && return; }
    "$OUT/fuzz_$target" -max_total_time="$seconds" -runs="$(runs_left)" \
        -print_final_stats=1 -rss_limit_mb=2048 -timeout=25 -max_len=65536 \
        -artifact_prefix="$LOGS/$target-" "$CORPUS/$target" > "$log" 2>&1 &
    pid=$!
    watch_target "$pid" "$log"
    wait "$pid"
    rc=$?
    executed=$((executed + $(executions_of "$log")))
    write_total "$target"
    echo "$target: $(executions_of "$log") executions, coverage $(coverage_of "$log")," \
        "in all runs $executed executions, quiet for $quiet s"
    has_ended_well $rc || fail "$target has found a mistake" "$log"
    [ $stopped -eq 0 ] || exit 3
}

# The old inputs are there until the new ones are complete.
merge_libfuzzer() {
    local target=$1 inputs=$CORPUS/$1 new=$CORPUS/$1.new old=$CORPUS/$1.old log=$LOGS/$1.merge.log

    [ -d "$inputs" ] || [ ! -d "$old" ] || mv "$old" "$inputs"
    rm -rf "$new" "$old"
    mkdir "$new" || fail "cannot create $new"
    "$OUT/fuzz_$target" -merge=1 -rss_limit_mb=2048 -timeout=25 -max_len=65536 \
        -artifact_prefix="$LOGS/$target-" "$new" "$inputs" > "$log" 2>&1 || fail "merging $target" "$log"
    [ -n "$(ls "$new")" ] || fail "merging $target has left no input" "$log"
    echo "$target: $(find "$inputs" -type f | wc -l) inputs, merged $(find "$new" -type f | wc -l)"
    mv "$inputs" "$old" && mv "$new" "$inputs" && rm -r "$old" || fail "cannot replace $inputs"
}

# ---- AFL++ ----

# afl-fuzz keeps its inputs in a folder of its own.
run_afl() {
    local target=$1 log=$LOGS/$1.log found=$LOGS/afl-$1 limit=()

    [ "$executions" -eq 0 ] || limit=(-E "$executions")
    afl-fuzz -i "$CORPUS/$target" -o "$found" -m none -V "$seconds" "${limit[@]}" -t 5000 \
        -- "$OUT/fuzz_$target" > "$log" 2>&1 || fail "afl-fuzz $target" "$log"
    echo "$target: $(awk '$1 == "execs_done" { print $3 }' "$found/default/fuzzer_stats") executions," \
        "coverage $(awk '$1 == "edges_found" { print $3 }' "$found/default/fuzzer_stats")"
    [ "$(find "$found/default/crashes" "$found/default/hangs" -name 'id*' | wc -l)" -eq 0 ] ||
        fail "$target has found a mistake: $found/default"
}

usage_error() {
    usage >&2
    exit 1
}

parse() {
    local has_seconds=0

    while [ $# -gt 0 ]; do
        case $1 in
            --afl) engine=afl ;;
            --seconds) seconds=$2 has_seconds=1 && shift ;;
            --executions) executions=$2 && shift ;;
            --quiet-seconds) quiet_seconds=$2 && shift ;;
            --total-executions) total_executions=$2 && shift ;;
            -*) usage_error ;;
            *) targets+=("$1") ;;
        esac
        shift
    done
    [ $has_seconds -ne 0 ] || [ $((executions + quiet_seconds + total_executions)) -eq 0 ] || seconds=0
    [ $engine = libfuzzer ] || [ $((quiet_seconds + total_executions)) -eq 0 ] || usage_error
}

main() {
    local command=${1:-} target

    case $command in
        build | run | merge) shift ;;
        *) usage_error ;;
    esac
    parse "$@"
    choose_places
    choose_compiler
    [ "$command" != build ] || { build && return; }
    [ "$command" = run ] || [ $engine = libfuzzer ] || usage_error
    [ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(all_targets)
    trap 'stopped=1' TERM INT
    for target in "${targets[@]}"; do
        [ -x "$OUT/fuzz_$target" ] || fail "there is no target $target: run scripts/fuzz.sh build"
        "${command}_$engine" "$target"
    done
}

main "$@"

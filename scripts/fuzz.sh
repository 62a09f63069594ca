#!/usr/bin/env bash
#
# Builds the fuzz targets of test/fuzz, for libFuzzer or AFL++, and runs them.
#
#   scripts/fuzz.sh build [--afl]
#   scripts/fuzz.sh run [--afl] [--seconds N] [--executions N] [TARGET ...]
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

set -u

root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
engine=libfuzzer
seconds=60
executions=0
targets=()

fail() {
    echo "fuzz: FAILED: $1" >&2
    [ $# -lt 2 ] || [ ! -f "$2" ] || tail -n 20 "$2" >&2
    exit 1
}

usage() {
    sed -n '3,6s/^# *//p' "$0"
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

    : "${SRC:=$(dirname "$root")}" "${LIB_FUZZING_ENGINE:=-fsanitize=fuzzer}"
    if [ $engine = libfuzzer ]; then
        : "${CC:=clang}" "${CFLAGS:=-g -O1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link $sanitizers}"
    else
        : "${CC:=afl-clang-fast}" "${CFLAGS:=-g -O1 -fno-omit-frame-pointer $sanitizers}"
        export AFL_QUIET=1 AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1
    fi
    [ $engine = libfuzzer ] || symbolize=0
    # afl-fuzz refuses other options; it takes an abort for a crash.
    export ASAN_OPTIONS=${ASAN_OPTIONS:-abort_on_error=1:symbolize=$symbolize:detect_odr_violation=0}
}

archives='libsionarray_64 libsionscr_64 libsionfti_64 libsiongen_64 libsionser_64 libsioncom_64
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

run_libfuzzer() {
    local target=$1 log=$LOGS/$1.log rc

    "$OUT/fuzz_$target" -max_total_time="$seconds" -runs="$((executions > 0 ? executions : -1))" \
        -print_final_stats=1 -rss_limit_mb=2048 -timeout=25 -max_len=65536 \
        -artifact_prefix="$LOGS/$target-" "$CORPUS/$target" > "$log" 2>&1
    rc=$?
    echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") executions," \
        "coverage $(grep -o 'cov: [0-9]*' "$log" | tail -n 1 | cut -d' ' -f2)"
    [ $rc -eq 0 ] || fail "$target has found a mistake" "$log"
}

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

main() {
    local command=${1:-} target

    case $command in
        build | run) shift ;;
        *) usage >&2 && exit 1 ;;
    esac
    while [ $# -gt 0 ]; do
        case $1 in
            --afl) engine=afl ;;
            --seconds) seconds=$2 && shift ;;
            --executions) executions=$2 seconds=0 && shift ;;
            -*) usage >&2 && exit 1 ;;
            *) targets+=("$1") ;;
        esac
        shift
    done
    choose_places
    choose_compiler
    [ "$command" = run ] || { build && return; }
    [ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(all_targets)
    for target in "${targets[@]}"; do
        [ -x "$OUT/fuzz_$target" ] || fail "there is no target $target: run scripts/fuzz.sh build"
        "run_$engine" "$target"
    done
}

main "$@"

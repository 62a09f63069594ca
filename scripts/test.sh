#!/usr/bin/env bash
#
# Builds and tests everything, in build/test. Each stage prints one line and keeps its log there; a
# stage that fails does not stop the others. The last line is the sum of all tests, and the exit
# status is 0 only if none has failed.
#
#   scripts/test.sh [--no-mpi]
#
#   --no-mpi   build without MPI, and do not install it

set -u

root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
build=$root/build/test
mpi=--with-mpi
limit=900 # seconds that one command may take
total_passed=0 total_failed=0 total_skipped=0

# Under a time limit, as leader of a process group that ends with it.
run() {
    timeout -k 10 $limit "$@" < /dev/null
}

# ---- stages; each runs in a shell of its own ----

# fresh_folder NAME
fresh_folder() {
    local folder=$build/$1

    # An interrupted distcheck leaves folders that cannot be written.
    [ ! -d "$folder" ] || chmod -R u+w "$folder"
    rm -rf "$folder" && mkdir -p "$folder" || return 1
    cd "$folder" || return 1
}

stage_gcc() {
    fresh_folder gcc && run "$root/configure" CC=gcc --enable-werror $mpi && run make -j2 &&
        run make -j2 check VERBOSE=1
}

# tests_but PATTERN: the tests of the build in this folder whose names do not match
tests_but() {
    # shellcheck disable=SC2016
    printf 'include Makefile\nprint-tests:\n\t@echo $(TESTS)\n' | make -s -f - print-tests |
        tr ' ' '\n' | grep -Ev -- "$1" | tr '\n' ' '
}

# Recipes build the project themselves, in their own way.
stage_sanitizers() {
    fresh_folder sanitizers &&
        run "$root/configure" CC=gcc --enable-sanitizers --without-mpi &&
        run make -j2 && run make -j2 check VERBOSE=1 TESTS="$(tests_but '^test/consumers/')"
}

stage_clang() {
    fresh_folder clang && run "$root/configure" CC=clang --enable-werror $mpi && run make -j2 &&
        run make -j2 check TESTS=
}

# The tests that are programs, but for those that try a case some thousand times, which the sanitizers
# do too; those of MPI are scripts.
stage_valgrind() {
    local compiler

    cd "$build/gcc" || return 1
    compiler="./libtool --mode=execute valgrind -q --error-exitcode=99 --leak-check=full"
    compiler="$compiler --errors-for-leak-kinds=definite,possible"
    compiler="$compiler --suppressions=$root/test/omp/valgrind.supp"
    run make -j2 check VERBOSE=1 TESTS="$(tests_but '\.sh$|_cycles$|_memory$|/hostile$')" LOG_COMPILER="$compiler"
}

# Whether the package has every file of the checkout.
compare_with_checkout() {
    [ -e "$root/.git" ] && command -v git > /dev/null || return 0
    git -C "$root" ls-files | grep -Ev '^\.(ci/|git)' | sort > checkout.list
    tar -tf scion-*.tar.xz | sed 's,^[^/]*/,,' | sort > package.list
    comm -23 checkout.list package.list > missing.list
    sed 's/^/missing in the package: /' missing.list
    [ ! -s missing.list ]
}

# What takes processes has been run from this folder; here it is the package that is tested.
stage_distcheck() {
    cd "$build/gcc" && run make -j2 distcheck DISTCHECK_CONFIGURE_FLAGS=$mpi \
        TESTS="$(tests_but '^test/(consumers|mpi|omp|fortran|cxx)/|mpi\.sh$|processes\.sh$')" &&
        compare_with_checkout
}

# ---- running and counting them ----

# count LOG WORD...: the sum of the numbers that the head of a test-suite.log gives for the words
count() {
    local log=$1 word number sum=0

    shift
    for word; do
        number=$(sed -n "/^\.\. contents/q; s/^# $word: *//p" "$log")
        sum=$((sum + ${number:-0}))
    done
    echo $sum
}

show_failure() {
    local log=$1

    grep -E '^(FAIL|ERROR): [^ ]+ .' "$log" | sort -u | head -n 20
    echo "... ${log#"$root"/}:"
    tail -n 30 "$log"
}

# stage NAME [FOLDER]: FOLDER is where a stage with tests leaves its test-suite.log
stage() {
    local name=$1 results="" log=$build/$1.log start=$SECONDS status result=ok
    local passed=0 failed=0 skipped=0

    if [ $# -gt 1 ]; then
        results=$build/$2/test-suite.log
        rm -f "$results"
    fi
    ("stage_$name") > "$log" 2>&1
    status=$?
    if [ -f "$results" ]; then
        passed=$(count "$results" PASS XFAIL)
        failed=$(count "$results" FAIL ERROR XPASS)
        skipped=$(count "$results" SKIP)
    fi
    if [ $status -ne 0 ] && [ "$failed" -eq 0 ]; then
        failed=1
    elif [ $((passed + failed + skipped)) -eq 0 ]; then
        passed=1
    fi
    [ "$failed" -eq 0 ] || result=FAILED
    printf '%-12s %-6s %5d s   %d passed, %d failed, %d skipped\n' "$name" $result \
        $((SECONDS - start)) "$passed" "$failed" "$skipped"
    [ "$failed" -eq 0 ] || show_failure "$log"
    total_passed=$((total_passed + passed))
    total_failed=$((total_failed + failed))
    total_skipped=$((total_skipped + skipped))
}

stage_prepare() {
    local -a without=()

    [ $mpi = --with-mpi ] || without=(--no-mpi)
    "$root/scripts/install-packages.sh" "${without[@]}" build mpi test || return 1
    [ -x "$root/configure" ] || (cd "$root" && run autoreconf -fi)
}

main() {
    case ${1-} in
        "") ;;
        --no-mpi) mpi=--without-mpi ;;
        *)
            echo "Usage: test.sh [--no-mpi]" >&2
            exit 1
            ;;
    esac
    mkdir -p "$build" || exit 1
    stage prepare
    stage gcc gcc
    stage sanitizers sanitizers
    stage clang
    stage valgrind gcc
    stage distcheck
    echo "$total_passed passed, $total_failed failed, $total_skipped skipped"
    [ $total_failed -eq 0 ]
}

main "$@"

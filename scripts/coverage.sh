#!/usr/bin/env bash
#
# Measures which lines and branches of src/ the tests run: builds for gcov in build/coverage, runs all
# tests, and prints a table by folder. The folder keeps the list of branches that no test takes
# (missed.txt) and annotated sources (html/).
#
#   scripts/coverage.sh [--report] [TEST...]
#
#   --report  run no test: print the table of the last run
#   TEST...   only these tests, added to the results of the last run
#
# Branches of macros of uthash and of checked arithmetic (__builtin_mul_overflow and the like) are
# those of the compiler and of uthash, and do not count.

set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
folder=$root/build/coverage

# Programs that tests compile elsewhere link with gcov, too; but nobody reads their counts, and some
# tests list the files of their folders.
compiler() {
    cat <<END
#!/bin/sh
case \$(pwd -P) in
    "$(pwd -P)") exec $1 --coverage -fprofile-update=atomic "\$@" ;;
    *) exec $1 "\$@" -lgcov ;;
esac
END
}

build() {
    local tool

    rm -rf "$folder" && mkdir -p "$folder" && cd "$folder"
    for tool in gcc g++ gfortran; do
        compiler $tool >$tool-coverage && chmod +x $tool-coverage
    done
    "$root/configure" CC="$PWD/gcc-coverage" CXX="$PWD/g++-coverage" FC="$PWD/gfortran-coverage" \
        CFLAGS="-g -O0" CXXFLAGS="-g -O0" FCFLAGS="-g -O0" CPPFLAGS=-DCOVERAGE > configure.log
    make -j2 > make.log
}

# MPI's compilers are these, too. gcov's own messages, as of a disk that a test has filled, go to a
# file.
run() {
    cd "$folder"
    export MPICH_CC="$folder/gcc-coverage" MPICH_CXX="$folder/g++-coverage" MPICH_FC="$folder/gfortran-coverage"
    export OMPI_CC="$MPICH_CC" OMPI_CXX="$MPICH_CXX" OMPI_FC="$MPICH_FC" GCOV_ERROR_FILE="$folder/gcov.log"
    make -k -j2 check VERBOSE=1 "$@" > check.log 2>&1 || grep -E '^(FAIL|ERROR): ' check.log | sort -u
}

report() {
    cd "$folder"
    mkdir -p html
    # Without these, gcovr would add objects that no program contains.
    find src -name '*.gcno' -path '*/.libs/*' | sed 's,/\.libs/,/,' | while read -r notes; do
        [ -e "${notes%.gcno}.gcda" ] || rm -f "$notes"
    done
    gcovr -r "$root" --object-directory . -f "$root/src/" --gcov-ignore-parse-errors \
        --exclude-unreachable-branches --exclude-throw-branches \
        --exclude-branches-by-pattern '.*(\bHASH_[A-Z_]+\(|__builtin_[a-z]+_overflow).*' \
        --branches --csv coverage.csv --json coverage.json --html-details html/index.html src > gcovr.log 2>&1
    python3 "$root/scripts/coverage_table.py" coverage.json missed.txt
}

case ${1:-} in
    -h | --help) sed -n 's/^# \{0,1\}//p' "$0" | sed '1,2d' ;;
    --report) report ;;
    '') build && run && report ;;
    *) run TESTS="$*" && report ;;
esac

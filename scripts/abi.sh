#!/usr/bin/env bash
#
# Compares the interfaces of the shared libraries in a build folder with their descriptions in
# test/src/abi, or replaces the descriptions.
#
#   scripts/abi.sh BUILD [LIBRARY...]            compare; prints what differs
#   scripts/abi.sh --accept BUILD [LIBRARY...]   the change is intended: write new descriptions
#
# Descriptions are made by libabigail (Debian: abigail-tools) from a build of gcc with -g, on x86-64,
# with MPICH and OpenMP: the functions of each C library, and all types that its callers see.
# Functions of the private node are left out. Of the libraries for C++ and Fortran, whose names
# the compilers make, the descriptions are the lists of names.

set -u

root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
described=$root/test/src/abi

usage() {
    echo "Usage: abi.sh [--accept] BUILD [LIBRARY...]" >&2
    exit 2
}

is_of_compiler() {
    case $1 in *_cxx | *_f90) return 0 ;; esac
    return 1
}

# names LIBRARY: what it exports, without the names of its versions
names() {
    nm -D --defined-only "$1" | awk '$2 != "A" && $2 != "W" { print $2, $3 }' | LC_ALL=C sort -k 2
}

# describe LIBRARY FILE
describe() {
    if is_of_compiler "$1"; then
        names "$build/.libs/$1.so" >"$2"
    else
        abidw --suppressions "$described/private.suppr" --headers-dir "$root/include" \
            --drop-private-types --drop-undefined-syms --no-corpus-path --no-comp-dir-path \
            --no-elf-needed --no-show-locs --no-parameter-names --out-file "$2" "$build/.libs/$1.so"
    fi
}

file_of() {
    if is_of_compiler "$1"; then echo "$described/$1.names"; else echo "$described/$1.abi"; fi
}

# compare LIBRARY
compare() {
    local old new status
    old=$(file_of "$1")
    new=$(mktemp) || return 1
    describe "$1" "$new" || return 1
    if is_of_compiler "$1"; then
        diff "$old" "$new"
    else
        abidiff "$old" "$new"
    fi
    status=$?
    rm -f "$new"
    [ $status -eq 0 ] ||
        echo "$1: the interface has changed. Is that intended? Then: scripts/abi.sh --accept $build $1"
    return $status
}

accept=no
[ "${1:-}" = --accept ] && accept=yes && shift
[ $# -ge 1 ] || usage
build=$(cd "$1" && pwd) || exit 2
shift
libraries=$*
[ -n "$libraries" ] || libraries=$(cd "$build/.libs" && ls libsion*.so | sed 's/\.so$//')
[ -n "$libraries" ] || usage
result=0
for library in $libraries; do
    if [ $accept = yes ]; then
        describe "$library" "$(file_of "$library")" || result=1
    else
        compare "$library" || result=1
    fi
done
exit $result

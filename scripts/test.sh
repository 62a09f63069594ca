#!/usr/bin/env bash
#
# Builds and tests everything, in build/test. Each stage prints one line and keeps its log there; a
# stage that fails does not stop the others. At the end, the script names each skipped test with its
# reason. The last line has the totals, and the exit status is 0 only if no test has failed.
#
#   scripts/test.sh [--no-mpi] [--full]
#
#   --no-mpi   build without MPI, and do not install it
#   --full     also run what takes much longer: tests that build the library in other ways and for
#              other machines, and deliberate faults in the sources that tests must find
#              (scripts/mutants.py)
#
# A stage that prints nothing for STALL_SECONDS (600) is ended, and counts as failed.

set -u

root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
build=$root/build/test
mpi=--with-mpi
full=no
. "$root/scripts/stages.sh"

# ---- stages; each runs in a shell of its own ----

# fresh_folder NAME
fresh_folder() {
    local folder=$build/$1

    # An interrupted distcheck leaves read-only folders.
    [ ! -d "$folder" ] || chmod -R u+w "$folder"
    rm -rf "$folder" && mkdir -p "$folder" || return 1
    cd "$folder" || return 1
}

# built ARGUMENT...: make, where all is built to be tested
built() {
    make -j2 LIBTOOL="bash $root/scripts/libtool.sh ./libtool" "$@"
}

stage_gcc() {
    fresh_folder gcc && "$root/configure" CC=gcc --enable-werror $mpi && built && built check VERBOSE=1
}

# made VARIABLE: prints a list that the Makefile in this folder defines
made() {
    # shellcheck disable=SC2016
    printf 'include Makefile\nprint-list:\n\t@echo $(%s)\n' "$1" | make -s -f - print-list
}

# tests_but PATTERN, tests_like PATTERN: the tests whose names do not match, or do
tests_but() {
    made TESTS | tr ' ' '\n' | grep -Ev -- "$1" | tr '\n' ' '
}

tests_like() {
    made TESTS | tr ' ' '\n' | grep -E -- "$1" | tr '\n' ' '
}

# Tests that look at sources, documents and packages: what they run is not the code of this build, or
# other tests run it, too.
no_code='^test/(self|docs|packaging)/|^test/tools/pages|^test/api/(system_calls|install|headers)|scr/build\.'

# Scripts that give the tools damaged and wrong input, and all that they can be asked for.
hostile='^test/(tools/(compress|damaged|damaged_task|errors|generations|hostile|invalid|outputs|packed|together)'
hostile="$hostile|src/(recover|array|ftiff)/tool|src/ftiff/hostile_limited|src/scr/(import|prefix)|device/calls)\.sh"

# Of the scripts, --full only runs them all: most of what they run, programs test, too.
stage_sanitizers() {
    local tests

    fresh_folder sanitizers &&
        "$root/configure" CC=gcc CFLAGS="-g1 -O1" CXXFLAGS="-g1 -O1" --enable-sanitizers --disable-static \
            --without-mpi && built || return 1
    if [ $full = yes ]; then
        tests=$(tests_but "$no_code")
    else
        tests="$(tests_but "$no_code|\.sh$") $(tests_like "$hostile")"
    fi
    built check VERBOSE=1 TESTS="$tests"
}

# Compiles everything, links and runs nothing. Warnings do not depend on the optimization.
stage_clang() {
    # shellcheck disable=SC2016
    fresh_folder clang &&
        printf '#!/bin/sh\n%s\n%s\n%s\n' '# Instead of libtool.' \
            'while [ "${1#--}" != "$1" ]; do mode=$1; shift; done' \
            '[ "$mode" = --mode=link ] || exec "$@"' > compile && chmod +x compile &&
        "$root/configure" CC=clang CFLAGS=-O0 CXXFLAGS=-O0 FCFLAGS=-O0 --enable-werror --disable-shared \
            $mpi && make -j2 LIBTOOL="$PWD/compile" && make -j2 check TESTS= LIBTOOL="$PWD/compile"
}

# Runs the tests that are programs (those of MPI are scripts), except those that measure memory, end
# in the middle of something, or repeat a case some thousand times, which the sanitizers do, too. The
# sanitizers also check what is above the core, random sequences of calls and faults, and processes
# killed at each call, so valgrind checks these with --full only.
stage_valgrind() {
    local compiler but='\.sh$|/cycles$|(base|parallel|scr)/memory$|/scale$|/hostile$|^test/faults/ends/'
    but="$but|parallel/staging$" # its children end while a thread works
    but="$but|api/compress$"     # its children leave alone what is of threads that they do not have

    if [ $full = no ]; then
        but="$but|^test/(src/(array|ftiff|parallel|scr|run|abi)|faults|fuzz|model|tools)/|recover/"
        but="$but|src/pack/index$|api/(generations|generation_faults|grow_areas|grow_faults|inject|memory)$"
    fi
    cd "$build/gcc" || return 1
    compiler="./libtool --mode=execute valgrind -q --error-exitcode=99 --leak-check=full"
    compiler="$compiler --errors-for-leak-kinds=definite,possible"
    compiler="$compiler --suppressions=$root/test/valgrind.supp"
    make -j2 check VERBOSE=1 TESTS="$(tests_but "$but")" LOG_COMPILER="$compiler"
}

# Checks that the package has every file of the checkout.
compare_with_checkout() {
    [ -e "$root/.git" ] && command -v git > /dev/null || return 0
    git -C "$root" ls-files | grep -Ev '^\.(ci/|git)' | sort > checkout.list
    tar -tf scion-*.tar.xz | sed 's,^[^/]*/,,' | sort > package.list
    comm -23 checkout.list package.list > missing.list
    sed 's/^/missing in the package: /' missing.list
    [ ! -s missing.list ] &&
        [ "$(tar -xOf scion-*.tar.xz --wildcards '*/REVISION')" = "$(git -C "$root" rev-parse --short HEAD)" ]
}

# The package has every file of the checkout, and each stage builds outside of the sources. --full
# also builds the package, installs it, and runs some tests that look at its files, from a folder
# that cannot be written; only the programs that these need are built.
stage_distcheck() {
    cd "$build/gcc" || return 1
    if [ $full = no ]; then
        make dist && compare_with_checkout
        return
    fi
    make -j2 distcheck \
        DISTCHECK_CONFIGURE_FLAGS="$mpi CFLAGS=-O0 CXXFLAGS=-O0 FCFLAGS=-O0 --disable-static" \
        TESTS="$(tests_like '^test/(self/|api/golden|tools/(pages|usage|config|dump)|packaging/release|src/geometry/collective_model)')" \
        check_PROGRAMS="$(made check_PROGRAMS | tr ' ' '\n' |
            grep -E '^test/(api/golden|tools/make_(set|keys|many)$|src/geometry/collective$)' | tr '\n' ' ')" &&
        compare_with_checkout
}

stage_prepare() {
    local -a without=()

    [ $mpi = --with-mpi ] || without=(--no-mpi)
    "$root/scripts/install-packages.sh" "${without[@]}" build mpi test || return 1
    [ $full = no ] || "$root/scripts/install-packages.sh" machines packages programs large-programs || return 1
    [ -x "$root/configure" ] || (cd "$root" && autoreconf -fi)
}

# Configures the library with the lines of existing recipes, and with a symbol prefix; makes packages.
stage_rebuild() {
    cd "$build/gcc" && make check VERBOSE=1 TESTS="$(made full_tests)"
}

# A processor of 32 bits. Without the parts for which it would need libraries of Debian's i386.
stage_32bit() {
    local compiler headers

    fresh_folder 32bit || return 1
    headers=/usr/include/$(gcc -print-multiarch) # its asm/ is that of all x86 processors
    for compiler in gcc g++; do
        printf '#!/bin/sh\nexec %s -m32 -idirafter %s "$@"\n' $compiler "$headers" > $compiler-32 &&
            chmod +x $compiler-32 || return 1
    done
    "$root/configure" CC="$PWD/gcc-32" CXX="$PWD/g++-32" --enable-werror --without-mpi \
        --disable-fortran --without-python --without-zstd --without-zfp &&
        make -j2 && make -j2 check VERBOSE=1
}

# exchange EMULATOR...: what one machine writes, the other one reads. The tools of this one are those of
# the stage gcc.
exchange() {
    local here=../gcc sample

    for sample in "$root"/test/golden/{serial,swapped}/*.sion "$root/test/golden/mpi/m01_multi.sion"; do
        "$@" ./siondefrag "$sample" there.sion && $here/siondiff "$sample" there.sion &&
            $here/siondefrag "$sample" here.sion && "$@" ./siondiff "$sample" here.sion || return 1
        rm there.sion here.sion
    done
}

# A processor that stores the most significant byte first, emulated, with the tests that are programs.
# libz and libnettle are static; libzstd is loaded by programs. No program can start another one
# there.
stage_s390x() {
    local -a emulator

    fresh_folder s390x || return 1
    emulator=(qemu-s390x -L /usr/s390x-linux-gnu -E "LD_LIBRARY_PATH=$PWD/root/usr/lib/s390x-linux-gnu")
    "$root/scripts/sysroot.sh" s390x root zlib1g-dev nettle-dev libzstd-dev libzstd1 &&
        "$root/configure" --host=s390x-linux-gnu --enable-werror --without-mpi --disable-shared \
            --disable-fortran --disable-cxx --without-fuse --without-isal \
            CPPFLAGS="-isystem $PWD/root/usr/include" LDFLAGS="-L$PWD/root/usr/lib/s390x-linux-gnu" &&
        make -j2 && make -j2 check VERBOSE=1 TESTS="$(tests_but '\.sh$')" LOG_COMPILER="${emulator[*]}" &&
        exchange "${emulator[@]}"
}

# The programs of MPI, which the stage "sanitizers" leaves out, on up to 4 ranks.
stage_mpi-sanitizers() {
    fresh_folder mpi-sanitizers && "$root/configure" CC=gcc --enable-sanitizers --with-mpi &&
        make -j2 && TEST_MAX_RANKS=4 make -j2 check VERBOSE=1 \
        TESTS="$(tests_like '[/_](mpi|ompi)\.sh$')"
}

# All tests in a locale with a decimal comma, but for those that compare what the benchmarks and the
# examples print: these are programs that set no locale. Programs that set one of their own keep it.
stage_locale() {
    cd "$build/gcc" && mkdir -p locale || return 1
    [ -d locale/de_DE.UTF-8 ] || localedef -i de_DE -f UTF-8 "$PWD/locale/de_DE.UTF-8" || return 1
    LOCPATH=$PWD/locale TEST_LOCALE=de_DE.UTF-8 TEST_LOCALE_BELOW=$PWD \
        LD_PRELOAD=$PWD/.libs/libtest_comma.so make -j2 check VERBOSE=1 \
        TESTS="$(tests_but '^test/(bench/bench|packaging/consumers/examples|docs/documents)\.sh$')"
}

# On four nodes instead of two, all tests of MPI, and a node dies in each call that changes a file; then
# on GlusterFS and NFS.
stage_nodes() {
    local rooms='parallel/open parallel/data parallel/collective parallel/mapped parallel/buddy parallel/stats
        parallel/stops parallel/faults parallel/close array/arrays'

    cd "$build/gcc" && TEST_NODES=4 TEST_MAX_RANKS=8 TEST_STRIDE=1 CHECK_ROUNDS=10 TEST_SUITES=$rooms \
        make check VERBOSE=1 TESTS="$(tests_like '^test/nodes/')" &&
        make check VERBOSE=1 TESTS="test/nodes/gluster.sh test/nodes/nfs.sh"
}

# Looks for data races. Clang's OpenMP tells the thread sanitizer, through Archer, which tasks wait
# for which; GCC's does not. Tests also fork, and end processes whose threads the library would join
# at the exit.
stage_threads() {
    local archer options=ignore_noninstrumented_modules=1:report_thread_leaks=0:die_after_fork=0

    archer=$(clang -print-resource-dir)/../../libarcher.so
    fresh_folder threads && "$root/configure" CC=clang CFLAGS="-g -O1 -fsanitize=thread" \
        --without-mpi --disable-shared --disable-fortran --disable-cxx && make -j2 &&
        OMP_TOOL_LIBRARIES=$archer TSAN_OPTIONS=$options \
            make -j2 check VERBOSE=1 \
            TESTS="$(tests_like '^test/src/(comm/|parallel/[a-z]*$|parallel/.*_omp$)|/(omp|generic|threads|teams_omp|lock)$')"
}

stage_mutants() {
    python3 -u "$root/scripts/mutants.py" --folder "$build/mutants" --number 60 --minimum 75 src/ &&
        python3 -u "$root/scripts/mutants.py" --folder "$build/mutants" --number 60 --minimum 90 --reckless src/
}

usage() {
    echo "Usage: test.sh [--no-mpi] [--full]"
}

main() {
    local word

    for word; do
        case $word in
            --no-mpi) mpi=--without-mpi ;;
            --full) full=yes ;;
            -h | --help)
                usage
                exit 0
                ;;
            *)
                usage >&2
                exit 1
                ;;
        esac
    done
    begin_stages
    stage prepare
    stage gcc gcc
    stage sanitizers sanitizers
    stage clang
    stage valgrind gcc
    stage distcheck
    if [ $full = yes ]; then
        stage rebuild gcc
        stage locale gcc
        stage 32bit 32bit
        stage s390x s390x
        [ $mpi = --without-mpi ] || stage mpi-sanitizers mpi-sanitizers
        [ $mpi = --without-mpi ] || stage nodes gcc
        stage threads threads
        stage mutants
    fi
    end_stages
}

main "$@"

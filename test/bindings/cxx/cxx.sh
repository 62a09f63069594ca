# The installed C++ classes, in programs that are built with the flags that sionconfig prints. Their
# containers must be the same as those of C programs.
name=cxx needs=cxx
. "$srcdir/test/api/installed.sh"
CXX=$(setting CXX)
for folder in c cxx mpi-c; do
    mkdir -p "$root/$folder"
done
cp -r "$srcdir/test/bindings/cxx" "$root/sources"
cp "$srcdir/test/bindings/fortran/write_c.c" "$root/sources"
# Warnings in MPI's own headers do not count.
quiet_mpi=$(echo "$mpi_flags" | sed 's/-I */-isystem /g')

# Programs without MPI end with a failure if memory is left, where the compiler can watch it.
leaks=-fsanitize=leak
echo 'int main() { return 0; }' >"$root/empty.cc"
{ $CXX $leaks "$root/empty.cc" -o "$root/empty" && "$root/empty"; } >/dev/null 2>&1 || leaks=

# compile PROGRAM SOURCE FLAGS...
# shellcheck disable=SC2086
compile() {
    program=$1
    source=$2
    shift 2
    $CXX -std=c++11 -Wall -Wextra -Wno-cast-function-type -Werror -fsyntax-only \
        "$root/sources/$source" "$@" && $CXX "$root/sources/$source" -o "$root/cxx/$program" "$@"
}

# passes FOLDER PROGRAM [NP]
passes() {
    cd "$root/$1" || return 1
    if [ $# -gt 2 ]; then
        mpirun "$3" "./$2"
    else
        "./$2"
    fi
}

. "$srcdir/test/bindings/fortran/as_c.sh"
check "C writes serial.sion" write_with_c
# shellcheck disable=SC2046,SC2086
builds() {
    compile serial serial.cc $leaks $(config --cxx --cflags) $(config --cxx --libs)
}
check "serial program: compiles" builds
check "serial program: runs" passes cxx serial
check "serial program: writes what C writes" cmp "$root/c/serial.sion" "$root/cxx/serial.sion"
# Calls that would write addresses in place of data do not compile, and the compiler prints why.
# shellcheck disable=SC2046,SC2086
compile_wrong() {
    $CXX -std=c++11 -fsyntax-only -DWRONG="$1" "$root/sources/wrong.cc" $(config --cxx --cflags) \
        2>"$root/cxx/wrong.log"
}
refuses() {
    ! compile_wrong "$1" && grep -q 'static.assertion.*sionlib:' "$root/cxx/wrong.log"
}
check "right calls compile" compile_wrong 0
number=1
while [ $number -le 16 ]; do
    check "wrong call $number does not compile" refuses $number
    number=$((number + 1))
done
# Arrays, in each version of the language; calls that make no sense for arrays do not compile.
# shellcheck disable=SC2046,SC2086
builds_arrays() {
    standard=$1
    shift
    $CXX -std=$standard -Wall -Wextra -Wconversion -pedantic -Werror -DWRONG=0 $leaks "$@" \
        "$root/sources/arrays.cc" -o "$root/cxx/arrays" $(config --cxx --cflags) -L"$libdir" -lsionarray_64 \
        $(config --gen --cxx --libs) $(config --cxx --libs)
}
compile_wrong_arrays() {
    $CXX -std=c++11 -fsyntax-only -DWRONG="$1" "$root/sources/arrays.cc" $(config --cxx --cflags) \
        2>"$root/cxx/wrong.log"
}
refuses_arrays() {
    ! compile_wrong_arrays "$1" && grep -q 'static.assertion.*sionlib:' "$root/cxx/wrong.log"
}
for standard in c++11 c++14 c++17; do
    check "arrays: compile as $standard" builds_arrays $standard
    check "arrays: run as $standard" passes cxx arrays
done
mkdir "$root/sources/stand-in" && cp "$root/sources/mdspan" "$root/sources/stand-in"
check "arrays: compile with std::mdspan" \
    builds_arrays c++17 -D__cpp_lib_mdspan=202207L -I"$root/sources/stand-in"
check "arrays: run with std::mdspan" passes cxx arrays
number=1
while [ $number -le 6 ]; do
    check "arrays: wrong call $number does not compile" refuses_arrays $number
    number=$((number + 1))
done
if [ -n "$has_omp" ]; then
    # shellcheck disable=SC2046,SC2086
    builds_omp() {
        compile omp threads.cc $leaks $openmp $(config --omp --cxx --cflags) $(config --omp --cxx --libs)
    }
    check "OpenMP program: compiles" builds_omp
    check "OpenMP program: runs" passes cxx omp
fi
if [ -n "$has_mpi" ]; then
    check "C writes mpi.sion with MPI" write_mpi_with_c
    skip_bindings='-DMPICH_SKIP_MPICXX -DOMPI_SKIP_MPICXX'
    # shellcheck disable=SC2046,SC2086
    builds_mpi() {
        compile mpi mpi.cc $skip_bindings $quiet_mpi $(config --mpi --cxx --cflags) \
            $(config --mpi --cxx --libs) $mpi_libs
    }
    check "MPI program: compiles" builds_mpi
    for np in 1 2 3 4; do
        check "MPI program: $np ranks, writes what C writes" as_c cxx mpi $np
    done
    # shellcheck disable=SC2046,SC2086
    builds_scope() {
        compile scope scope.cc $skip_bindings $quiet_mpi $(config --mpi --cxx --cflags) \
            $(config --mpi --cxx --libs) $mpi_libs
    }
    says_what_was_open() {
        (cd "$root/cxx" && mpirun 1 ./scope) >"$root/scope.log" 2>&1 || { cat "$root/scope.log"; return 1; }
        for name in scope moved; do
            [ "$(grep -c "$name.sion was not closed: " "$root/scope.log")" -eq 1 ] || return 1
        done
    }
    check "objects that are destroyed while they are open: compiles" builds_scope
    check "objects that are destroyed while they are open: data and a line" says_what_was_open
    if [ -n "$has_ompi" ]; then
        # shellcheck disable=SC2046,SC2086
        builds_ompi() {
            compile ompi threads.cc -DWITH_MPI $skip_bindings $openmp $quiet_mpi \
                $(config --ompi --cxx --cflags) $(config --ompi --cxx --libs) $mpi_libs
        }
        check "hybrid program: compiles" builds_ompi
        check "hybrid program: 2 ranks of 3 threads" passes cxx ompi 2
    fi
fi
if [ -f "$libdir/libsion_cxx.so" ]; then
    LD_LIBRARY_PATH=$libdir
    export LD_LIBRARY_PATH
    # shellcheck disable=SC2046,SC2086
    builds_shared() {
        compile shared serial.cc $(config --cxx --cflags) $L -lsion_cxx -lsion
    }
    check "shared library: links" builds_shared
    check "shared library: runs" passes cxx shared
    if [ -f "$libdir/libsion_mpi_cxx.so" ]; then
        # shellcheck disable=SC2046,SC2086
        builds_mpi_shared() {
            compile mpi-shared mpi.cc $skip_bindings $quiet_mpi $(config --mpi --cxx --cflags) $L \
                -lsion_mpi_cxx -lsion_cxx -lsion_mpi -lsion $mpi_libs
        }
        check "shared library with MPI: links" builds_mpi_shared
        check "shared library with MPI: 3 ranks" passes cxx mpi-shared 3
    fi
fi
finish

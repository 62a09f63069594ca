# The installed Fortran interfaces, in programs that are built with just the flags that sionconfig
# prints. Their containers must be the same as those of C programs.
name=fortran needs=fortran
. "$srcdir/test/api/installed.sh"
sources=$srcdir/test/bindings/fortran
FC=$(setting FC)
fortran_mpi_flags=$(setting MPI_FCFLAGS)
fortran_mpi_libs=$(setting MPI_FCLIBS)
# gfortran treats warnings as errors, except in MPI's own headers.
case $("$FC" --version) in
GNU*) strict='-Wall -Wextra -Wno-compare-reals -Werror' ;;
*) strict= ;;
esac
for folder in c f77 f90 f08 mpi-c mpi-f77 shared; do
    mkdir -p "$root/$folder"
done

# compile FOLDER SOURCE FLAGS...
compile() {
    folder=$1
    source=$2
    shift 2
    # shellcheck disable=SC2086
    "$FC" "$root/sources/$source" -o "$root/$folder/${source%.*}" -J "$root/$folder" "$@"
}
cp -r "$sources" "$root/sources"

# passes FOLDER PROGRAM [NP]: runs it there; if it prints TAP, all its tests must pass
passes() {
    cd "$root/$1" || return 1
    if [ $# -gt 2 ]; then
        mpirun "$3" "./$2" >"$2.out" 2>"$2.err"
    else
        "./$2" >"$2.out" 2>"$2.err"
    fi
    status=$?
    cat "$2.out" "$2.err"
    [ $status -eq 0 ] && ! grep -q '^not ok' "$2.out"
}

. "$srcdir/test/bindings/fortran/as_c.sh"
check "C writes serial.sion" write_with_c

# shellcheck disable=SC2046,SC2086
builds() {
    kind=$1
    source=$2
    shift 2
    compile $kind $source $strict $(config --$kind --cflags) $(config --$kind --libs) "$@"
}
check "Fortran 90 program: compiles without a warning" builds f90 serial.f90
check "Fortran 90 program: runs" passes f90 serial
check "Fortran 90 program: writes what C writes" cmp "$root/c/serial.sion" "$root/f90/serial.sion"
check "a program that stops without a close: compiles" builds f90 stop.f90
stops() {
    (cd "$root/f90" && ./stop) 2>"$root/stop.log" || return 1
    cat "$root/stop.log"
    # Numbers in the file may have such bytes, too.
    [ "$(tr -cd A <"$root/f90/stop.sion" | wc -c)" -ge 50000 ] &&
        [ "$(grep -c 'stop.sion was not closed: its 50000 bytes are certain' "$root/stop.log")" -eq 1 ]
}
check "a program that stops without a close: all bytes are in the file" stops
# shellcheck disable=SC2046,SC2086
builds_arrays() {
    ${CC:-cc} $(config --array --cflags) "$root/sources/arrays_c.c" -o "$root/c/arrays_c" \
        $(config --array --libs) &&
        compile f90 arrays.f90 $strict $(config --array --f90 --cflags) $(config --array --f90 --libs)
}
check "arrays: the program compiles without a warning, another one in C, too" builds_arrays
check "arrays: C writes" "$root/c/arrays_c" write "$root/f90/from_c.sion"
check "arrays: Fortran writes, and reads both" passes f90 arrays
check "arrays: C reads what Fortran wrote" "$root/c/arrays_c" check "$root/f90/arrays.sion"
dumps() {
    "$P/bin/sionarray" dump -t 2 -s "$2" "$1" "$3" >dumped && echo "$4" | diff - dumped
}
check "arrays: the tools show Fortran's first dimension last" \
    dumps "$root/f90/arrays.sion" 2,1:3,0:4 cube "2210 2211 2212 2213
2220 2221 2222 2223"
strict=
check "FORTRAN 77 program: compiles" builds f77 serial77.f
check "FORTRAN 77 program: runs" passes f77 serial77
check "FORTRAN 77 program: writes what C writes" cmp "$root/c/serial.sion" "$root/f77/serial.sion"
beside() {
    # shellcheck disable=SC2046
    compile f77 serial77.f $(config --f77 --cflags) $L -lsionser_f90_64 $(config --f77 --libs) &&
        compile f90 serial.f90 $(config --f90 --cflags) $L -lsionser_f77_64 $(config --f90 --libs)
}
check "both archives in one program" beside
same_template() {
    cmp "$P/include/sion_f77.h" "$P/include/sion_f77.H"
}
check "sion_f77.H equals sion_f77.h" same_template
if [ -n "$has_omp" ]; then
    # shellcheck disable=SC2046
    builds_omp() {
        compile f90 omp.f90 $openmp $(config --omp --f90 --cflags) $(config --omp --f90 --libs)
    }
    check "OpenMP program: compiles" builds_omp
    check "OpenMP program: runs" passes f90 omp
fi

if [ "$(setting have_mpi_fortran)" = yes ]; then
    check "C writes mpi.sion with MPI" write_mpi_with_c
    # builds_mpi FOLDER SOURCE LANGUAGE [API]
    # shellcheck disable=SC2046,SC2086
    builds_mpi() {
        compile $1 $2 $fortran_mpi_flags $(config --${4:-mpi} --$3 --cflags) $5 \
            $(config --${4:-mpi} --$3 --libs) $fortran_mpi_libs $mpi_libs
    }
    check "MPI program: compiles" builds_mpi f90 mpi.f90 f90
    for np in 1 2 3 4; do
        check "MPI program: $np ranks, writes what C writes" as_c f90 mpi $np
    done
    check "FORTRAN 77 MPI program: compiles" builds_mpi mpi-f77 mpi77.f f77
    for np in 1 4; do
        check "FORTRAN 77 MPI program: $np ranks, writes what C writes" as_c mpi-f77 mpi77 $np
    done
    if [ -f "$P/include/mod_64/sion_f08.mod" ]; then
        check "mpi_f08 program: compiles" builds_mpi f08 f08.f90 f90
        for np in 1 4; do
            check "mpi_f08 program: $np ranks, writes what C writes" as_c f08 f08 $np
        done
        check "newfname without room: compiles" builds_mpi f08 short.f90 f90
        check "newfname without room: ierror" passes f08 short 1
        check "newfname without room: a warning" \
            grep -q 'newfname has room for 6 of the 8 characters of mpi.sion' "$root/f08/short.err"
    fi
    # shellcheck disable=SC2046,SC2086
    builds_arrays_mpi() {
        compile f90 arrays_mpi.f90 $fortran_mpi_flags $(config --array --mpi --f90 --cflags) \
            $(config --array --mpi --f90 --libs) $fortran_mpi_libs $mpi_libs
    }
    check "arrays with MPI: compiles" builds_arrays_mpi
    for np in 1 2 3; do
        check "arrays with MPI: $np ranks write and read" passes f90 arrays_mpi $np
        check "arrays with MPI: C reads what they wrote" \
            "$root/c/arrays_c" check "$root/f90/arrays_mpi.sion"
    done
    if [ -n "$has_ompi" ]; then
        check "hybrid program: compiles" builds_mpi f90 ompi.f90 f90 ompi "$openmp"
        check "hybrid program: 2 ranks of 3 threads" passes f90 ompi 2
        if [ -f "$P/include/mod_64/sion_f08.mod" ]; then
            check "hybrid mpi_f08 program: compiles" builds_mpi f08 ompi08.f90 f90 ompi "$openmp"
            check "hybrid mpi_f08 program: 2 ranks of 3 threads" passes f08 ompi08 2
        fi
    fi
fi

if [ -f "$libdir/libsion_f90.so" ]; then
    LD_LIBRARY_PATH=$libdir
    export LD_LIBRARY_PATH
    # shellcheck disable=SC2046
    builds_shared() {
        compile shared serial.f90 $(config --f90 --cflags) $L -lsion_f90 -lsion
    }
    check "shared library: links" builds_shared
    check "shared library: runs" passes shared serial
    # shellcheck disable=SC2046
    builds_arrays_shared() {
        compile shared arrays.f90 $(config --array --f90 --cflags) $L -lsion_array_f90 -lsion_f90 \
            -lsion_array -lsion && "$root/c/arrays_c" write "$root/shared/from_c.sion"
    }
    check "shared library of arrays: links" builds_arrays_shared
    check "shared library of arrays: runs" passes shared arrays
    if [ -f "$libdir/libsion_mpi_f90.so" ] && [ -f "$P/include/mod_64/sion_f08.mod" ]; then
        # shellcheck disable=SC2046,SC2086
        builds_mpi_shared() {
            compile shared f08.f90 $fortran_mpi_flags $(config --f90 --cflags) $L \
                -lsion_mpi_f90 -lsion_f90 -lsion_mpi -lsion $fortran_mpi_libs $mpi_libs
        }
        check "shared library with MPI: links" builds_mpi_shared
        check "shared library with MPI: 3 ranks" passes shared f08 3
    fi
fi
finish

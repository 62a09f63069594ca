#!/bin/sh
# sionconfig prints the same flags as SIONlib's, and only those of archives that are built.
. "$(dirname "$0")/lib.sh"

# The built script with another prefix, and with or without the optional parts, by its name.
make_script()
{
    sed -e "s|^prefix=.*|prefix='/p'|" -e 's|^libdir=.*|libdir="/p/lib"|' \
        -e 's|^includedir=.*|includedir="/p/include"|' -e 's|^bindir=.*|bindir="/p/bin"|' \
        -e "s/^.*have_\(mpi\|omp\|ompi\|f77\|cxx\|scr\|fti\|checksum\)=yes\$/have_\1=$2/" -e "s/^.*have_pthreads=yes\$/have_pthreads=$3/" \
        "$builddir/utils/sionconfig" >"$scratch/$1"
    chmod +x "$scratch/$1"
}
make_script full yes yes
make_script poor no no

config=full
run_config()
{
    status=0
    "$scratch/$config" "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
}

# gives LINE ARGUMENTS...
gives()
{
    line=$1
    shift
    run_config "$@"
    check "sionconfig $*" said "$line"
}

lock=-lsioncom_64_lock_none
ser='-lsionser_64 -lsioncom_64'
gives /p --path
gives '-I/p/include -D_SION_LINUX' --cflags
gives '-I/p/include -D_SION_LINUX' --ser --cflags
gives '-I/p/include -D_SION_LINUX' --gen --cflags
gives '-I/p/include -D_SION_LINUX  -DSION_MPI' --mpi --cflags
gives '-I/p/include -D_SION_LINUX  -DSION_MPI' -cflags -mpi
gives "-L/p/lib $ser        $lock" --libs
gives "-L/p/lib $ser        $lock" --sequential --c --libs
gives "-L/p/lib -lsionmpi_64 -lsiongen_64 $ser      $lock" --mpi --libs
gives '-I/p/include -D_SION_LINUX -DSION_OMP' --omp --cflags
gives '-I/p/include -D_SION_LINUX  -DSION_OMPI' --ompi --cflags
gives "-L/p/lib -lsionomp_64 -lsiongen_64 $ser      $lock" --omp --libs
gives "-L/p/lib -lsionompi_64 -lsiongen_64 $ser      $lock" --ompi --libs
gives "-L/p/lib -lsiongen_64 -lsioncom_64        $lock" --gen --libs
gives "-L/p/lib -lsiongen_64 -lsioncom_64        $lock" -g --libs
gives "-L/p/lib -lsioncom_64        $lock" --com --libs
gives "-L/p/lib -lsioncom_64        $lock" --common --libs
gives "-L/p/lib -lsiongen_64 -lsioncom_64        -lsioncom_64_lock_pthreads -lpthread" \
    --gen --threadsafe --libs
gives "-L/p/lib $ser        $lock" --be --fe --gcc --32 --libs
# Build systems show what is printed, or take it for a failure.
run_config --64 --unknown word --libs
check 'unknown words: exit status 0' test "$status" -eq 0
echo "-L/p/lib $ser        $lock" >"$scratch/expected"
check 'unknown words are ignored' same "$scratch/out" "$scratch/expected"
check 'unknown words cause no message' test ! -s "$scratch/err"
run_config --foobar
check 'only unknown words: exit status 0' test "$status" -eq 0
check 'only unknown words cause no output' test ! -s "$scratch/out" -a ! -s "$scratch/err"
gives "-L/p/lib $ser        $lock" --cflags --path --libs
gives /p --libs --path

for language in f77 f90 cxx; do
    own=-lsionser_${language}_64
    gives "-L/p/lib $own $ser        $lock" --$language --libs
    gives "-L/p/lib $own $own -lsionomp_64 -lsiongen_64 $ser      $lock" --omp --$language --libs
    gives "-L/p/lib -lsionmpi_${language}_64 $own -lsionmpi_64 -lsiongen_64 $ser      $lock" \
        --$language --mpi --libs
    gives "-L/p/lib -lsionmpi_${language}_64 $own -lsionompi_64 -lsiongen_64 $ser      $lock" \
        --$language --ompi --libs
    gives "-L/p/lib -lsiongen_64 -lsioncom_64        $lock" --gen --$language --libs
    gives "-L/p/lib -lsioncom_64        $lock" --$language --com --libs
done
gives "-L/p/lib -lsionser_f90_64 $ser        $lock" --fortran --libs
gives '-I/p/include -I/p/include/mod_64' --f77 --cflags
gives '-I/p/include -I/p/include/mod_64' --f90 --mpi --cflags
gives "-I/p/include -D_SION_LINUX  -DSION_MPI" --cxx --mpi --cflags

gen='-lsiongen_64 -lsionser_64 -lsioncom_64'
gives "-L/p/lib -lsionarray_64 $gen        $lock" --array --libs
gives "-L/p/lib -lsionarray_64 -lsionmpi_64 $gen      $lock" --mpi --array --libs
gives "-L/p/lib -lsionarray_64 -lsionomp_64 $gen      $lock" --array --omp --libs
gives "-L/p/lib -lsionarray_64 -lsionompi_64 -lsionomp_64 $gen      $lock" --array --ompi --libs
f90='-lsionarray_f90_64 -lsionser_f90_64 -lsionarray_64'
mpi_f90='-lsionarray_f90_64 -lsionmpi_f90_64 -lsionser_f90_64 -lsionarray_64'
gives "-L/p/lib $f90 $gen        $lock" --array --f90 --libs
gives "-L/p/lib $f90 -lsionomp_64 $gen      $lock" --array --f90 --omp --libs
gives "-L/p/lib $mpi_f90 -lsionmpi_64 $gen      $lock" --f90 --mpi --array --libs
gives "-L/p/lib $mpi_f90 -lsionompi_64 -lsionomp_64 $gen      $lock" --ompi --array --f90 --libs
gives '-I/p/include -I/p/include/mod_64' --array --f90 --mpi --cflags
gives "-L/p/lib -lsionser_cxx_64 -lsionarray_64 $gen        $lock" --array --cxx --libs
gives "-L/p/lib -lsionmpi_cxx_64 -lsionser_cxx_64 -lsionarray_64 -lsionmpi_64 $gen      $lock" \
    --array --mpi --cxx --libs
gives "-L/p/lib -lsionscr_64 $gen        $lock $(setting ZLIB_LIBS)" --scr --libs
gives "-L/p/lib -lsionscr_mpi_64 -lsionscr_64 -lsionmpi_64 $gen      $lock $(setting ZLIB_LIBS)" --mpi --scr --libs
gives "-L/p/lib -lsionfti_64 $gen        $lock $(setting NETTLE_LIBS)" --fti --libs
gives "-L/p/lib -lsionfti_mpi_64 -lsionfti_64 -lsionmpi_64 $gen      $lock $(setting NETTLE_LIBS)" --mpi -fti --libs
gives '-I/p/include -D_SION_LINUX  -DSION_MPI' --fti --mpi --cflags
gives "-L/p/lib -lsionchecksum_64 $gen        $lock $(setting CHECKSUM_LIBS)" --checksum --libs
gives "-L/p/lib -lsionchecksum_64 -lsionmpi_64 $gen      $lock $(setting CHECKSUM_LIBS)" --checksum --mpi --libs

run_config
check 'no argument: usage' same "$scratch/out" "$GOLDEN/util/sionconfig.noargs.stdout"
check 'no argument: status' ended 1
run_config --mpi
check 'without an output option, there is no output' printed /dev/null

refuses()
{
    text=$1
    shift
    run_config "$@"
    check "$config sionconfig $*" failed_with 42 "$text"
}
refuses 'ERROR: device mic not supported for SION architecture LINUX!' --mic --libs
refuses 'the library for scr has no omp interface' --scr --omp --libs
refuses 'the library for array has no f77 interface' --array --f77 --libs
refuses 'the library for array has no gen interface' --array --f90 --gen --libs
refuses 'the library for scr has no f90 interface' --scr --f90 --libs
config=poor
for part in scr fti checksum; do
    refuses "the library for $part is not part of this build" --$part --libs
done
refuses 'ERROR: SIONlib not compiled to be thread-safe!' --threadsafe --libs
for part in mpi omp ompi f77 f90 cxx; do
    refuses "the $part interface is not part of this build" --$part --libs
    refuses "the $part interface is not part of this build" --$part --cflags
done
refuses 'the f90 interface is not part of this build' --fortran --libs
gives "-L/p/lib $ser        $lock" --libs
config=full

cp "$builddir/sionversion" "$scratch"
"$scratch/sionversion" >"$scratch/version"
for option in -v -V --version; do
    run_config $option
    check "sionconfig $option" printed "$scratch/version"
done
{
    cat "$scratch/version" "$GOLDEN/util/sionconfig.noargs.stdout"
    echo "Libraries besides SIONlib's, for C and C++; arrays for Fortran 90, too:"
    echo '  [--array|--scr|--fti]                    arrays, SCR'"'s files, FTI's files"
    echo '  [--checksum]                             checksums'
} >"$scratch/help"
for option in -h --help; do
    run_config $option
    check "sionconfig $option" printed "$scratch/help"
done

# Every -l that the built script prints is an archive of this build.
each_exists()
{
    for word in $("$builddir/utils/sionconfig" "$@"); do
        case $word in
        -lsion*) test -e "$builddir/lib${word#-l}.la" || { echo "$word" && return 1; } ;;
        esac
    done
}
for api in com ser gen mpi omp ompi; do
    for language in c f77 f90 cxx; do
        check "--$api --$language --libs: every archive exists" each_exists --$api --$language --libs
    done
done
for layer in array scr fti checksum; do
    for api in ser mpi; do
        check "--$layer --$api --libs: every archive exists" each_exists --$layer --$api --libs
    done
done
for api in ser omp mpi ompi; do
    check "--array --$api --f90 --libs: every archive exists" each_exists --array --$api --f90 --libs
done
check '--threadsafe --libs: every archive exists' each_exists --threadsafe --libs

if test -w /dev/full; then
    for option in -h --cflags --libs --path; do
        status=0
        "$builddir/utils/sionconfig" $option >/dev/full 2>"$scratch/err" || status=$?
        check "sionconfig $option to a full disk" test $status -eq 2 -a -s "$scratch/err"
    done
else
    skip 'sionconfig to a full disk' 'no /dev/full'
fi

finish

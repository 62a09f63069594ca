#!/bin/sh
#
# Writes the pkg-config files of a build into a folder, one for each interface and language, with
# the shared libraries and (-static) with the archives; both are the archives if there are no shared
# libraries.
#
#   pkgconfig.sh FOLDER
#
# From the environment, as configure found it: prefix, libdir, includedir, version, symbol_prefix,
# shared, mpi, omp, ompi, f90, cxx, zlib, fti (each yes or no), mpi_cflags, mpi_libs, nettle_libs,
# mpi_fcflags, mpi_fclibs, openmp, lock.

set -eu
folder=$1
mkdir -p "$folder"
p=$symbol_prefix

# write NAME DESCRIPTION CFLAGS LIBS
write() {
    cat >"$folder/$1.pc" <<EOF
prefix=$prefix
libdir=$(echo "$libdir" | sed "s:^$prefix/:\${prefix}/:")
includedir=$(echo "$includedir" | sed "s:^$prefix/:\${prefix}/:")

Name: $1
Description: $2
Version: $version
Cflags: $3
Libs: -L\${libdir} $4
EOF
}

# archives NAME...: with the symbol prefix, the common ones and the lock
archives() {
    for name in "$@" com_64 "com_64_lock_$lock"; do
        printf -- '-l%ssion%s ' "$p" "$name"
    done
    [ "$lock" = none ] || printf -- '-lpthread'
}

# both NAME DESCRIPTION CFLAGS SHARED-LIBS ARCHIVES FURTHER
both() {
    # shellcheck disable=SC2086
    static=$(archives $5)
    libs=$4
    [ "$shared" = yes ] || libs=$static
    write "${p}sion$1" "$2" "$3" "$libs $6"
    write "${p}sion$1-static" "$2, static archives" "$3" "$static $6"
}

i='-I${includedir}'
modules='-I${includedir} -I${includedir}/mod_64'
both '' 'Parallel streams in shared files, serial and generic interface' "$i" -lsion 'gen_64 ser_64' ''
[ "$omp" = no ] ||
    both -omp 'SIONlib interface for OpenMP programs' "$i -DSION_OMP $openmp" -lsion \
        'omp_64 gen_64 ser_64' "$openmp"
[ "$mpi" = no ] ||
    both -mpi 'SIONlib interface for MPI programs' "$i -DSION_MPI $mpi_cflags" '-lsion_mpi -lsion' \
        'mpi_64 gen_64 ser_64' "$mpi_libs"
[ "$ompi" = no ] ||
    both -ompi 'SIONlib interface for programs with MPI and OpenMP' \
        "$i -DSION_MPI -DSION_OMPI $mpi_cflags $openmp" '-lsion_mpi -lsion' \
        'ompi_64 omp_64 gen_64 ser_64' "$mpi_libs $openmp"
[ "$zlib" = no ] ||
    both -scr 'maps and containers of SCR' "$i" '-lsion_scr -lsion' 'scr_64 gen_64 ser_64' -lz
[ "$zlib" = no ] || [ "$mpi" = no ] ||
    both -scr-mpi 'maps and containers of SCR for MPI programs' "$i $mpi_cflags" \
        '-lsion_scr_mpi -lsion_scr -lsion' 'scr_mpi_64 scr_64 mpi_64 gen_64 ser_64' "$mpi_libs -lz"
if [ "$fti" = yes ]; then
    both -fti 'Checkpoints in the file format of FTI' "$i" '-lsion_fti -lsion' 'fti_64 gen_64 ser_64' \
        "$nettle_libs"
    [ "$mpi" = no ] ||
        both -fti-mpi 'Checkpoints of MPI programs in the file format of FTI' "$i $mpi_cflags" \
            '-lsion_fti_mpi -lsion_fti -lsion_mpi -lsion' 'fti_mpi_64 fti_64 mpi_64 gen_64 ser_64' \
            "$nettle_libs $mpi_libs"
fi
for language in f90 cxx; do
    case $language in
    f90)
        [ "$f90" = yes ] || continue
        title=Fortran cflags=$modules mpi_flags=$mpi_fcflags mpi_language_libs="$mpi_fclibs $mpi_libs"
        fortran=' ser_f77_64' fortran_mpi=' mpi_f77_64'
        ;;
    cxx)
        [ "$cxx" = yes ] || continue
        title=C++ cflags=$i mpi_flags="-DSION_MPI $mpi_cflags" mpi_language_libs=$mpi_libs
        fortran= fortran_mpi=
        ;;
    esac
    both -$language "SIONlib interface for serial $title programs" "$cflags" \
        "-lsion_$language -lsion" "ser_${language}_64$fortran gen_64 ser_64" ''
    [ "$omp" = no ] ||
        both -omp-$language "SIONlib interface for $title programs with OpenMP" \
            "$cflags -DSION_OMP $openmp" "-lsion_$language -lsion" \
            "ser_${language}_64$fortran omp_64 gen_64 ser_64" "$openmp"
    [ "$mpi" = no ] ||
        both -mpi-$language "SIONlib interface for $title programs with MPI" "$cflags $mpi_flags" \
            "-lsion_mpi_$language -lsion_$language -lsion_mpi -lsion" \
            "mpi_${language}_64$fortran_mpi ser_${language}_64$fortran mpi_64 gen_64 ser_64" \
            "$mpi_language_libs"
    [ "$ompi" = no ] ||
        both -ompi-$language "SIONlib interface for $title programs with MPI and OpenMP" \
            "$cflags $mpi_flags -DSION_OMPI $openmp" \
            "-lsion_mpi_$language -lsion_$language -lsion_mpi -lsion" \
            "mpi_${language}_64$fortran_mpi ser_${language}_64$fortran ompi_64 omp_64 gen_64 ser_64" \
            "$mpi_language_libs $openmp"
done

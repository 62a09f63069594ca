#!/bin/sh
#
# Tells build systems what to link, as link.table says:
#
#   link.sh packages FOLDER   the pkg-config files
#   link.sh archives FOLDER   libsion.a and others, one for each shared library: linker scripts that
#                             name the archives, for -static
#   link.sh targets           the CMake package's targets, on stdout
#
# It takes what configure found from the environment: prefix, libdir, includedir, version,
# symbol_prefix, shared, mpi, omp, ompi, f90, cxx, zlib, fti, checksum (each yes or no), mpi_cflags,
# mpi_libs, nettle_libs, checksum_libs, zlib_libs, mpi_fcflags, mpi_fclibs, openmp, lock.

set -eu
table=$(dirname "$0")/link.table
p=$symbol_prefix

# words LIST: a list of the table, with blanks instead of commas
words() {
    [ "$1" = - ] || echo "$1" | tr ',' ' '
}

# has NEEDS: whether the build has all of them
has() {
    for need in $(words "$1"); do
        eval "[ \"\$$need\" = yes ]" || return 1
    done
}

# rows FUNCTION: calls it for each row that the build supports, with the columns in variables
# shellcheck disable=SC2034
rows() {
    while read -r key legacy package target needs archives shared_libs runtime definitions; do
        case $key in '#'*) continue ;; esac
        ! has "$needs" || "$1"
    done <"$table"
}

# The complete link line of a row's archives.
archive_line() {
    for name in $(words "$archives") com; do
        printf -- '-l%ssion%s_64 ' "$p" "$name"
    done
    printf -- '-l%ssioncom_64_lock_%s ' "$p" "$lock"
}
threads=-lpthread
[ "$lock" != none ] || threads=

# ---- pkg-config ----

compile_flags() {
    case $1 in
    mpi | mpi_cxx) echo "$mpi_cflags" ;;
    mpi_f90) echo "$mpi_fcflags" ;;
    openmp*) echo "$openmp" ;;
    esac
}

# The libraries that the program itself calls, too.
link_flags() {
    case $1 in
    mpi | mpi_cxx) echo "$mpi_libs" ;;
    mpi_f90) echo "$mpi_fclibs $mpi_libs" ;;
    openmp*) echo "$openmp" ;;
    esac
}

# The libraries that only ours call.
private_flags() {
    case $1 in
    zlib) echo "$zlib_libs" ;;
    nettle) echo "$nettle_libs" ;;
    crc) echo "$checksum_libs" ;;
    esac
}

# each FUNCTION WORD...: calls it for each word, and prints the results in one line
each() {
    function=$1
    shift
    for word; do
        "$function" "$word"
    done | tr '\n' ' '
}

describe() {
    case $package in
    array*) text='Arrays in containers' ;;
    scr*) text='Maps and containers of SCR' ;;
    fti*) text="Checkpoints in FTI's file format" ;;
    checksum) text='CRC-32 for the checksums of containers' ;;
    *) text='Parallel streams in shared files, SIONlib interface' ;;
    esac
    case $package in *f90) text="$text for Fortran" ;; *cxx) text="$text for C++" ;; esac
    case $package in *ompi*) text="$text with MPI and OpenMP" ;; *omp*) text="$text with OpenMP" ;; *mpi*) text="$text with MPI" ;; esac
    echo "$text"
}

# The installation may be moved: the prefix as it is seen from a pkg-config file.
package_prefix() {
    case $libdir in
    "$prefix"/*) echo "\${pcfiledir}$(echo "/${libdir#"$prefix"/}/pkgconfig" | sed 's:/[^/][^/]*:/..:g')" ;;
    *) echo "$prefix" ;;
    esac
}

# write_package NAME LIBS PRIVATE
write_package() {
    cat >"$folder/$1.pc" <<END
prefix=$(package_prefix)
libdir=$(echo "$libdir" | sed "s:^$prefix/:\${prefix}/:")
includedir=$(echo "$includedir" | sed "s:^$prefix/:\${prefix}/:")

Name: $1
Description: $(describe)
Version: $version
Cflags: $cflags
Libs: -L\${libdir} $2
Libs.private: $3
END
}

# The package, and one with the archives under its older name, -static.
package() {
    [ "$package" != - ] || return 0
    name=${p}sion-$package
    name=${name%-.}
    cflags='-I${includedir}'
    case $needs in f90*) cflags="$cflags -I\${includedir}/mod_64" ;; esac
    for word in $(words "$definitions"); do
        cflags="$cflags -D$word"
    done
    # shellcheck disable=SC2046
    {
        cflags="$cflags $(each compile_flags $(words "$runtime"))"
        further=$(each link_flags $(words "$runtime"))
        private="$(each private_flags $(words "$runtime"))$threads"
    }
    archived="$(archive_line)$private $further"
    libs=
    for word in $(words "$shared_libs"); do
        libs="$libs-l$word "
    done
    if [ "$shared" = yes ]; then
        write_package "$name" "$libs$further" "$private"
    else
        write_package "$name" "$archived" ''
    fi
    write_package "$name-static" "$archived" ''
}

# ---- linker scripts in place of static libraries ----

# A line for each archive of the row: the shared library that contains it, and its name.
parts() {
    [ "$shared_libs" != - ] || return 0
    for name in $(words "$archives"); do
        echo "${shared_libs%%,*} lib${p}sion${name}_64.a"
    done
}

write_archives() {
    rows parts | awk '!seen[$0]++' >"$folder/parts"
    for library in $(cut -d ' ' -f 1 "$folder/parts" | sort -u); do
        {
            echo "/* For the linker: the archives that -l$library stands for. */"
            echo 'GROUP ('
            sed -n "s/^$library /  /p" "$folder/parts"
            echo "  lib${p}sioncom_64.a lib${p}sioncom_64_lock_$lock.a"
            echo ')'
        } >"$folder/lib$library.a"
    done
    rm "$folder/parts"
}

# ---- CMake ----

target() {
    [ "$target" != - ] || return 0
    files=
    for name in $(words "$archives"); do
        files="$files ${name}_64"
    done
    libraries=
    for word in $(words "$runtime"); do
        libraries="$libraries;\${_sion_$word}"
    done
    echo "_sion_target($target \"$(words "$definitions" | tr ' ' ';')\" \"${libraries#;}\"" \
        "\"$(words "$shared_libs" | tr ' ' ';')\"$files)"
    case $needs in f90*) echo "_sion_modules($target)" ;; esac
}

case $1 in
targets) rows target ;;
packages | archives)
    folder=$2
    mkdir -p "$folder"
    if [ "$1" = packages ]; then
        rows package
    else
        [ "$shared" != yes ] || write_archives
    fi
    ;;
esac

# Build systems find the library, and their programs run: link lines written by hand, a configure
# test as in performance tools, CMake with its own module and with our package, pkg-config, and a
# module file; with the archives and with the shared libraries.
name=consumers
. "$srcdir/test/api/installed.sh"
cp -r "$srcdir/test/packaging/consumers" "$srcdir/packaging/FindSIONlib.cmake" "$root"
mv "$root/consumers" "$root/sources"
chmod -R u+w "$root/sources"
FC=$(setting FC)
CXX=$(setting CXX)
has_f90=$([ -f "$libdir/libsionser_f90_64.a" ] && echo 1)
has_cxx=$([ -f "$libdir/libsionser_cxx_64.a" ] && echo 1)
has_shared=$([ -f "$libdir/libsion.so" ] && echo 1)
# MPI's C++ bindings would need further libraries.
skip_bindings='-DMPICH_SKIP_MPICXX -DOMPI_SKIP_MPICXX'
LD_LIBRARY_PATH=$libdir
export LD_LIBRARY_PATH
cd "$root" || exit 1

# ---- link lines ----

# links COMPILER SOURCE FLAGS...
# shellcheck disable=SC2086
links() {
    compiler=$1
    source=$2
    shift 2
    $compiler $I sources/$source -o by_hand "$@"
}
runs() {
    links "$@" && { [ -n "$only_link" ] || ./by_hand; }
}
# The libraries that MPI's compiler wrapper would add come last.
# shellcheck disable=SC2086
runs_mpi() {
    links "$@" $mpi_libs && { [ -n "$only_link" ] || mpirun 2 ./by_hand; }
}
cc=${CC:-cc}
modules=-I$P/include/mod_64
# shellcheck disable=SC2086
link_lines() {
    check "link line: serial$order" runs "$cc" serial.c $L $com
    [ -z "$has_f90" ] || check "link line: Fortran$order" \
        runs "$FC" serial.f90 $modules $L -lsionser_f90_64 $com
    [ -z "$has_cxx" ] || check "link line: C++$order" runs "$CXX" serial.cc $L -lsionser_cxx_64 $com
}
# Older link lines do not name siongen.
# shellcheck disable=SC2086
parallel_link_lines() {
    [ -z "$has_omp" ] || check "link line: OpenMP$order" \
        runs "$cc" omp.c -DSION_OMP $openmp $L -lsionomp_64 $com
    [ -n "$has_mpi" ] || return 0
    check "link line: MPI$order" runs_mpi "$cc" mpi.c $mpi_flags $L -lsionmpi_64 -lsiongen_64 $com
    check "link line: MPI, an older one$order" runs_mpi "$cc" mpi.c $mpi_flags $L -lsionmpi_64 $com
    [ -z "$has_ompi" ] || check "link line: hybrid$order" \
        runs_mpi "$cc" ompi.c -DSION_OMPI $openmp $mpi_flags $L -lsionompi_64 $com
    [ -z "$has_cxx" ] || check "link line: MPI and C++$order" \
        runs_mpi "$CXX" mpi.cc -DSION_MPI $skip_bindings $mpi_flags $L -lsionmpi_cxx_64 \
        -lsionser_cxx_64 -lsionmpi_64 $com
    [ "$(setting have_mpi_fortran)" = yes ] || return 0
    check "link line: MPI and Fortran$order" \
        runs_mpi "$FC" mpi.f90 $modules $(setting MPI_FCFLAGS) $L -lsionmpi_f90_64 \
        -lsionser_f90_64 -lsionmpi_64 $com $(setting MPI_FCLIBS)
    [ -z "$has_ompi" ] || check "link line: hybrid and Fortran$order" \
        runs_mpi "$FC" ompi.f90 $openmp $modules $(setting MPI_FCFLAGS) $L -lsionmpi_f90_64 \
        -lsionser_f90_64 -lsionompi_64 $com $(setting MPI_FCLIBS)
}
# shellcheck disable=SC2086
link_lines_beside() {
    gen=-lsiongen_64
    check "link line: arrays$order" runs "$cc" array.c $L -lsionarray_64 $gen $com
    [ ! -f "$libdir/libsionscr_64.a" ] ||
        check "link line: SCR$order" runs "$cc" scr.c $L -lsionscr_64 $gen $com $(setting ZLIB_LIBS)
    [ ! -f "$libdir/libsionfti_64.a" ] ||
        check "link line: FTI$order" runs "$cc" fti.c $L -lsionfti_64 $gen $com $(setting NETTLE_LIBS)
    [ ! -f "$libdir/libsionchecksum_64.a" ] || check "link line: checksums$order" \
        runs "$cc" checksum.c $L -lsionchecksum_64 $gen $com $(setting CHECKSUM_LIBS)
}
# SIONlib's archives link with the serial one after the common one, too.
order=
only_link=
for com in '-lsionser_64 -lsioncom_64 -lsioncom_64_lock_none' \
    '-lsioncom_64 -lsionser_64 -lsioncom_64_lock_none' '-lsioncom_64 -lsioncom_64_lock_none -lsionser_64'; do
    [ -z "$only_link" ] || order=": $com"
    link_lines
    parallel_link_lines
    link_lines_beside
    only_link=1
done
# shellcheck disable=SC2086
check "link line: generic, which needs no serial archive" \
    runs "$cc" generic.c $L -lsiongen_64 -lsioncom_64 -lsioncom_64_lock_none

# ---- a configure test as in performance tools ----

# Splits the output of sionconfig, links a probe with a serial compiler, and refuses version 2.
# shellcheck disable=SC2046
tool_probe() {
    PATH=$P/bin:$PATH
    command -v sionconfig && test "$(sionconfig --path)" = "$P" || return 1
    flags= ldflags= libs=
    for word in $(config --be --gen --threadsafe --64 --cflags); do
        case $word in -I* | -D*) flags="$flags $word" ;; *) return 1 ;; esac
    done
    for word in $(config --be --gen --threadsafe --64 --libs); do
        case $word in
        -L*) ldflags="$ldflags $word" ;;
        -l*) libs="$libs $word" ;;
        *) return 1 ;;
        esac
    done
    # shellcheck disable=SC2086
    ${CC:-cc} $flags sources/tool_probe.c -o tool_probe $ldflags $libs && ./tool_probe &&
        ! nm -u tool_probe | grep -i MPI_ &&
        ${CC:-cc} -shared -fPIC -Wl,--no-undefined $flags sources/tool_probe.c -o tool_probe.so $ldflags $libs
}
if [ -f "$libdir/libsioncom_64_lock_pthreads.a" ]; then
    check "a performance tool's configure finds it" tool_probe
fi
by_a_link() {
    mkdir -p links && ln -s "$P/bin/sionconfig" links/sionconfig && test "$(links/sionconfig --path)" = "$P"
}
check "sionconfig by a link" by_a_link
copied_script() {
    mkdir -p other/bin && cp "$P/bin/sionconfig" other/bin && test "$(other/bin/sionconfig --path)" = "$prefix"
}
check "a copy of sionconfig outside of the installation names its folders" copied_script
first_line() {
    "$P/bin/sionconfig" --version | head -n 1 | grep '^SIONlib Version 1\.7\.6'
}
check "sionconfig --version begins as scripts expect" first_line

# ---- pkg-config ----

# with_package NAME COMPILER SOURCE [NP]
# shellcheck disable=SC2086
with_package() {
    flags=$(pkg-config --cflags --libs "$1") || return 1
    case $3 in *.cc) flags="$skip_bindings $flags" ;; esac
    $2 sources/$3 -o "by_$1" $flags || return 1
    if [ $# -gt 3 ]; then
        mpirun "$4" "./by_$1"
    else
        "./by_$1"
    fi
}
# f90_source NAME: the program, or a serial one if this compiler has no module mpi
f90_source() {
    if [ "$(setting have_mpi_fortran)" = yes ]; then
        echo "$1.f90"
    else
        echo serial.f90
    fi
}
packages() {
    echo "sion ${CC:-cc} serial.c"
    [ -z "$has_omp" ] || echo "sion-omp ${CC:-cc} omp.c"
    [ -z "$has_mpi" ] || echo "sion-mpi ${CC:-cc} mpi.c 2"
    [ -z "$has_ompi" ] || echo "sion-ompi ${CC:-cc} ompi.c 2"
    [ -z "$has_omp" ] || echo "sion-array-omp ${CC:-cc} array.c"
    [ -z "$has_ompi" ] || echo "sion-array-ompi ${CC:-cc} array_mpi.c 2"
    for layer in array scr fti; do
        [ -f "$libdir/libsion${layer}_64.a" ] || continue
        echo "sion-$layer ${CC:-cc} $layer.c"
        [ -z "$has_mpi" ] || echo "sion-$layer-mpi ${CC:-cc} ${layer}_mpi.c 2"
    done
    [ ! -f "$libdir/libsionchecksum_64.a" ] || echo "sion-checksum ${CC:-cc} checksum.c"
    if [ -n "$has_f90" ]; then
        echo "sion-f90 $FC serial.f90"
        [ -z "$has_omp" ] || echo "sion-omp-f90 $FC omp.f90"
        [ -z "$has_mpi" ] || echo "sion-mpi-f90 $FC $(f90_source mpi) 2"
        [ -z "$has_ompi" ] || echo "sion-ompi-f90 $FC $(f90_source ompi) 2"
        echo "sion-array-f90 $FC array.f90"
        [ -z "$has_omp" ] || echo "sion-array-omp-f90 $FC array.f90"
        [ -z "$has_mpi" ] || echo "sion-array-mpi-f90 $FC $(f90_source array_mpi) 2"
        [ -z "$has_ompi" ] || echo "sion-array-ompi-f90 $FC $(f90_source array_mpi) 2"
    fi
    if [ -n "$has_cxx" ]; then
        echo "sion-cxx $CXX serial.cc"
        [ -z "$has_omp" ] || echo "sion-omp-cxx $CXX omp.cc"
        [ -z "$has_mpi" ] || echo "sion-mpi-cxx $CXX mpi.cc 2"
        [ -z "$has_ompi" ] || echo "sion-ompi-cxx $CXX mpi.cc 2"
    fi
}
is_static() {
    # shellcheck disable=SC2086
    with_package "$@" && ! readelf -d "by_$1" | grep 'NEEDED.*libsion'
}
is_shared() {
    # shellcheck disable=SC2086
    with_package "$@" && readelf -d "by_$1" | grep 'NEEDED.*libsion'
}
if command -v pkg-config >/dev/null; then
    PKG_CONFIG_PATH=$libdir/pkgconfig
    export PKG_CONFIG_PATH
    packages >packages
    # shellcheck disable=SC2086
    while read -r package rest; do
        [ -z "$has_shared" ] || check "pkg-config: $package" is_shared $package $rest
        check "pkg-config: $package-static" is_static $package-static $rest
    done <packages
    # With -static, the linker takes libsion.a for -lsion; Libs.private has what the archives need.
    # shellcheck disable=SC2046
    without_shared_libraries() {
        ${CC:-cc} -static "sources/$2" -o fully_static \
            $(pkg-config --static --cflags --libs "$1") &&
            ./fully_static && ! readelf -d fully_static | grep NEEDED
    }
    echo 'int main(void) { return 0; }' >empty.c
    if [ -n "$has_shared" ] && ${CC:-cc} -static empty.c -o empty 2>empty.err; then
        check "pkg-config --static: sion" without_shared_libraries sion serial.c
        for layer in array scr fti checksum; do
            # Debian's ISA-L has no archive.
            # shellcheck disable=SC2046
            [ $layer != checksum ] ||
                ${CC:-cc} -static empty.c -o empty $(setting CHECKSUM_LIBS) 2>empty.err || continue
            [ ! -f "$libdir/libsion${layer}_64.a" ] || check "pkg-config --static: sion-$layer" \
                without_shared_libraries sion-$layer $layer.c
        done
    fi
    check "pkg-config: version" test "$(pkg-config --modversion sion)" = 1.7.6
    every_one_is_tried() {
        ls "$libdir/pkgconfig" | sed -n 's/-static\.pc$//p' | sort >there
        sed 's/ .*//' packages | sort | diff there -
    }
    check "pkg-config: this test tries every package" every_one_is_tried
fi

# ---- CMake ----

layers=array
[ ! -f "$libdir/libsionscr_64.a" ] || layers="$layers scr"
[ ! -f "$libdir/libsionfti_64.a" ] || layers="$layers fti"

if command -v cmake >/dev/null; then
    languages=C
    [ -z "$has_cxx" ] || languages="$languages CXX"
    [ -z "$has_f90" ] || languages="$languages Fortran"
    # builds FOLDER OPTIONS...
    builds() {
        folder=$1
        shift
        cmake -S "sources/$folder" -B "build-$folder" -DCMAKE_C_COMPILER="${CC:-cc}" \
            -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_Fortran_COMPILER="$FC" "$@" &&
            cmake --build "build-$folder"
    }
    if [ -n "$has_mpi" ]; then
        check "CMake: a module that asks sionconfig" \
            builds cmake-module "-DCMAKE_PROGRAM_PATH=$P/bin" \
            "-DMPI_FLAGS=$mpi_flags" "-DMPI_LIBS=$mpi_libs"
        check "CMake: the program of that module runs" mpirun 2 build-cmake-module/program
    fi
    check "CMake: find_package(SION)" builds cmake-package "-DCMAKE_PREFIX_PATH=$P" \
        "-DLANGUAGES=$languages" "-DLAYERS=$layers" "-DMPI=$has_mpi" "-DOMP=$has_omp" \
        "-DCHECKSUM=$([ ! -f "$libdir/libsionchecksum_64.a" ] || echo 1)" \
        "-DMPI_FORTRAN=$([ "$(setting have_mpi_fortran)" = yes ] && echo 1)"
    for program in build-cmake-package/run_*; do
        check "CMake: ${program##*/} runs" "$program"
    done
    static_programs() {
        for program in build-cmake-package/*_static; do
            readelf -d "$program" | grep 'NEEDED.*libsion' && return 1
        done
        return 0
    }
    check "CMake: static targets take no shared library" static_programs
    if [ -n "$has_mpi" ]; then
        for program in build-cmake-package/mpi_*; do
            check "CMake: ${program##*/} runs" mpirun 2 "$program"
        done
    fi
    check "CMake: find_package(SIONlib)" builds cmake-alias "-DCMAKE_PREFIX_PATH=$P" "-DMPI=$has_mpi"
    for program in build-cmake-alias/run_*; do
        check "CMake: ${program##*/} runs" "$program"
    done
    [ -z "$has_mpi" ] || check "CMake: mpi_component runs" mpirun 2 build-cmake-alias/mpi_component
    # found KIND LANGUAGE [NP]: a project that has FindSIONlib.cmake, with the prefix as it wants it
    found() {
        rm -rf build-cmake-find && builds cmake-find "-DKIND=$1" "-DLANGUAGES=$2" "-DMODULE=$root" \
            "-DPLACE=$P" "-DCMAKE_PREFIX_PATH=$P" "-DMPI_FLAGS=$mpi_flags" "-DMPI_LIBS=$mpi_libs" &&
            ${3:+mpirun $3} build-cmake-find/program
    }
    check "FindSIONlib.cmake: a target, components, versions" found serial C
    [ -z "$has_cxx" ] || check "FindSIONlib.cmake: C++" found cxx CXX
    [ -z "$has_f90" ] || check "FindSIONlib.cmake: Fortran" found fortran Fortran
    if [ -n "$has_mpi" ]; then
        check "FindSIONlib.cmake: as a simulator has it, by variables" found simulator C 2
        check "FindSIONlib.cmake: as a library for checkpoints has it, in a shared library" found checkpoints C 2
        check "FindSIONlib.cmake: as a library for data has it, by a target" found data C 2
    fi
    refuses_version_2() {
        ! builds cmake-package "-DCMAKE_PREFIX_PATH=$P" -DLANGUAGES=C -DWANTED=2.0
    }
    check "CMake: version 2 is not found" refuses_version_2
fi

# ---- the module file ----

if command -v tclsh >/dev/null; then
    cat >module.tcl <<'END'
proc module-whatis {text} {}
proc conflict {name} {}
proc setenv {name value} { puts $value }
proc prepend-path {name value} { puts $value }
source [lindex $argv 0]
END
    # folders_of FILE
    folders_of() {
        tclsh module.tcl "$1" >folders && grep -qx "$libdir/pkgconfig" folders &&
            while read -r folder; do
                case $folder in "$P"/*/man) continue ;; "$P" | "$P"/*) ;; *) return 1 ;; esac
                test -d "$folder" || return 1
            done <folders
    }
    modulefile=$P/share/modulefiles/scion/$(setting PACKAGE_VERSION)
    by_a_link() {
        ln -s "$modulefile" scion.module && folders_of scion.module
    }
    check "the module file by a link" by_a_link
    elsewhere() {
        cp "$modulefile" copied.module && tclsh module.tcl copied.module >folders &&
            grep -qx "$prefix${libdir#"$P"}/pkgconfig" folders
    }
    check "a copy of the module file outside of the installation names its folders" elsewhere
    check "the module file names folders that exist" folders_of "$modulefile"
fi
finish

# Lines by which existing recipes configure SIONlib work, and install what they look for.
name=recipes
. "$srcdir/test/consumers/built.sh"
MPICC=$(sed -n 's/^MPICC = //p' "$builddir/Makefile")
grep -q '^#define HAVE_MPI ' "$builddir/config.h" || MPICC=no-such-mpicc
flags=-O0 # what they compile to is tested elsewhere

# installs ARCHIVE...
installs() {
    [ -x "$P/bin/sionconfig" ] || return 1
    for archive in com_64 com_64_lock_none ser_64 gen_64 "$@"; do
        [ -f "$P/lib/libsion$archive.a" ] || { echo "no $archive" && return 1; }
    done
}
mpi=mpi_64
export MPICC
[ "$MPICC" != no-such-mpicc ] || mpi=
for flavour in openmpi mpich2 intel2; do
    configures() {
        rm -rf "$root/try" && mkdir -p "$root/try" && cd "$root/try" &&
            "$source/configure" -q --prefix="$P" --mpi=$flavour
    }
    check "--mpi=$flavour: configures" configures
done
check "--mpi=intel2: builds" builds --mpi=intel2 CFLAGS=$flags
check "--mpi=intel2: installs" installs $mpi
check "--mpi=intel2: sionconfig" sionconfig_is_right

check "performance tools' line: builds" builds --compiler=gnu --mpi=openmpi --disable-mic \
    --disable-cxx --enable-sionfwd=/opt/sionfwd CFLAGS="-O2 -fPIC"
check "performance tools' line: installs" installs $mpi
check "performance tools' line: sionconfig" sionconfig_is_right
no_cxx() {
    [ ! -e "$P/lib/libsionser_cxx_64.a" ]
}
check "performance tools' line: no C++" no_cxx

MPICC=no-such-mpicc
check "line for a machine without MPI: builds" builds --disable-cxx --disable-fortran \
    --disable-ompi --disable-mic CFLAGS=$flags
check "line for a machine without MPI: installs" installs
check "line for a machine without MPI: sionconfig" sionconfig_is_right
only_c() {
    ! ls "$P"/lib/*_f[79]* "$P"/lib/*cxx* "$P"/lib/*mpi* 2>/dev/null | grep .
}
check "line for a machine without MPI: nothing else" only_c

compiler() {
    rm -rf "$root/try" && mkdir -p "$root/try" && cd "$root/try" &&
        "$source/configure" -q "$@" && sed -n 's/^CC = //p' Makefile >CC
}
others() {
    compiler --compiler=pgi --msa=none --force-64 --disable-omp --disable-mpi --disable-pthreads &&
        grep -q '^HAVE_OPENMP_TRUE = #\|^have_openmp = no' Makefile && ! grep -q 'HAVE_PTHREADS 1' config.h
}
check "other options of SIONlib" others
wins() {
    compiler --compiler=gnu CC="${CC:-cc} -DMINE" && grep -q MINE CC
}
check "a compiler that is given wins over --compiler" wins
refused() {
    ! compiler --with-symbol-prefix=1x
}
check "a symbol prefix that is no name is refused" refused
finish

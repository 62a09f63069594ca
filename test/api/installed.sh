# Sourced by tests that use the installed library: installs it below $root, and provides check.
#
# Sets P (prefix), libdir, I and L (compiler and linker flags), has_mpi, has_omp, has_ompi, mpi_flags,
# mpi_libs, openmp. The caller sets name, and needs=fortran or needs=cxx if it is skipped without.
. "$srcdir/test/harness.sh"
root=$builddir/test-$name
trap 'rm -rf "$scratch"; test -n "$KEEP" || rm -rf "$root"' EXIT

mpirun() {
    mpi_run "$@"
}

# The flags that sionconfig prints, for the library in its present folder: to it, an installation below
# DESTDIR is one that has been moved.
config() {
    "$P/bin/sionconfig" "$@"
}

rm -rf "$root"
! has_sanitizers || skip_all 'sanitizers change the link lines'
[ -z "${needs:-}" ] || [ "$(setting "have_$needs")" = yes ] || skip_all "no $needs"
unset MAKEFLAGS MAKELEVEL MFLAGS
prefix=$(setting prefix)
# One installation at a time: libtool links libraries again in the build folder when it installs
# them.
one_at_a_time() {
    if command -v flock >/dev/null; then
        flock "$builddir/config.status" "$@"
    else
        "$@"
    fi
}
check "make install DESTDIR=" one_at_a_time make -C "$builddir" install DESTDIR="$root"
P=$root$prefix
# lib, or lib64 and the like
libdir=$P$(setting libdir | sed "s,^[$]{\(exec_\)*prefix},,; s,^$prefix,,")
I=-I$P/include
L=-L$libdir
has_mpi=$([ -f "$libdir/libsionmpi_64.a" ] && echo 1)
has_omp=$([ -f "$libdir/libsionomp_64.a" ] && echo 1)
has_ompi=$([ -f "$libdir/libsionompi_64.a" ] && echo 1)
mpi_flags=$(setting MPI_CFLAGS)
mpi_libs=$(setting MPI_LIBS)
openmp=$(setting OPENMP_CFLAGS)

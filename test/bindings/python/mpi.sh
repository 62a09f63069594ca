#!/bin/sh
# sion.paropen: mpi4py and libsion_mpi must use the same MPI.
. "$srcdir/test/bindings/python/lib.sh"
needs_package
needs mpi4py python3-mpi4py
grep -q '^have_mpi = yes' "$builddir/Makefile" || skip_all 'built without MPI'
test -n "$MPIEXEC" || skip_all 'no program that starts MPI programs'
use_libraries "$builddir/.libs"
theirs=$(mpi4py_flavour)

if test "$theirs" = "$MPI_FLAVOUR"; then
    for ranks in 1 3; do
        ranks_pass $ranks
    done
    finish
fi

# A communicator of another MPI would crash the program.
refused()
{
    (cd "$scratch" && OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 60 "$PYTHON" -c \
        'import sion
sion.paropen("x.sion", "w", chunksize=100)' 2>"$scratch/err" >/dev/null)
    test $? -eq 1 && tail -n 1 "$scratch/err" |
        grep -q '^sion.errors.Error: libsion_mpi was built with another MPI (libmpi.*) than mpi4py (libmpi'
}
check "an mpi4py of another MPI ($theirs) is refused" refused
skip 'ranks write and read' "mpi4py is built with ${theirs:-another MPI}, the library with $MPI_FLAVOUR: make check-full builds with Open MPI"
finish

#!/bin/sh
# sion.paropen with Debian's mpi4py, which uses Open MPI, and a build of the library for it.
name=python-openmpi
. "$srcdir/test/packaging/consumers/built.sh"
. "$srcdir/test/bindings/python/lib.sh"
needs_package
needs mpi4py python3-mpi4py
test "$(mpi4py_flavour)" = openmpi || skip_all 'mpi4py is not built with Open MPI'
for program in mpicc.openmpi mpiexec.openmpi; do
    command -v $program >/dev/null || skip_all "no $program (Debian: openmpi-bin, libopenmpi-dev)"
done

unset MPICC MPIFC
check 'a build with Open MPI' builds --with-mpi=openmpi --disable-static --disable-fortran --disable-cxx \
    --without-python
use_libraries "$P/lib"
MPIEXEC=mpiexec.openmpi MPI_FLAVOUR=openmpi
export MPIEXEC MPI_FLAVOUR
for ranks in 1 3; do
    ranks_pass $ranks
done
finish

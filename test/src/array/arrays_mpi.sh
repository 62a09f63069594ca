# Arrays of MPI ranks.
. "$srcdir/test/mpi_lib.sh"
for np in 1 2 3 4; do
    run $np test/src/array/arrays_mpi
done
done_testing

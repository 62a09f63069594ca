# Arrays of MPI ranks.
. "$srcdir/test/mpi/lib.sh"
for np in 1 2 3 4; do
    run $np test/array/mpi
done
done_testing

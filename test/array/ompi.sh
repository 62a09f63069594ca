# Arrays of threads of MPI ranks.
. "$srcdir/test/mpi/lib.sh"
run 1 test/array/ompi 3
run 2 test/array/ompi 1
run 3 test/array/ompi 2
done_testing

# Arrays of threads of MPI ranks.
. "$srcdir/test/mpi_lib.sh"
run 1 test/src/array/arrays_ompi 3
run 2 test/src/array/arrays_ompi 1
run 3 test/src/array/arrays_ompi 2
done_testing

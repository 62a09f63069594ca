. "$srcdir/test/mpi/lib.sh"
run 1 test/omp/ompi_collective 4
run 2 test/omp/ompi_collective 1
run 2 test/omp/ompi_collective 4
run 2 test/omp/ompi_collective 2 5
run 3 test/omp/ompi_collective 3 1 2
run 1 test/omp/ompi_collective 16
done_testing

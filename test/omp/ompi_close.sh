. "$srcdir/test/mpi/lib.sh"
run 1 test/omp/ompi_close 4
run 2 test/omp/ompi_close 1
run 2 test/omp/ompi_close 3
run 4 test/omp/ompi_close 2
done_testing

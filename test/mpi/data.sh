. "$srcdir/test/mpi/lib.sh"
run 1 test_mpi_data
run 2 test_mpi_data
run 3 test_mpi_data
run 4 test_mpi_data
run 8 test_mpi_data
done_testing

. "$srcdir/test/mpi/lib.sh"
run 1 test_mpi_check
run 2 test_mpi_check
run 3 test_mpi_check
run 4 test_mpi_check
run 8 test_mpi_check
run 17 test_mpi_check
done_testing

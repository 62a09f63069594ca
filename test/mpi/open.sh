. "$srcdir/test/mpi/lib.sh"
run 1 test_mpi_open
run 2 test_mpi_open
run 3 test_mpi_open
run 4 test_mpi_open
run 5 test_mpi_open
run 8 test_mpi_open
run 1 test_mpi_open_refused
run 2 test_mpi_open_refused
run 3 test_mpi_open_refused
run 4 test_mpi_open_refused
run 8 test_mpi_open_refused
done_testing

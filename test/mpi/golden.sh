. "$srcdir/test/mpi/lib.sh"
run 2 test_mpi_golden
run 4 test_mpi_golden
run 6 test_mpi_golden
run 8 test_mpi_golden
done_testing

. "$srcdir/test/mpi/lib.sh"
run 2 test_mpi_budget
run 4 test_mpi_budget
run 8 test_mpi_budget
done_testing

. "$srcdir/test/mpi/lib.sh"
run 2 test_mpi_buddy
run 6 test_mpi_buddy
run 8 test_mpi_buddy
done_testing

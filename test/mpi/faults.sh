. "$srcdir/test/mpi/lib.sh"
run 1 test_mpi_faults
run 2 test_mpi_faults
run 4 test_mpi_faults
run 8 test_mpi_faults
done_testing

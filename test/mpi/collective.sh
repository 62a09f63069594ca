. "$srcdir/test/mpi/lib.sh"
run 1 test_mpi_collective
run 2 test_mpi_collective
run 4 test_mpi_collective
run 6 test_mpi_collective samples
run 8 test_mpi_collective
run 2 test_mpi_collective_random
run 5 test_mpi_collective_random
run 8 test_mpi_collective_random
run 1 test_mpi_collective_faults
run 2 test_mpi_collective_faults
run 3 test_mpi_collective_faults
run 6 test_mpi_collective_faults
done_testing

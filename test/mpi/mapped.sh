. "$srcdir/test/mpi/lib.sh"
run 1 test_mpi_mapped
run 2 test_mpi_mapped
run 3 test_mpi_mapped
run 4 test_mpi_mapped
run 8 test_mpi_mapped
run 1 test_mpi_mapped_refused
run 2 test_mpi_mapped_refused
run 8 test_mpi_mapped_refused
done_testing


. "$srcdir/test/mpi/lib.sh"
run 1 test_mpi_mapped
run 2 test_mpi_mapped
run 4 test_mpi_mapped
done_testing

. "$srcdir/test/mpi_lib.sh"
run 2 test/src/parallel/golden_mpi
run 4 test/src/parallel/golden_mpi
run 6 test/src/parallel/golden_mpi
run 8 test/src/parallel/golden_mpi
done_testing

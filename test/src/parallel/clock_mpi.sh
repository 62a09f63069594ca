. "$srcdir/test/mpi_lib.sh"
run 1 test/src/parallel/clock_mpi
run 2 test/src/parallel/clock_mpi
run 4 test/src/parallel/clock_mpi
done_testing

. "$srcdir/test/mpi_lib.sh"
run 1 test/src/parallel/check_mpi
run 2 test/src/parallel/check_mpi
run 3 test/src/parallel/check_mpi
run 4 test/src/parallel/check_mpi
run 8 test/src/parallel/check_mpi
run 17 test/src/parallel/check_mpi
done_testing

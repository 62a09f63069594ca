. "$srcdir/test/mpi_lib.sh"
run 1 test/src/parallel/generations_mpi
run 2 test/src/parallel/generations_mpi
run 3 test/src/parallel/generations_mpi
run 4 test/src/parallel/generations_mpi
done_testing

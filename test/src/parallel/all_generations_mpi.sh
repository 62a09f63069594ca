. "$srcdir/test/mpi_lib.sh"
run 1 test/src/parallel/all_generations_mpi
run 2 test/src/parallel/all_generations_mpi
run 3 test/src/parallel/all_generations_mpi
run 4 test/src/parallel/all_generations_mpi
done_testing

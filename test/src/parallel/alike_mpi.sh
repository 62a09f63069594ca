. "$srcdir/test/mpi_lib.sh"
run 1 test/src/parallel/alike_mpi
run 4 test/src/parallel/alike_mpi
run 1 test/src/parallel/alike_sets_mpi
run 2 test/src/parallel/alike_sets_mpi
run 4 test/src/parallel/alike_sets_mpi
done_testing

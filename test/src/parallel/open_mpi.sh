. "$srcdir/test/mpi_lib.sh"
run 1 test/src/parallel/open_mpi
run 2 test/src/parallel/open_mpi
run 3 test/src/parallel/open_mpi
run 4 test/src/parallel/open_mpi
run 5 test/src/parallel/open_mpi
run 8 test/src/parallel/open_mpi
run 1 test/src/parallel/open_refused_mpi
run 2 test/src/parallel/open_refused_mpi
run 3 test/src/parallel/open_refused_mpi
run 4 test/src/parallel/open_refused_mpi
run 8 test/src/parallel/open_refused_mpi
done_testing

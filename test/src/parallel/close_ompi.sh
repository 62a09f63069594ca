. "$srcdir/test/mpi_lib.sh"
run 1 test/src/parallel/close_ompi 4
run 2 test/src/parallel/close_ompi 1
run 2 test/src/parallel/close_ompi 3
run 4 test/src/parallel/close_ompi 2
done_testing

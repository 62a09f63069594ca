. "$srcdir/test/mpi_lib.sh"
run 1 test/src/parallel/collective_ompi 4
run 2 test/src/parallel/collective_ompi 1
run 2 test/src/parallel/collective_ompi 4
run 2 test/src/parallel/collective_ompi 2 5
run 3 test/src/parallel/collective_ompi 3 1 2
run 1 test/src/parallel/collective_ompi 16
done_testing

. "$srcdir/test/mpi_lib.sh"
run 1 test/src/parallel/data_ompi 1
run 1 test/src/parallel/data_ompi 4
run 2 test/src/parallel/data_ompi 1
run 2 test/src/parallel/data_ompi 1 3
run 2 test/src/parallel/data_ompi 4
run 4 test/src/parallel/data_ompi 2
run 4 test/src/parallel/data_ompi 3 1 4 2
run 3 test/src/parallel/data_ompi 1 4 2
run 1 test/src/parallel/data_ompi 16
run 2 test/src/parallel/data_ompi 8 16
run 8 test/src/parallel/data_ompi 2
done_testing

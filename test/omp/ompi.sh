. "$srcdir/test/mpi/lib.sh"
run 1 test/omp/ompi 1
run 1 test/omp/ompi 4
run 2 test/omp/ompi 1
run 2 test/omp/ompi 1 3
run 2 test/omp/ompi 4
run 4 test/omp/ompi 2
run 4 test/omp/ompi 3 1 4 2
run 3 test/omp/ompi 1 4 2
run 1 test/omp/ompi 16
run 2 test/omp/ompi 8 16
run 8 test/omp/ompi 2
done_testing

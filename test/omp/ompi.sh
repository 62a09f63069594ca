. "$srcdir/test/mpi/lib.sh"
run 1 test_ompi 1
run 1 test_ompi 4
run 2 test_ompi 1
run 2 test_ompi 1 3
run 2 test_ompi 4
run 4 test_ompi 2
run 4 test_ompi 3 1 4 2
run 3 test_ompi 1 4 2
run 1 test_ompi 16
run 2 test_ompi 8 16
run 8 test_ompi 2
done_testing

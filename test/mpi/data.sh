. "$srcdir/test/mpi/lib.sh"
run 1 test/mpi/data
run 2 test/mpi/data
run 3 test/mpi/data
run 4 test/mpi/data
run 8 test/mpi/data
done_testing

. "$srcdir/test/mpi/lib.sh"
run 2 test/mpi/budget
run 4 test/mpi/budget
run 8 test/mpi/budget
done_testing

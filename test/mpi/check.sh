. "$srcdir/test/mpi/lib.sh"
run 1 test/mpi/check
run 2 test/mpi/check
run 3 test/mpi/check
run 4 test/mpi/check
run 8 test/mpi/check
run 17 test/mpi/check
done_testing

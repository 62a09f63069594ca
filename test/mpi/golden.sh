. "$srcdir/test/mpi/lib.sh"
run 2 test/mpi/golden
run 4 test/mpi/golden
run 6 test/mpi/golden
run 8 test/mpi/golden
done_testing

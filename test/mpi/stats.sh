. "$srcdir/test/mpi/lib.sh"
run 1 test/mpi/stats
run 2 test/mpi/stats
run 4 test/mpi/stats
done_testing

. "$srcdir/test/mpi/lib.sh"
run 2 test/mpi/stops
run 3 test/mpi/stops
run 4 test/mpi/stops
done_testing

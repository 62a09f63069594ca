. "$srcdir/test/mpi/lib.sh"
run 1 test/mpi/open
run 2 test/mpi/open
run 3 test/mpi/open
run 4 test/mpi/open
run 5 test/mpi/open
run 8 test/mpi/open
run 1 test/mpi/open_refused
run 2 test/mpi/open_refused
run 3 test/mpi/open_refused
run 4 test/mpi/open_refused
run 8 test/mpi/open_refused
done_testing

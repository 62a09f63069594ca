. "$srcdir/test/mpi/lib.sh"
run 1 test/mpi/faults
run 2 test/mpi/faults
run 4 test/mpi/faults
run 8 test/mpi/faults
run 3 test/mpi/requests
done_testing

. "$srcdir/test/mpi/lib.sh"
run 1 test/mpi/close
run 2 test/mpi/close
run 4 test/mpi/close
done_testing

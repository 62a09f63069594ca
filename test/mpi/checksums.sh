. "$srcdir/test/mpi/lib.sh"
run 1 test/mpi/checksums
run 2 test/mpi/checksums
run 4 test/mpi/checksums
done_testing

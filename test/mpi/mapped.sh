. "$srcdir/test/mpi/lib.sh"
run 1 test/mpi/mapped
run 2 test/mpi/mapped
run 3 test/mpi/mapped
run 4 test/mpi/mapped
run 8 test/mpi/mapped
run 1 test/mpi/mapped_refused
run 2 test/mpi/mapped_refused
run 8 test/mpi/mapped_refused
done_testing

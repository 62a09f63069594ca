. "$srcdir/test/mpi/lib.sh"
run 1 test/mpi/damaged_task
run 2 test/mpi/damaged_task
run 4 test/mpi/damaged_task
run 1 test/mpi/damaged_members
run 2 test/mpi/damaged_members
run 4 test/mpi/damaged_members
done_testing

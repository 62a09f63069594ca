. "$srcdir/test/mpi_lib.sh"
run 1 test/src/parallel/damaged_task_mpi
run 2 test/src/parallel/damaged_task_mpi
run 4 test/src/parallel/damaged_task_mpi
run 1 test/src/parallel/damaged_members_mpi
run 2 test/src/parallel/damaged_members_mpi
run 4 test/src/parallel/damaged_members_mpi
done_testing

. "$srcdir/test/mpi/lib.sh"
run 1 test/mpi/collective
run 2 test/mpi/collective
run 4 test/mpi/collective
run 6 test/mpi/collective samples
run 8 test/mpi/collective
run 1 test/mpi/collective_merge
run 2 test/mpi/collective_merge
run 4 test/mpi/collective_merge
run 8 test/mpi/collective_merge
run 2 test/mpi/collective_random
run 5 test/mpi/collective_random
run 8 test/mpi/collective_random
run 1 test/mpi/merge_random
run 2 test/mpi/merge_random
run 3 test/mpi/merge_random
run 4 test/mpi/merge_random
run 8 test/mpi/merge_random
run 2 test/mpi/gathering
run 3 test/mpi/gathering
run 1 test/mpi/collective_faults
run 2 test/mpi/collective_faults
run 3 test/mpi/collective_faults
run 6 test/mpi/collective_faults
done_testing

. "$srcdir/test/mpi_lib.sh"
run 1 test/src/parallel/collective_mpi
run 2 test/src/parallel/collective_mpi
run 4 test/src/parallel/collective_mpi
run 6 test/src/parallel/collective_mpi samples
run 8 test/src/parallel/collective_mpi
run 1 test/src/parallel/collective_merge_mpi
run 2 test/src/parallel/collective_merge_mpi
run 4 test/src/parallel/collective_merge_mpi
run 8 test/src/parallel/collective_merge_mpi
run 2 test/src/parallel/collective_random_mpi
run 5 test/src/parallel/collective_random_mpi
run 8 test/src/parallel/collective_random_mpi
run 1 test/src/parallel/merge_random_mpi
run 2 test/src/parallel/merge_random_mpi
run 3 test/src/parallel/merge_random_mpi
run 4 test/src/parallel/merge_random_mpi
run 8 test/src/parallel/merge_random_mpi
run 2 test/src/parallel/gathering_mpi
run 3 test/src/parallel/gathering_mpi
run 1 test/src/parallel/collective_faults_mpi
run 2 test/src/parallel/collective_faults_mpi
run 3 test/src/parallel/collective_faults_mpi
run 6 test/src/parallel/collective_faults_mpi
done_testing

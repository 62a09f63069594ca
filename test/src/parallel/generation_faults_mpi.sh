. "$srcdir/test/mpi_lib.sh"
run 1 test/src/parallel/generation_faults_mpi
run 2 test/src/parallel/generation_faults_mpi
run 3 test/src/parallel/generation_faults_mpi
done_testing

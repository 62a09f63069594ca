. "$srcdir/test/mpi/lib.sh"
# Threads that wait leave their core to others.
OMP_WAIT_POLICY=passive
export OMP_WAIT_POLICY
run 1 test/omp/ompi_stops 3
run 2 test/omp/ompi_stops 2
run 3 test/omp/ompi_stops 3 1 2
done_testing

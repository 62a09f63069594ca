. "$srcdir/test/mpi_lib.sh"
# Threads that wait leave their core to others.
OMP_WAIT_POLICY=passive
export OMP_WAIT_POLICY
run 1 test/src/parallel/stops_ompi 3
run 2 test/src/parallel/stops_ompi 2
run 3 test/src/parallel/stops_ompi 3 1 2
done_testing

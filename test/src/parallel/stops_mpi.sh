. "$srcdir/test/mpi_lib.sh"
run 2 test/src/parallel/stops_mpi
run 3 test/src/parallel/stops_mpi
run 4 test/src/parallel/stops_mpi
done_testing

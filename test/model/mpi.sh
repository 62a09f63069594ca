. "$srcdir/test/mpi_lib.sh"
run 1 test/model/mpi
run 2 test/model/mpi
run 3 test/model/mpi
run 4 test/model/mpi
run 8 test/model/mpi
done_testing

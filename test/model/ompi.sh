. "$srcdir/test/mpi_lib.sh"
run 1 test/model/ompi
run 2 test/model/ompi
run 3 test/model/ompi
run 4 test/model/ompi
done_testing

. "$srcdir/test/mpi_lib.sh"
run 1 test/src/parallel/grow_ompi
run 2 test/src/parallel/grow_ompi
run 3 test/src/parallel/grow_ompi
done_testing

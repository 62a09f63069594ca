. "$srcdir/test/mpi_lib.sh"
run 1 test/src/parallel/staging_mpi
run 2 test/src/parallel/staging_mpi
run 4 test/src/parallel/staging_mpi
run 4 test/src/parallel/staging_mpi many
done_testing

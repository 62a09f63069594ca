. "$srcdir/test/mpi_lib.sh"
run 1 test/src/parallel/checksums_mpi
run 2 test/src/parallel/checksums_mpi
run 4 test/src/parallel/checksums_mpi
run 4 test/src/parallel/checksums_mpi many
done_testing

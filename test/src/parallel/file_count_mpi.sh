. "$srcdir/test/mpi_lib.sh"
run 1 test/src/parallel/file_count_mpi
run 3 test/src/parallel/file_count_mpi
# MPICH can pretend that the ranks are on two nodes; others cannot.
if [ "$MPI_FLAVOUR" = mpich ]; then
    MPIR_CVAR_NUM_CLIQUES=2
    export MPIR_CVAR_NUM_CLIQUES
fi
run 4 test/src/parallel/file_count_mpi
done_testing

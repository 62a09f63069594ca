. "$srcdir/test/mpi/lib.sh"
run 1 test_scr_mpi
run 2 test_scr_mpi
run 3 test_scr_mpi
# MPICH pretends that the ranks are on two nodes; others cannot.
if [ "$MPI_FLAVOUR" = mpich ]; then
    MPIR_CVAR_NUM_CLIQUES=2
    export MPIR_CVAR_NUM_CLIQUES
fi
run 4 test_scr_mpi
run 5 test_scr_mpi
run 8 test_scr_mpi
done_testing

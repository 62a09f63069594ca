. "$srcdir/test/mpi/lib.sh"
run 1 test/scr/mpi
run 2 test/scr/mpi
run 3 test/scr/mpi
# MPICH pretends that the ranks are on two nodes; others cannot.
if [ "$MPI_FLAVOUR" = mpich ]; then
    MPIR_CVAR_NUM_CLIQUES=2
    export MPIR_CVAR_NUM_CLIQUES
fi
run 4 test/scr/mpi
run 5 test/scr/mpi
run 8 test/scr/mpi
done_testing

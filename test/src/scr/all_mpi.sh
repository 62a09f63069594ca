. "$srcdir/test/mpi_lib.sh"
run_all()
{
    for program in maps attach datasets; do
        run "$1" test/src/scr/${program}_mpi
    done
}
run_all 1
run_all 2
run_all 3
# MPICH can pretend that the ranks are on two nodes; others cannot.
if [ "$MPI_FLAVOUR" = mpich ]; then
    MPIR_CVAR_NUM_CLIQUES=2
    export MPIR_CVAR_NUM_CLIQUES
fi
run_all 4
run_all 5
run_all 8
done_testing

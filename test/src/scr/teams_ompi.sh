. "$srcdir/test/mpi_lib.sh"
run 1 test/src/scr/teams_ompi
run 3 test/src/scr/teams_ompi
done_testing

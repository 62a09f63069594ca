. "$srcdir/test/mpi/lib.sh"
run 1 test/scr/ompi
run 3 test/scr/ompi
done_testing

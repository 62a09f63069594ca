. "$srcdir/test/mpi/lib.sh"
run 1 test_scr_ompi
run 3 test_scr_ompi
done_testing

. "$srcdir/test/mpi/lib.sh"
run 2 test/mpi/buddy
run 4 test/mpi/buddy
run 6 test/mpi/buddy
run 8 test/mpi/buddy
run 4 test/mpi/buddy_refused
run 6 test/mpi/buddy_refused
run 8 test/mpi/buddy_refused
export SION_ATOMIC=1 # the copies, too, get their names at the close
run 4 test/mpi/buddy_refused
done_testing

. "$srcdir/test/mpi_lib.sh"
run 2 test/src/parallel/buddy_mpi
run 4 test/src/parallel/buddy_mpi
run 6 test/src/parallel/buddy_mpi
run 8 test/src/parallel/buddy_mpi
run 4 test/src/parallel/buddy_refused_mpi
run 6 test/src/parallel/buddy_refused_mpi
run 8 test/src/parallel/buddy_refused_mpi
export SION_ATOMIC=1 # the copies, too, get their names at the close
run 4 test/src/parallel/buddy_refused_mpi
done_testing

# MPI writers, four ranks; and hybrid ones, two ranks of two threads.
. "$srcdir/test/recover/kills.sh"
OMP_WAIT_POLICY=passive
export OMP_WAIT_POLICY
kill_writers 4 mpi
test ! -x "$builddir/test/recover/ompi" || kill_writers 2 ompi
finish_kills

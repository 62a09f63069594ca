# MPI writers, four ranks; and hybrid ones, two ranks of two threads.
. "$srcdir/test/recover/kills.sh"
kill_writers 4 mpi
test ! -x "$builddir/test/recover/ompi" || kill_writers 2 ompi
finish_kills

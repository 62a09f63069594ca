# MPI writers, four ranks; and hybrid ones, two ranks of two threads.
. "$srcdir/test/src/recover/kills.sh"
kill_writers 4 unclosed_mpi
test ! -x "$builddir/test/src/recover/teams_ompi" || kill_writers 2 teams_ompi
finish_kills

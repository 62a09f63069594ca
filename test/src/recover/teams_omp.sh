# OpenMP writers, four threads.
. "$srcdir/test/src/recover/kills.sh"
kill_writers 0 teams_omp
finish_kills

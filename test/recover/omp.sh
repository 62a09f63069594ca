# OpenMP writers, four threads.
. "$srcdir/test/recover/kills.sh"
kill_writers 0 omp
finish_kills

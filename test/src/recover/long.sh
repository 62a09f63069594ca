# More than a thousand kills of each kind of writer. CHECK_SEED: the first seed.
. "$srcdir/test/harness.sh"

# long PROGRAM NAME ROUNDS COMMAND...
long()
{
    test -x "$builddir/test/src/recover/$1" || return
    name=$2
    rounds=$3
    shift 3
    CHECK_ROUNDS=$rounds "$@" >"$scratch/log"
    status=$?
    grep -E '^#|^not ok' "$scratch/log"
    result $status "$name"
}

long serial 'serial: a thousand kills' 1000 "$builddir/test/src/recover/serial"
long teams_omp 'OpenMP: 500 kills' 100 sh "$srcdir/test/src/recover/teams_omp.sh"
long unclosed_mpi 'MPI: 360 kills, hybrid: 150' 30 sh "$srcdir/test/src/recover/unclosed_mpi.sh"
finish

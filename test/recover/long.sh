# More than a thousand kills of each kind of writer. CHECK_SEED: the first seed.
. "$srcdir/test/harness.sh"
CHECK_ROUNDS=1000 "$builddir/test/recover/serial" >"$scratch/log"
status=$?
grep -E '^#|^not ok' "$scratch/log"
result $status 'serial: a thousand kills'
if test -x "$builddir/test/recover/mpi"; then
    CHECK_ROUNDS=30 sh "$srcdir/test/recover/mpi.sh" >"$scratch/log"
    status=$?
    grep -E '^#|^not ok' "$scratch/log"
    result $status 'MPI: 270 kills'
fi
finish

# The library ends a program: all processes, with a message.
. "$srcdir/test/harness.sh"
mpi_run 2 "$builddir/test/mpi/ended" "$scratch/x.sion" >"$scratch/out" 2>&1
status=$?
check 'the program fails' test "$status" -ne 0 -a "$status" -ne 124
check 'a message says why' grep -q 'SION_ERROR_ABORT.*out of memory' "$scratch/out"
check 'MPI ends all processes' grep -q '^MPI_Abort with code 1' "$scratch/out"
check 'no rank goes on' sh -c '! grep "sid" "$0"' "$scratch/out"
finish

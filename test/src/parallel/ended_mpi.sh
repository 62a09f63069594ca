# The library ends all processes of a program, and prints a message.
. "$srcdir/test/harness.sh"
mpi_run 2 "$builddir/test/src/parallel/ended_mpi" "$scratch/x.sion" "$scratch/out" >"$scratch/launcher" 2>&1
status=$?
check 'the program fails' test "$status" -ne 0 -a "$status" -ne 124
check 'a message tells the reason' grep -q 'SION_ERROR_ABORT.*out of memory' "$scratch/out"
check 'MPI ends all processes' grep -q '^MPI_Abort with code 1' "$scratch/out"
check 'no rank continues' sh -c '! grep "sid" "$0"' "$scratch/out"
show "$scratch/launcher"
show "$scratch/out"
finish

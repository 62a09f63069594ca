# A library that is unloaded while containers are open.
. "$srcdir/test/mpi_lib.sh"
cd "$scratch" || exit 99
has_sanitizers && skip_all 'the sanitizers want to be the first library'
libs=$builddir/.libs

unloads()
{
    rm -f x.sion
    LD_LIBRARY_PATH=$libs timeout 60 "$@" 2>err
}
said()
{
    cat err
    test "$(grep -c 'x.sion was not closed: ' err)" -eq 1
}
check 'libsion: all bytes are in the file before the program ends' \
    unloads "$builddir/test/faults/ends/unload" "$libs/libsion.so.0"
check 'libsion: one line' said
with_mpi()
{
    rm -f x.sion
    seconds=60
    LD_LIBRARY_PATH=$libs mpi_run 1 "$builddir/test/faults/ends/unload_mpi" "$libs/libsion_mpi.so.0" 2>err
}
if test -x "$builddir/test/faults/ends/unload_mpi"; then
    check 'libsion_mpi: all bytes are in the file after MPI_Finalize' with_mpi
    check 'libsion_mpi: one line' said
fi
finish

# OpenMP and hybrid programs that end without a close.
. "$srcdir/test/mpi_lib.sh"
cd "$scratch" || exit 99

# written LETTERS: all bytes of each, in runs of one letter; others may be anything
written()
{
    for letter in $1; do
        n=$(tr -cs "$letter" '\n' <x.sion | awk 'length >= 4 { n += length } END { print n + 0 }')
        # A number next to the data may begin with that byte.
        test "$n" -ge 50000 && test "$n" -le 50500 || return 1
    done
}
said()
{
    cat err
    test "$(grep -c 'x.sion was not closed: ' err)" -eq 1
}
threads()
{
    rm -f x.sion
    timeout 60 "$builddir/test/faults/ends/teams_omp" "$1" 2>err
}
for mode in bw bw,recover bw,collective,collsize=2; do
    check "threads, $mode: the program ends well" threads "$mode"
    check "threads, $mode: all bytes" written 'A B C'
    check "threads, $mode: one line" said
    check "threads, $mode: names the threads" grep -q '150000 bytes of 3 threads' err
done
hybrid()
{
    rm -f x.sion
    seconds=60 mpi_run 2 "$builddir/test/faults/ends/teams_ompi" "$@" 2>err
}
if test -x "$builddir/test/faults/ends/teams_ompi"; then
    for mode in bw bw,recover bw,collective,collsize=2; do
        check "hybrid, $mode: the program ends well" hybrid "$mode"
        check "hybrid, $mode: all bytes" written 'A B C D E F'
        check "hybrid, $mode: one line" said
    done
    check "hybrid: a close after MPI_Finalize" hybrid bw over
    check "hybrid: says why" grep -q 'sion_parclose_ompi: .*MPI has been finalized' err
fi
finish

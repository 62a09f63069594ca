# MPI programs that end without a close: all bytes are in the file, and one line says so.
. "$srcdir/test/mpi_lib.sh"
program=$builddir/test/faults/ends/mpi
cd "$scratch" || exit 99

# ended NP HOW MODE [STATUS]: with this status, or "any" but that of a time-out
ended()
{
    np=$1 how=$2 mode=$3
    rm -f x.sion err
    seconds=60 mpi_run "$np" "$program" "$how" "$mode" 2>err
    status=$?
    case ${4:-0} in
    any) test $status -ne 124 ;;
    *) test $status -eq "${4:-0}" ;;
    esac || { cat err; return 1; }
}
# Bytes in runs of one letter; others may be anything.
letters()
{
    n=$(tr -cs "$1" '\n' <x.sion | awk 'length >= 4 { n += length } END { print n + 0 }')
    echo "$1: $n"
    # A number next to the data may begin with that byte.
    test "$n" -ge 50000 && test "$n" -le 50500
}
said()
{
    cat err
    test "$(grep -c 'x.sion was not closed: ' err)" -eq "$1"
}
certain()
{
    "$builddir/sionrecover" x.sion >report 2>&1
    "$builddir/sionrecover" --in-place x.sion >report2 2>&1 || { cat report2; return 1; }
    "$builddir/siondump" -a x.sion >dump || return 1
    for task in "$@"; do
        "$builddir/sioncat" -t "$task" x.sion >bytes 2>/dev/null || { cat report dump; return 1; }
        test "$(wc -c <bytes)" -eq 50000 || { wc -c bytes; cat report; return 1; }
    done
}
for mode in bw bw,recover bw,posix bw,recover,posix; do
    check "return, $mode: the program ends well" ended 2 return $mode
    check "return, $mode: all bytes of rank 0" letters A
    check "return, $mode: all bytes of rank 1" letters B
    check "return, $mode: one line" said 1
    case $mode in
    *recover*) check "return, $mode: all bytes are certain" certain 0 1 ;;
    esac
done
check "mapped: the program ends well" ended 2 mapped bw,recover
for letter in A B C D; do
    check "mapped: all bytes of task $letter" letters $letter
done
check "mapped: one line" said 1
check "mapped: names the tasks" grep -q '100000 bytes of 2 tasks' err
check "mapped: all bytes are certain" certain 0 1 2 3
for mode in bw,collective,collsize=2 bw,collective,collsize=3 bw,collective,collsize=2,recover \
    bw,collective,collsize=3,cmerge bw,collective,collsize=1; do
    check "collective, $mode: the program ends well" ended 3 collective $mode
    for letter in A B C; do
        check "collective, $mode: all bytes of $letter" letters $letter
    done
    check "collective, $mode: one line" said 1
done
# Where MPI_Finalize is missing, the launcher may end other ranks at once: one rank.
# MPI, which these do not finalize, has memory.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
# Open MPI calls this improper.
any=
test "$MPI_FLAVOUR" != openmpi || any=any
check "exit: the program ends" ended 1 exit bw,recover $any
check "exit: all bytes" letters A
check "exit: one line" said 1
check "exit: all bytes are certain" certain 0
if test "$MPI_FLAVOUR" != openmpi; then
    check "abort: the program ends" ended 1 abort bw,recover 5
    check "abort: all bytes" letters A
    check "abort: one line" said 1
fi
check "before MPI_Init, after MPI_Finalize: messages, and no crash" ended 1 over bw
finish

# Ranks are killed in each phase of a publish: a reader sees the state before, or the new one, in all
# tasks. In each call with TEST_STRIDE=1, else in a few.
. "$srcdir/test/harness.sh"
program=$builddir/test/src/parallel/killed_mpi
[ -x "$program" ] || skip_all 'built without MPI'
cd "$scratch" || exit 99

# try FILES RANK CALL: 0 if the run was killed, and what is left is a published state
try()
{
    rm -f c.sion*
    SION_FAULT=any:kill:$3@$2 seconds=60 mpi_run 2 "$program" write c.sion "$1" >out 2>&1
    status=$?
    published=$(sed -n 's/^.*published \([0-9]*\)$/\1/p' out | tail -n 1)
    "$program" read c.sion "${published:-0}" >found 2>&1 && return 0
    echo "call $3 of rank $2, $1 files:"
    cat found
    return 1
}

# all FILES RANK FROM: kill that rank in call FROM and later ones, until none kills it any more
all()
{
    call=$3
    while try "$1" "$2" "$call"; do
        test $status -eq 0 -o "$call" -gt 200 && break
        call=$((call + ${TEST_STRIDE:-7}))
    done
    test $status -eq 0 -a "$call" -gt "$3"
}

for files in 1 2; do
    check "$files files, rank 0 is killed" all $files 0 2
    check "$files files, rank 1 is killed" all $files 1 2
done
finish

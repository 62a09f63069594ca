# Ranks are killed in each phase of a publish: a reader sees the state before, or the new one, in
# all tasks, and the next writer goes on. In each call with TEST_STRIDE=1, else in a few.
. "$srcdir/test/harness.sh"
program=$builddir/test/src/parallel/killed_mpi
[ -x "$program" ] || skip_all 'built without MPI'
cd "$scratch" || exit 99

# Prints the last number of a round that was published.
published()
{
    sed -n 's/^.*published \([0-9]*\)$/\1/p' out | tail -n 1
}

# goes_on FILES WORDS: what is left can be written on
goes_on()
{
    seconds=60 mpi_run 2 "$program" append c.sion "$1" "$2" >out 2>&1 || return 1
    "$program" read c.sion "$(published)" "$2" >found 2>&1
}

# try FILES RANK CALL WORDS: 0 if the run was killed, and what is left is a published state
try()
{
    rm -f c.sion*
    SION_FAULT=any:kill:$3@$2 seconds=60 mpi_run 2 "$program" write c.sion "$1" "$4" >out 2>&1
    status=$?
    rounds=$(published)
    "$program" read c.sion "${rounds:-0}" "$4" >found 2>&1 &&
        { test "${rounds:-0}" -eq 0 || goes_on "$1" "$4"; } && return 0
    echo "call $3 of rank $2, $1 files, '$4':"
    cat out found
    return 1
}

# all FILES RANK FROM WORDS STRIDE: kill that rank in call FROM and later ones, until none kills it
# any more
all()
{
    call=$3
    while try "$1" "$2" "$call" "$4"; do
        test $status -eq 0 -o "$call" -gt 200 && break
        call=$((call + ${TEST_STRIDE:-$5}))
    done
    test $status -eq 0 -a "$call" -gt "$3"
}

for files in 1 2; do
    check "$files files, rank 0 is killed" all $files 0 2 '' 9
    check "$files files, rank 1 is killed" all $files 1 2 '' 9
done
sums=
grep -q '^#define HAVE_CHECKSUM 1' "$builddir/config.h" && sums=,checksum
for words in ,keep=2 $sums,keep=2:mapped; do
    check "2 files, $words, rank 0 is killed" all 2 0 3 "$words" 13
    check "2 files, $words, rank 1 is killed" all 2 1 4 "$words" 13
done
check "1 file with keys, rank 0 is killed" all 1 0 5 ,keep=2:keys 13
finish

# The example that keeps its last three checkpoints in one container: it is killed in the middle of
# what it writes, goes on with other numbers of ranks, and ends with the same plate.
. "$srcdir/test/harness.sh"
[ -x "$builddir/examples/heat_rolling" ] || skip_all 'built without MPI'
cd "$scratch" || exit 99
seed=${TEST_SEED:-$(date +%s)}
echo "# seed $seed"

# number LIMIT: the next random number below it
number()
{
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    random=$((seed / 65536 % $1))
}

rolling()
{
    np=$1
    shift
    seconds=60 mpi_run "$np" "$builddir/examples/heat_rolling" "$@" >log 2>&1
}

draw()
{
    timeout 60 "$builddir/examples/heat_draw" "$1" 24 "$2" >/dev/null
}

"$builddir/examples/heat_draw" followed.sion 24 >drawn &
draws=$!
check 'it runs to its end' rolling 2 followed.sion 24 3
check 'and is drawn' wait $draws
check 'to the last step' grep -qx 'step 24' drawn
check 'in the terminal' grep -q '^=[*]*$' drawn
check 'three checkpoints are left' test "$("$builddir/sionls" --generations followed.sion | wc -l)" -eq 3
draw followed.sion expected.ppm

# Each run is killed in one of its calls, unless it is complete before.
newest='' last=0 kills=0
for run in 1 2 3 4; do
    number 3
    np=$((random + 1))
    number $np
    victim=$random
    number 14
    to=c$run.sion
    test $np -eq $last && to=$newest
    SION_FAULT=any:kill:$((random + 9))@$victim rolling $np $to 24 3 $newest && break
    kills=$((kills + 1))
    # What was published is there, or nothing of it yet.
    if "$builddir/sionls" "$to" >state 2>&1; then
        check "run $run: the checkpoints that were published" "$builddir/sionverify" "$to"
        newest=$to last=$np
    else
        check "run $run: nothing was published" grep -q 'never closed\|cannot' state
        test "$to" = "$newest" && newest='' last=0
    fi
done
test $kills -eq 4 && rolling 3 end.sion 24 3 $newest && to=end.sion
check 'it goes on to the end' grep -q 'step 24 is kept' log
test -s log && sed 's/^/# /' log | tail -n 3
check 'what is left is drawn' draw "$to" found.ppm
check 'and is the same plate' cmp expected.ppm found.ppm
finish

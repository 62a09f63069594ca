# Nodes write to folders of their own, which no other node sees, and drain them; nodes die meanwhile.
. "$srcdir/test/nodes/lib.sh"
cd "$NODES/shared" || exit 99
TMPDIR=$PWD SION_DRAIN_PATIENCE=5
export TMPDIR SION_DRAIN_PATIENCE
writer=$builddir/test/nodes/replaced_mpi
local=$NODES/local

# on_each NODE-COMMAND...: on all nodes, one after the other
on_each()
{
    node=1
    while test $node -le "$nodes"; do
        on_nodes on node$node "$@"
        node=$((node + 1))
    done
}
nothing_left()
{
    test -z "$(on_each ls -A "$local")" && ! ls -A | grep '^\.c\.sion.*new'
}

run 4 test/src/parallel/staging_mpi

mpi_run 4 "$writer" write c.sion "bw,stage=$local" 1 >out 2>&1
result $? 'a job on all nodes stages a container'
check 'it is complete when the job has ended' test "$("$writer" read c.sion)" = 1
check 'nothing is left on the nodes' nothing_left
SION_STAGE_EXIT=leave SION_DRAIN_RATE=1 mpi_run 4 "$writer" write c.sion "bw,stage=$local" 2 >out 2>&1
result $? 'the next one is left on the nodes'
check 'the older one stays' test "$("$writer" read c.sion)" = 1
on_nodes on node2 "$builddir/siondrain" "$local" >out 2>&1
check 'a node drains its part' grep -q 'node 1 of .*: drained' out
check 'the older one still stays' test "$("$writer" read c.sion)" = 1
on_each "$builddir/siondrain" "$local" >out 2>&1
check 'the others complete it' test "$("$writer" read c.sion)" = 2
on_each "$builddir/siondrain" "$local" >out 2>&1
check 'nothing is left' nothing_left

# ---- a process dies in some call of the write, the close, the drain or the commit ----

# dies RANK CALL: afterwards siondrain runs on each node
dies()
{
    SION_FAULT=any:kill:$2@$1 seconds=60 mpi_run 4 "$writer" write c.sion "bw,stage=$local" 2 >out 2>&1
    status=$?
    before=$("$writer" read c.sion)
    on_each "$builddir/siondrain" "$local" >>out 2>&1
    on_each "$builddir/siondrain" "$local" >>out 2>&1
    generation=$("$writer" read c.sion)
    on_each "$builddir/siondrain" --discard "$local" >>out 2>&1
    rm -f .c.sion.*
}
old_or_new()
{
    test "$before" = 1 -o "$before" = 2 && test "$generation" = 1 -o "$generation" = 2 &&
        test $status -ne 124 && test "$generation" -ge "$before" && return
    echo "generations $before, $generation, status $status:" && cat out && ls -la
    return 1
}
mpi_run 4 "$writer" write c.sion bw 1 >out 2>&1
for rank in 0 3; do
    call=1
    while test $call -lt 200; do
        dies $rank $call
        check "rank $rank dies in call $call: old or new" old_or_new
        test $status -ne 0 || break
        test "$generation" = 1 || mpi_run 4 "$writer" write c.sion bw 1 >out 2>&1
        call=$((call + ${TEST_STRIDE:-17}))
    done
    check "rank $rank does not die: new" test "$generation" = 2
    mpi_run 4 "$writer" write c.sion bw 1 >out 2>&1
done

# ---- a node is slow, and its link goes down ----

# The nodes wait for each other by files, and longer than they would without a sign. Only MPI waits for the link.
cat >slow <<'END'
[ "$(hostname)" != node2 ] || SION_DRAIN_RATE=25000
export SION_DRAIN_RATE SION_DRAIN_PATIENCE=2
exec "$@"
END
# eventually COMMAND...: waits until it succeeds, or the job has ended
eventually()
{
    while ! "$@"; do kill -0 $job && sleep 0.1 || return; done
}
are_draining()
{
    test -n "$(ls .c.sion.*.new.node.0)" -a -n "$(ls .c.sion.*.new.node.1)"
}
is_new()
{
    test "$("$writer" read c.sion)" = 2
}
seconds=200 mpi_run 4 sh "$PWD/slow" "$writer" write c.sion "bw,stage=$local" 2 >out 2>&1 &
job=$!
check 'nodes drain' eventually are_draining
on_nodes cut node2
check 'without the link of a node, too, which takes longer' eventually is_new
on_nodes join node2
wait $job
result $? 'the link is there again, and the job ends'
check 'nothing is left' nothing_left
mpi_run 4 "$writer" write c.sion bw 1 >out 2>&1

# ---- a node is lost ----

SION_STAGE_EXIT=leave SION_DRAIN_RATE=1 mpi_run 4 "$writer" write c.sion "bw,stage=$local" 2 >out 2>&1
on_nodes on node2 "$builddir/siondrain" --reduced "$local" >out 2>&1
check 'the node with the tables is lost: a reduced container' \
    grep -q "c.sion.reduced has the $((4 / nodes)) tasks .*lost: node 0" out
check 'which can be read' "$builddir/sionverify" --quiet c.sion.reduced
on_each "$builddir/siondrain" --discard "$local" >out 2>&1
rm -f c.sion.reduced
SION_STAGE_EXIT=leave SION_DRAIN_RATE=1 mpi_run 4 "$writer" write c.sion "bw,stage=$local" 2 >out 2>&1
on_nodes kill node2
on_each "$builddir/siondrain" --reduced "$local" >out 2>&1
check 'a node is lost: a reduced container' \
    grep -q "c.sion.reduced has the $((4 - 4 / nodes)) tasks .*lost: node 1" out
check 'which can be read' "$builddir/sionverify" --quiet c.sion.reduced
check 'the older one stays' test "$("$writer" read c.sion)" = 1
finish

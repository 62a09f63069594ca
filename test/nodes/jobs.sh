# Collective writes by node; what a job on several nodes tells about them; and a node dies, or its link goes
# down, while a container is replaced: the old container or the new one is there.
. "$srcdir/test/nodes/lib.sh"
cd "$NODES/shared" || exit 99
TMPDIR=$PWD
export TMPDIR
writer=$builddir/test/nodes/replaced_mpi

# ---- groups by node, and messages ----

run 4 test/src/parallel/collective_mpi

SION_STATS=stats.json mpi_run 4 "$writer" write c.sion bw,collective 1 >out 2>&1
check 'a job on all nodes' test "$("$writer" read c.sion)" = 1
hosts=$(grep -o '"slowest_host": "[^"]*"' stats.json | sort -u)
check 'statistics name a node' sh -c 'echo "$1" | grep -q node' sh "$hosts"
SION_STATS=1 mpi_run 4 "$writer" write c.sion bw 1 >out 2>&1
check '... for people' grep -q 'close .* [0-3] on node[12]$' out
on_nodes on node2 "$builddir/test/src/recover/make_unclosed" busy.sion bw,recover 1 wait >waiting &
until test -s waiting; do kill -0 $! || break; done
on_nodes on node1 "$builddir/siondump" busy.sion >out 2>&1
check 'a writer on another node is named' grep -q 'busy.sion is being written by process [0-9]* on node2' out
on_nodes on node2 sh -c 'kill -9 -1'
wait
on_nodes on node1 "$builddir/sionrecover" busy.sion >out 2>&1
check '... until it ends' sh -c 'cat out; ! grep -q node2 out'

mpi_run 4 "$writer" write nodes.sion bw,files=node 1 >out 2>&1
check 'a file for each node' test "$("$writer" read nodes.sion)" = 1 -a -f nodes.sion.000001 -a ! -f nodes.sion.000002

# ---- a node dies while a container is replaced ----

# dies RANK CALL: the node of this rank dies in this call that changes a file
dies()
{
    SION_FAULT=any:kill:$2@$1 seconds=60 mpi_run 4 "$writer" write c.sion bw,collective,atomic 2 >out 2>&1
    status=$?
    generation=$("$writer" read c.sion)
    rm -f .c.sion.*
}
old_or_new()
{
    test "$generation" = 1 -o "$generation" = 2 && test $status -ne 124 && return
    echo "generation $generation, status $status:" && cat out && ls -la
    return 1
}
mpi_run 4 "$writer" write c.sion bw 1 >out 2>&1
for rank in 0 3; do
    call=1
    while test $call -lt 200; do
        dies $rank $call
        check "rank $rank's node dies in call $call: old or new" old_or_new
        test $status -ne 0 || break
        test "$generation" = 1 || mpi_run 4 "$writer" write c.sion bw 1 >out 2>&1
        call=$((call + ${TEST_STRIDE:-7}))
    done
    check "rank $rank's node does not die: new" test "$generation" = 2
    mpi_run 4 "$writer" write c.sion bw 1 >out 2>&1
done

# ---- the link of a node goes down ----

# Nobody hears of it, so the job waits as long as MPI does; what it has flushed is certain.
rm -f c.sion*
mkfifo pipe
mpi_run 4 "$writer" write c.sion bw,recover 3 pipe >out 2>&1 &
job=$!
line=$(timeout 60 head -n 1 pipe)
on_nodes cut node2
echo go | timeout 60 tee pipe
check 'a link is lost between a flush and the close' test "$line" = flushed
on_nodes kill node2
on_nodes kill node1
wait $job
check '... and both nodes, then' test $? -ne 0
check '... what was flushed is recovered' "$builddir/sionrecover" c.sion
check '... all of it' test "$("$writer" read c.sion)" = 3
finish

# SCR's maps and containers by node; filemaps in caches that only their node sees, and a scavenge of these.
. "$srcdir/test/nodes/lib.sh"
test -x "$builddir/test/src/scr/maps_mpi" || skip_all 'built without zlib'
TMPDIR=$NODES/shared TEST_MAX_RANKS=${TEST_MAX_RANKS:-4}
export TMPDIR TEST_MAX_RANKS
run_suite scr/all_mpi.sh "$nodes nodes"
IN_TURN=1
export IN_TURN
run 4 test/src/scr/maps_mpi
unset IN_TURN

. "$srcdir/test/src/scr/lib.sh"
case $GOLDEN in /*) ;; *) GOLDEN=$(cd "$GOLDEN" && pwd) ;; esac
builddir=$(cd "$builddir" && pwd) || exit 99
cd "$NODES/shared" || exit 99
cache=$NODES/local/cache
job=$GOLDEN/scr/real_scr_1.1.8_plain
mkdir files
make_rank_files files

# Two ranks on each node: files, and filemaps of their processes
for rank in 0 1 2 3; do
    on_nodes on node$((rank / 2 + 1)) sh -c 'mkdir -p "$1" && cp "$2" "$1" && cp "$3" "$1/filemap_$4.scrinfo"' sh \
        "$cache" files/rank_$rank.ckpt "$job/cntl/filemap_$rank.scrinfo" $((rank % 2)) || exit 99
done

# scavenge NODE: copies what a node has in its cache to the prefix p, as SCR's scavenge does it
scavenge()
{
    on_nodes on "node$1" sh -c 'cp "$1"/*.ckpt p/scr.dataset.1 && for process in 0 1; do
        cp "$1/filemap_$process.scrinfo" p/scr.dataset.1/.scr/fmap.$(($2 + process)).scr || exit
    done' sh "$cache" $((2 * $1 - 2)) || exit 99
}
# ranks_are RANK...: these files have been fetched, and no other ones
ranks_are()
{
    for rank in "$@"; do cmp "$(find out -name "rank_$rank.ckpt")" files/rank_$rank.ckpt || return 1; done
    test "$(find out -type f | wc -l)" -eq $#
}

mkdir -p p/.scr p/scr.dataset.1/.scr
check 'a filemap on its node' on_nodes on node2 sh -c '"$1" dump "$2/filemap_1.scrinfo" | grep rank_3.ckpt' sh \
    "$builddir/sionscr" "$cache"
scavenge 1
on_nodes on node1 "$builddir/sionscr" index --build p >out.1 2>&1
check 'the cache of one node: ranks of the other are missing' grep -q 'ranks* 2.*3' out.1
check '... and SCR would not restart' sh -c '! "$1" check --restart 4 p' sh "$builddir/sionscr"
scavenge 2
on_nodes on node2 "$builddir/sionscr" index --build p >out.2 2>&1
result $? 'the caches of both nodes: another node builds the map'
check '... SCR would restart' on_nodes on node1 "$builddir/sionscr" check --restart 4 p
mpi_run 4 "$builddir/sionscr" fetch -o out p >out.3 2>&1
check 'all nodes fetch the files' ranks_are 0 1 2 3
finish

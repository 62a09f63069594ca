# Sourced by the tests on several nodes. Makes them, and sets what starts MPI programs on them.
. "$srcdir/test/mpi_lib.sh"
nodes=${TEST_NODES:-2}
[ "$MPI_FLAVOUR" = mpich ] || skip_all 'the nodes need MPICH'
for tool in nsenter unshare ip; do
    command -v $tool >/dev/null || skip_all "no $tool (Debian: util-linux, iproute2)"
done
case $srcdir in
/*) ;;
*) srcdir=$PWD/$srcdir ;;
esac
NODES=$scratch/nodes LAUNCH=$srcdir/test/nodes/launch.sh
export NODES LAUNCH srcdir
on_nodes()
{
    action=$1
    shift
    "$srcdir/test/nodes/nodes.sh" "$action" "$NODES" "$@"
}

# run_suite SCRIPT WHAT: a script of tests, whose results are results of this one
run_suite()
{
    sh "$srcdir/test/src/$1" >"$scratch/suite" 2>&1
    status=$?
    while read -r line; do
        case $line in
        ok\ * | not\ ok\ *) pass_on "$line" "$2" ;;
        '#'*) echo "$line" ;;
        esac
    done <"$scratch/suite"
    result $status "$2: $1 passes"
}

# on_each_node SCRIPT: runs a script of the shared folder, which gets the folder of the nodes and the node's name;
# skips the test where a node cannot do that
on_each_node()
{
    node=1
    while test $node -le "$nodes"; do
        on_nodes on node$node sh "$NODES/shared/$1" "$NODES" node$node >"$scratch/log" 2>&1 ||
            skip_all "node$node: $(grep . "$scratch/log" | head -n 1)"
        node=$((node + 1))
    done
}

# run_suites_in FOLDER WHAT: in a folder that all nodes have mounted. Without those that write a file anew and read it
# at once on another node, which may see its old bytes.
run_suites_in()
{
    TMPDIR=$1 TEST_MAX_RANKS=4
    export TMPDIR TEST_MAX_RANKS
    for suite in ${TEST_SUITES:-parallel/buddy parallel/mapped parallel/staging}; do
        run_suite "${suite}_mpi.sh" "$suite on $2"
    done
}

trap 'on_nodes down; rm -rf "$scratch"' EXIT
on_nodes up "$nodes" >"$scratch/up" 2>&1 || skip_all "$(tail -n 1 "$scratch/up")"

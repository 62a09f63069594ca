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

trap 'on_nodes down; rm -rf "$scratch"' EXIT
on_nodes up "$nodes" >"$scratch/up" 2>&1 || skip_all "$(tail -n 1 "$scratch/up")"

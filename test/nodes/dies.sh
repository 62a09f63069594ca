# Nodes die while MPI programs write containers with commit records: what was flushed is recovered.
. "$srcdir/test/nodes/lib.sh"
TMPDIR=$NODES/shared TEST_NODE_DIES=1
export TMPDIR TEST_NODE_DIES
sh "$srcdir/test/src/recover/unclosed_mpi.sh" >"$scratch/kills" 2>&1
status=$?
while read -r line; do
    case $line in
    ok\ * | not\ ok\ *) pass_on "$line" "a node dies" ;;
    '#'*) echo "$line" ;;
    esac
done <"$scratch/kills"
result $status "$nodes nodes, one of which dies: no flushed data are lost"
finish

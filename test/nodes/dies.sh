# Nodes die while MPI programs write containers with commit records: what was flushed is recovered.
. "$srcdir/test/nodes/lib.sh"
TMPDIR=$NODES/shared TEST_NODE_DIES=1
export TMPDIR TEST_NODE_DIES
run_suite recover/unclosed_mpi.sh "$nodes nodes, one of which dies"
finish

# Tests of MPI once more, on several nodes: those in TEST_SUITES.
. "$srcdir/test/nodes/lib.sh"
TMPDIR=$NODES/shared TEST_MAX_RANKS=${TEST_MAX_RANKS:-4}
export TMPDIR TEST_MAX_RANKS
for suite in ${TEST_SUITES:-parallel/mapped parallel/buddy parallel/stats}; do
    run_suite "${suite}_mpi.sh" "$nodes nodes: $suite"
done
finish

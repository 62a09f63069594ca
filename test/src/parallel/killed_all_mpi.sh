# Ranks are killed in every call; see killed_mpi.sh. Takes about ten minutes.
TEST_STRIDE=1
. "$srcdir/test/src/parallel/killed_mpi.sh"

# Tests of MPI once more, on several nodes: those in TEST_SUITES.
. "$srcdir/test/nodes/lib.sh"
TMPDIR=$NODES/shared TEST_MAX_RANKS=${TEST_MAX_RANKS:-4}
export TMPDIR TEST_MAX_RANKS
for suite in ${TEST_SUITES:-parallel/mapped parallel/buddy parallel/stats}; do
    sh "$srcdir/test/src/${suite}_mpi.sh" >"$scratch/suite" 2>&1
    status=$?
    while read -r line; do
        case $line in
        ok\ * | not\ ok\ *) pass_on "$line" "$nodes nodes: $suite" ;;
        '#'*) echo "$line" ;;
        esac
    done <"$scratch/suite"
    result $status "$nodes nodes: $suite passes"
done
finish

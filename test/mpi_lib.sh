# Sourced by scripts that run MPI programs. The programs print TAP, which this passes on.
. "$srcdir/test/harness.sh"

# run NP PROGRAM ARGS...: a program that crashes, hangs, runs no test, or fewer tests than it
# planned is a failed test of its own. Programs with more than TEST_MAX_RANKS ranks are skipped.
run()
{
    np=$1
    program=$2
    shift 2
    if test "$np" -gt "${TEST_MAX_RANKS:-$np}"; then
        skip "$program with $np ranks" "more than TEST_MAX_RANKS"
        return
    fi
    seconds=240 mpi_run "$np" "$builddir/$program" "$@" >"$scratch/log" 2>&1
    status=$?
    grep '^#' "$scratch/log" | head -n 200
    grep -E '^(not )?ok ' "$scratch/log" >"$scratch/tap"
    while read -r line; do
        pass_on "$line" "$np ranks"
    done <"$scratch/tap"
    if grep -q '^not ok' "$scratch/tap"; then
        return
    fi
    planned=$(awk -F '[.][.]' '/^1[.][.]/ { sum += $2 } END { print sum + 0 }' "$scratch/log")
    ran=$(($(wc -l <"$scratch/tap")))
    if test $status -ne 0; then
        result 1 "$program with $np ranks ended with status $status"
    elif test "$planned" -eq 0 || test "$planned" -ne "$ran"; then
        result 1 "$program with $np ranks planned $planned tests and ran $ran"
    else
        return
    fi
    show_lines=20 show "$scratch/log"
}

# pass_on LINE WHERE: prints a line of TAP with a new number
pass_on()
{
    tests=$((tests + 1))
    case $1 in not*) failed=$((failed + 1)) ;; esac
    echo "$1" | sed "s|ok [0-9]* - |ok $tests - $2: |"
}

done_testing()
{
    finish
}

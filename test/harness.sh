# Every test that is a shell script sources this file. Prints the Test Anything Protocol.
#
#     . "$srcdir/test/harness.sh"
#     check 'the output is as expected' same "$scratch/out" expected
#     ...
#     finish
#
# A check passes if its command succeeds; if it fails, the log shows what the command printed. A
# script that checks nothing fails. $scratch is a folder of the script's own, which is removed at
# its end.

: "${builddir:?is set by make check}" "${srcdir:?is set by make check}"
LC_ALL=C
export LC_ALL
tests=0
failed=0
# In memory, because many tests sync often.
test -w /dev/shm && : "${TMPDIR:=/dev/shm}" && export TMPDIR
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT

# result STATUS NAME: reports a test that has already run
result()
{
    tests=$((tests + 1))
    if test "$1" -eq 0; then
        echo "ok $tests - $2"
    else
        failed=$((failed + 1))
        echo "not ok $tests - $2"
    fi
}

# check NAME COMMAND...
check()
{
    check_name=$1
    shift
    if "$@" >"$scratch/diagnostic" 2>&1; then
        result 0 "$check_name"
    else
        result 1 "$check_name"
        show "$scratch/diagnostic"
    fi
}

# show FILE: prints the file into the log, after the result that it explains
show()
{
    tail -n "${show_lines:-60}" "$1" | sed 's/^/# /'
}

# skip NAME REASON
skip()
{
    tests=$((tests + 1))
    echo "ok $tests - $1 # SKIP $2"
}

# skip_all REASON: ends the script, because nothing of it can run here
skip_all()
{
    echo "1..0 # SKIP $1"
    exit 0
}

# Prints the plan and ends the script.
finish()
{
    test "$tests" -gt 0 || result 1 'no test has run'
    echo "1..$tests"
    test "$failed" -eq 0
    exit
}

# ---- commands for check ----

same()
{
    cmp "$1" "$2" || {
        diff "$1" "$2" | head -n 20 | cat -v
        return 1
    }
}

# ---- programs and the build ----

# setting NAME: prints a variable of the Makefile
setting()
{
    sed -n "s/^$1 = //p" "$builddir/Makefile"
}

# Address sanitizers take terabytes of address space, and change link lines.
has_sanitizers()
{
    grep -Eq '^(INSTRUMENT_FLAGS|CFLAGS) =.*fsanitize' "$builddir/Makefile"
}

# mpi_run NP PROGRAM ARGS...: $seconds is the time limit (120)
mpi_run()
{
    np=$1
    shift
    timeout "${seconds:-120}" sh "$LAUNCH" "$np" "$@" </dev/null
}

# without_mpi_lines FILE...: removes MPI's messages about devices that the machine hides
without_mpi_lines()
{
    sed -i -E '/^\[(hwloc|[0-9]+\.[0-9]+\] \[[^]]*\] .*UCX )/d' "$@"
}

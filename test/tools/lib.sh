# Sourced by the tests of the command line tools.
#
#     run siondump -a "$file"
#     check 'the output is as expected' same "$scratch/out" expected

. "$srcdir/test/harness.sh"

# run TOOL ARGUMENTS...: sets status, and leaves $scratch/out and $scratch/err
run()
{
    tool=$1
    shift
    status=0
    timeout "${seconds:-60}" "$builddir/$tool" "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
}

# ---- commands for check ----

# The last run ended with this status.
ended()
{
    test "$status" -eq "$1" || {
        echo "status $status, not $1"
        cat "$scratch/err"
        return 1
    }
}

# The last run failed with this status, and printed one line on stderr, which contains the text.
failed_with()
{
    ended "$1" || return 1
    if test "$(wc -l <"$scratch/err")" -ne 1 || ! grep -qF -- "$2" "$scratch/err"; then
        echo "stderr should be one line with \"$2\", but is:"
        cat "$scratch/err"
        return 1
    fi
}

# The last run succeeded, and printed at most a warning on stderr: of an old file, or of a header that is odd.
succeeded()
{
    ended 0 || return 1
    ! grep -Ev '^sion[a-z]*: warning: (.* old file format version |the header of .* says (that it has 0 files|key-value mode [0-9]*, which no writer makes): )' \
        "$scratch/err"
}

# The last run succeeded, and stdout equals this file.
printed()
{
    succeeded && same "$scratch/out" "$1"
}

# The last run succeeded, and stdout is this line.
said()
{
    echo "$1" >"$scratch/expected"
    printed "$scratch/expected"
}

# Sourced by the tests of the command line tools.
#
#     run siondump -a "$file"
#     check 'it says what it has to' same "$scratch/out" expected

. "$srcdir/test/harness.sh"

# run TOOL ARGUMENTS...: leaves status, $scratch/out and $scratch/err.
run()
{
    tool=$1
    shift
    status=0
    timeout "${seconds:-60}" "$builddir/$tool" "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
}

# ---- commands for check ----

# The run above ended with this status.
ended()
{
    test "$status" -eq "$1" || {
        echo "status $status, not $1"
        cat "$scratch/err"
        return 1
    }
}

# It failed with this status, and one line on stderr that contains the text.
failed_with()
{
    ended "$1" || return 1
    if test "$(wc -l <"$scratch/err")" -ne 1 || ! grep -qF -- "$2" "$scratch/err"; then
        echo "stderr should be one line with \"$2\", but is:"
        cat "$scratch/err"
        return 1
    fi
}

# It succeeded, and said nothing on stderr but that the file is an old one.
succeeded()
{
    ended 0 || return 1
    ! grep -v '^sion[a-z]*: warning: .* old file format version ' "$scratch/err"
}

# It succeeded, and stdout is this file.
printed()
{
    succeeded && same "$scratch/out" "$1"
}

# It succeeded, and stdout is this one line.
said()
{
    echo "$1" >"$scratch/expected"
    printed "$scratch/expected"
}

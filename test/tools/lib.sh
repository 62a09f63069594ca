# Helpers of the tests of the command line tools. Sourced; prints the Test Anything Protocol.
#
#     run siondump -a "$file"
#     check 'it says what it has to' same "$scratch/out" expected
#     ...
#     finish
#
# A check passes if its command does; what the command prints is shown if it fails.

: "${builddir:?is set by make check}" "${GOLDEN:?is set by make check}"
LC_ALL=C
export LC_ALL
tests=0
failed=0
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT

# run TOOL ARGUMENTS...: leaves status, $scratch/out and $scratch/err.
run()
{
    tool=$1
    shift
    status=0
    timeout "${seconds:-60}" "$builddir/$tool" "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
}

# check NAME COMMAND...
check()
{
    name=$1
    shift
    tests=$((tests + 1))
    if "$@" >"$scratch/diagnostic" 2>&1; then
        echo "ok $tests - $name"
    else
        failed=$((failed + 1))
        echo "not ok $tests - $name"
        sed 's/^/# /' "$scratch/diagnostic" | head -n 20
    fi
}

skip()
{
    tests=$((tests + 1))
    echo "ok $tests - $1 # SKIP $2"
}

finish()
{
    echo "1..$tests"
    test "$failed" -eq 0
}

# ---- commands for check ----

same()
{
    cmp "$1" "$2" || {
        diff "$1" "$2" | cat -v
        return 1
    }
}

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
    ! grep -v '^SION_ERROR_WARN .* old file format version ' "$scratch/err"
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

# Address sanitizers take terabytes of address space.
has_sanitizers()
{
    grep -Eq '^(INSTRUMENT_FLAGS|CFLAGS) =.*fsanitize' "$builddir/Makefile"
}

# Two tests whose names differ in their ending only have one log, and make runs one of them.
. "$srcdir/test/harness.sh"

# made VARIABLE: what the Makefile says, one word a line
made()
{
    # shellcheck disable=SC2016
    printf 'include Makefile\nprint-list:\n\t@echo $(%s)\n' "$1" |
        (cd "$builddir" && env -u MAKEFLAGS -u MAKELEVEL "${MAKE:-make}" -s -f - print-list) |
        tr ' ' '\n'
}

made TESTS >"$scratch/tests"
check 'there are tests' test -s "$scratch/tests"
sort -u "$scratch/tests" | sed 's/\.sh$//' | sort | uniq -d >"$scratch/twice"
check 'every test has a log of its own' test ! -s "$scratch/twice"
show "$scratch/twice"
finish

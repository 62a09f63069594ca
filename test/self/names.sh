# Two tests whose names differ only in their ending would share a log, and make would run only one.
. "$srcdir/test/harness.sh"

# made VARIABLE: prints a variable of the Makefile, one word a line
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

# A build in the source folder could not write such a program.
for list in bin_PROGRAMS noinst_PROGRAMS check_PROGRAMS EXTRA_PROGRAMS; do
    made $list
done | while read -r program; do
    [ ! -d "$srcdir/$program" ] || [ -z "$program" ] || echo "$program"
done >"$scratch/folders"
check 'no program has the name of a folder of the sources' test ! -s "$scratch/folders"
show "$scratch/folders"
finish

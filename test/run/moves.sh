# Names in folders that others rename at that moment.
program=moves
. "$srcdir/test/run/cases.sh"

# Closes of files of a pattern are told to sionrun.
program=closing
. "$srcdir/test/run/cases.sh"

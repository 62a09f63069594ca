# Names relative to open folders, and to a working folder of the session.
program=folders
. "$srcdir/test/run/cases.sh"

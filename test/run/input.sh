# Files of containers are shown in the tree, and filled when they are opened.
program=input
. "$srcdir/test/run/cases.sh"

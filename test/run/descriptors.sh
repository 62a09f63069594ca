# The descriptor that the library keeps, and programs that close it or use its number.
program=descriptors
. "$srcdir/test/run/cases.sh"

# Random programs have the same results with the library and without, and leave the same files.
. "$srcdir/test/run/lib.sh"
"$builddir/test/run/model" "$library"

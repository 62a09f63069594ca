# A sample of the product of faults.
. "$srcdir/test/mpi_lib.sh"
run 2 test/faults/mpi
test ! -x "$builddir/test/faults/ompi" || run 2 test/faults/ompi
done_testing

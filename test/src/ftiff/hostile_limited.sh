# The damaged files again, with 64 MB of address space: no number in a file decides on an
# allocation.
. "$srcdir/test/harness.sh"
! has_sanitizers || skip_all 'sanitizers need more'
timeout 300 "$builddir/test/src/ftiff/hostile" limited

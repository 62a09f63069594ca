# Reads the damaged files again with 4 GB of address space; sanitizers need more.
. "$srcdir/test/harness.sh"
! has_sanitizers || skip_all 'sanitizers need more'
timeout 60 "$builddir/test/api/invalid" limited

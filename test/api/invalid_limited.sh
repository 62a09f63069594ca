# The damaged files once more with 4 GB of address space; sanitizers need more than that.
. "$srcdir/test/harness.sh"
! has_sanitizers || skip_all 'sanitizers need more'
timeout 60 "$builddir/test/api/invalid" limited

# The damaged files once more with 64 MB of address space: nothing is allocated because a file says so.
. "$srcdir/test/harness.sh"
! has_sanitizers || skip_all 'sanitizers need more'
timeout 60 "$builddir/test/ftiff/hostile" limited

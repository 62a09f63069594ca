# Bytes of code in a program that is linked statically with the library for MPI, and whose linker
# leaves out the functions that it does not call. The budget is for gcc 12 with -O2 on x86-64.
. "$srcdir/test/harness.sh"
command -v size >/dev/null || skip_all 'no size'
program=$builddir/test/bench/whole
[ -x "$program" ] || skip_all 'built without MPI'
$CC -dM -E - </dev/null | grep -q '__x86_64__' || skip_all 'the budget is for x86-64'
$CC -dM -E - </dev/null | grep -q '__clang__' && skip_all 'the budget is for gcc'
case " $TEST_CFLAGS " in *-fsanitize* | *--coverage* | *-fstack-protector* | *_FORTIFY_SOURCE*) skip_all 'instruments add code' ;; *' -O2 '*) ;; *) skip_all 'not -O2' ;; esac
grep -q '^SECTION_LDFLAGS = .' "$builddir/Makefile" || skip_all 'the linker keeps all functions'

# section NAME PROGRAM: its bytes
section() {
    size -A "$2" | $AWK -v name="$1" '$1 == name { print $2 }'
}

within() {
    code=$(section .text "$program") constants=$(section .rodata "$program")
    echo "$code bytes of code, $constants of constants, the budget is 329 KiB for both"
    [ "$code" -gt 10000 ] && [ $((code + constants)) -le $((329 * 1024)) ]
}
check 'the code and constants of a program for MPI have at most 329 KiB' within
finish

# Runs the calls with the names of CUDA, and with those of HIP, versions 6 and 5.
. "$srcdir/test/harness.sh"
calls=$builddir/test/device/calls
libraries=$builddir/test/device/.libs
[ -x "$calls" ] || skip_all 'not built'
[ -f "$libraries/libcuda.so" ] || skip_all 'the build has no shared libraries'

calls_with() {
    FAKE_HIP=$2 timeout 120 "$calls" "$libraries/$1" >"$scratch/out" 2>&1
    status=$?
    grep -v '^ok' "$scratch/out"
    return "$status"
}
check 'CUDA' calls_with libcuda.so
check 'HIP 6' calls_with libamdhip64.so 6
check 'HIP 5' calls_with libamdhip64.so 5
finish

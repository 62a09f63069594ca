# Runs the calls with the names of CUDA, and with those of HIP, versions 6 and 5.
. "$srcdir/test/harness.sh"
calls=$builddir/test/device/calls
libraries=$builddir/test/device/.libs
[ -x "$calls" ] || skip_all 'not built'
[ -f "$libraries/libcuda.so" ] || skip_all 'the build has no shared libraries'

# runs PROGRAM DRIVER VERSION
runs() {
    FAKE_HIP=$3 timeout 120 "$1" "$libraries/$2" >"$scratch/out" 2>&1
    status=$?
    grep -v '^ok' "$scratch/out"
    return "$status"
}
check 'CUDA' runs "$calls" libcuda.so
check 'HIP 6' runs "$calls" libamdhip64.so 6
check 'HIP 5' runs "$calls" libamdhip64.so 5
team=$builddir/test/device/team
if [ -x "$team" ]; then
    check 'threads with CUDA' runs "$team" libcuda.so
    check 'threads with HIP' runs "$team" libamdhip64.so 6
else
    skip 'threads' 'the build has no OpenMP'
fi

# A Fortran program, linked with the driver.
archives=$builddir/.libs
FC=$(sed -n 's/^FC = //p' "$builddir/Makefile")
by_pointer() {
    (cd "$scratch" && "$FC" -I"$builddir/include/mod_64" "$source/test/device/pointer.f90" -o pointer \
        "$archives/libsionser_f90_64.a" "$archives/libsionser_64.a" "$archives/libsioncom_64.a" \
        "$archives/libsioncom_64_lock_none.a" -L"$libraries" -Wl,-rpath,"$libraries" -lcuda &&
        timeout 60 ./pointer)
}
source=$(cd "$srcdir" && pwd)
if has_sanitizers || ! [ -f "$builddir/include/mod_64/sion_f90.mod" ]; then
    skip 'type(c_ptr) in Fortran' 'no modules, or they have sanitizers'
else
    check 'type(c_ptr) in Fortran' by_pointer
fi

# The program that tests real devices, with these.
ln -s "$libraries/libcuda.so" "$scratch/libcuda.so.1"
ln -s "$libraries/libamdhip64.so" "$scratch/libamdhip64.so"
as_real() {
    LD_LIBRARY_PATH=$scratch timeout 60 "$builddir/test/device/real" "$1" brief >"$scratch/out" 2>&1
    status=$?
    grep -v '^ok' "$scratch/out"
    [ "$status" -eq 0 ] && [ "$(grep -c '^ok' "$scratch/out")" -eq 6 ]
}
check 'the test of real devices works with CUDA' as_real cuda
check 'the test of real devices works with HIP' as_real hip
finish

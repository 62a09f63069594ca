# Data on the devices of this machine, if it has some; the log has a table of rates.
. "$srcdir/test/harness.sh"
real=$builddir/test/device/real
[ -x "$real" ] || skip_all 'not built'

on_devices() {
    timeout 300 "$real" "$1" >"$scratch/$1" 2>&1
}
for driver in cuda hip; do
    on_devices $driver
    status=$?
    if [ $status -eq 77 ]; then
        skip "$driver" "$(tail -n 1 "$scratch/$driver")"
    else
        result $status "$driver"
        show "$scratch/$driver"
    fi
done
finish

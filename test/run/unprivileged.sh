# The same for a user whom modes keep out: root, who runs many tests, may do everything.
. "$srcdir/test/run/lib.sh"
test "$(id -u)" -eq 0 || skip_all 'the other tests of this folder have no rights, either'
command -v setpriv >/dev/null || skip_all 'setpriv is missing'
top=$(realpath "$scratch")
mkdir "$top/bin" "$top/files" "$top/sessions"
cp "$library" "$builddir/test/run/calls" "$builddir/test/run/input" "$builddir/test/run/model" "$top/bin" || exit 99
chmod 755 "$top" "$top/bin" "$top/bin"/*
chmod 1777 "$top/files" "$top/sessions"
library=$top/bin/libsion_run.so

# nobody COMMAND...
nobody()
{
    TMPDIR=$top/files setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
nobody "$top/bin/calls" --list >/dev/null 2>&1 || skip_all 'setpriv has no rights here'

compared()
{
    nobody "$top/bin/calls" "$top/files/w" >"$top/native" &&
        nobody "$top/bin/calls" "$top/files/w" "$top/sessions/s" "$library" >"$top/run" &&
        test "$(wc -l <"$top/native")" -gt 1000 && same "$top/native" "$top/run"
}
check 'calls with one path' compared
check 'random programs' nobody "$top/bin/model" "$library"
check 'files of the input' nobody "$top/bin/input" "$library"
finish

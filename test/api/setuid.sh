#!/bin/sh
# A program that runs with the rights of another user does not obey the environment of its caller.
. "$srcdir/test/harness.sh"

test "$(id -u)" -eq 0 || skip_all 'only root can give a program to another user'
id nobody >/dev/null 2>&1 || skip_all 'there is no user nobody'
has_sanitizers && skip_all 'the sanitizers need the rights of one user'

cd "$scratch" || exit 99
chmod 711 .
if ! { cp "$(command -v id)" id && chown nobody id && chmod 4755 id; }; then
    skip_all 'files cannot be given to nobody here'
fi
test "$(./id -u)" = "$(id -u nobody)" || skip_all 'programs do not change the user here (nosuid, no_new_privs)'

# Of a build with shared libraries, sionmerge is a script.
program=$builddir/.libs/sionmerge
test -x "$program" || program=$builddir/sionmerge
cp "$program" caller && cp "$program" other || exit 99
chown nobody other && chmod 4755 other || exit 99
mkdir out && chown nobody out || exit 99
echo data >in

# ran STATUS PROGRAM: with SION_FAULT it has ended with this status
ran()
{
    status=0
    SION_FAULT=write:enospc:1 timeout 60 "./$2" "out/$2.sion" in >stdout 2>err || status=$?
    cat err
    test "$status" -eq "$1"
}

./other out/ready.sion in >stdout 2>err || {
    show err
    skip_all 'nobody cannot read the build'
}
check 'with the rights of the caller, SION_FAULT counts' ran 2 caller
check '... and its reason is said' grep -qF 'No space left on device' err
check 'with those of another user it does not' ran 0 other
check '... and nothing is said of it' same err /dev/null
check 'the container is there' test -s out/other.sion
finish

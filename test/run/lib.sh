# The tests of the library that sionrun puts into programs source this.
. "$srcdir/test/harness.sh"
library=$builddir/.libs/libsion_run.so
# A program with sanitizers must have their library in the first place.
has_sanitizers && skip_all 'sanitizers refuse libraries that are loaded before them'
builddir=$(cd "$builddir" && pwd)
library=$builddir/.libs/libsion_run.so
test -f "$library" || skip_all 'this build has no libsion_run'

# session NAME ROOT KIND:PATTERN...: makes a session (make_session.c)
session()
{
    session=$(realpath "$scratch")/$1
    shift
    "$builddir/test/run/make_session" "$session" "$@" || exit 99
}

# redirected COMMAND...: runs it in the session that was made last
redirected()
{
    SION_RUN_SESSION=$session LD_PRELOAD=$library "$@"
}

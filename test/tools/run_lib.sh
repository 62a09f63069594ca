# Sourced by the tests of sionrun: a folder for staging, and commands whose output is in `log`.
. "$(dirname "$0")/lib.sh"
builddir=$(cd "$builddir" && pwd) || exit 99
cd "$scratch" || exit 99
mkdir stage || exit 99
scratch=$(pwd -P)
SION_STAGE=$scratch/stage
export SION_STAGE
sionrun=$builddir/sionrun
seconds=60

# Skips the script where sionrun cannot load its library into programs.
needs_preload()
{
    has_sanitizers && skip_all 'programs without sanitizers cannot load a library with them'
    test -e "$builddir/.libs/libsion_run.so" || skip_all 'built without shared libraries'
}

# Whether there is a function for checksums, which the tools find from now on.
finds_checksums()
{
    test -e "$builddir/.libs/libsion_checksum.so" || return 1
    LD_LIBRARY_PATH=$builddir/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
}
run()
{
    timeout "$seconds" "$@" >log 2>&1 || { cat log; return 1; }
}
# fails STATUS COMMAND...
fails()
{
    wanted=$1
    shift
    timeout "$seconds" "$@" >log 2>&1
    test $? -eq "$wanted" || { cat log; return 1; }
}
says()
{
    grep -q -- "$1" log || { cat log; return 1; }
}
nothing_staged()
{
    test -z "$(ls -A "$SION_STAGE")" || { ls -A "$SION_STAGE"; return 1; }
}
until_there()
{
    tries=0
    while test ! -e "$1" && test $tries -lt 500; do
        tries=$((tries + 1))
        sleep 0.02
    done
    test -e "$1"
}

# Unchanged programs of other projects under sionrun. A test runs one without sionrun, with it, and
# restarted from the container with it, and compares what they have written.
. "$srcdir/test/harness.sh"

has_sanitizers && skip_all 'programs without sanitizers cannot load a library with them'
builddir=$(cd "$builddir" && pwd) || exit 99
test -e "$builddir/.libs/libsion_run.so" || skip_all 'built without shared libraries'
# Debian builds these programs with Open MPI.
command -v mpiexec.openmpi >/dev/null || skip_all 'Open MPI is not installed'
cd "$scratch" || exit 99
scratch=$(pwd -P)
mkdir stage || exit 99
SION_STAGE=$scratch/stage
OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMP_NUM_THREADS=1
export SION_STAGE OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMP_NUM_THREADS
sionrun=$builddir/sionrun

# needs PROGRAM...
needs()
{
    for program; do
        command -v "$program" >/dev/null || skip_all "$program is not installed"
    done
}
# on_ranks N COMMAND...
on_ranks()
{
    np=$1
    shift
    timeout "${seconds:-120}" mpiexec.openmpi --oversubscribe -n "$np" "$@" </dev/null
}
# logged COMMAND...: its output in the file log, which a failure shows
logged()
{
    "$@" >log 2>&1 || { tail -n 40 log; return 1; }
}
nothing_staged()
{
    test -z "$(ls -A "$scratch/stage")"
}
# unpacked FOLDER CONTAINER...: all files of containers, the last one above the others
unpacked()
{
    folder=$1
    shift
    mkdir -p "$folder"
    for container; do
        "$builddir/sionsplit" --quiet --files --force "$container" "$folder" || return 1
    done
}
same_trees()
{
    diff -r "$1" "$2" >differences || { head -n 20 differences; return 1; }
}

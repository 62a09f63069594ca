# launch.sh NP PROGRAM ARGUMENTS...: starts an MPI program, with the settings for a machine with
# fewer cores than ranks.
np=$1
shift
case $MPI_FLAVOUR in
openmpi)
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
    exec "$MPIEXEC" --oversubscribe -n "$np" "$@"
    ;;
esac
if [ -f "$builddir/.libs/libtest_yield.so" ]; then
    LD_PRELOAD=$builddir/.libs/libtest_yield.so${LD_PRELOAD:+:$LD_PRELOAD}
    # The address sanitizer wants to be the first library.
    ASAN_OPTIONS=verify_asan_link_order=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
    export LD_PRELOAD ASAN_OPTIONS
fi
# MPICH's mpiexec tells the programs when its input ends, and is killed by SIGPIPE if they have ended
# by then. This one, for programs that read nothing, never ends.
input=$(mktemp -u)
if [ /dev/stdin -ef /dev/null ] && mkfifo "$input" 2>/dev/null; then
    exec <>"$input"
    rm "$input"
fi
exec "$MPIEXEC" -n "$np" "$@"

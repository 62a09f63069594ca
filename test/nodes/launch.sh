# launch.sh NP PROGRAM ARGUMENTS...: as test/launch.sh, on the nodes whose state is in $NODES.
np=$1
shift
ASAN_OPTIONS=verify_asan_link_order=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
export ASAN_OPTIONS
exec "$srcdir/test/nodes/nodes.sh" run "$NODES" "$np" \
    env LD_PRELOAD="$(cd "$builddir" && pwd)/.libs/libtest_yield.so" "$@"

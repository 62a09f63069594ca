# Sourced by tests that build the library anew from its sources. Set name before; offers check,
# finish, and builds OPTIONS..., which leaves an installation in $P.
root=$builddir/test-$name
tests=0
failed=0
case $srcdir in
/*) source=$srcdir ;;
*) source=$PWD/$srcdir ;;
esac
if [ -f "$source/config.status" ]; then
    echo '1..0 # SKIP a configured source folder stands in the way of other build folders'
    exit 0
fi
unset MAKEFLAGS MAKELEVEL MFLAGS

check() {
    title=$1
    shift
    tests=$((tests + 1))
    if "$@" >"$root.log" 2>&1; then
        echo "ok $tests - $title"
    else
        tail -n 100 "$root.log" | sed 's/^/# /'
        echo "not ok $tests - $title"
        failed=1
    fi
}

finish() {
    [ -n "$KEEP" ] || rm -rf "$root" "$root.log"
    echo "1..$tests"
    exit $failed
}

P=$root/installed
builds() {
    rm -rf "$root/build" "$P"
    mkdir -p "$root/build" && cd "$root/build" || return 1
    "$source/configure" -q --prefix="$P" "$@" && make -s -j2 install
}

# Every -l that sionconfig prints is a file in lib; parts that are not there are refused with 42.
sionconfig_is_right() {
    for api in com ser gen mpi omp ompi; do
        for language in c f77 f90 cxx; do
            words=$("$P/bin/sionconfig" --$api --$language --libs)
            case $? in
            0) ;;
            42) continue ;;
            *) return 1 ;;
            esac
            for word in $words; do
                case $word in
                -lpthread | -L*) ;;
                -l*)
                    [ -f "$P/lib/lib${word#-l}.a" ] || { echo "$word" && return 1; }
                    ;;
                esac
            done
        done
    done
}

rm -rf "$root"
mkdir -p "$root"

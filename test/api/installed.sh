# Sourced by tests that use the library as installed: installs it below $root, and offers check.
#
# Sets P (prefix), I and L (compiler and linker flags), has_mpi, has_omp, has_ompi, mpi_flags,
# mpi_libs, openmp. Set name before.
root=$builddir/test-$name
tests=0
failed=0

# check TITLE COMMAND...: one test, which prints the command's output only if it fails
check() {
    title=$1
    shift
    tests=$((tests + 1))
    if "$@" >"$root.log" 2>&1; then
        echo "ok $tests - $title"
    else
        sed 's/^/# /' "$root.log"
        echo "not ok $tests - $title"
        failed=1
    fi
}

# skip_all REASON
skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}

finish() {
    [ -n "$KEEP" ] || rm -rf "$root" "$root.log"
    echo "1..$tests"
    exit $failed
}

# setting NAME: a variable of the Makefile
setting() {
    sed -n "s/^$1 = //p" "$builddir/Makefile"
}

# mpirun NP PROGRAM ARGS...
mpirun() {
    np=$1
    shift
    timeout 120 sh "$LAUNCH" "$np" "$@" </dev/null
}

# The flags that sionconfig prints, for the library where it lies now.
config() {
    "$P/bin/sionconfig" "$@" | sed "s:$prefix/:$P/:g"
}

rm -rf "$root"
case $(setting INSTRUMENT_FLAGS) in
*sanitize*) skip_all 'sanitizers change the link lines' ;;
esac
unset MAKEFLAGS MAKELEVEL MFLAGS
prefix=$(setting prefix)
check "make install DESTDIR=" make -C "$builddir" install DESTDIR="$root"
P=$root$prefix
I=-I$P/include
L=-L$P/lib
has_mpi=$([ -f "$P/lib/libsionmpi_64.a" ] && echo 1)
has_omp=$([ -f "$P/lib/libsionomp_64.a" ] && echo 1)
has_ompi=$([ -f "$P/lib/libsionompi_64.a" ] && echo 1)
mpi_flags=$(setting MPI_CFLAGS)
mpi_libs=$(setting MPI_LIBS)
openmp=$(setting OPENMP_CFLAGS)

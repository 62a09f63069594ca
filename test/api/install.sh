# An installed library as users meet it: what is there, what is visible, and that the README's
# example and hand-written link lines work, static and shared, with no further library.
root=$builddir/test-install
tests=0
failed=0

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

rm -rf "$root"
if grep -q "^INSTRUMENT_FLAGS = ..*sanitize" "$builddir/Makefile"; then
    echo "ok 1 - installed library # SKIP sanitizers change the link lines"
    echo "1..1"
    exit 0
fi
unset MAKEFLAGS MAKELEVEL MFLAGS
prefix=$(sed -n 's/^prefix = //p' "$builddir/Makefile")
check "make install DESTDIR=" make -C "$builddir" install DESTDIR="$root"
P=$root$prefix
I=-I$P/include
L=-L$P/lib
has_mpi=$([ -f "$P/lib/libsionmpi_64.a" ] && echo 1)
has_omp=$([ -f "$P/lib/libsionomp_64.a" ] && echo 1)
has_ompi=$([ -f "$P/lib/libsionompi_64.a" ] && echo 1)

awk '/^```c$/ { inside = !done; next } /^```$/ { if (inside) done = 1; inside = 0 } inside' \
    "$srcdir/README.md" >"$root/hello.c"
cat >"$root/mpi.c" <<'END'
#include <mpi.h>
#include <sion.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int sid = sion_parclose_mpi(77), version;
    sion_get_version(&version, 0, 0, 0);
    MPI_Finalize();
    return sid != -1 || version != SION_MAIN_VERSION;
}
END

cat >"$root/omp.c" <<'END'
#include <sion.h>
int main(void)
{
    int bad = 0;
#pragma omp parallel num_threads(3) reduction(+ : bad)
    {
        long long chunksize = 100;
        int fsblksize = 100, rank = -1;
        int sid = sion_paropen_omp("omp.sion", "w", &chunksize, &fsblksize, &rank, 0, 0);
        bad = sion_fwrite("hello", 1, 5, sid) != 5 || sion_parclose_omp(sid) != 1;
    }
    return bad;
}
END
cat >"$root/ompi.c" <<'END'
#include <mpi.h>
#include <sion.h>
int main(int argc, char **argv)
{
    int bad = 0, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
#pragma omp parallel num_threads(3) reduction(+ : bad)
    {
        long long chunksize = 100;
        int fsblksize = 100, rank = -1, nfiles = 1;
        MPI_Comm world = MPI_COMM_WORLD;
        int sid = sion_paropen_ompi("ompi.sion", "w", &nfiles, world, &world, &chunksize,
                                    &fsblksize, &rank, 0, 0);
        bad = sion_fwrite("hello", 1, 5, sid) != 5 || sion_parclose_ompi(sid) != 1;
    }
    MPI_Finalize();
    return bad;
}
END

static_archives() {
    for name in com_64 com_64_lock_none ser_64 gen_64 ${has_mpi:+mpi_64} ${has_omp:+omp_64} \
        ${has_ompi:+ompi_64}; do
        [ -f "$P/lib/libsion$name.a" ] && [ ! -e "$P/lib/libsion$name.so" ] || return 1
    done
    # shellcheck disable=SC2144
    [ ! -e "$P"/lib/*.la ]
}
check "legacy names are static archives only" static_archives

runs_hello() {
    cd "$root" || return 1
    # shellcheck disable=SC2086
    ${CC:-cc} -Wall -Werror $I hello.c -o hello "$@" && [ "$(./hello)" = hello ]
}
check "README example with the serial link line" \
    runs_hello $L -lsionser_64 -lsioncom_64 -lsioncom_64_lock_none
if [ -f "$P/lib/libsioncom_64_lock_pthreads.a" ]; then
    check "... with the pthread lock" \
        runs_hello $L -lsionser_64 -lsioncom_64 -lsioncom_64_lock_pthreads -lpthread
fi
# shellcheck disable=SC2046
check "... with what sionconfig prints" \
    runs_hello $("$P/bin/sionconfig" --ser --libs | sed "s:-L$prefix:-L$P:")
needs_only_libc() {
    ${CC:-cc} $I -nodefaultlibs "$root/hello.c" -o "$root/bare" $L -lsionser_64 -lsioncom_64 \
        -lsioncom_64_lock_none -lc -lgcc
}
check "the archives need libc and nothing else" needs_only_libc

if [ -f "$P/lib/libsion.so" ]; then
    LD_LIBRARY_PATH=$P/lib
    export LD_LIBRARY_PATH
    check "... with the shared library" runs_hello $L -lsion
    only_public_symbols() {
        for library in "$P"/lib/libsion*.so; do
            nm -D --defined-only "$library" | awk '{ print $3 }' | sed 's/@.*//' |
                grep -vE '^(sion_.*|_sion_close_sid|_sion_file_stat_file|SION_1\.7)$' && return 1
        done
        return 0
    }
    check "shared libraries show sion_* only" only_public_symbols
    has_version() {
        readelf -d "$P/lib/libsion.so" | grep -q 'SONAME.*libsion\.so\.[0-9]'
    }
    check "shared libraries have a version" has_version
fi

if [ -n "$has_mpi" ]; then
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
    flags=$(sed -n 's/^MPI_CFLAGS = //p' "$builddir/Makefile")
    libs=$(sed -n 's/^MPI_LIBS = //p' "$builddir/Makefile")
    runs_mpi() {
        # shellcheck disable=SC2086
        ${CC:-cc} $I $flags "$root/mpi.c" -o "$root/mpi" "$@" $libs &&
            timeout 60 "$MPIEXEC" -n 1 "$root/mpi"
    }
    check "an MPI program with the MPI link line" runs_mpi $L -lsionmpi_64 -lsiongen_64 \
        -lsionser_64 -lsioncom_64 -lsioncom_64_lock_none
    # shellcheck disable=SC2046
    check "... with what sionconfig prints" \
        runs_mpi $("$P/bin/sionconfig" --mpi --libs | sed "s:-L$prefix:-L$P:")
    if [ -f "$P/lib/libsion_mpi.so" ]; then
        check "... with the shared libraries" runs_mpi $L -lsion_mpi -lsion
    fi
fi

openmp=$(sed -n 's/^OPENMP_CFLAGS = //p' "$builddir/Makefile")
if [ -n "$has_omp" ]; then
    runs_omp() {
        # shellcheck disable=SC2086
        (cd "$root" && ${CC:-cc} $I -DSION_OMP $openmp omp.c -o omp "$@" && ./omp)
    }
    check "an OpenMP program with the OpenMP link line" runs_omp $L -lsionomp_64 -lsiongen_64 \
        -lsionser_64 -lsioncom_64 -lsioncom_64_lock_none
    # shellcheck disable=SC2046
    check "... with what sionconfig prints" \
        runs_omp $("$P/bin/sionconfig" --omp --libs | sed "s:-L$prefix:-L$P:")
    if [ -f "$P/lib/libsion.so" ]; then
        check "... with the shared library" runs_omp $L -lsion
    fi
fi
if [ -n "$has_ompi" ]; then
    runs_ompi() {
        # shellcheck disable=SC2086
        (cd "$root" && ${CC:-cc} $I $flags $openmp ompi.c -o ompi "$@" $libs &&
            timeout 60 "$MPIEXEC" -n 1 ./ompi)
    }
    check "a hybrid program with the hybrid link line" runs_ompi $L -lsionompi_64 -lsiongen_64 \
        -lsionser_64 -lsioncom_64 -lsioncom_64_lock_none
    check "... beside the MPI and the OpenMP archive" runs_ompi $L -lsionompi_64 -lsionmpi_64 \
        -lsionomp_64 -lsiongen_64 -lsionser_64 -lsioncom_64 -lsioncom_64_lock_none
    # shellcheck disable=SC2046
    check "... with what sionconfig prints" \
        runs_ompi $("$P/bin/sionconfig" --ompi --libs | sed "s:-L$prefix:-L$P:")
    if [ -f "$P/lib/libsion_mpi.so" ]; then
        check "... with the shared libraries" runs_ompi $L -lsion_mpi -lsion
    fi
fi
rm -rf "$root" "$root.log"
echo "1..$tests"
exit $failed

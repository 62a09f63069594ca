# The library as users find it installed: which files there are, which symbols are visible, and that
# the example of doc/install.md and hand-written link lines work, static and shared, without further
# libraries.
name=install
. "$srcdir/test/api/installed.sh"

awk '/^```c hello.c$/ { inside = !done; next } /^```$/ { if (inside) done = 1; inside = 0 } inside' \
    "$srcdir/doc/install.md" >"$root/hello.c"
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
        [ -f "$libdir/libsion$name.a" ] && [ ! -e "$libdir/libsion$name.so" ] || return 1
    done
    # shellcheck disable=SC2144
    [ ! -e "$libdir"/*.la ]
}
check "legacy names are static archives only" static_archives

# Manual pages, by the name of the function; completions, by the name of the tool; the schema;
# documents.
texts() {
    for file in man/man1/siondump.1 man/man3/sion_open.3 man/man3/sion_fread.3 man/man3/sion_common.h.3 man/man5/sion.5 \
        man/man7/sion.7 scion/siondump.schema.json scion/sionrecover.schema.json scion/sionverify.schema.json doc/scion/README.md doc/scion/doc/guide.md \
        doc/scion/doc/pictures/arrays.png doc/scion/doc/pictures/heat.png doc/scion/examples/Makefile; do
        [ -s "$P/share/$file" ] || { echo "$file is missing" && return 1; }
    done
    for tool in "$P"/bin/*; do
        [ -s "$P/share/bash-completion/completions/${tool##*/}" ] ||
            { echo "no completion for $tool" && return 1; }
    done
}
check "manual pages, completions, schema, documents" texts

runs_hello() {
    cd "$root" || return 1
    # shellcheck disable=SC2086
    ${CC:-cc} -Wall -Werror $I hello.c -o hello "$@" && [ "$(./hello)" = hello ]
}
check "example of doc/install.md with the serial link line" \
    runs_hello $L -lsionser_64 -lsioncom_64 -lsioncom_64_lock_none
if [ -f "$libdir/libsioncom_64_lock_pthreads.a" ]; then
    check "... with the pthread lock" \
        runs_hello $L -lsionser_64 -lsioncom_64 -lsioncom_64_lock_pthreads -lpthread
fi
# shellcheck disable=SC2046
check "... with what sionconfig prints" \
    runs_hello $(config --ser --libs)
needs_only_libc() {
    ${CC:-cc} $I -nodefaultlibs "$root/hello.c" -o "$root/bare" $L -lsionser_64 -lsioncom_64 \
        -lsioncom_64_lock_none -lc -lgcc
}
check "the archives need libc and nothing else" needs_only_libc

if [ -f "$libdir/libsion.so" ]; then
    LD_LIBRARY_PATH=$libdir
    export LD_LIBRARY_PATH
    check "... with the shared library" runs_hello $L -lsion
    # Compilers of Fortran and C++ decorate names.
    public='^(f?sion_.*|__sion_(f[0-9a-z_]*|array)_MOD_.*|_sion_close_sid|_sion_file_stat_file'
    public="$public|_sion_buddy_role_to_str"
    public="$public|S(C)?ION_(F90_|CXX_|PRIVATE_)?[0-9._]*|_Z.*(sionlib|SION_Base).*)\$"
    only_public_symbols() {
        for library in "$libdir"/libsion*.so; do
            nm -D --defined-only "$library" | awk '{ print $3 }' | sed 's/@.*//' |
                grep -vE "$public" && return 1
        done
        return 0
    }
    check "shared libraries show the public interfaces only" only_public_symbols
    has_version() {
        readelf -d "$libdir/libsion.so" | grep -q 'SONAME.*libsion\.so\.[0-9]'
    }
    check "shared libraries have a version" has_version
fi

if [ -n "$has_mpi" ]; then
    runs_mpi() {
        # shellcheck disable=SC2086
        ${CC:-cc} $I $mpi_flags "$root/mpi.c" -o "$root/mpi" "$@" $mpi_libs &&
            mpirun 1 "$root/mpi"
    }
    check "an MPI program with the MPI link line" runs_mpi $L -lsionmpi_64 -lsiongen_64 \
        -lsionser_64 -lsioncom_64 -lsioncom_64_lock_none
    # shellcheck disable=SC2046
    check "... with what sionconfig prints" \
        runs_mpi $(config --mpi --libs)
    if [ -f "$libdir/libsion_mpi.so" ]; then
        check "... with the shared libraries" runs_mpi $L -lsion_mpi -lsion
    fi
fi

if [ -f "$libdir/libsionfti_64.a" ]; then
    cat >"$root/fti.c" <<'END'
#include <sion_ftiff.h>
int main(void)
{
    char data[10] = "saved";
    sion_ftiff *state = sion_ftiff_open("state.fti");
    return !sion_ftiff_protect(state, 1, data, 10) || !sion_ftiff_checkpoint(state, 1) ||
           !sion_ftiff_recover(state) || data[0] != 's' ||
           sion_ftiff_protect(state, 1, data, -1) || sion_error_code() != SION_ERR_ARGUMENT;
}
END
    runs_fti() {
        (cd "$root" && ${CC:-cc} -Wall -Werror $I fti.c -o fti "$@" && ./fti 2>fti.err &&
            grep -q 'sion_ftiff_protect: variable 1: -1 bytes' fti.err)
    }
    check "a program with the FTI-FF link line" runs_fti $L -lsionfti_64 -lsiongen_64 \
        -lsionser_64 -lsioncom_64 -lsioncom_64_lock_none -lnettle
    # shellcheck disable=SC2046
    check "... with what sionconfig --ser --fti --libs says" \
        runs_fti $(config --ser --fti --libs)
    if [ -f "$libdir/libsion_fti.so" ]; then
        check "... with the shared libraries" runs_fti $L -lsion_fti -lsion
    fi
    if command -v pkg-config >/dev/null; then
        for package in sion-fti sion-fti-static; do
            # shellcheck disable=SC2046
            check "... with what pkg-config says of $package" runs_fti \
                $(PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config \
                    --cflags --libs $package)
        done
    fi
fi

if [ -n "$has_omp" ]; then
    runs_omp() {
        # shellcheck disable=SC2086
        (cd "$root" && ${CC:-cc} $I -DSION_OMP $openmp omp.c -o omp "$@" && ./omp)
    }
    check "an OpenMP program with the OpenMP link line" runs_omp $L -lsionomp_64 -lsiongen_64 \
        -lsionser_64 -lsioncom_64 -lsioncom_64_lock_none
    # shellcheck disable=SC2046
    check "... with what sionconfig prints" \
        runs_omp $(config --omp --libs)
    if [ -f "$libdir/libsion.so" ]; then
        check "... with the shared library" runs_omp $L -lsion
    fi
fi
if [ -n "$has_ompi" ]; then
    runs_ompi() {
        # shellcheck disable=SC2086
        (cd "$root" && ${CC:-cc} $I $mpi_flags $openmp ompi.c -o ompi "$@" $mpi_libs &&
            mpirun 1 ./ompi)
    }
    check "a hybrid program with the hybrid link line" runs_ompi $L -lsionompi_64 -lsiongen_64 \
        -lsionser_64 -lsioncom_64 -lsioncom_64_lock_none
    check "... beside the MPI and the OpenMP archive" runs_ompi $L -lsionompi_64 -lsionmpi_64 \
        -lsionomp_64 -lsiongen_64 -lsionser_64 -lsioncom_64 -lsioncom_64_lock_none
    # shellcheck disable=SC2046
    check "... with what sionconfig prints" \
        runs_ompi $(config --ompi --libs)
    if [ -f "$libdir/libsion_mpi.so" ]; then
        check "... with the shared libraries" runs_ompi $L -lsion_mpi -lsion
    fi
fi

# ---- checksums ----
if [ -f "$libdir/libsionchecksum_64.a" ]; then
    cat >"$root/sum.c" <<'END'
#include <sion.h>
#include <sion_checksum.h>
int main(void)
{
    int ntasks = 1, nfiles = 1, rank = 0, *ranks = &rank, sid;
    sion_int64 size = 100, *sizes = &size;
    sion_int32 fsblksize = 512;
#ifdef STATIC
    sion_checksum_use(sion_crc32);
#endif
    sid = sion_open("sum.sion", "wb,checksum", &ntasks, &nfiles, &sizes, &fsblksize, &ranks, NULL);
    return sid < 0 || sion_fwrite("123456789", 1, 9, sid) != 9 || sion_close(sid) != 1;
}
END
    runs_sum() {
        # shellcheck disable=SC2086
        (cd "$root" && rm -f sum.sion && ${CC:-cc} -Wall -Werror $I sum.c -o sum "$@" && ./sum &&
            "$P/bin/sionverify" -c sum.sion)
    }
    # shellcheck disable=SC2046
    check "a program with checksums" runs_sum -DSTATIC $L -lsionser_64 -lsioncom_64 \
        -lsioncom_64_lock_none -lsionchecksum_64 $(setting CHECKSUM_LIBS)
    if [ -f "$libdir/libsion_checksum.so" ]; then
        check "... with the shared library alone, which loads the other one" runs_sum $L -lsion
    fi
fi

# ---- the SCR layer ----
if [ -f "$libdir/libsionscr_64.a" ]; then
    cat >"$root/scr.c" <<'END'
#include <stdio.h>
#include <string.h>
#include <sion_scr.h>
int main(void)
{
    sion_kvtree *tree = sion_kvtree_new();
    sion_scr_comm *self = sion_scr_comm_self();
    if (!sion_kvtree_put(tree, "KEY", "VALUE") || !self)
        return 1;
    /* The reason comes from one library, the text through another one. */
    if (sion_kvtree_read("missing") || !strstr(sion_error_text(), "cannot open missing"))
        return 2;
    if (sion_scr_map_read(self, "missing", 0) || !strstr(sion_error_text(), "no rank2file map"))
        return 3;
    if (sion_scr_export("missing", 0) || !strstr(sion_error_text(), "missing"))
        return 4;
    sion_kvtree_print(tree, stdout);
    sion_kvtree_free(tree);
    sion_scr_comm_free(self);
    return 0;
}
END
    runs_scr() {
        # shellcheck disable=SC2086
        (cd "$root" && ${CC:-cc} -Wall -Werror $I scr.c -o scr "$@" && [ "$(./scr)" = "  KEY
    VALUE" ])
    }
    check "a program with the SCR layer" runs_scr $L -lsionscr_64 -lsiongen_64 -lsionser_64 \
        -lsioncom_64 -lsioncom_64_lock_none -lz
    if [ -f "$libdir/libsion_scr.so" ]; then
        check "... with the shared libraries" runs_scr $L -lsion_scr -lsion
    fi
    if [ -n "$has_mpi" ]; then
        cat >"$root/scr_mpi.c" <<'END'
#include <string.h>
#include <sion_scr_mpi.h>
int main(int argc, char **argv)
{
    sion_scr_comm *world;
    int bad;
    MPI_Init(&argc, &argv);
    world = sion_scr_comm_mpi(MPI_COMM_WORLD);
    bad = !world || sion_scr_map_read(world, "missing", 0) ||
          !strstr(sion_error_text(), "no rank2file map");
    sion_scr_comm_free(world);
    MPI_Finalize();
    return bad;
}
END
        runs_scr_mpi() {
            # shellcheck disable=SC2086
            ${CC:-cc} $I $mpi_flags "$root/scr_mpi.c" -o "$root/scr_mpi" "$@" $mpi_libs &&
                mpirun 1 "$root/scr_mpi"
        }
        check "... and MPI" runs_scr_mpi $L -lsionscr_mpi_64 -lsionscr_64 -lsionmpi_64 \
            -lsiongen_64 -lsionser_64 -lsioncom_64 -lsioncom_64_lock_none -lz
        if [ -f "$libdir/libsion_scr_mpi.so" ]; then
            check "... and MPI with the shared libraries" runs_scr_mpi $L -lsion_scr_mpi \
                -lsion_scr -lsion
        fi
    fi
fi

# ---- uninstall: it removes all of our files, and no others ----
removes_its_own() {
    for file in lib/libsion_mine.so lib/libsion.so.mine lib/libsionmine.a lib/pkgconfig/sion-mine.pc \
        lib/cmake/SION/mine.cmake include/mod_64/mine.mod include/sion_mine.h \
        share/man/man3/sion_mine.3; do
        mkdir -p "$P/${file%/*}" && : >"$P/$file" || return 1
        echo "./$file"
    done | sort >"$root/mine"
    make -s -C "$builddir" uninstall DESTDIR="$root" || return 1
    (cd "$P" && find . -type f -o -type l) | sort | diff "$root/mine" -
}
check "make uninstall" removes_its_own
finish

# --with-symbol-prefix=l: all names have a prefix, and both builds work in one process.
name=prefix
. "$srcdir/test/packaging/consumers/built.sh"
! has_sanitizers || skip_all 'sanitizers change the link lines'
MPICC=$(sed -n 's/^MPICC = //p' "$builddir/Makefile")
grep -q '^#define HAVE_MPI ' "$builddir/config.h" || MPICC=no-such-mpicc
export MPICC
check "builds" builds --with-symbol-prefix=l
check "sionconfig prints archives that exist" sionconfig_is_right
names_archives() {
    # shellcheck disable=SC2046
    test "$(echo $("$P/bin/sionconfig" --libs))" = \
        "-L$P/lib -llsionser_64 -llsioncom_64 -llsioncom_64_lock_none" &&
        ! ls "$P"/lib | grep '^libsion'
}
check "archives are called liblsion*" names_archives
only_new_names() {
    for archive in "$P"/lib/*.a; do
        nm -g --defined-only "$archive" | awk 'NF == 3 { print $3 }' | sort -u
    done | grep -E 'sion|SION' |
        grep -vE '^(_?ls(c?ion_|ionlib)|lfsion_|__lsion_(f[0-9a-z_]*|array)_MOD_|_Z.*(lsionlib|lSION_Base)|[.]gomp_critical_user_lscion_)' \
            >"$root/others"
    cat "$root/others"
    [ ! -s "$root/others" ]
}
check "every symbol has the prefix" only_new_names
modules() {
    [ ! -d "$P/include/mod_64" ] || { [ -f "$P/include/mod_64/lsion_f90.mod" ] &&
        [ -f "$P/include/mod_64/lsion_array.mod" ] && ! ls "$P"/include/mod_64 | grep '^sion'; }
}
check "modules have the prefix" modules

cat >"$root/part.c" <<'END'
#include <sion.h>
#include <string.h>

/* Write a container with this flavour. */
int PART(const char *name)
{
    int ntasks = 1, nfiles = 1, fsblksize = 512, rank = 0, *ranks = &rank, sid;
    long long size = 100, *sizes = &size;
    char file[100];

    strcpy(file, name);
    sid = sion_open(file, "w", &ntasks, &nfiles, &sizes, &fsblksize, &ranks, 0);
    if (sid < 0 || sion_fwrite("hello", 1, 5, sid) != 5)
        return 1;
#ifdef OTHER_OPEN
    if (OTHER_OPEN("inner.sion") != 0)
        return 1;
#endif
    return sion_fwrite("world", 1, 5, sid) != 5 || sion_close(sid) != 1;
}
END
cat >"$root/main.c" <<'END'
int usual(const char *name);
int renamed(const char *name);
int main(void)
{
    return usual("outer.sion");
}
END
both_in_one() {
    cd "$root" || return 1
    make -s -C "$builddir" install DESTDIR="$root/usual" || return 1
    U=$root/usual$(sed -n 's/^prefix = //p' "$builddir/Makefile")
    cat >declare.h <<'END'
int renamed(const char *name);
END
    ${CC:-cc} -I"$P/include" -DPART=renamed -c part.c -o renamed.o &&
        ${CC:-cc} -I"$U/include" -include declare.h -DPART=usual -DOTHER_OPEN=renamed -c part.c \
            -o usual.o &&
        ${CC:-cc} main.c usual.o renamed.o -o both -L"$U/lib" -lsionser_64 -lsioncom_64 \
            -lsioncom_64_lock_none -L"$P/lib" -llsionser_64 -llsioncom_64 -llsioncom_64_lock_none &&
        ./both && "$U/bin/siondump" outer.sion && "$P/bin/siondump" inner.sion &&
        nm both | grep ' T sion_open$' && nm both | grep ' T lsion_open$'
}
check "both builds in one process" both_in_one
# The name of the variable that switches on the trace has the prefix, too.
environment() {
    cd "$root" || return 1
    SION_DEBUG=usual.trace LSION_DEBUG=renamed.trace SION_DEBUG_MASK=1 LSION_DEBUG_MASK=1 ./both &&
        grep outer.sion usual.trace* && ! grep inner.sion usual.trace* &&
        grep inner.sion renamed.trace* && ! grep outer.sion renamed.trace*
}
check "each build has its own environment variables" environment
fortran() {
    cd "$root" || return 1
    FC=$(sed -n 's/^FC = //p' "$builddir/Makefile")
    sed 's/sion_f90/lsion_f90/; s/fsion_/lfsion_/' "$source/test/packaging/consumers/serial.f90" >renamed.f90
    # shellcheck disable=SC2046
    "$FC" renamed.f90 -o renamed_f90 $("$P/bin/sionconfig" --f90 --cflags) \
        $("$P/bin/sionconfig" --f90 --libs) && ./renamed_f90
}
[ ! -f "$P/lib/liblsionser_f90_64.a" ] || check "a Fortran program" fortran
fortran_arrays() {
    cd "$root" || return 1
    FC=$(sed -n 's/^FC = //p' "$builddir/Makefile")
    sed 's/use sion_/use lsion_/; s/fsion_/lfsion_/' "$source/test/packaging/consumers/array.f90" >arrays.f90
    # shellcheck disable=SC2046
    "$FC" arrays.f90 -o arrays_f90 $("$P/bin/sionconfig" --array --f90 --cflags) \
        $("$P/bin/sionconfig" --array --f90 --libs) && ./arrays_f90
}
[ ! -f "$P/lib/liblsionarray_f90_64.a" ] || check "a Fortran program with arrays" fortran_arrays
cxx() {
    cd "$root" || return 1
    CXX=$(sed -n 's/^CXX = //p' "$builddir/Makefile")
    # shellcheck disable=SC2046
    $CXX "$source/test/packaging/consumers/serial.cc" -o renamed_cxx $("$P/bin/sionconfig" --cxx --cflags) \
        $("$P/bin/sionconfig" --cxx --libs) && ./renamed_cxx
}
[ ! -f "$P/lib/liblsionser_cxx_64.a" ] || check "a C++ program, with unchanged names" cxx
finish

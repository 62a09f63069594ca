# The shared libraries export what their maps list, and nothing else; a library does not load with
# those of another build.
. "$srcdir/test/harness.sh"
ls "$builddir"/.libs/libsion.so >/dev/null 2>&1 || skip_all 'no shared libraries'
command -v nm >/dev/null || skip_all 'no nm'
! has_sanitizers || skip_all 'sanitizers change the libraries'
grep -q '^OPENMP_CFLAGS = -' "$builddir/Makefile" || skip_all 'some functions need OpenMP'

# listed MAP: "name version"
listed() {
    awk '/ \{$/ { node = $1 } /^    [a-z_]/ { sub(/;/, ""); list[++n] = $1 " " node }
        END { for (i = 1; i <= n; i++) print list[i] }' "$1" | sort
}
exported() {
    nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }' | sed 's/@@*/ /' | sort
}
exports_its_list() {
    listed "$builddir/src/abi/$1.map" >"$scratch/listed"
    exported "$builddir/.libs/$1.so" >"$scratch/exported"
    test -s "$scratch/listed" && diff "$scratch/listed" "$scratch/exported"
}
# The maps of C++ and Fortran have patterns in place of names.
for library in "$builddir"/.libs/libsion*.so; do
    name=$(basename "$library" .so)
    test ! -e "$srcdir/src/abi/$name.map.in" || check "$name exports what its map lists" exports_its_list "$name"
done

# A libsion of another build has the same functions, but those for other libraries in another node.
other_build() {
    node=$(awk '/^SCION_PRIVATE/ { print $1 }' "$builddir/src/abi/libsion.map")
    test -n "$node" && sed "s/^$node /SCION_PRIVATE_other /" "$builddir/src/abi/libsion.map" >"$scratch/other.map" &&
        listed "$scratch/other.map" | sed 's/^\([a-z_]*\) .*/void \1(void); void \1(void) {}/' >"$scratch/other.c" &&
        mkdir -p "$scratch/lib" &&
        $CC -w -shared -fPIC -o "$scratch/lib/libsion.so.0" "$scratch/other.c" -Wl,-soname,libsion.so.0 \
            -Wl,--version-script="$scratch/other.map"
}
refuses_it() {
    cat >"$scratch/load.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;

    if (!library)
        puts(dlerror());
    return !library;
}
END
    $CC -o "$scratch/load" "$scratch/load.c" -ldl &&
        LD_LIBRARY_PATH=$builddir/.libs "$scratch/load" "$1" && # with its own
        ! LD_LIBRARY_PATH=$scratch/lib:$builddir/.libs "$scratch/load" "$1" >"$scratch/said" &&
        cat "$scratch/said" && grep -q "version .SCION_PRIVATE_[0-9.]*_[0-9]*. not found" "$scratch/said"
}
if check 'a library of another build is made' other_build; then
    for name in libsion_array libsion_scr libsion_fti libsion_mpi; do
        test ! -e "$builddir/.libs/$name.so" ||
            check "$name does not load with libsion of another build" refuses_it "$builddir/.libs/$name.so"
    done
fi
finish

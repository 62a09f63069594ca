# Runs with musl what depends on the C library's stdio: the inside of musl's FILE is hidden, and it
# handles buffers in another way.
if ! command -v musl-gcc > /dev/null 2>&1; then
    echo "1..1"
    echo "ok 1 - streams with musl # SKIP no musl-gcc"
    exit 0
fi
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
sed 's/^#define HAVE_FILE__FILENO .*//; s/^#define HAVE_ZSTD .*//' "$builddir/config.h" > "$folder/config.h"
set --
for name in byteorder crc crc32c crc_sum shuffle zstd mode_compress env error escape fail handles json log memory mode numerals trace lock lock_none; do
    set -- "$@" "$srcdir/src/base/$name.c"
done
status=0
number=0
echo "1..5"
for test in vfs/app_file stream/export stream/read stream/write stream/property; do
    number=$((number + 1))
    if musl-gcc -std=gnu11 -static -D_GNU_SOURCE -DSCION_LIBDIR="\"/usr/lib\"" -include "$folder/config.h" -I"$srcdir/src" -I"$srcdir/include" \
            -I"$srcdir/test" -o "$folder/test" "$srcdir/test/src/$test.c" \
            "$srcdir"/src/stream/*.c "$srcdir"/src/format/slot.c "$srcdir"/src/format/frames.c "$srcdir"/src/format/damage.c "$srcdir"/src/geometry/*.c "$srcdir/src/vfs/app_file.c" \
            "$srcdir/src/vfs/vfs.c" "$srcdir/src/vfs/transfer.c" "$srcdir/src/vfs/harm.c" "$srcdir/src/vfs/view.c" "$srcdir/src/vfs/system.c" "$srcdir/src/vfs/fault.c" "$srcdir/src/vfs/inject.c" "$@" > "$folder/log" 2>&1 &&
        "$folder/test" > "$folder/log" 2>&1; then
        echo "ok $number - $test with musl"
    else
        sed 's/^/# /' "$folder/log"
        echo "not ok $number - $test with musl"
        status=1
    fi
done
exit $status

# sionarray copy: the same arrays with other codecs.
. "$srcdir/test/harness.sh"
cd "$builddir" || exit 99
tool=$builddir/sionarray
make=$builddir/test/src/array/make
golden=$(cd "$srcdir" && pwd)/test/golden/array
cd "$scratch" || exit 99

# run COMMAND...: prints into out and err
run() {
    "$tool" "$@" >out 2>err
    status=$?
}
failed_with() {
    test "$status" -eq "$1" && grep -qF -- "$2" err && test "$(wc -l <err)" -eq 1 && ! test -s out
}
# lines FILE: one for each array, without what depends on codecs
lines() {
    "$tool" ls -j "$1" | sed 's/, "stored": [0-9]*, "codec": "[^"]*"//; s/"index": "[a-z ]*"//'
}
# codec FILE ARRAY
codec() {
    "$tool" ls -j "$1" "$2" | sed -n 's/.*"codec": "\([^"]*\)".*/\1/p'
}
stored() {
    "$tool" ls -j "$1" "$2" | sed -n 's/.*"stored": \([0-9]*\),.*/\1/p'
}
# same_data A B ARRAY...: all elements, of all steps
same_data() {
    one=$1 two=$2
    shift 2
    rm -rf one two && mkdir one two && "$tool" export -R -o one "$one" "$@" &&
        "$tool" export -R -o two "$two" "$@" && diff -r one two
}
# same A B: definitions, attributes, steps, blocks, ranges and elements
same() {
    lines "$1" >a.lines && lines "$2" >b.lines && test -s a.lines && diff a.lines b.lines &&
        same_data "$1" "$2"
}
no_rest() {
    test -z "$(ls -A | grep '^\.')"
}

check 'a container with arrays' "$make" x.sion
run copy --codec=none x.sion plain.sion
check 'copy of plain arrays' sh -c 'test "$1" -eq 0 && ! test -s out && ! test -s err' - "$status"
check 'they are the same' same x.sion plain.sion
check 'and have their CRCs' sh -c '"$1" stats plain.sion | grep -q "^T: .* 8 of 8 blocks have a CRC"' - "$tool"
check 'sionverify finds no damage' sh -c '"$1/sionverify" plain.sion >/dev/null' - "$builddir"
check 'nothing is left beside' no_rest
"$make" empty.sion empty || exit 99
run copy -c none empty.sion steps.sion
check 'a step without elements' same empty.sion steps.sion
"$make" none.sion none || exit 99
run copy -c zstd none.sion nothing.sion
check 'no arrays' sh -c 'test "$1" -eq 0 && test "$("$2" info nothing.sion)" = "nothing.sion: 0 arrays"' - "$status" "$tool"
"$make" names.sion names || exit 99
run copy -c none names.sion renamed.sion
check 'attributes and names' sh -c 'test "$1" = "$2"' - "$(lines names.sion)" "$(lines renamed.sion)"
run copy -c none "$golden/grown.sion" golden.sion
check 'three sessions' same "$golden/grown.sion" golden.sion
run copy -c none "$golden/../grown/g06.sion" golden.sion
check 'the newest generation' same "$golden/../grown/g06.sion" golden.sion
for which in -1 all; do
    run copy --generation=$which -c none "$golden/../grown/g06.sion" older.sion
    check "generation $which" sh -c 'test "$("$1" dump "$2" T)" = "$("$1" dump --generation=$3 "$4" T)"' - \
        "$tool" older.sion "$which" "$golden/../grown/g06.sion"
    check "its steps" test "$("$tool" ls -j older.sion T | grep -o 'steps.*blocks')" = \
        "$("$tool" ls --generation=$which -j "$golden/../grown/g06.sion" T | grep -o 'steps.*blocks')"
done
"$builddir/siondefrag" --files=2 x.sion set.sion >/dev/null || exit 99
run copy -c none set.sion one.sion
check 'a set of files' same x.sion one.sion
SION_KEYVALUE_MODE=inline SION_COMPRESS=zstd SION_STAGE=$scratch SION_RECOVER=1 run copy -c none x.sion env.sion
check 'what the environment wants of containers does not matter' same x.sion env.sion
(umask 077 && cp x.sion private.sion)
chmod 600 private.sion
run copy -c none private.sion private2.sion
check 'permissions are those of the input' test "$(ls -l private2.sion | cut -c 1-10)" = -rw-------

check 'a block of another machine' "$make" swapped.sion swapped
run copy -c none swapped.sion turned.sion
check 'is one of this machine' test "$("$tool" dump turned.sion T) $("$tool" dump swapped.sion T)" = \
    '1 2.5 -3 1000000000 1 2.5 -3 1000000000'

# ---- what is refused ----

cp x.sion before.sion
run copy x.sion new.sion
check 'no codec' failed_with 1 '-c'
run copy -c zip x.sion new.sion
check 'no such codec' failed_with 2 "codec 'zip': it takes zstd or"
run copy -c nothing=none x.sion new.sion
check 'no such array' failed_with 2 'there is no array nothing'
run copy -c T=zip x.sion new.sion
check 'no such codec of an array' failed_with 2 "array T: codec 'zip': it takes zstd or"
run copy -c none x.sion x.sion
check 'into itself' failed_with 2 'x.sion'
check 'which stays as it was' cmp x.sion before.sion
run copy -c none set.sion set.sion.000001
check 'into another file of itself' failed_with 2 'set.sion.000001'
run copy -c none x.sion nowhere/y.sion
check 'into no folder' failed_with 2 'nowhere/y.sion'
run copy -c none nowhere.sion new.sion
check 'no such container' failed_with 2 'nowhere.sion'
"$make" foreign.sion foreign || exit 99
run copy -c none foreign.sion new.sion
check "bytes that are the program's" failed_with 2 'task 0 has bytes at 144 of its stream that are of no array'
run copy -c none "$golden/two_tasks.sion" new.sion
check 'before all of its arrays' failed_with 2 'task 1 has bytes at 0 of its stream that are of no array'
cp x.sion damaged.sion
position=$(LC_ALL=C grep -aboP '\x89SIONARR\x01\x00\x01\x00' damaged.sion | head -n 1 | cut -d: -f1)
printf X | dd of=damaged.sion bs=1 seek=$((position + 128 + 3)) conv=notrunc 2>/dev/null
echo old >old.sion
run copy -c none damaged.sion old.sion
check 'data that do not fit their CRC' failed_with 2 'do not fit their CRC'
check 'the old file stays' test "$(cat old.sion)" = old
cp x.sion headless.sion
for position in $(LC_ALL=C grep -aboP '\x89SIONARE' headless.sion | cut -d: -f1) \
    "$(LC_ALL=C grep -aboP '\x89SIONARR\x01\x00\x01\x00' headless.sion | head -n 1 | cut -d: -f1)"; do
    printf X | dd of=headless.sion bs=1 seek=$((position + 20)) conv=notrunc 2>/dev/null
done
run copy -c none headless.sion new.sion
check 'a damaged header' sh -c 'test "$1" -eq 2 && grep -q "^sionarray: .*header.* damaged" err && ! test -e new.sion' - "$status"
check 'nothing is made, and nothing left' sh -c '! test -e new.sion && test -z "$(ls -A | grep "^\.")"'

# ---- compression ----

if "$make" coded.sion coded 2>/dev/null; then
    run copy -c none coded.sion plain.sion
    check 'compressed arrays become plain' same coded.sion plain.sion
    check 'all of them' test -z "$(codec plain.sion T)$(codec plain.sion p)$(codec plain.sion cube)"
    run copy --codec zstd,shuffle --codec=p=zstd:19 -c odd=none x.sion small.sion
    check 'plain ones are compressed' same x.sion small.sion
    check 'each as was said' test "$(codec small.sion T) $(codec small.sion p) $(codec small.sion odd)" = \
        'zstd,shuffle zstd '
    check 'CRCs are there' sh -c '"$1" stats small.sion | grep -q "^T: .* 8 of 8 blocks have a CRC, which is right"' - "$tool"
    "$make" large.sion large || exit 99
    run copy -c zstd:3,shuffle large.sion packed.sion
    check 'a large array' same large.sion packed.sion
    check 'the file is smaller, also by its length' test "$(wc -c <packed.sion)" -lt $(($(wc -c <large.sion) / 2))
    run copy -c T=none coded.sion part.sion
    check 'one array is changed' same coded.sion part.sion
    check 'the others stay as they are stored' sh -c 'test "$1" = "$2"' - \
        "$(stored coded.sion p) $(stored coded.sion cube) $(stored coded.sion noise)" \
        "$(stored part.sion p) $(stored part.sion cube) $(stored part.sion noise)"
    check 'two sessions' "$make" appended.sion appended
    run copy -c p=none appended.sion new.sion
    check 'of two codecs of an array one is to be chosen' failed_with 2 \
        'array T: some of its blocks have the codec zstd,shuffle, and some zstd: choose one (--codec)'
    run copy -c T=zstd,shuffle appended.sion joined.sion
    check 'then they have it' test "$(codec joined.sion T)" = zstd,shuffle
    check 'with the blocks of both' same appended.sion joined.sion
    run copy -c T=none "$golden/coded.sion" golden.sion
    check 'compressed arrays of the golden files' same "$golden/coded.sion" golden.sion
    check 'the stream may be compressed itself' sh -c '"$1/siondefrag" --compress=zstd x.sion zipped.sion >/dev/null' - "$builddir"
    run copy -c zstd,shuffle swapped.sion turned.sion
    check 'a block of another machine' test "$("$tool" dump turned.sion T)" = '1 2.5 -3 1000000000'
    run copy -c zstd zipped.sion small.sion
    check 'its arrays are those' same x.sion small.sion
else
    skip 'compressed arrays' 'no libzstd'
fi
if "$make" lossy.sion lossy 2>/dev/null; then
    run copy -c T=zfp:accuracy=1e-3 x.sion z.sion
    check 'zfp' test "$status $(codec z.sion T)" = '0 zfp'
    check 'of one array' same_data x.sion z.sion p cube odd
    run copy -c zfp:rate=8 x.sion z.sion
    check 'zfp takes no integers' failed_with 2 'array cube: zfp takes f32 and f64'
    mkdir -p none && : >none/libzfp.so.1
    LD_LIBRARY_PATH=$scratch/none "$tool" copy -c cube=none lossy.sion z.sion
    check 'what stays needs no libzfp' test $? -eq 0
    check 'and loses nothing more' same lossy.sion z.sion
    run copy -c T=none lossy.sion z.sion
    check 'out of zfp' same lossy.sion z.sion
else
    skip 'arrays that zfp has compressed' 'no libzfp'
fi
finish

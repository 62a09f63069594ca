# sionarray: what it prints and exports, and how other packages read the exports in place.
. "$srcdir/test/harness.sh"
cd "$builddir" || exit 99
tool=$builddir/sionarray
python=
for candidate in python3 /usr/bin/python3; do # the one with numpy
    test -n "$python" || ! "$candidate" -c 'import numpy' 2>/dev/null || python=$candidate
done
scripts=$(cd "$srcdir" && pwd)/test/src/array
golden=$(cd "$srcdir" && pwd)/test/golden/array/two_tasks.sion
file=$scratch/x.sion
check 'a container with arrays' ./test/src/array/make "$file"
cd "$scratch" || exit 99

# run COMMAND...: prints into out and err
run() {
    "$tool" "$@" >out 2>err
    status=$?
}
# printed TEXT: the last run has printed exactly this
printed() {
    printf '%s\n' "$1" | diff - out
}
failed_with() {
    test "$status" -eq "$1" && grep -qF -- "$2" err && test "$(wc -l <err)" -eq 1 && ! test -s out
}

run ls x.sion
check 'ls' printed 'name  type  shape   steps   blocks          min          max      bytes
T     f64   8x6         2        8          1.5          710      768 B
p     f64   8x6         2        8          1.5          710      768 B
cube  i32   4x3x2       1        3            0           17       72 B
odd   f32   16          1        4            1            7       64 B'
run ls -j x.sion cube
check 'ls --json' printed '{"schema": "sionarray", "schema_version": 1, "index": "complete", "attributes": {"title": "a \"test\""}, "arrays": [
  {"name": "cube", "type": "i32", "shape": [4, 3, 2], "steps": [0], "blocks": 3, "bytes": 72, "stored": 72, "codec": "", "min": 0, "max": 17, "attributes": {"_FillValue": "-7"}}]}'
run info x.sion T
check 'info' printed 'x.sion: 4 arrays, index complete
title: a "test"
T
  type:   f64
  shape:  8x6
  steps:  2, 3 to 10
  blocks: 8, 768 B
  range:  1.5 to 710
  units: K
  dimensions: y x'
run dump -t 3 -s 3:5,2:4 x.sion T
check 'dump of a slice, over four blocks' printed '303.5 304.5
403.5 404.5'
run dump --csv -s 2:4,2,: x.sion cube
check 'dump --csv, with the fill value' printed '16,17

-7,-7'
run stats x.sion odd
check 'stats' printed 'odd: 16 elements, 2 NaN, min 1, max 7, mean 3, deviation 1.92724822, 4 of 4 blocks have a CRC, which is right'

check 'arrays of complex numbers' "$builddir/test/src/array/make" complex.sion complex
run stats complex.sion
check 'stats of complex numbers' printed 'z: 4 elements, 2 NaN, min -, max -, mean 2+3j, deviation 1.41421356, 0 of 1 block have a CRC, which is right
nan: 4 elements, 4 NaN, min -, max -, mean nan, deviation nan, 0 of 1 block have a CRC, which is right'
run stats -j complex.sion
check 'stats --json of complex numbers' printed '[{"name": "z", "elements": 4, "nan": 2, "mean": [2, 3], "deviation": 1.4142135623730951, "blocks": 1, "with_crc": 0}, {"name": "nan", "elements": 4, "nan": 4, "blocks": 1, "with_crc": 0}]'
check 'a container without arrays' "$builddir/test/src/array/make" none.sion none
run info none.sion
check 'info of a container without arrays' printed 'none.sion: 0 arrays'
run info -j none.sion
check 'info --json of a container without arrays' grep -q '"index": "none", .*"arrays": \[\]}$' out

run ls nowhere.sion
check 'no such file' failed_with 2 'nowhere.sion'
run dump x.sion nothing
check 'no such array' failed_with 2 'there is no array nothing'
run dump -s 1,2,3 x.sion T
check 'a slice of too many dimensions' failed_with 1 "slice '1,2,3'"
run dump -s 1:9,2 x.sion T
check 'a slice outside' failed_with 1 "slice '1:9,2'"
run dump -t 4 x.sion T
check 'no such step' failed_with 1 'array T has no step 4'
"$builddir/test/src/array/make" empty.sion empty || exit 99
run dump -t 4 empty.sion T
check 'a step in which all blocks are empty' printed '-7 -7'
run refs x.sion odd
check 'refs of blocks that form no grid' failed_with 2 'array odd: its blocks do not form a regular grid'
check 'and that message names the ways out' grep -q 'sionarray export --npy .* naming the other arrays leaves it out' err
run refs x.sion T odd
check 'refs print nothing if one array cannot be read so' failed_with 2 'array odd: '
run refs -o /dev/stdout x.sion T odd
check 'nor to a descriptor' failed_with 2 'array odd: '
run plot x.sion cube
check 'plot of three dimensions' failed_with 1 'cut the others with --slice'
run refs -o x.sion x.sion T
check 'the input cannot be the output' failed_with 2 'x.sion is a file of the input'
run refs -o . x.sion T
check 'a folder cannot be the output' failed_with 2 'cannot write .: Is a directory'
run plot -o nowhere/x.png x.sion T
check 'nor a file in a missing folder' failed_with 2 'cannot write nowhere/x.png: No such file or directory'
for spacing in nan inf -inf 1e400 1,nan 0 -1 1,2,3 x; do
    run xdmf -p "$spacing" x.sion T
    check "xdmf --spacing $spacing" failed_with 1 "not '$spacing'"
done
run xdmf x.sion odd
check 'xdmf of one dimension' failed_with 2 'two or three dimensions'

# A byte of data changes, so its CRC is wrong.
cp x.sion damaged.sion
position=$(LC_ALL=C grep -aboP '\x89SIONARR\x01\x00\x01\x00' damaged.sion | head -n 1 | cut -d: -f1)
printf X | dd of=damaged.sion bs=1 seek=$((position + 128 + 3)) conv=notrunc 2>/dev/null
run stats -j x.sion odd
check 'stats --json' grep -q '^\[{"name": "odd", .*"mean": 3, "deviation": 1\.9272482.*"with_crc": 4}\]$' out
run stats damaged.sion
check 'stats finds data that do not match their CRC, and goes on' sh -c 'test "$1" -eq 2 &&
    test "$(wc -l <err)" -eq 1 && grep -qF "do not fit their CRC" err && grep -q "^odd: 16 " out' - "$status"

# Without indexes, a block whose header is damaged is not found.
cp x.sion headless.sion
for position in $(LC_ALL=C grep -aboP '\x89SIONARE' headless.sion | cut -d: -f1) \
    "$(LC_ALL=C grep -aboP '\x89SIONARR\x01\x00\x01\x00' headless.sion | head -n 1 | cut -d: -f1)"; do
    printf X | dd of=headless.sion bs=1 seek=$((position + 20)) conv=notrunc 2>/dev/null
done
run ls headless.sion
check 'a damaged header causes a warning' sh -c 'test "$1" -eq 0 &&
    grep -q "^T  *f64  *8x6  *2  *7 " out && grep -qF "headless.sion: 1 header of records is damaged, so their blocks are missing" err' - "$status"
run dump -t 3 headless.sion T
check 'no fill value is printed for its block' sh -c 'test "$1" -eq 2 && test ! -s out &&
    grep -qF "task 0 is damaged, so blocks with elements of this part may be missing" err' - "$status"

check 'arrays of extreme numbers' "$builddir/test/src/array/make" extremes.sion extremes
for slice in 9223372036854775807,0 99999999999999999999,0 2,0 -1,0 0,3:2 0,0:9223372036854775807; do
    run dump -s "$slice" extremes.sion large
    check "dump: $slice is no slice" failed_with 1 "slice '$slice' does not fit array large"
done
run stats -j extremes.sion large infinite
check 'stats --json has no infinity, and the mean of large numbers is right' \
    grep -q '"mean": 8\.2[0-9]*e+307, "deviation": null.*"mean": null' out
if command -v python3 >/dev/null; then
    check 'it is JSON' python3 -m json.tool out
fi
run plot extremes.sion large
check 'plot of large numbers' printed '@ 
@@
large, step 0: -1.7e+308 to 1.7e+308'
run plot extremes.sion tiny
check 'plot of a range that has no half' grep -q '^tiny, step 0: 0 to 4.94066e-324$' out
run plot extremes.sion infinite
check 'plot without a finite element' printed '??
??
infinite, step 0: no finite element'
run plot extremes.sion none
check 'plot of no element' failed_with 1 'the part to be shown has no elements'
run plot extremes.sion nothing
check 'plot of no element in four dimensions' failed_with 1 'the part to be shown has no elements'

run export -o raw --raw x.sion cube
check 'export --raw' sh -c 'test "$(wc -c <raw/cube.raw)" -eq 96 && od -An -tdI raw/cube.raw |
    tr -s " \n" " " | grep -q " 15 16 17 -7 -7 -7 -7 -7 -7 $"'
umask 022
for permissions in 600 640 666; do
    chmod $permissions x.sion
    rm -rf out.*
    run refs -o out.json x.sion T
    run xdmf -o out.xdmf x.sion T
    run plot -o out.svg x.sion T
    run export -o out.npy x.sion T
    wanted=$(test $permissions = 666 && echo 644 || echo $permissions)
    check "outputs of a file of permissions $permissions" test \
        "$(stat -c %a out.json out.xdmf out.svg out.npy/T.npy | tr '\n' ' ')" = "$wanted $wanted $wanted $wanted "
done
run plot -o picture.svg x.sion T
check 'plot: an SVG' sh -c 'test $(grep -c "<rect x" picture.svg) -eq 48 && grep -q "T, step 10: 5 to 710" picture.svg'
run plot -t 3 x.sion T
check 'plot: characters' sh -c 'test $(wc -l <out) -eq 9 && head -n 1 out | grep -q "^      $" && sed -n 8p out | grep -q "^@@@@@@$"'
run plot -o picture.png x.sion T
check 'plot: a PNG' test "$status" -eq 0
if test -n "$python"; then
    check 'plot: each pixel of the PNG' "$python" -B "$scripts/others.py" png
else
    skip 'plot: each pixel of the PNG' 'no numpy'
fi

# numpy, zarr, xarray and VTK, if they are installed
others='numpy fsspec zarr xarray'
run export -o npy x.sion
check 'export --npy' test "$status" -eq 0
run refs -o x.json x.sion T p cube
check 'refs' test "$status" -eq 0
check 'an array of integers' "$builddir/test/src/array/make" numbers.sion large
run refs -o numbers.json numbers.sion
check 'refs of integers' test "$status" -eq 0
run refs -o steps.json "$golden" T
check 'refs of step 0' test "$status" -eq 0
run refs -o grows.json x.sion cube
check 'refs: an array of one step has no dimension for it' grep -qF '\"shape\": [4, 3, 2]' grows.json
run refs --update -o grows.json x.sion cube
check 'refs --update' test "$status" -eq 0
check 'refs --update: it has one' grep -qF '\"shape\": [1, 4, 3, 2]' grows.json
check 'refs --update: with a coordinate' grep -qF 'step/.zarray' grows.json
run refs --update x.sion cube
check 'refs --update without a file' failed_with 1 '--update needs the name of the file (--output)'
run refs -o /dev/full x.sion T
check 'refs to a full disk' failed_with 2 'cannot write /dev/full: No space left on device'
run xdmf -o x.xdmf --spacing 0.5 x.sion
check 'xdmf' test "$status" -eq 0
check 'xdmf: each block has both arrays' test "$(awk '/<Attribute/ { split($0, name, "\""); printf "%s", name[2] }' x.xdmf)" = \
    TpTpTpTpTpTpTpTp
check 'arrays of all types' "$builddir/test/src/array/make" types.sion types
run xdmf -o types.xdmf types.sion
check 'xdmf leaves out unsigned numbers of 64 bits, and says so' sh -c \
    'test "$1" -eq 0 && grep -q "array u64: .*, so it is left out$" err && test $(wc -l <err) -eq 1' - "$status"
check 'xdmf: the names that XDMF has for types' test "$(awk '/<Attribute/ {
    split($0, part, "\""); printf "%s %s %s, ", part[2], part[10], part[12] }' types.xdmf)" = \
    'i8 Char 1, u8 UChar 1, i16 Short 2, u16 UShort 2, i32 Int 4, u32 UInt 4, i64 Int 8, f32 Float 4, f64 Float 8, '
check 'xdmf: all items have their format and type' sh -c 'test $(grep -o "<DataItem" types.xdmf | wc -l) -eq 11 &&
    ! grep -o "<DataItem [^>]*>" types.xdmf | grep -v "Format=\".*\" NumberType=\".*\" Precision=\".\" .*Dimensions=\""'
run xdmf types.sion i8 u64
check 'xdmf of unsigned numbers of 64 bits' failed_with 2 'array u64: readers of XDMF have no unsigned numbers of 64 bits'
check 'and that message names the way out' grep -q 'sionarray export' err
check 'arrays with different steps and blocks' "$builddir/test/src/array/make" mixed.sion mixed
run xdmf -o mixed.xdmf mixed.sion
check 'xdmf of them' sh -c 'test "$1" -eq 0 && ! test -s err' - "$status"
check 'xdmf: all blocks of all arrays, and each box once' test "$(awk '
    /<Time/ { split($0, part, "\""); printf "%s:", part[2] }
    /<Grid.*Uniform/ { printf " " }
    /<Attribute/ { split($0, part, "\""); printf "%s", part[2] }
    /^    <.Grid>/ { printf "; " }' mixed.xdmf)" = \
    '0: Tq p p p p Tq Tq Tq; 1: q p p p p q q q; '
run xdmf mixed.sion empty
check 'xdmf of an array without blocks' failed_with 2 'the arrays have no blocks'
check 'arrays with unusual names' "$builddir/test/src/array/make" names.sion names
if "$builddir/test/src/array/make" coded.sion coded 2>/dev/null; then
    run ls coded.sion
    check 'ls: how much compressed arrays shrink' awk '
        NR == 1 { good = $(NF - 1) == "ratio" && $NF == "codec" }
        $1 == "T" { good = good && $NF == "zstd,shuffle" && $(NF - 1) > 1 }
        $1 == "p" { good = good && $NF == "zstd" }
        $1 == "noise" { good = good && $(NF - 1) > 0.9 && $(NF - 1) < 1.1 }
        $1 == "odd" { good = good && $NF == "-" && $(NF - 1) == 1.00 }
        END { exit !(good && NR == 6) }' out
    run info coded.sion T
    check 'info: the codec' grep -q '^  codec:  zstd,shuffle, [0-9]* B, ratio [0-9.]*$' out
    run ls -j coded.sion p
    check 'ls --json: the codec' grep -q '"bytes": 768, "stored": [0-9]*, "codec": "zstd", "min"' out
    run refs -o coded.json coded.sion T p cube noise
    check 'refs of compressed arrays' sh -c 'test "$1" -eq 0 && ! test -s err' - "$status"
    check 'refs: codecs as numcodecs has them' sh -c '
        grep "^.T/.zarray" coded.json | grep -qF "\"filters\\\": [{\\\"id\\\": \\\"shuffle\\\", \\\"elementsize\\\": 8}]" &&
        grep "^.p/.zarray" coded.json | grep -qF "\\\"compressor\\\": {\\\"id\\\": \\\"zstd\\\", \\\"level\\\": 1}, \\\"filters\\\": null"'
    if /usr/bin/python3 -c 'import zarr, xarray, fsspec' 2>/dev/null; then
        check 'refs: zarr and xarray read compressed blocks' /usr/bin/python3 -B "$scripts/others.py" coded
    else
        skip 'refs: zarr and xarray read compressed blocks' 'no xarray'
    fi
    run xdmf coded.sion T
    check 'xdmf of compressed blocks' failed_with 2 'array T: readers of XDMF have no compressed blocks'
    run xdmf -o coded.xdmf coded.sion
    check 'xdmf leaves them out, and says so' sh -c 'test "$1" -eq 2 && test $(grep -c "no compressed blocks" err) -eq 3' - "$status"
    # same_arrays FILE: its arrays are those of x.sion
    same_arrays() {
        for name in T p cube odd; do
            for part in dump 'dump -t 3'; do
                test "$name $part" = 'cube dump -t 3' || test "$name $part" = 'odd dump -t 3' ||
                    { "$tool" $part x.sion $name >x.out && "$tool" $part "$1" $name >coded.out &&
                        cmp x.out coded.out; } || return 1
            done
        done
    }
    check 'dump of compressed arrays' same_arrays coded.sion
    check 'export of them' sh -c '"$1" export -o coded.raw --raw coded.sion T && "$1" export -o x.raw --raw x.sion T &&
        cmp coded.raw/T.raw x.raw/T.raw' - "$tool"
    check 'stats of them' sh -c 'SION_ARRAY_CRC=1 "$2" crc.sion coded && "$1" stats crc.sion noise | grep -q "4 of 4 blocks have a CRC, which is right"' - \
        "$tool" "$builddir/test/src/array/make"
    check 'siondefrag preserves them' sh -c '"$1/siondefrag" -q 512 coded.sion defrag.sion >/dev/null' - "$builddir"
    check 'and all are read' same_arrays defrag.sion
    check 'siondiff finds no difference' "$builddir/siondiff" coded.sion defrag.sion
    check 'sionverify finds no damage' "$builddir/sionverify" defrag.sion
    check 'sionsplit and sionmerge preserve them' sh -c 'mkdir split && "$1/sionsplit" coded.sion split/ >/dev/null &&
        "$1/sionmerge" merged.sion split/* >/dev/null' - "$builddir"
    check 'and all are read, merged' same_arrays merged.sion
    mkdir none && : >none/libzstd.so.1
    # without COMMAND...: as run, without libzstd
    without() {
        LD_LIBRARY_PATH=$scratch/none "$@" >out 2>err
        status=$?
    }
    without "$tool" dump coded.sion T
    check 'without libzstd, a read says what is missing' failed_with 2 'compressed arrays need libzstd'
    without "$tool" dump coded.sion odd
    check 'arrays that are not compressed need none' test "$status" -eq 0
    without "$builddir/test/src/array/make" none.sion coded
    check 'nor can a codec be chosen' grep -q 'sion_array_codec: compressed arrays need libzstd' err
else
    skip 'compressed arrays' 'no libzstd'
fi

if "$builddir/test/src/array/make" lossy.sion lossy 2>/dev/null; then
    run refs -o lossy.json lossy.sion T p
    check 'refs of arrays that zfp has compressed say what readers need' sh -c 'test "$1" -eq 0 && test $(wc -l <err) -eq 2 &&
        grep -q "array T: it is compressed by zfp, so zarr reads it with the codec zfpy of numcodecs only" err' - "$status"
    if /usr/bin/python3 -c 'import zarr, fsspec, zfpy' 2>/dev/null; then
        check 'refs: zarr reads them with zfpy' /usr/bin/python3 -B "$scripts/others.py" lossy
    else
        skip 'refs: zarr reads them with zfpy' 'no zarr, or no zfpy'
    fi
    run ls lossy.sion T
    check 'ls: zfp' grep -q ' zfp$' out
    mkdir -p none && : >none/libzfp.so.1
    LD_LIBRARY_PATH=$scratch/none "$tool" dump lossy.sion T >out 2>err
    check 'without libzfp, a read says what is missing' grep -q 'codec zfp needs libzfp 1.0' err
else
    skip 'arrays that zfp has compressed' 'no libzfp'
fi

run refs -o names.json names.sion
check 'refs of them' test "$status" -eq 0
run info names.sion w
escaped='a\x1b[31m\nb\xc2\x9bc'
check 'info shows control characters as text' printed 'names.sion: 7 arrays, index complete
key: °
w
  type:   f64
  shape:  2
  steps:  2, 0 to 3
  blocks: 2, 32 B
  range:  0 to 4
  note: '"$escaped"
escape=$(printf 'names\033.sion')
cp names.sion "$escape"
run info "$escape" w
check 'and those of the container as well' grep -q '^names\\x1b.sion: 7 arrays' out
run export -o names names.sion
check 'export goes on after an array whose name is too long' sh -c 'test "$1" -eq 2 && test $(wc -l <err) -eq 1 &&
    grep -q "array n*\.\.\.: its name is too long for a file" err && test $(wc -c <err) -lt 120 &&
    test $(ls names | wc -l) -eq 6 && test -s names/U%2Fx.npy' - "$status"
matplotlib=
for candidate in python3 /usr/bin/python3; do
    ! "$candidate" -c 'import matplotlib, numpy' 2>/dev/null || matplotlib=$candidate
done
if test -n "$matplotlib"; then
    check 'plot.py draws an array in a group' sh -c '"$@" && test -s V.png' - env PATH="$builddir:$PATH" \
        "$matplotlib" -B "$scripts/../../../examples/plot.py" names.sion V/f 6 V.png
else
    skip 'plot.py draws an array in a group' 'no matplotlib (Debian: python3-matplotlib)'
fi
check 'refs are ASCII' sh -c '! LC_ALL=C grep -q "[^ -~]" names.json && grep -q "gr..u00f6..u00dfe" names.json &&
    grep -q "..ud83d..ude00" names.json'
check 'arrays that others cannot read' "$builddir/test/src/array/make" others.sion others
for name in /a a//b a/ .. a/../b a/.zarray 'a\b'; do
    run refs others.sion T "$name"
    check "refs: $name is no path" failed_with 2 "array $name: a part of its name"
done
run refs others.sion U U/x
check 'refs: an array in an array' failed_with 2 'array U/x: its group has the name of an array'
run refs -o step.json others.sion T T_step S
check 'refs keep the numbers of the steps, next to an array of this name' sh -c 'test "$1" -eq 0 &&
    grep -q "^.T_step_/0.: .base64:AAAAAAAAAAAFAAAAAAAAAA==" step.json && ! test -s err' - "$status"
run refs -o packed.json others.sion packed
check 'refs: numbers of attributes' sh -c 'test "$1" -eq 0 && grep -qF '\''\"scale_factor\": 0.5, \"add_offset\": 1, \"valid_range\": [0, 100.5], \"valid_min\": \"none\", \"missing_value\": 9007199254740993'\'' packed.json' - "$status"
# filled FILE ORDER: the references have the fill value of the cube as 32 bits of this order
filled() {
    case $2 in
    '<') fill=+f////n////5////+f////n////5//// ;;
    '>') fill=////+f////n////5////+f////n////5 ;;
    esac
    test "$status" -eq 0 && ! test -s err && grep -qF "$2i4" "$1" && grep -qF "\"cube/3.0.0\": \"base64:$fill\"" "$1"
}
run refs -o cube.json x.sion cube
order=$(grep -o '[<>]i4' cube.json | cut -c1)
check 'refs have the fill value where a block is missing' filled cube.json "$order"
if test -n "$python"; then
    check 'blocks of the other byte order' "$python" -B "$scripts/others.py" order
    run refs order.sion cube
    check 'and in the order of the others' filled out "$(echo "$order" | tr '<>' '><')"
else
    skip 'and in the order of the others' 'no numpy'
fi
check 'arrays of which many bytes are missing' "$builddir/test/src/array/make" sparse.sion sparse
run refs -o sparse.json sparse.sion wide
check 'refs warn of missing blocks that are large' sh -c 'test "$1" -eq 0 && test $(wc -l <err) -eq 1 &&
    grep -q "warning: array wide: where no block is" err && ! grep -q "wide/1" sparse.json' - "$status"
run refs -o sparse.json sparse.sion long
check 'and if there are many' sh -c 'test "$1" -eq 0 && test $(wc -l <err) -eq 1 &&
    grep -q "warning: array long: where no block is" err && ! grep -q "long/1" sparse.json' - "$status"
run refs sparse.sion half rest
check 'and if they are many together, once only' sh -c 'test "$1" -eq 0 && test $(wc -l <err) -eq 1 &&
    grep -q "warning: array rest: where no block is" err && grep -q "half/1023" out && ! grep -q "rest/1" out' - "$status"
run refs sparse.sion wide overlap
check 'but not next to an error' failed_with 2 'array overlap: '
run refs extremes.sion none
check 'and not of an array that needs no blocks' sh -c 'test "$1" -eq 0 && ! test -s err' - "$status"
run refs -o empty.json mixed.sion
check 'refs leave out an array without blocks, and say so' sh -c 'test "$1" -eq 0 && test $(wc -l <err) -eq 1 &&
    grep -q "warning: array empty: it has no blocks, so it is left out$" err && ! grep -q empty/ empty.json' - "$status"
run refs mixed.sion T empty
check 'refs of an array without blocks' failed_with 2 'array empty: it has no blocks'
check 'and that message names the way out' grep -q 'sionarray export' err
run refs -o group.json others.sion T S 'step/x'
check 'refs of steps, next to a group of this name' sh -c 'test "$1" -eq 0 &&
    grep -q "^.T_step/.zarray" group.json && ! grep -q "^.step/.zarray" group.json' - "$status"
run refs -o group.json others.sion T S 'S_step/y'
check 'refs of steps, next to a group of the name of their coordinate' sh -c 'test "$1" -eq 0 &&
    grep -q "^.S_step_/.zarray" group.json && ! grep -q "^.S_step/.zarray" group.json' - "$status"
check 'arrays in groups that take turns' "$builddir/test/src/array/make" turns.sion turns
run refs -o turns.json turns.sion
check 'refs have each key once' sh -c 'test "$1" -eq 0 && ! test -s err && test "$(grep -c "^\"" turns.json)" -eq 41 &&
    test -z "$(grep -o "^\"[^\"]*\"" turns.json | sort | uniq -d)"' - "$status"
check 'and each dimension a name of its own' sh -c 'grep "^.A/s/.zattrs" turns.json | grep -qF "[\\\"step\\\", \\\"s_0\\\"]" &&
    grep "^.q/.zattrs" turns.json | grep -qF "[\\\"step\\\", \\\"q_2\\\", \\\"x\\\", \\\"q_2_\\\", \\\"q_3\\\"]"' - "$status"
run xdmf others.sion overlap
check 'xdmf of blocks that overlap' failed_with 2 'array overlap: its blocks overlap; sionarray export'
run export --npy --raw -o two others.sion
check 'export in two forms' failed_with 1 'cannot be used together'
run refs -o same.json names.sion U/x
check 'refs of an array in a group' test "$status" -eq 0
run xdmf -o cube.xdmf -p 1,2,0.5 x.sion cube
check 'xdmf of three dimensions' test "$status" -eq 0
for module in $others xarray/names xarray/packed xarray/turns vtkmodules.vtkIOXdmf2 xdmf3; do
    test=$(basename "$module" .vtkIOXdmf2)
    module=${module%/*}
    if test -n "$python" && PYTHONPATH=$scripts "$python" -B -c "import $module" 2>/dev/null; then
        check "$test reads it" "$python" -B "$scripts/others.py" "$test"
    else
        skip "$test reads it" "no $module$(test $test != xdmf3 || echo ': no libXdmf.so.3 (Debian: libxdmf3)')"
    fi
done

# Without ranges, the rest is the same.
check 'arrays without ranges' env SION_ARRAY_RANGE=0 "$builddir/test/src/array/make" plain.sion
run ls plain.sion T
check 'ls without ranges' printed 'name  type  shape   steps   blocks          min          max      bytes
T     f64   8x6         2        8            -            -      768 B'
"$tool" stats x.sion >before
run stats plain.sion
check 'stats finds them in the data' same before out

# Other containers with the same streams have the same arrays.
"$tool" dump x.sion T >before
"$builddir/siondefrag" -q 512 x.sion defrag.sion >log 2>&1
run dump defrag.sion T
check 'siondefrag keeps arrays' same before out
"$builddir/sionsplit" x.sion parts >log 2>&1 && "$builddir/sionmerge" merged.sion parts* >>log 2>&1
run dump merged.sion T
check 'sionsplit and sionmerge keep arrays' same before out
"$builddir/sionmerge" turned.sion $(ls -r parts*) >>log 2>&1
run dump turned.sion T
check 'sionmerge of another order keeps arrays' same before out
run info merged.sion cube
check 'sionsplit and sionmerge keep the index' grep -q 'index complete' out

# Damaged numbers of a task: what needs only the index is shown with a warning, blocks are not.
# damaged TASK FILE
damaged()
{
    cp "$scratch/x.sion" "$2"
    python3 - "$2" "$1" <<'END'
import sys
name, task = sys.argv[1], int(sys.argv[2])
image = bytearray(open(name, "rb").read())
order = "big" if image[4] else "little"
tasks = int.from_bytes(image[24:28], order)
tables = int.from_bytes(image[1080 + 16 * tasks:1088 + 16 * tasks], order)
at = tables + 8 * tasks + 8 * task
image[at:at + 8] = (1 << 40).to_bytes(8, order)
open(name, "wb").write(image)
END
}

warned()
{
    [ "$status" -eq 0 ] && [ "$(grep -c "warning: .*of task $1 says .*: nothing is read of this task" err)" -eq 1 ]
}

refused()
{
    [ "$status" -eq 2 ] && grep -q "$1" err && [ ! -s out ]
}

if command -v python3 >/dev/null 2>&1; then
    damaged 1 task1.sion
    run ls task1.sion T
    check 'ls of a damaged task, by the index of all' warned 1
    check 'shows all blocks' grep -q '^T .* 8 .* 710 ' out
    run dump -t 3 task1.sion T
    check 'dump refuses it' refused 'of task 1 says'
    damaged 0 task0.sion
    run ls task0.sion T
    check 'ls without the index of all' warned 0
    check 'has no range' grep -q '^T .* - .* - ' out
    run dump -t 3 task0.sion T
    check 'dump refuses it, too' refused 'task 0 is damaged, and its blocks are not known'
fi
finish

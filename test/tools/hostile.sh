#!/bin/sh
# Containers that are meant to do harm: small files with huge numbers, texts that forge lines. Tools
# check what exists before they work, and need neither much time nor much memory.
. "$(dirname "$0")/lib.sh"

make=$builddir/test/tools
golden=$(cd "$GOLDEN" && pwd)
escape=$(printf '\033')
cd "$scratch" || exit 99
seconds=20

# patch FILE OFFSET BYTES: writes bytes, in the syntax of printf
patch()
{
    # shellcheck disable=SC2059
    printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

# ---- names of 2^31 files ----

cp "$golden/mpi/m01_multi.sion.000001" member.sion
chmod u+w member.sion
patch member.sion 28 '\377\377\377\177'
for options in '' -m -M --json; do
    # shellcheck disable=SC2086
    run siondump $options member.sion
    check "siondump $options: a file that claims to be one of 2^31" ended 0
    check "siondump $options: prints few lines" test "$(wc -l <out)" -lt 140000
done
run siondump member.sion
check 'siondump prints the number of further files' grep -q '^siondump: more files: *2147418111$' out

# ---- holes ----

# kib FILE: the KiB that a file takes on the disk
kib()
{
    du -k "$1" | cut -f 1
}
# is_small FILE SIZE: the file has this size, but few blocks
is_small()
{
    test "$(stat -c %s "$1")" -ge "$2" && test "$(kib "$1")" -lt 1024
}

# differ TEXT: siondiff has said so, and no more
differ()
{
    ended 1 && echo "data.sion other.sion differ: $1" | same - out
}

size=8796093022208
if "$make/make_bomb" data data.sion && "$make/make_bomb" keys keys.sion && is_small data.sion $size; then
    run sioncat -o out.raw data.sion
    check 'sioncat: holes stay holes' is_small out.raw $size
    check 'sioncat: the data are copied' \
        test "$(dd if=out.raw bs=1 skip=1073741824 count=5 2>/dev/null)" = bytes
    rm -f out.raw
    run sionsplit data.sion part
    check 'sionsplit: holes stay holes' is_small part00000 $size
    rm -f part00000
    for command in 'siondefrag data.sion new.sion' 'sionrecover -o new.sion data.sion'; do
        # shellcheck disable=SC2086
        run $command
        check "${command%% *}: holes stay holes" is_small new.sion $size
        run sioncat -o out.raw new.sion
        check "${command%% *}: the data are copied" \
            test "$(dd if=out.raw bs=1 skip=1073741824 count=5 2>/dev/null)" = bytes
        rm -f out.raw new.sion
    done
    run sioncat data.sion
    check 'sioncat: holes are not written to standard output' failed_with 2 'use --force'
    check 'sioncat --force: holes are written' \
        test "$("$builddir/sioncat" --force data.sion 2>err | head -c 3000000 | wc -c)" -eq 3000000
    cp --sparse=always data.sion other.sion
    run siondiff data.sion other.sion
    check 'siondiff: holes are skipped' succeeded
    patch other.sion $((1536 + 1073741824)) B
    run siondiff data.sion other.sion
    check 'siondiff: the data are compared' differ 'rank 0, offset 1073741824'
    rm -f other.sion
    "$make/make_bomb" value value.sion || exit 99
    for command in 'siondefrag value.sion new.sion' 'sioncat --keys=7 -o out.raw value.sion' 'sionsplit value.sion part' \
        'siondiff value.sion value.sion' 'siondiff keys.sion keys.sion'; do
        # shellcheck disable=SC2086
        run $command
        check "$command: a hole is not taken for a value" failed_with 2 'use --force'
    done
    check 'no output is left' test ! -e new.sion -a ! -e out.raw
    for command in 'siondump -k' 'siondump -K' 'siondump --json -k' 'siondefrag keys.sion' 'sionsplit'; do
        # shellcheck disable=SC2086
        case $command in
        siondefrag*) run $command new.sion ;;
        sionsplit) run $command keys.sion part ;;
        *) run $command keys.sion ;;
        esac
        check "$command: records in a hole" failed_with 2 'use --force'
    done
else
    skip 'holes' 'no sparse files of this size here'
fi
rm -f data.sion keys.sion value.sion
if truncate -s $size hole && printf bytes | dd of=hole bs=1 seek=1073741824 conv=notrunc 2>err &&
    printf end >>hole && is_small hole $size; then
    echo 'a file without holes' >text
    run sionmerge new.sion text hole
    check 'sionmerge: holes stay holes' is_small new.sion $size
    run sioncat -t 1 -o out.raw new.sion
    check 'sionmerge: the data are copied' \
        test "$(dd if=out.raw bs=1 skip=1073741824 count=5 2>/dev/null)$(tail -c 3 out.raw)" = bytesend
else
    skip 'sionmerge: holes' 'no sparse files of this size here'
fi
rm -f hole text new.sion out.raw

# peak_below KIB TOOL ARGUMENTS...
peak_below()
{
    limit=$1
    tool=$2
    shift 2
    status=0
    timeout "$seconds" "$make/peak" peak "$builddir/$tool" "$@" >out 2>err || status=$?
    test "$(cat peak)" -le "$limit" || { cat peak && false; }
}
if has_sanitizers; then
    skip 'memory' 'sanitizers take more'
elif "$make/peak" --reads; then
    skip 'memory' 'this kernel counts pages that were only read'
elif "$make/make_bomb" tasks tasks.sion && "$make/make_bomb" chunks chunks.sion &&
    is_small tasks.sion 1000000000; then
    check 'missing tasks take no memory' peak_below 65536 siondump tasks.sion
    check 'missing tasks: the container is refused' failed_with 2 'does not hold'
    check 'missing chunks take no memory' peak_below 65536 siondump chunks.sion
    check 'missing chunks: the container is shown' ended 0
    for command in 'sioncat -o out.raw' 'siondefrag chunks.sion' sionls sionverify 'siondiff chunks.sion' \
        sionrecover 'sionrecover -o new.sion' 'sionrecover --in-place'; do
        operand=chunks.sion
        test "$command" != 'siondefrag chunks.sion' || operand=new.sion
        # shellcheck disable=SC2086
        check "the same for $command" peak_below 65536 $command $operand
        check '... which succeeds' ended 0
    done
    if test -x "$builddir/sionfti"; then
        check 'the same for sionfti' peak_below 65536 sionfti check chunks.sion
        check '... which finds no checkpoint' ended 2
    fi
    "$make/make_bomb" open open.sion || exit 99
    for options in '' '--upper-bound -o new.sion' '--json'; do
        # shellcheck disable=SC2086
        check "sionrecover $options: chunks in a hole take no memory" peak_below 65536 sionrecover $options open.sion
        check '... but are refused' failed_with 2 'holes'
    done
else
    skip 'memory' 'no sparse files of this size here'
fi
rm -f tasks.sion chunks.sion open.sion out.raw new.sion

# ---- texts ----

cp "$golden/mpi/m01_multi.sion.000001" text.sion
chmod u+w text.sion
patch text.sion 52 'a\033[2J\nsiondump: forged\302\233\377'
run siondump text.sion
check 'a prefix stays in its line' sh -c '! grep -q "^siondump: forged" out'
check 'a prefix: no control characters' sh -c "! grep -q '$escape' out && ! grep -q '$(printf '\302\233')' out"
check 'a prefix is shown with escapes' grep -qF 'a\x1b[2J\nsiondump: forged\xc2\x9b\xff' out

# ---- names ----

# It has control characters of ASCII and of Latin-1, which terminals obey, too.
name=$(printf 'no\nforged: \033[2J\302\233')

# one_line_each: the last run has printed the name, and no control characters but the ends of its own lines
one_line_each()
{
    cat out err >all
    cat -v all
    ! grep -aq "$escape" all && ! grep -aq "$(printf '\302\233')" all && ! grep -aq '^forged' all &&
        grep -aEq "no(${1:-\\\\n|\\\\u000a})forged" all
}

# show_name COMMAND...: a run that has to print the name. NAME stands for it.
show_name()
{
    words=$*
    tool=$1
    shift
    for word; do
        shift
        case $word in
        *NAME*) word=${word%%NAME*}$name${word#*NAME} ;;
        esac
        set -- "$@" "$word"
    done
    run "$tool" "$@"
    check "$words: names stay in their lines" one_line_each
}

# copy FROM NAME: makes a copy that can be changed
copy()
{
    cp -r "$golden/$1" "$2" && chmod -R u+w "$2"
}
copy serial/s01_single.sion "$name"
copy serial/s02_unequal4.sion "$name.4"
copy serial/s04_multichunk.sion "$name.chunks"
copy serial/s07_keyval.sion "$name.keys"
copy ftiff/master/L2 "$name.fti"
copy scr/real_scr_3_container_prefix "$name.scr"
for number in '' .000001 .000002; do
    copy "mpi/m01_multi.sion$number" "$name.set$number"
done
"$make/make_special" keys "$name.special" && "$make/make_special" more "$name.more" || exit 99

for command in 'siondump NAME' 'siondump -a NAME.set' 'siondump --json NAME.set' 'siondump -k NAME' \
    'sionls NAME NAME.set' 'sionls -l NAME.set' 'sionls --json NAME.set' 'sionls --advice NAME.4' \
    'sionls --advice NAME.fti' 'sionls --sort=NAME NAME' 'sioncat -o NAME NAME' \
    'siondiff NAME NAME.4' 'siondiff NAME.chunks NAME.keys' 'siondiff NAME.special NAME.more' \
    'siondiff NAME.special NAME.keys' 'sionmerge -v NAME.merged NAME' 'sionsplit NAME NAME.part' \
    'sionsplit -v NAME.keys NAME.part' 'siondefrag -v NAME.keys NAME.new' 'sionrecover NAME --json' \
    'sionverify NAME NAME.set' 'sionverify -j NAME NAME.set' 'sionverify -c NAME' \
    'sionfti check NAME.fti' 'sionfti check NAME.fti/Ckpt1-Pcof0.fti' 'sionfti dump -j NAME.fti' \
    'sionfti check NAME' 'sionfti dump NAME' 'sionfti rehash NAME' 'sionscr check NAME.fti' \
    'sionscr dump NAME' 'sionscr NAME' 'sionconfig NAME --path' 'sionversion NAME'; do
    # shellcheck disable=SC2086
    test ! -x "$builddir/${command%% *}" || show_name $command
done
run sionls --advice "$name.4"
PATH=$builddir:$PATH sh out >all 2>&1
check 'sionls --advice: a shell takes the name as it is' test -s "$name.4.new"
listed=$(printf 'no\\nforged\033') # as in a line of a list
echo data >"$listed"
printf '%s\n' "$listed" >list
run sionmerge -v -T list out.sion
check 'sionmerge -T: names stay in their lines' one_line_each
run siondump --svg=- "$name"
check 'siondump --svg: names stay in their lines' one_line_each "$(printf '\357\277\275')"
if test -x "$builddir/sionfti"; then
    copy ftiff/master/L1/Ckpt1-Rank0.fti "$listed"
    run sionfti pack -o packed.sion "$listed"
    run sionfti check packed.sion
    check 'sionfti check: names in a container stay in their lines' one_line_each
fi
# A set of which one file has its name: the others are next to it.
for number in '' .000001 .000002; do
    patch "$name.set$number" 44 '\1\2\3\4\0\0\1\0'
done
mv "$name.set" ".$name.set.01020304.new"
mv "$name.set.000001" ".$name.set.01020304.new.000001"
show_name sionrecover --in-place NAME.set
check 'sionrecover: the files have got their names' test -s "$name.set" -a -s "$name.set.000001"

# Missing files, and unknown options.
for command in 'sionarray ls NAME.none' 'sioncat NAME.none' 'siondefrag NAME.none new' \
    'siondiff NAME.none NAME' 'siondump NAME.none' 'sionfti check NAME.none' 'sionls NAME.none' \
    'sionmerge new NAME.none' 'sionmount NAME.none .' 'sionrecover NAME.none' \
    'sionscr check NAME.none' 'sionsplit NAME.none part' 'sionverify NAME.none'; do
    tool=${command%% *}
    test -x "$builddir/$tool" || continue
    # shellcheck disable=SC2086
    show_name $command
    check "$tool: a missing file with this name is an error" failed_with 2 'no\nforged: \x1b[2J\xc2\x9b.none'
    run "$tool" "--$name" NAME .
    check "$tool: an option with this name" one_line_each
done
finish

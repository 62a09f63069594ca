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
    run siondefrag data.sion new.sion
    check 'siondefrag: holes stay holes' is_small new.sion $size
    run sioncat -o out.raw new.sion
    check 'siondefrag: the data are copied' \
        test "$(dd if=out.raw bs=1 skip=1073741824 count=5 2>/dev/null)" = bytes
    rm -f out.raw new.sion
    run sioncat data.sion
    check 'sioncat: holes are not written to standard output' failed_with 2 'use --force'
    check 'sioncat --force: holes are written' \
        test "$("$builddir/sioncat" --force data.sion 2>err | head -c 3000000 | wc -c)" -eq 3000000
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
rm -f data.sion keys.sion
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
elif "$make/make_bomb" tasks tasks.sion && "$make/make_bomb" chunks chunks.sion &&
    is_small tasks.sion 1000000000; then
    check 'missing tasks take no memory' peak_below 65536 siondump tasks.sion
    check 'missing tasks: the container is refused' failed_with 2 'does not hold'
    check 'missing chunks take no memory' peak_below 65536 siondump chunks.sion
    check 'missing chunks: the container is shown' ended 0
    for command in 'sioncat -o out.raw' 'siondefrag chunks.sion' sionls sionverify 'siondiff chunks.sion'; do
        operand=chunks.sion
        test "$command" != 'siondefrag chunks.sion' || operand=new.sion
        # shellcheck disable=SC2086
        check "the same for $command" peak_below 65536 $command $operand
        check '... which succeeds' ended 0
    done
else
    skip 'memory' 'no sparse files of this size here'
fi
rm -f tasks.sion chunks.sion out.raw new.sion

# ---- texts ----

cp "$golden/mpi/m01_multi.sion.000001" text.sion
chmod u+w text.sion
patch text.sion 52 'a\033[2J\nsiondump: forged\302\233\377'
run siondump text.sion
check 'a prefix stays in its line' sh -c '! grep -q "^siondump: forged" out'
check 'a prefix: no control characters' sh -c "! grep -q '$escape' out && ! grep -q '$(printf '\302\233')' out"
check 'a prefix is shown with escapes' grep -qF 'a\x1b[2J\nsiondump: forged\xc2\x9b\xff' out
name=$(printf 'no\nsuch\033[2J.sion')
for tool in siondump sioncat; do
    run $tool "$name"
    check "$tool: a name stays in its line" failed_with 2 'no\nsuch\x1b[2J.sion'
done
finish

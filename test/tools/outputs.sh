#!/bin/sh
# Outputs of tools: an old output stays until the new one is complete, and after any failure;
# permissions are those of the input under the umask; links are not followed; no input is
# overwritten.
. "$(dirname "$0")/lib.sh"

builddir=$(cd "$builddir" && pwd)
golden=$(cd "$GOLDEN" && pwd)
cd "$scratch" || exit 99
mkdir work
"$builddir/test/tools/make_large" large.sion raw 40 || exit 99
cp "$golden/serial/s01_single.sion" small.sion
cp "$golden"/ftiff/v1.1/L1/Ckpt1-Rank0.fti small.fti
chmod u+w small.sion small.fti

# limited TOOL ARGUMENTS...: like run, with room for some blocks (of 512 or 1024 bytes) in a file
limited()
{
    status=0
    (
        trap '' XFSZ
        ulimit -f "${blocks:-100}"
        "$builddir/$@"
    ) >out 2>err || status=$?
}

# The old file exists, and no other file.
old_stays()
{
    test $status -eq 2 && grep -q 'old' "work/$1" && test "$(cat "work/$1")" = 'the old output' &&
        test "$(ls -A work)" = "$1"
}

# keeps NAME OUTPUT TOOL ARGUMENTS...: the tool fails for lack of space, and the old output stays
keeps()
{
    text=$1
    output=$2
    shift 2
    rm -rf work
    mkdir work
    echo 'the old output' >"work/$output"
    limited "$@"
    check "$text: full disk, the old output stays" old_stays "$output"
    check "$text: the message names the output" grep -q "work/$output" err
}
keeps sioncat x sioncat -o work/x large.sion
keeps siondefrag x siondefrag large.sion work/x
keeps sionmerge x sionmerge work/x raw
keeps sionsplit x00000 sionsplit large.sion work/x
blocks=2
keeps 'siondump --svg' x siondump --svg=work/x "$golden/serial/s09_many1000.sion"
blocks=

# A new output is not left behind either.
rm -rf work
mkdir work
limited siondefrag large.sion work/x
check 'siondefrag: full disk, no output' test -z "$(ls -A work)"

# None of several files is replaced until the last one is complete.
"$builddir/sionmerge" two.sion small.sion raw >out || exit 99
rm -rf work
mkdir work
echo 'the old output' >work/x00000
limited sionsplit two.sion work/x
check 'sionsplit: the second file does not fit, the first one stays' old_stays x00000
rm -rf work
mkdir -p work/x00001
run sionsplit two.sion work/x
check 'sionsplit: a folder has the name of a file' failed_with 2 'Is a directory'
check 'sionsplit: no file is written' test "$(ls -A work)" = x00001
rm -rf work
mkdir -p work/x0_000000000009
run sionsplit -d 1 "$golden/serial/s07_keyval.sion" work/x
check 'sionsplit, keys: a folder has the name of a file' failed_with 2 'Is a directory'
check 'sionsplit, keys: no file is written' test "$(ls -A work)" = x0_000000000009

# replaces NAME OUTPUT TOOL ARGUMENTS...: an old file is replaced, a link is not followed
replaces()
{
    text=$1
    output=$2
    shift 2
    rm -rf work
    mkdir work
    echo 'the old output' >target
    ln -s ../target "work/$output"
    run "$@"
    check "$text: succeeds" test $status -eq 0
    check "$text: a link is replaced, not followed" \
        sh -c "! test -h work/$output && test \"\$(cat target)\" = 'the old output'"
    check "$text: no other file is left" test "$(ls -A work)" = "$output"
}
# makes TOOL ARGUMENTS...: where no file is
makes()
{
    rm -rf work
    mkdir work
    run "$@"
}
# permits MODE OUTPUT: the output has these permissions
permits()
{
    test "$(stat -c %a "work/$2")" = "$1" || { stat -c %a "work/$2" && false; }
}
umask 022
for mode in 600 640 444; do
    chmod $mode small.sion raw
    replaces sioncat x sioncat -o work/x small.sion
    makes sioncat -o work/x small.sion
    check "sioncat: permissions $mode" permits $mode x
    replaces siondefrag x siondefrag small.sion work/x
    makes siondefrag small.sion work/x
    check "siondefrag: permissions $mode" permits $mode x
    replaces sionmerge x sionmerge work/x small.sion small.fti
    makes sionmerge work/x small.sion small.fti
    check "sionmerge: permissions $mode, those of all files together" permits "$(
        stat -c %a small.fti small.sion | sort -n | head -n 1
    )" x
done
chmod 666 small.sion
umask 027
replaces sionsplit x00000 sionsplit small.sion work/x
makes sionsplit small.sion work/x
check 'sionsplit: permissions under the umask' permits 640 x00000
umask 022

# What an old output says of itself, the new one says, too: as if it had been written again.
if command -v setfacl >/dev/null && touch probe && setfacl -m u:4711:rw probe 2>err; then
    acl=yes
else
    acl=no
    skip 'ACLs of outputs' 'no setfacl, or the file system has no ACLs'
fi
said_of()
{
    stat -c '%a %u %g' "$1"
    test $acl = no || getfacl -cp "$1"
}
# keeps_attributes OUTPUT TOOL ARGUMENTS...
keeps_attributes()
{
    output=work/$1
    shift
    rm -rf work
    mkdir work
    echo 'the old output' >"$output"
    chmod 664 "$output"
    test "$(id -u)" -ne 0 || chown 4711:4712 "$output"
    test $acl = no || setfacl -m u:4713:rw,g:4714:r "$output"
    said_of "$output" >before
    run "$@"
    said_of "$output" >after
    check "$1: owner, group, permissions and ACL of the old output" sh -c \
        "test $status -eq 0 && ! grep -q 'the old' $output && cmp before after"
    check "$1: nothing is said of them" test ! -s "$scratch/err"
}
umask 027
keeps_attributes x sioncat -o work/x small.sion
keeps_attributes x siondefrag small.sion work/x
keeps_attributes x sionmerge work/x small.sion
keeps_attributes x00000 sionsplit small.sion work/x
rm -rf work
if test $acl = yes; then
    mkdir work
    setfacl -d -m u:4713:rw work
    echo 'a new file' >work/plain
    run siondefrag small.sion work/x
    chmod 664 work/plain work/x
    check 'a new output has the ACL that its folder gives' sh -c \
        "getfacl -cp work/plain >before; getfacl -cp work/x >after; grep -q 4713 after && cmp before after"
    rm -rf work
fi
umask 022

# /dev/stdout is a link, too.
"$builddir/sioncat" -o /dev/stdout small.sion >data
run sioncat small.sion
check 'sioncat -o /dev/stdout: into a file' same data out
check '/dev/stdout still exists' test -h /dev/stdout
check 'sioncat -o /dev/stdout: into a pipe' \
    sh -c "'$builddir/sioncat' -o /dev/stdout small.sion | cmp - out"

# refuses_no_name TOOL ARGUMENTS...: refuses, in an empty folder, and makes no file
refuses_no_name()
{
    rm -rf work
    mkdir work
    status=0
    (cd work && "$builddir/$@") >out 2>err || status=$?
    check "$1: an empty name" sh -c "test $status -ne 0 && test -s err && test -z \"\$(ls -A work)\""
}
refuses_no_name sioncat -o '' ../small.sion
refuses_no_name siondefrag ../small.sion ''
refuses_no_name sionmerge '' ../small.sion
refuses_no_name siondump --svg= ../small.sion

if [ "$(id -u)" -ne 0 ]; then
    echo 'the old output' >data
    chmod 444 data
    run sioncat -o data small.sion
    check 'an output without write permission is kept' test $status -eq 2
fi

if [ -x "$builddir/sionfti" ]; then
    "$builddir/test/tools/make_fti" 1 || exit 99
    mv Ckpt1-Rank0.fti many.fti
    keeps 'sionfti pack' x sionfti pack -o work/x many.fti
    chmod 640 small.fti
    replaces 'sionfti pack' x sionfti pack -o work/x small.fti
    makes sionfti pack -o work/x small.fti
    check 'sionfti pack: permissions' permits 640 x
    rm -rf work
    run sionfti extract -o work small.fti
    check 'sionfti extract: permissions' permits 640 var_1.bin

    # Several files are written all together or not at all.
    rm -rf work
    mkdir -p work/var_2.bin
    run sionfti extract -o work small.fti
    check 'sionfti extract: a folder has the name of a file' failed_with 2 'Is a directory'
    check 'sionfti extract: no file is written then' test "$(ls -A work)" = var_2.bin
    cp small.fti other.fti
    "$builddir/sionfti" pack -o both.sion other.fti small.fti || exit 99
    rm -rf work
    mkdir -p work/small.fti
    run sionfti unpack -o work both.sion
    check 'sionfti unpack: a folder has the name of a file' failed_with 2 'Is a directory'
    check 'sionfti unpack: no file is written then' test "$(ls -A work)" = small.fti

    # The input is one of the outputs.
    mkdir -p self
    cp small.fti self/var_1.bin
    run sionfti extract -o self self/var_1.bin
    check 'sionfti extract: onto its own input' failed_with 2 'self/var_1.bin is a file of the input'
    check 'sionfti extract: the input stays' same self/var_1.bin small.fti
    check 'sionfti extract: nothing is written' test "$(ls -A self)" = var_1.bin
    rm self/*
    cp small.fti self/foreign
    cp small.fti self/second
    "$builddir/sionfti" pack -o packed.sion self/foreign self/second
    cp packed.sion self/foreign
    rm self/second
    (cd self && "$builddir/sionfti" unpack -o . foreign) >out 2>err
    status=$?
    check 'sionfti unpack -o .: onto its own input' failed_with 2 'is a file of the input'
    check 'sionfti unpack: the input stays' same self/foreign packed.sion
    check 'sionfti unpack: nothing is written' test "$(ls -A self)" = foreign
    for command in 'pack -o' 'extract -o' 'rehash -o'; do
        # shellcheck disable=SC2086
        run sionfti $command '' small.fti
        check "sionfti $command '': refused" failed_with 1 '-o needs a name'
    done
fi
finish

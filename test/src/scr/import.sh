#!/bin/sh
# sionscr import keeps names, ranks and the dataset: export makes the same map again, for datasets
# of each release of SCR, and for unusual ones.
. "$srcdir/test/tools/lib.sh"
. "$srcdir/test/src/scr/lib.sh"

mkdir "$scratch/work" && cd "$scratch/work" || exit 99

# sorted FILE: prints a tree in sorted order, one line for each key with all keys above it, without
# segments: they tell where the bytes are, which an import changes.
sorted()
{
    "$builddir/sionscr" dump "$1" | awk '{
        match($0, /^ */); level = RLENGTH / 2; key[level] = $1; line = ""
        for (i = 1; i <= level; i++) line = line "/" key[i]
        print line }' | grep -v /SEG | sort
}

# same_trees FILE FILE
same_trees()
{
    sorted "$1" >wanted
    sorted "$2" >found
    test -s wanted && same found wanted
}

# again MAP PREFIX LAYOUT: imports, and exports to another prefix
again()
{
    mkdir -p "$2/data"
    run sionscr import "$1" "$2/data/all.sion"
    check "$2: import" printed /dev/null
    # shellcheck disable=SC2086
    run sionscr export -l $3 "$2/data/all.sion"
    check "$2: export" printed /dev/null
}

# ---- datasets of SCR ----

golden=$GOLDEN/scr/real_scr_1.2.2_prefix
again "$golden/.scr/scr.dataset.2" scr12 prefix
check 'SCR 1.2: ranks, names, sizes, CRCs' same_trees \
    "$golden/.scr/scr.dataset.2/rank2file.0.0.scr" scr12/.scr/scr.dataset.2/rank2file.0.0.scr
check 'SCR 1.2: the root' same_trees \
    "$golden/.scr/scr.dataset.2/rank2file.scr" scr12/.scr/scr.dataset.2/rank2file.scr
check 'SCR 1.2: the dataset' same_trees \
    "$golden/.scr/scr.dataset.2/summary.scr" scr12/.scr/scr.dataset.2/summary.scr
run sionscr fetch -o scr12_out scr12
check 'SCR 1.2: the files' diff -r scr12_out/ck "$golden/ck"

# SCR 3 stores no sizes and CRCs; seal adds the same as export.
cp -r "$GOLDEN/scr/real_scr_3_prefix" sealed
chmod -R u+w sealed
run sionscr seal sealed/.scr/scr.dataset.2
check 'SCR 3: seal' printed /dev/null
again sealed/.scr/scr.dataset.2 scr3 'scr3 --segments'
for file in rank2file rank2file.0.0 summary.scr; do
    check "SCR 3: $file" same_trees sealed/.scr/scr.dataset.2/$file scr3/.scr/scr.dataset.2/$file
done
run sionscr export -l scr3 scr3/data/all.sion
check 'SCR 3: the container itself' printed /dev/null
run sionscr dump scr3/.scr/scr.dataset.2/rank2file.0.0
check '... is one file, of one of four ranks' test "$(grep -c FILE "$scratch/out")/$(
    sed -n '/RANKS/{n;p;}' "$scratch/out")" = '1/    4'

real=$GOLDEN/scr/real_scr_1.1.8_plain/prefix/scr.dataset.1
mkdir -p theirs/scr.dataset.1
cp -r "$real/.scr" theirs/scr.dataset.1
chmod -R u+w theirs
make_rank_files theirs/scr.dataset.1
mkdir -p scr11/scr.dataset.1
run sionscr import theirs/scr.dataset.1 scr11/scr.dataset.1/all.sion
check 'SCR 1.1: import' printed /dev/null
run sionscr export scr11/scr.dataset.1/all.sion
check 'SCR 1.1: export' printed /dev/null
for file in rank2file.scr rank2file.0.0.scr summary.scr; do
    check "SCR 1.1: $file" same_trees theirs/scr.dataset.1/.scr/$file \
        scr11/scr.dataset.1/.scr/$file
done
# A map of SCR 1.1 for a later release, in which names are relative to the prefix.
run sionscr export -l prefix scr11/scr.dataset.1/all.sion
check 'SCR 1.1 as 1.2' printed /dev/null
run sionscr dump scr11/.scr/scr.dataset.1/rank2file.0.0.scr
check '... names include the folder' grep -qx ' *scr.dataset.1/rank_3.ckpt' "$scratch/out"

# ---- unusual datasets ----

# Three ranks, 1, 5 and 2000000000: one has several files, one none, and one a file without bytes.
mkdir -p rare/.scr rare/sub
printf first >rare/a
printf second >rare/sub/a
: >rare/empty
if command -v python3 >python; then
    cat >map.py <<'END'
import struct, zlib
def pack(tree):
    return struct.pack('>I', len(tree)) + b''.join(
        key.encode() + b'\0' + pack(tree[key]) for key in tree)
def write(path, tree):
    packed = pack(tree)
    record = bytes.fromhex('951fc3f500010001') + struct.pack('>QI', len(packed) + 24, 1) + packed
    open(path, 'wb').write(record + struct.pack('>I', zlib.crc32(record)))
def value(text):
    return {str(text): {}}
def entry(data, **more):
    return dict({'SIZE': value(len(data)), 'CRC': value('%#x' % zlib.crc32(data) if data else 0)},
                **more)
write('rare/.scr/rank2file.scr', {'LEVEL': value(1), 'RANKS': value(3), 'RANK': {
    '1': {'OFFSET': value(0), 'FILE': value('.scr/rank2file.0.1.scr')}}})
write('rare/.scr/rank2file.0.1.scr', {'LEVEL': value(0), 'RANKS': value(3), 'RANK': {
    '1': {'FILE': {'sub/a': entry(b'second', NOFETCH={}), 'a': entry(b'first')}},
    '5': {},
    '2000000000': {'FILE': {'empty': entry(b'', COMPLETE=value(0))}}}})
write('rare/.scr/summary.scr', {'VERSION': value(6), 'COMPLETE': value(0), 'DSET': {
    'ID': value(7), 'NAME': value('rare'), 'CREATED': value(99), 'USER': value('u'),
    'CKPT': value(3), 'FILES': value(3), 'SIZE': value(11), 'COMPLETE': value(0)}})
END
    python3 map.py
    mkdir -p copy/rare
    run sionscr import --force rare copy/rare/all.sion
    check 'rare: import' printed /dev/null
    run sionscr export copy/rare/all.sion
    check 'rare: export' printed /dev/null
    for file in rank2file.scr rank2file.0.1.scr summary.scr; do
        check "unusual: $file" same_trees rare/.scr/$file copy/rare/.scr/$file
    done
else
    skip 'unusual maps' 'no python3'
fi

# ---- options ----

run sionscr export -l prefix -i 9 -D other -n 'x%r' scr12/data/all.sion
check 'options win over the stored names' printed /dev/null
run sionscr dump scr12/.scr/scr.dataset.9/summary.scr
check '... for the dataset' test "$(sed -n '/^ *ID$/{n;p;}; /^ *NAME$/{n;p;}' "$scratch/out" | sort | tr -d ' \n')" = \
    9other
run sionscr dump scr12/.scr/scr.dataset.9/rank2file.0.0.scr
check '... for names, and the stored tree is no file' test \
    "$(grep -c 'x[0123]$' "$scratch/out")/$(grep -c 'x' "$scratch/out")" = 4/8

# ---- as many tasks as ranks ----

tasks()
{
    "$builddir/siondump" "$1" | sed -n 's/.*number of tasks: *//p'
}
check 'one more task has the names' test "$(tasks scr12/data/all.sion)" = 5
run sionscr import --plain "$golden/.scr/scr.dataset.2" plain.sion
check 'plain: import' printed /dev/null
check 'plain: no additional task' test "$(tasks plain.sion)" = 4
mkdir named
for r in 0 1; do
    cp "$golden/ck/rank_$r.ckpt" named/all.sion.task.$r
done
run sionscr pack -s 1M -o named named/all.sion.task.0 named/all.sion.task.1
check 'the names that export makes' printed /dev/null
run sionscr import named all.sion
check '... are not stored' test "$(tasks all.sion)" = 2
run sionscr import named others.sion
check '... but are with another container' test "$(tasks others.sion)" = 3

# ---- the container ----

ln -s target.sion link.sion
run sionscr import named link.sion
check 'a link that leads nowhere is not followed' failed_with 2 'link.sion already exists'
check '... nor replaced' test -h link.sion -a ! -e target.sion
: >after
ls -A >before
for fault in write:enospc:1 sync:eio:1 rename:eio:1; do
    SION_FAULT=$fault run sionscr import named new.sion
    check "a fault, $fault: names the container" failed_with 2 'new.sion'
    check '... but no file next to it' sh -c '! grep -q "[.]new/" "$1"' - "$scratch/err"
    ls -A >after
    check '... leaves nothing' same before after
done
SION_FAULT=any:kill:4 "$builddir/sionscr" import named new.sion 2>/dev/null
check 'a kill leaves no incomplete container of the name' test ! -e new.sion

# ---- names ----

for operands in "check ''" "list ''" "index -u x ''" "fetch -o out ''" "import '' x" "import x ''" \
    "check -b '' named" "fetch -o out -b '' named" "pack -p '' -s 1k -o o plain.sion"; do
    eval "run sionscr $operands"
    check "an empty name: $operands" ended 1
    check '... is refused' sh -c 'grep -q "empty\|no name\|-[bp]" "$1"' - "$scratch/err"
done

# ---- holes ----

# 1 TiB, of which little is there: at the end, and in the middle.
mkdir holes
printf begin >holes/a
truncate -s 512G holes/a
printf begin >holes/b
printf end | dd of=holes/b bs=1 seek=549755813888 conv=notrunc 2>/dev/null
mkdir holes/.scr
if timeout 20 "$builddir/sionscr" pack -s 1T -o holes holes/a holes/b; then
    # kilobytes FILE...: on the disk, at most
    kilobytes()
    {
        test "$(du -k -c "$@" | tail -n 1 | cut -f 1)" -lt 1024
    }
    # same_ends FILE FILE: begin, end and size, as a comparison of all bytes would take too long
    same_ends()
    {
        test "$(stat -c %s "$1")" = "$(stat -c %s "$2")" &&
            test "$(head -c 9000 "$1" | cksum; tail -c 9000 "$1" | cksum)" = \
                "$(head -c 9000 "$2" | cksum; tail -c 9000 "$2" | cksum)"
    }
    check 'pack: holes stay holes' kilobytes holes/.scr/*
    check 'check reads no holes' timeout 20 "$builddir/sionscr" check holes
    check 'fetch reads none' timeout 20 "$builddir/sionscr" fetch -o fetched holes
    check '... and writes none' kilobytes fetched/a fetched/b
    check '... a hole at the end' same_ends holes/a fetched/a
    check '... and in the middle' same_ends holes/b fetched/b
    run sionscr import holes holes.sion
    check 'import, which writes them, refuses' failed_with 2 'only with --force'
    check '... and leaves no container' test ! -e holes.sion
else
    skip 'holes' 'the file system cannot have so large files'
fi

mkdir back
printf begin >holes/c
truncate -s 5M holes/c
printf end >>holes/c
run sionscr pack -s 1M -o back holes/c
run sionscr import back filled.sion
check 'import writes a small hole' printed /dev/null
cp --sparse=always filled.sion back/holes.sion
run sionscr export back/holes.sion
check 'export of a container with holes' printed /dev/null
run sionscr fetch --no-crc -o fetched2 back
check '... the file' same holes/c fetched2/c
cp filled.sion back/holes.sion
run sionscr check back
check '... the CRC is that of zeros' printed /dev/null

# ---- damage ----

size=$("$builddir/sioncat" -t 4 scr12/data/all.sion | wc -c)
"$builddir/sioncat" -t 4 scr12/data/all.sion >kept
check 'the stored tree is a file of SCR' test "$("$builddir/sionscr" dump kept | grep -c TASK)" = 4
cp scr12/data/all.sion damaged.sion
offset=$(LC_ALL=C grep -abo rank_3.ckpt damaged.sion | tail -n 1 | cut -d : -f 1)
printf X | dd of=damaged.sion bs=1 seek="$offset" conv=notrunc 2>/dev/null
run sionscr export damaged.sion
check 'a damaged tree' failed_with 2 'damaged.sion, task 4: the names of the files: '
check '... leaves no map' test ! -e .scr

finish

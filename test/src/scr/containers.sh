#!/bin/sh
# Compares sionscr pack, check, fetch and import with what SCR 1.1.8 made from the same files.
. "$srcdir/test/tools/lib.sh"
. "$srcdir/test/src/scr/lib.sh"

real=$GOLDEN/scr/real_scr_1.1.8_containers/prefix
mkdir "$scratch/work" && cd "$scratch/work" || exit 99

make_rank_files .
mkdir prefix

# ---- pack ----

SCR_JOB_NAME=simulation123 SCR_JOB_ID=300003
export SCR_JOB_NAME SCR_JOB_ID
run sionscr pack -s 300000 --prefix prefix -o prefix/scr.dataset.1 \
    rank_0.ckpt rank_1.ckpt rank_2.ckpt rank_3.ckpt
check 'pack' printed /dev/null

# sorted FILE: prints a tree in sorted order, one line for each key with all keys above it
sorted()
{
    "$builddir/sionscr" dump "$1" | awk '{
        match($0, /^ */); level = RLENGTH / 2; key[level] = $1; line = ""
        for (i = 1; i <= level; i++) line = line "/" key[i]
        print line }' | sort
}

# same_tree FILE FILE [PATTERN]: the trees are equal, except for values that match
same_tree()
{
    sorted "$1" | grep -Ev "${3:-^$}" >tree_a
    sorted "$2" | grep -Ev "${3:-^$}" >tree_b
    same tree_a tree_b
}

containers_are_real()
{
    test "$(ls prefix/scr.dataset.1/.scr/ctr.* | wc -l)" -eq 7 || return 1
    for i in 0 1 2 3 4 5; do
        test "$(wc -c <prefix/scr.dataset.1/.scr/ctr.$i.scr)" -eq 300000 || return 1
    done
    cat rank_?.ckpt >stream
    cat prefix/scr.dataset.1/.scr/ctr.?.scr | cmp - stream
}
check 'containers have the right size, and all bytes in order' containers_are_real
check 'the map is as in SCR' same_tree prefix/scr.dataset.1/.scr/rank2file.0.0.scr \
    "$real/scr.dataset.1/.scr/rank2file.0.0.scr"
check 'the root is as in SCR' same_tree prefix/scr.dataset.1/.scr/rank2file.scr \
    "$real/scr.dataset.1/.scr/rank2file.scr"
# Only the values of times and users differ.
check 'the summary is as in SCR' same_tree prefix/scr.dataset.1/.scr/summary.scr \
    "$real/scr.dataset.1/.scr/summary.scr" '/(CREATED|USER)/'
check 'the index is as in SCR' same_tree prefix/.scr/index.scr "$real/.scr/index.scr" \
    '/(CREATED|USER|FLUSHED)/'
check 'the flush file is as in SCR' same_tree prefix/.scr/flush.scr "$real/.scr/flush.scr" '/CACHE'

# SCR 3 does not read segments, so pack does not write them.
cp -r "$GOLDEN/scr/real_scr_3_prefix" newest
chmod -R u+w newest
run sionscr pack -s 300000 -p newest -i 7 -o newest/ckpt.7 rank_0.ckpt
check 'pack into a prefix of SCR 3' failed_with 2 \
    'newest/.scr/index.scr is of SCR 3, which reads no containers of SCR'
check '... changes no index' same newest/.scr/index.scr "$GOLDEN/scr/real_scr_3_prefix/.scr/index.scr"
check '... leaves no files' test -z "$(find newest/ckpt.7 newest/.scr/scr.dataset.7 -type f 2>/dev/null)"

# SCR 1.2 looks for the map in the prefix, and for containers relative to the map.
cp -r "$GOLDEN/scr/real_scr_1.2.2_prefix" newer
chmod -R u+w newer
mkdir -p newer/ckpt.7/.scr
cp "$real"/scr.dataset.1/.scr/rank2file*.scr newer/ckpt.7/.scr
run sionscr pack -s 300000 -p newer -i 7 -o newer/ckpt.7 rank_0.ckpt rank_1.ckpt
check 'pack into a prefix of SCR 1.2' printed /dev/null
sorted newer/.scr/index.scr >tree_a
sorted "$GOLDEN/scr/real_scr_1.2.2_prefix/.scr/index.scr" | grep -v CURRENT >tree_b
check '... keeps the datasets' sh -c 'test "$(comm -13 tree_a tree_b)" = ""'
check '... keeps the form' sh -c 'grep -qx /VERSION/1 tree_a && ! grep -q /DIR tree_a'
check '... adds one' grep -qx /DSET/7/NAME/ckpt.7/DSET/NAME/ckpt.7 tree_a
check '... as a checkpoint' grep -qx /DSET/7/NAME/ckpt.7/DSET/FLAG_CKPT/1 tree_a
check '... makes it the current one' grep -qx /CURRENT/ckpt.7 tree_a
run sionscr dump newer/.scr/flush.scr
check '... adds it to flush.scr without its folder' sh -c '! grep -q DIR "$1/out"' - "$scratch"
map=newer/.scr/scr.dataset.7
sorted $map/rank2file.scr >tree_a
check '... its map is where SCR 1.2 looks' grep -qx \
    /RANK/0/FILE/.scr/scr.dataset.7/rank2file.0.0.scr tree_a
sorted $map/rank2file.0.0.scr >tree_a
check '... names are relative to the prefix' grep -qx /RANK/1/FILE/ckpt.7/rank_1.ckpt/SIZE/524295 tree_a
check '... containers are relative to the folder of the map' grep -qx \
    /RANK/1/FILE/ckpt.7/rank_1.ckpt/SEG/1/FILE/../../ckpt.7/.scr/ctr.2.scr tree_a
sorted $map/summary.scr >tree_a
check '... beside a summary' grep -qx /DSET/FLAG_CKPT/1 tree_a
check '... an old map of the folder is removed' test -z "$(ls newer/ckpt.7/.scr | grep -v ctr)"
run sionscr check $map
check '... and the dataset is right' printed /dev/null
run sionscr fetch -o newer_out $map
check '... and can be fetched' same newer_out/ckpt.7/rank_1.ckpt rank_1.ckpt
run sionscr pack -s 300000 -p newer -i 2 -o newer/ckpt.8 rank_0.ckpt
check 'pack with the number of another dataset' failed_with 2 'already has ckpt.2 as dataset 2'
check '... changes nothing' test ! -e newer/ckpt.8/.scr
run sionscr pack -s 300000 -p newer -i 8 -o elsewhere rank_0.ckpt
check 'pack outside of the prefix' failed_with 2 'elsewhere is not in or below newer'

# ---- pack: old datasets ----

mkdir old
for r in 0 1 2 3; do
    cp rank_$r.ckpt old
done
run sionscr pack -s 100000 -o again old/rank_?.ckpt
check 'pack: a dataset of 21 containers' test "$(ls again/.scr/ctr.* | wc -l)" -eq 21
run sionscr pack -s 300000 -o again missing
check 'a pack that fails' failed_with 2 'missing'
run sionscr check again
check '... leaves the old dataset' printed /dev/null
check '... and nothing else' test "$(ls -A again/.scr | wc -l)" -eq 24
(ulimit -f 200; trap '' XFSZ; exec "$builddir/sionscr" pack -s 300000 -o again rank_?.ckpt 2>"$scratch/err")
check 'a pack without room for all containers' test $? -eq 2
run sionscr check again
check '... leaves the old dataset' printed /dev/null
check '... and nothing else' test "$(ls -A again/.scr | wc -l)" -eq 24
cp -r again/.scr older
for fault in open:enospc:4 write:enospc:2 write:enospc:3 sync:eio:1 sync:eio:5 rename:eio:1; do
    SION_FAULT=$fault run sionscr pack -s 200k -o again rank_0.ckpt
    check "a pack with a fault, $fault" ended 2
    check '... leaves the old dataset, byte for byte' diff -r again/.scr older
done
run sionscr pack -s 300000 -o again rank_0.ckpt
check 'a smaller dataset' printed /dev/null
check '... has only its own containers' test "$(ls again/.scr/ctr.* | tr '\n' ' ')" = \
    'again/.scr/ctr.0.scr again/.scr/ctr.1.scr '
run sionscr check again
check '... and is right' printed /dev/null
run sionscr pack -s 100000 -o again old/rank_?.ckpt
check 'a larger dataset has the numbers from 0 on' test \
    "$(ls again/.scr | grep -c '^ctr') $(ls again/.scr/ctr.20.scr) $(ls again/.scr | grep -c 'rank2file.*[.]1[.]scr')" = \
    '21 again/.scr/ctr.20.scr 0'
run sionscr check again
check '... and is right, too' printed /dev/null
run sionscr pack -s 300000 -o again rank_0.ckpt
ln again/.scr/ctr.0.scr hard
ln -s again/.scr/ctr.1.scr soft
for input in again/.scr/ctr.1.scr hard soft again/.scr/summary.scr; do
    run sionscr pack -s 300000 -o again rank_1.ckpt $input
    check "an input that would be replaced: $input" failed_with 2 "$input is an input"
done
run sionscr check again
check '... nothing changes' printed /dev/null
run sionscr pack -s 300000 -o '' rank_0.ckpt
check 'pack: a folder without a name' failed_with 2 'an empty name of a folder'

# ---- permissions ----

umask 022
for r in 0 1 2; do
    cp rank_$r.ckpt p_$r
done
chmod 600 p_1
chmod 755 p_2
# modes FILE...
modes()
{
    stat -c %a "$@" | tr '\n' ' '
}
run sionscr pack -s 900000 -o private p_0 p_1 p_2
check 'pack: a container is as private as the most private file' test \
    "$(modes private/.scr/ctr.*)" = '600 600 '
run sionscr pack -s 900000 -o public p_0 p_2
check 'pack: a container of public files is public' test "$(modes public/.scr/ctr.*)" = '644 644 '
run sionscr fetch -o p_out private
check 'fetch: files have the permissions of containers' test "$(modes p_out/*)" = '600 600 600 '
run sionscr fetch -o p_out2 public
check 'fetch: files of public containers are public' test "$(modes p_out2/*)" = '644 644 '
run sionscr import private private.sion
run sionscr import public public.sion
check 'import: the new container has the permissions of the files' test "$(modes private.sion public.sion)" = '600 644 '

# ---- check ----

# SCR's map with containers of sionscr.
mkdir -p theirs/.scr
cp prefix/scr.dataset.1/.scr/ctr.*.scr "$real"/scr.dataset.1/.scr/*.scr theirs/.scr
chmod -R u+w theirs
run sionscr check theirs
check 'SCR'\''s own map is right' printed /dev/null
run sionscr check prefix/scr.dataset.1/.scr
check 'check: the folder of the map itself' printed /dev/null

cp theirs/.scr/ctr.4.scr kept
printf X | dd of=theirs/.scr/ctr.4.scr bs=1 seek=1000 conv=notrunc 2>/dev/null
run sionscr check theirs
check 'a changed byte' ended 2
check 'a changed byte: file, rank and reason' grep -qx \
    'sionscr: rank 2, file rank_2.ckpt: its CRC is 0x[0-9a-f]*, not 0xba6a2e03' "$scratch/err"
run sionscr check --no-crc theirs
check '... is not detected without CRCs' printed /dev/null
head -c 1000 kept >theirs/.scr/ctr.4.scr
run sionscr check -C theirs
check 'a truncated container' grep -q \
    'rank 2, file rank_2.ckpt: 300000 bytes at offset 0 of .scr/ctr.4.scr, which has 1000' \
    "$scratch/err"
cp kept theirs/.scr/ctr.4.scr
rm theirs/.scr/ctr.0.scr
run sionscr check theirs
check 'a missing container' grep -q 'rank 0, file rank_0.ckpt: cannot open .*ctr.0.scr' \
    "$scratch/err"
check 'one file of four' grep -q '^sionscr: 1 files could not be used' "$scratch/err"

# ---- fetch ----

run sionscr fetch -o out prefix/scr.dataset.1
check 'fetch' printed /dev/null
fetched()
{
    for r in 0 1 2 3; do
        cmp rank_$r.ckpt "$1/rank_$r.ckpt" || return 1
    done
}
check 'fetch: the bytes' fetched out
run sionscr fetch -v --output=partly theirs
check 'fetch with a container missing' ended 2
check '... fetches the other files' same partly/rank_3.ckpt rank_3.ckpt
check '... and nothing else' test ! -e partly/rank_0.ckpt
check '... and prints their names' grep -qx 'sionscr: rank 3, file rank_3.ckpt: partly/rank_3.ckpt' \
    "$scratch/out"
run sionscr fetch -o out prefix/scr.dataset.1
check 'fetch replaces nothing' grep -q 'cannot open out/rank_0.ckpt for writing: File exists' \
    "$scratch/err"
files_are_whole()
{
    for n in 1 2 3 4 5 6 7 8 9; do
        SION_FAULT=any:kill:$n "$builddir/sionscr" fetch -o killed prefix/scr.dataset.1 2>/dev/null
        for r in 0 1 2 3; do
            test ! -e killed/rank_$r.ckpt || cmp killed/rank_$r.ckpt rank_$r.ckpt || return 1
        done
        rm -rf killed
    done
}
check 'fetch: a kill leaves no incomplete file of a name' files_are_whole
mkdir linked outside
ln -s ../outside linked/ckpt.7
run sionscr fetch -o linked newer/.scr/scr.dataset.7
check 'fetch follows no link below its folder' grep -q 'linked/ckpt.7 is a link' "$scratch/err"
check '... and writes nothing there' test -z "$(ls -A outside)"
ln -s outside onlink
run sionscr fetch -o onlink newer/.scr/scr.dataset.7
check 'the folder itself may be one' same outside/ckpt.7/rank_1.ckpt rank_1.ckpt
run sionscr fetch prefix/scr.dataset.1
check 'fetch without -o' failed_with 1 'fetch needs -o'
run sionscr fetch -o '' prefix/scr.dataset.1
check 'fetch: a folder without a name' failed_with 2 'an empty name of a folder'
run sionscr fetch -o out2 .
check 'fetch without a map' failed_with 2 'no rank2file map in ., ./.scr or '

# A map in which the names are those of files.
cp -r "$GOLDEN/scr/real_scr_1.1.8_plain/prefix/scr.dataset.1" plain
chmod -R u+w plain
cp rank_?.ckpt plain
run sionscr check plain
check 'files without containers' printed /dev/null
run sionscr fetch -o out3 plain
check 'files without containers are fetched' fetched out3
echo >>plain/rank_1.ckpt
run sionscr check plain
check 'a file that is too long' grep -q 'rank 1, file rank_1.ckpt: it has 524296 bytes, not 524295' \
    "$scratch/err"

# ---- import ----

run sionscr import prefix/scr.dataset.1 new.sion
check 'import' printed /dev/null
for r in 0 1 2 3; do
    run sioncat -t $r new.sion
    check "import: task $r" same "$scratch/out" rank_$r.ckpt
done
run sionscr import prefix/scr.dataset.1 new.sion
check 'import replaces nothing' failed_with 2 'new.sion already exists'
run sionscr import theirs other.sion
check 'import needs all files' failed_with 2 'rank 0, file rank_0.ckpt: cannot open '
check '... and leaves nothing' test ! -e other.sion

# ---- pack: errors ----

run sionscr pack -s 10 -o d missing
check 'a missing file' failed_with 2 'missing'
run sionscr pack -s 0 -o d rank_0.ckpt
check 'a wrong size' failed_with 1 "-s takes a number of bytes, not '0'"
run sionscr pack -s 10 rank_0.ckpt
check 'no folder' failed_with 1 'pack needs '
printf 'rank_%%r.ckpt\n\nrank_%%r.ckpt' >list
run sionscr pack -s 1k --list list -o d
check 'a list assigns the files to ranks in turn' printed /dev/null
run sionscr dump d/.scr/rank2file.0.0.scr
check '... and their names' grep -qx '        rank_1.ckpt' "$scratch/out"
run sionscr pack -s 1k --list . -o d2
check 'a list that cannot be read' grep -qx 'sionscr: cannot read .: Is a directory' "$scratch/err"
check '... is a failure' ended 2
: >zero
run sionscr pack -s 10 -o empty zero
check 'an empty file' printed /dev/null
run sionscr fetch -o out4 empty
check 'an empty file can be fetched' same out4/zero zero

finish

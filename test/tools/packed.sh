#!/bin/sh
# Containers of packed files: made from trees, and read by names and by old tools.
. "$(dirname "$0")/lib.sh"

tar --version 2>&1 | grep -q 'GNU tar' || skip_all 'no GNU tar'
cd "$scratch" || exit 99
umask 022
long=$(printf '%0120d' 7)
mkdir -p "tree/a/b/c" tree/empty "tree/$long/$long" tree/a.b
printf 'one\n' >tree/a/one
head -c 3000000 /dev/urandom >tree/a/b/large
: >tree/a/b/c/nothing
printf 'text' >"tree/$long/$long/$long"
printf 'x' >'tree/a/name with blanks'
ln -s ../one tree/a/b/link
ln tree/a/one tree/z-hard
mkfifo tree/pipe
truncate -s 3M tree/sparse
printf end >>tree/sparse
chmod 751 tree/a/one
chmod 700 tree/a.b
touch -d '2001-02-03 04:05:06.789' tree/a/b/large
touch -d '2001-02-03 04:05:06' tree/a/b/c
files=$(find tree ! -name tree | wc -l)

# listed FOLDER: all of it, with times and contents
listed()
{
    (
        cd "$1" || exit
        find . ! -name . -printf '%P %y %m %T@ %l %n ' \( -type f -printf '%s\n' -o -printf '\n' \) |
            sort
        find . -type f -print0 | sort -z | xargs -0 cksum
    )
}

# is_tree FOLDER: it is as what was packed
is_tree()
{
    listed tree >wanted
    listed "$1" >found
    same wanted found
}

# is_tree_but_times FOLDER: of folders, which tars that come later write to
is_tree_but_times()
{
    is_tree "$1" >difference || {
        sed -E 's/^([^ ].*) d ([0-7]+) [0-9.]+ /\1 d \2 /' wanted >wanted.names
        sed -E 's/^([^ ].*) d ([0-7]+) [0-9.]+ /\1 d \2 /' found >found.names
        same wanted.names found.names
    }
}

# untar CONTAINER TASKS: by sioncat and tar alone
untar()
{
    rm -rf plain
    mkdir plain
    for task in $(seq 0 $(($2 - 1))); do
        "$builddir/sioncat" -t "$task" "$1" | tar -xp -f - -C plain || return
    done
}

# ---- sionmerge --files ----

run sionmerge --files --root tree . one.sion
check 'a tree is packed' printed /dev/null
check 'as one task' untar one.sion 1
check 'sioncat and tar give all back' is_tree plain
run sionmerge --files --root tree --tasks=4 -v . four.sion
check 'as several tasks' succeeded
check '-v lists them' test "$(grep -c '^sionmerge: task     [0-3]: .* bytes of [0-9]* files$' out)" -eq 4
untar four.sion 4
check 'also of several tasks' is_tree_but_times plain
check 'holes are holes' test "$(stat -c %b one.sion)" -lt 9000
cp four.sion kept
run sionmerge --files --root tree -n 4 . four.sion
check 'packing again gives the same bytes' same kept four.sion

(cd tree && "$builddir/sionmerge" --files "$long" a ../some.sion) 2>err
check 'some trees, by names' test ! -s err
untar some.sion 1
(cd plain && find . | sort) >found
(cd tree && find . -path './a' -o -path './a/*' -o -path "./$long*" -o -name . | sort) >wanted
check 'and nothing else' same wanted found

mkdir own
cp -a tree/a own/
run sionmerge --files own own/out.sion
run sionmerge --files own own/out.sion
check 'the output is no part of the tree' grep -q 'warning: own/out.sion is left out: it is the output' err
"$builddir/sioncat" own/out.sion | tar -t -f - >found
check 'and is not in it' test "$(grep -c out.sion found)" -eq 0

chmod 600 own/a/one
run sionmerge --files own/a private.sion
check 'nobody can read there what he cannot read here' test "$(stat -c %a private.sion)" = 600

# ---- old tools ----

run sionverify four.sion
check 'sionverify finds it good' grep -q '^four.sion: good' out
run siondump -a four.sion
check 'siondump shows its tasks' ended 0
run siondefrag -q 1 four.sion defragged.sion
check 'siondefrag writes it again' ended 0
untar defragged.sion 4
check 'and the files are there' is_tree_but_times plain
if test -x "$builddir/test/tools/make_sums"; then
    LD_LIBRARY_PATH=$builddir/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
    run sionmerge --files --checksum --root tree -n 3 . sums.sion
    check 'with checksums' succeeded
    run sionverify --checksums sums.sion
    check 'which sionverify compares' grep -q '^sums.sion: good: 3 tasks, .* checksums$' out
    run sionmerge --checksum plainsums.sion tree/a/one tree/a/b/large
    run sionverify --checksums plainsums.sion
    check 'also of merged files' grep -q '^plainsums.sion: good: 2 tasks, .* 4 checksums$' out
else
    skip 'checksums' 'neither ISA-L nor zlib'
fi

# ---- sionls --files ----

(cd tree && find . ! -name . -printf '%P\n' | LC_ALL=C sort) >wanted
run sionls --files four.sion
check 'sionls --files' succeeded
LC_ALL=C sort out >found
check 'lists the paths' same wanted found
run sionls --files -l four.sion
check '-l: a file' grep -qE '^-rwxr-x--x +[0-3] +4 [-0-9]* [:0-9]* a/one$' out
check '-l: a link' grep -qE '^lrwxrwxrwx .* a/b/link -> \.\./one$' out
check '-l: a hard link' grep -qE '^h.* z-hard link to a/one$' out
check '-l: a folder' grep -qE '^drwx------ .* a\.b$' out
check '-l: a pipe' grep -qE '^prw-r--r-- .* pipe$' out
check '-l: a time' grep -qE ' 2001-02-03 04:05 a/b/large$' out
run sionls --files --json four.sion some.sion
check '--json' succeeded
cat >read.py <<'END'
import json, sys
containers = json.load(open(sys.argv[1]))
assert [c["file"] for c in containers] == ["four.sion", "some.sion"]
assert all(c["indexed"] and c["complete"] for c in containers)
files = {f["path"]: f for f in containers[0]["files"]}
assert files["a/b/large"]["mtime_ns"] == 789000000 and files["a/b/large"]["bytes"] == 3000000
assert files["z-hard"]["type"] == "hard link" and files["z-hard"]["target"] == "a/one"
assert files["a/one"]["mode"] == "0751" and files["pipe"]["type"] == "pipe"
END
if test -n "$PYTHON"; then
    check 'which is as it should be' "$PYTHON" read.py out
else
    skip 'which is as it should be' 'no Python'
fi
run sionls --files "$GOLDEN/serial/s01_single.sion" some.sion
check 'a container without packed files' failed_with 2 's01_single.sion has no packed files'
check 'the other one is listed' test -s out
run sionls --files -l four.sion
mv out wanted
run sionls --files -l defragged.sion
check 'without an index, after siondefrag, all is as before' printed wanted

# ---- sionsplit --files ----

for container in one four defragged; do
    rm -rf parts
    run sionsplit --files $container.sion parts/new
    check "sionsplit --files $container.sion" printed /dev/null
    check 'all is as it was' is_tree parts/new
done
check 'holes are holes again' test "$(stat -c %b parts/new/sparse)" -lt 1000
echo other >parts/new/a/one
chmod 400 parts/new/a/one
ln -sf ../../../outside parts/new/a/b/large
run sionsplit --files four.sion parts/new
check 'what is there is replaced' is_tree parts/new
check 'not what links lead to' test ! -e outside
check 'and nothing else is left' test -z "$(find parts -name '.*')"
rm -rf parts
run sionsplit --files -v four.sion parts a/b ./a//one
check 'some paths' ended 0
(cd parts && find . -printf '%P\n' | LC_ALL=C sort) >found
printf '%s\n' '' a a/b a/b/c a/b/c/nothing a/b/large a/b/link a/one >wanted
check 'and no others' same wanted found
sed 's/^sionsplit: //' out | LC_ALL=C sort >found
tail -n +3 wanted >listed
check '-v lists them' same listed found
rm -rf parts
run sionsplit --files four.sion parts z-hard
check 'a hard link alone' ended 0
check 'is a file with these data' same parts/z-hard tree/a/one
rm -rf parts
mkdir parts outside
ln -s ../outside parts/a
run sionsplit --files four.sion parts a/one
check 'a link in the place of a folder' failed_with 2 'parts/a is a link, which could lead elsewhere'
check 'leads nowhere' test -z "$(ls outside)"
rmdir outside
rm -rf parts
mkdir parts
run sionsplit --files four.sion parts a/two
check 'a path that is not there' failed_with 2 'four.sion has no a/two'
run sionsplit --files four.sion parts ../a
check 'a path above' failed_with 2 '../a is refused: it leads out of the tree'
run sionsplit --files -g four.sion parts
check '-g' failed_with 1 'no -g, no --keys'
run sionsplit four.sion parts a
check 'a path without --files' grep -q "unexpected operand 'a'" err

rm -rf parts
run sionsplit --files --task=0 four.sion parts
for task in 1 2 3; do run sionsplit --files -t $task four.sion parts; done
(cd tree && find . -printf '%P %y %m %l\n' | sort && cksum z-hard a/one a/b/large) >wanted
(cd parts && find . -printf '%P %y %m %l\n' | sort && cksum z-hard a/one a/b/large) >found
check 'task by task' same wanted found

if test -n "$MPIEXEC"; then
    rm -rf parts
    timeout 60 sh "$LAUNCH" 3 "$builddir/sionsplit" --files four.sion parts </dev/null >out 2>err
    check 'under mpiexec' test $? -eq 0
    check 'all is as it was, too' is_tree parts
else
    skip 'under mpiexec' 'built without MPI'
fi

# A user whose folders cannot be written makes what is in them all the same.
mkdir -p closed/tree/in
echo x >closed/tree/in/x
echo y >closed/tree/y
chmod 500 closed/tree/in closed/tree
run sionmerge --files --root closed -n 3 . closed.sion
chmod 755 closed.sion . && mkdir closed.out && chmod 777 closed.out
as_user=
test "$(id -u)" -ne 0 || as_user='setpriv --reuid=65534 --clear-groups'
if $as_user test -r closed.sion && $as_user test -x "$builddir/sionsplit"; then
    mkdir -m 777 closed.out/parts
    $as_user "$builddir/sionsplit" --files closed.sion closed.out/parts >out 2>err
    check 'folders that cannot be written' test $? -eq 0
    (cd closed && find tree -printf '%p %m %T@\n' | sort) >wanted
    (cd closed.out/parts && find tree -printf '%p %m %T@\n' | sort) >found
    check 'have their modes at the end' same wanted found
    chmod -R u+w closed.out
else
    skip 'folders that cannot be written' 'no other user'
fi
chmod -R u+w closed

# ---- siondiff --files ----

run siondiff --files --times one.sion four.sion
check 'siondiff --files: other tasks, the same files' printed /dev/null
run siondiff --files --times tree four.sion
check 'a folder and a container' printed /dev/null
run siondiff --files --times defragged.sion tree
check 'without an index' printed /dev/null
rm -rf other
cp -a tree other
rm other/z-hard
cp other/a/one other/z-hard
chmod 751 other/z-hard
run siondiff --files four.sion other
check 'a hard link is a file' printed /dev/null
printf y | dd of=other/a/b/large bs=1 seek=1234567 conv=notrunc 2>/dev/null
printf x >>other/a/one
rm -r other/empty other/a/b/link other/pipe
ln -s ../two other/a/b/link
: >other/pipe
: >other/z-new
chmod 755 other/a.b
run siondiff --files four.sion other
check 'differences' ended 1
cat >wanted <<'END'
four.sion other differ: a.b: modes 0700 and 0755
four.sion other differ: a/b/large, offset 1234567
four.sion other differ: a/b/link: links to ../one and ../two
four.sion other differ: a/one: 4 and 5 bytes
four.sion other differ: empty is in four.sion alone
four.sion other differ: pipe: pipe and file
four.sion other differ: z-new is in other alone
END
LC_ALL=C sort out >found
check 'are named' same wanted found
run siondiff --files -q other four.sion
check '-q' ended 1
check 'prints nothing' same out /dev/null
touch -d '2011-02-03 04:05:06' other/z-hard
run siondiff --files --times four.sion other
check '--times' grep -q ': z-hard: times [0-9]* s [0-9]* ns and 1296705906 s 0 ns$' out
run siondiff --times four.sion one.sion
check '--times without --files' failed_with 2 '--times is for packed files'
run siondiff --files four.sion "$GOLDEN/serial/s01_single.sion"
check 'siondiff --files without packed files' failed_with 2 's01_single.sion has no packed files'

# ---- sionmount --files ----

run sionmount --files "$GOLDEN/serial/s01_single.sion" .
case $status in
127) skip 'sionmount --files' 'built without libfuse' ;;
*) check 'sionmount --files without packed files' failed_with 2 's01_single.sion has no packed files' ;;
esac
mkdir mnt
mounted=no
trap 'fusermount3 -q -u -z "$scratch/mnt" 2>/dev/null; chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
if test -x "$builddir/sionmount" && "$builddir/sionmount" --files four.sion mnt >out 2>&1; then
    mounted=yes
elif test -x "$builddir/sionmount" && test -w /dev/fuse && ! grep -q 'not permitted' out; then
    check 'it is mounted' cat out false
else
    skip 'mounting' "not possible: $(tail -n 1 out)"
fi
# as_mounted FOLDER: names, types, links and times; folders and data; who may read all may read each
as_mounted()
{
    (
        cd "$1" || exit
        find . ! -name . ! -type d -printf '%P %y %T@ %l\n' | sort
        find . -type d -printf '%P %T@\n' | tail -n +2 | sort
        find . -type f -print0 | sort -z | xargs -0 cksum
    )
}
if test $mounted = yes; then
    as_mounted tree >wanted
    as_mounted mnt >found
    check 'sionmount --files shows the tree' same wanted found
    check 'a file' test "$(stat -c '%a %h %s' mnt/a/one)" = '500 1 4'
    check 'another name of it' test "$(stat -c %i mnt/z-hard)" = "$(stat -c %i mnt/a/one)"
    check 'a link' test "$(readlink mnt/a/b/link)" = ../one
    check 'a name that is not there' test ! -e mnt/a/none
    check 'nothing can be written' sh -c '! echo x >mnt/a/one' 2>/dev/null
    check 'a part of a file' test "$(tail -c 3 mnt/sparse)" = end
    cat >seek.py <<'END'
import os
f = os.open("mnt/sparse", os.O_RDONLY)
hole = os.lseek(f, 0, os.SEEK_HOLE)  # the header before the data is in the same block
assert hole < 100000
assert 1000000 < os.lseek(f, hole, os.SEEK_DATA) <= 3 << 20
assert os.lseek(f, 3 << 20, os.SEEK_HOLE) == os.fstat(f).st_size
END
    if test -n "$PYTHON"; then
        check 'holes are known' "$PYTHON" seek.py
    else
        skip 'holes are known' 'no Python'
    fi
    check 'the number of files' test "$(stat -f -c %c mnt)" -eq $((files + 1))
    fusermount3 -u mnt
    # Without an index, and without entries of the folders.
    (cd tree && tar -c -f ../flat.tar a/b/large a/one)
    run sionmerge flat.sion flat.tar
    "$builddir/sionmount" --files flat.sion mnt
    (cd mnt && find . | sort) >found
    printf '%s\n' . ./a ./a/b ./a/b/large ./a/one >wanted
    check 'folders that have no entries' same wanted found
    check 'and their files' cmp mnt/a/b/large tree/a/b/large
    fusermount3 -u mnt
fi

# ---- a container that is kept ----

mkdir again
cp "$GOLDEN/packed/p01.sion" again/
cd again || exit 99
run sionls --files --json p01.sion
cp "$scratch/out" ../found
check 'the golden container has its files' same ../found "$GOLDEN/packed/p01.json"
TZ=UTC
export TZ
run sionls --files -l p01.sion
check 'as lines, too' same "$scratch/out" "$GOLDEN/packed/p01.ls"
run siondefrag -q 512 p01.sion scanned.sion
run sionls --files -l scanned.sion
check 'and by its tars' same "$scratch/out" "$GOLDEN/packed/p01.ls"
run sionsplit --files p01.sion .
mv p01.sion ../golden.sion
run sionmerge --files -q 512 -n 3 case p01.sion
if test "$(id -u)" -eq 0; then
    check 'packed again, it has the same bytes' same p01.sion ../golden.sion
else
    run siondiff --files --times p01.sion ../golden.sion
    check 'packed again, it has the same files' printed /dev/null
fi
unset TZ
cd ..

# ---- what is wrong ----

# spoil FILE FROM_END: changes a byte that is so far from the end
spoil()
{
    size=$(stat -c %s "$1")
    printf '\377' | dd of="$1" bs=1 seek=$((size - $2)) conv=notrunc 2>/dev/null
}

run sionls --files -l four.sion
mv out wanted
cp four.sion bad.sion
spoil bad.sion 60
run sionls --files -l bad.sion
check 'a damaged index is named' grep -q 'warning: the index of packed files is damaged: its end; the tars are read instead' err
check 'and the tars are read' same out wanted
cp four.sion bad.sion
spoil bad.sion 200
run sionls --files -l bad.sion
check 'a damaged list of blocks likewise' grep -q 'is damaged: the list of its blocks; the tars' err
check 'and the tars are read, too' same out wanted
head -c $(($(stat -c %s four.sion) - 1)) four.sion >bad.sion
run sionls --files -l bad.sion
check 'an index that is cut off is none' printed wanted

# A header in a stream.
"$builddir/siondefrag" -q 1 four.sion bad.sion >/dev/null
at=$(grep -abo 'a/b/large' bad.sion | head -n 1 | cut -d: -f1)
printf 'x' | dd of=bad.sion bs=1 seek=$((at + 3)) conv=notrunc 2>/dev/null
run sionls --files bad.sion
check 'a damaged tar is named' grep -q 'warning: the tar of task [0-3] is damaged at byte [0-9]*: this is no header' err
check 'and fails' ended 2
cp four.sion bad.sion
at=$(grep -abo 'a/b/large' bad.sion | head -n 1 | cut -d: -f1)
printf 'x' | dd of=bad.sion bs=1 seek=$((at + 3)) conv=notrunc 2>/dev/null
rm -rf parts
run sionsplit --files bad.sion parts
check 'a header that is not that of the index' grep -q 'a/b/large is not where the index says' err
check 'fails, too' ended 2
check 'but all others are there' test "$(find parts ! -name parts | wc -l)" -eq $((files - 1))

if test $mounted = yes; then
    "$builddir/sionmount" --files bad.sion mnt
    check 'sionmount: such a file cannot be opened' sh -c '! cat mnt/a/b/large' 2>/dev/null
    check 'but others can' same mnt/a/one tree/a/one
    fusermount3 -u mnt
fi

# Names that lead elsewhere, in tars that others have made.
mkdir -p evil/sub
echo evil >evil/file
ln -s ../../../elsewhere evil/sub/up
ln -s /etc/passwd evil/sub/absolute
(
    cd evil/sub || exit
    tar -c -P -f ../../evil.tar ../file "$PWD/../file" up absolute
    ln -sfn .. way
    tar -r -P -f ../../evil.tar way
    rm way
    mkdir way
    echo through >way/through
    tar -r -P -f ../../evil.tar way/through
    echo fine >fine
    tar -r -P -f ../../evil.tar fine
)
run sionmerge evil.sion evil.tar
mkdir -p guarded/parts
run sionsplit --files evil.sion guarded/parts
check 'an evil container fails' ended 2
check '".." is refused' grep -q ': \.\./file is refused: it leads out of the tree' err
check 'an absolute path is refused' grep -q 'file is refused: an absolute path' err
check 'a link up is refused' grep -q ': up is refused: the link to .*elsewhere could lead out' err
check 'an absolute link is refused' grep -q ': absolute is refused: the link to /etc/passwd could' err
check 'a link to the folder above, too' grep -q ': way is refused: the link to \.\. could lead out' err
check 'what is fine is made' test "$(cat guarded/parts/fine)" = fine
(cd guarded && find . ! -path '*/way*' | LC_ALL=C sort) >found
printf '%s\n' . ./parts ./parts/fine >wanted
check 'and nothing elsewhere' same wanted found
if test $mounted = yes; then
    "$builddir/sionmount" --files evil.sion mnt
    (cd mnt && find . | sort) >found
    printf '%s\n' . ./absolute ./fine ./up ./way >wanted
    check 'sionmount does not show what is refused' same wanted found
    fusermount3 -u mnt
fi
rm -rf guarded
mkdir -p guarded/parts
run sionsplit --files --unsafe-links evil.sion guarded/parts
check '--unsafe-links makes links' test "$(readlink guarded/parts/absolute)" = /etc/passwd
check 'but nothing goes through them' test ! -e guarded/through

# Two files of one path, as two nodes may write them.
mkdir twice
echo first >twice/file
tar -c -C twice -f 1.tar file
echo second >twice/file
tar -c -C twice -f 2.tar file
run sionmerge twice.sion 1.tar 2.tar
rm -rf parts
run sionsplit --files twice.sion parts
check 'a path of two tasks' failed_with 2 'file is also in task 1, which is left out: --task=1 takes that one'
check 'the first one is made' test "$(cat parts/file)" = first
run sionsplit --files --task=1 twice.sion parts
check '--task makes the other one' test "$(cat parts/file)" = second

# ---- errors, which leave no container behind ----

run sionmerge --files none out.sion
check 'a tree that is not there' failed_with 2 'none: No such file'
run sionmerge --files /etc out.sion
check 'an absolute tree' failed_with 2 '/etc is not below the working folder; --root names another'
run sionmerge --files tree/../.. out.sion
check 'a tree above' failed_with 2 'is not below the working folder'
run sionmerge --files tree
check 'no output' failed_with 1 '--files needs trees and, behind them, the output'
run sionmerge --files -T list tree out.sion
check 'a list' failed_with 1 'no -T'
run sionmerge --tasks=2 out.sion tree/a/one
check '--tasks without --files' failed_with 1 '--root and --tasks are for trees'
check 'no container is left' test ! -e out.sion
test "$files" -gt 10 || exit 99
finish

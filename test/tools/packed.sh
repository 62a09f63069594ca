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

#!/bin/sh
# The map of a dataset is not replaced by that of another one: numbers and names are chosen and
# checked before export and pack write anything, and what they refuse leaves nothing.
. "$srcdir/test/tools/lib.sh"

mkdir "$scratch/work" && cd "$scratch/work" || exit 99

for n in 1 2 3; do
    mkdir -p p/ckpt.$n
    cp "$GOLDEN/serial/s0${n}"_*.sion p/ckpt.$n/data.sion
done
chmod -R u+w p

# unchanged COMMAND...: it fails, and nothing in p has changed
unchanged()
{
    rm -rf before
    cp -r p before
    run sionscr "$@"
    diff -r before p
}

for layout in prefix scr3; do
    rm -rf p/.scr
    for n in 1 2; do
        run sionscr export -l $layout --index p/ckpt.$n/data.sion
        check "$layout: number $n by default" sh -c \
            'test -f $1/summary.scr && "$2/sionscr" check $1' - p/.scr/scr.dataset.$n "$builddir"
    done
    run sionscr export -l $layout --index p/ckpt.1/data.sion
    check "$layout: an export without a number, again" succeeded
    check '... keeps its number' test ! -e p/.scr/scr.dataset.3
    check "$layout: the number of another dataset" unchanged export -l $layout -i 1 p/ckpt.3/data.sion
    check '... is refused' failed_with 2 'p/.scr/scr.dataset.1, dataset 1, is the map of other files'
    check "$layout: number and name of another dataset" unchanged export -l $layout -i 1 -D scr.dataset.1 p/ckpt.3/data.sion
    check '... are refused' failed_with 2 'p/.scr/scr.dataset.1, dataset 1, is the map of other files'
    check "$layout: a used name, and a free number" unchanged export -l $layout -i 7 -D scr.dataset.2 --index p/ckpt.3/data.sion
    check '... are refused' failed_with 2 'already has scr.dataset.2 as dataset 2'
    check "$layout: a used number, and a free name" unchanged export -l $layout -i 2 -D new p/ckpt.3/data.sion
    check '... are refused' failed_with 2 'already has scr.dataset.2 as dataset 2'
    run sionscr export -l $layout -i 5 -D five p/ckpt.3/data.sion
    check "$layout: a free number and a free name" succeeded
    run sionscr export -l $layout -D five p/ckpt.3/data.sion
    check '... again, by the name' test "$(ls p/.scr | tr '\n' ' ')" = \
        'index.scr scr.dataset.1 scr.dataset.2 scr.dataset.5 '
    mkdir p/.scr/scr.dataset.11
    run sionscr export -l $layout -D twelve p/ckpt.3/data.sion
    check "$layout: the next number is after that of every folder" test -d p/.scr/scr.dataset.12
    rm -r p/.scr/scr.dataset.12
    rm -r p/.scr/scr.dataset.5
    mv p/ckpt.1 gone
    run sionscr export -l $layout -i 1 p/ckpt.3/data.sion
    check "$layout: the map of files that are no longer there is replaced" succeeded
    mv gone p/ckpt.1
done

# In the layout of SCR 1.1 a dataset is its folder.
rm -rf p/.scr
number()
{
    "$builddir/sionscr" dump "$1/.scr/summary.scr" | sed -n '/^ *ID$/{n;s/ //g;p;}'
}
for n in 1 2 2 1 3; do
    run sionscr export --index p/ckpt.$n/data.sion
    check "dataset: ckpt.$n has its number" test "$(number p/ckpt.$n)" = $n
done
run sionscr check p
check 'dataset: all are right' printed /dev/null

# ---- pack ----

rm -rf q
mkdir q
echo data >file
for n in 1 2 1; do
    run sionscr pack -s 1k -p q -o q/deep/er/ckpt.$n file
    check "pack: the number $n by default" test "$(number q/deep/er/ckpt.$n)" = $n
done
cp -r "$GOLDEN/scr/real_scr_1.2.2_prefix" r
chmod -R u+w r
for operands in '-p r -i 2 -o r/a/b' '-p r -o elsewhere/a' '-p missing -o missing/a' '-p r -i 1 -o r/c file missing'; do
    find r elsewhere missing >listed 2>/dev/null
    # shellcheck disable=SC2086
    run sionscr pack -s 1k $operands file
    check "pack $operands: is refused" ended 2
    find r elsewhere missing >after 2>/dev/null
    check '... leaves no folder' same after listed
done
SION_FAULT=write:enospc:1 run sionscr pack -s 1k -o new/folder file
check 'pack: a full disk' ended 2
check '... leaves no folder' test ! -e new
run sionscr pack -s 1k -p r -o r/ckpt.3 file
check 'pack: the number after the last one' test -f r/.scr/scr.dataset.3/rank2file.scr
rm r/.scr/index.scr
cp -r "$GOLDEN/scr/real_scr_1.2.2_prefix/.scr/index.scr" r/.scr
find r >listed
run sionscr pack -s 1k -p r -i 3 -o r/ckpt.4 file
check 'pack: the number of a map that is not in the index' failed_with 2 'already has ckpt.3 as dataset 3'
find r >after
check '... leaves nothing' same after listed

finish

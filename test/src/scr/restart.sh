# sionscr check --restart, index --drop and --keep, convert: on prefixes that releases of SCR left.
. "$srcdir/test/tools/lib.sh"

scr=$GOLDEN/scr
mkdir "$scratch/work" && cd "$scratch/work" || exit 99
TZ=UTC
export TZ

# fresh GOLDEN: makes a copy in ./p, which can be changed
fresh()
{
    rm -rf p
    cp -r "$scr/$1" p && chmod -R u+w p
}

# would_restart N RELEASE PREFIX
would_restart()
{
    run sionscr check --restart "$1" --scr "$2" "$3"
    succeeded && grep -q "SCR would restart $1 processes from it" "$scratch/out"
}

# would_not TEXT
would_not()
{
    failed_with 2 "$1" && ! grep -q 'would restart' "$scratch/out"
}

# names PREFIX: the datasets in the index, and * before the current one
names()
{
    "$builddir/sionscr" list "$1" 2>/dev/null | sed 1d | awk '{ print $1 == "*" ? "*" $3 : $2 }' | tr '\n' ' '
}

# three LAYOUT: a prefix p with the datasets ckpt.1 to ckpt.3, each in a container of its own
three()
{
    rm -rf p
    for n in 1 2 3; do
        mkdir -p p/ckpt.$n && cp "$GOLDEN/serial/s04_multichunk.sion" p/ckpt.$n/c.sion &&
            "$builddir/sionscr" export -l "$1" -x -i $n -D ckpt.$n p/ckpt.$n/c.sion || exit 99
    done
    rm -rf before && cp -r p before
}

# ---- would SCR restart? ----

three dataset
check 'SCR 1.1' would_restart 3 1.1.8 p
check 'SCR 1.2' would_restart 4 1.2 "$scr/real_scr_1.2.2_prefix"
check 'SCR 3' would_restart 4 3.1.0 "$scr/real_scr_3_prefix"
run sionscr check --restart 4 "$scr/real_scr_3_prefix"
check 'the release is that of the index' succeeded
run sionscr check --restart 8 "$scr/real_scr_1.2.2_prefix"
check 'a wrong number of processes' would_not 'ckpt.2 is of 4 processes, not of 8: start 4'
run sionscr check --restart 4 --scr 3 "$scr/real_scr_1.2.2_prefix"
check 'the index of another release' would_not "the index is that of SCR 1.2, in which SCR 3 finds no datasets: 'sionscr convert -l scr3'"
fresh real_scr_1.2.2_prefix
echo halt >p/.scr/halt.scr
run sionscr check --restart 4 p
check 'an order to halt' would_not "'rm p/.scr/halt.scr'"
fresh real_scr_1.2.2_prefix
rm p/.scr/index.scr
run sionscr check --restart 4 p
check 'no index' would_not "'sionscr index p --repair' makes it"
fresh real_scr_1.2.2_prefix
truncate -s -1 p/ck/rank_3.ckpt
run sionscr check --restart 4 p
check 'a file that is cut off' ended 2
check '... is named' grep -q 'file ck/rank_3.ckpt' "$scratch/err"
three prefix
run sionscr check --restart 3 --scr 3 p
check 'parts of containers for SCR 3' ended 2
check '... are named' grep -q 'parts of containers, which SCR 3 does not read' "$scratch/err"
run sionscr check --scr 3 p
check '--scr alone' failed_with 1 '--scr belongs to --restart'
run sionscr check --restart 4 --scr 4 p
check 'an unknown release' failed_with 1 '--scr takes 1.1, 1.2 or 3'
run sionscr check --restart 0 p
check 'no processes' ended 1

# What SCR leaves after a start with a wrong number of processes.
fresh real_scr_1.2.2_prefix
"$builddir/test/src/scr/mark_failed" p 2 ckpt.2 || exit 99
run sionscr check --restart 4 p
check 'marked as failed' grep -q 'no dataset of p is the current one' "$scratch/err"
check '... is no success' ended 2
check '... the cure is named' grep -q "'sionscr index -u ckpt.2 p' makes SCR restart from it" "$scratch/err"
run sionscr list p
check '... by list, too' grep -q "'sionscr index -u ckpt.2 p'" "$scratch/err"
run sionscr index --repair p
check '... and by repair' grep -q "'sionscr index -u ckpt.2 p'" "$scratch/err"
run sionscr index -u ckpt.2 p
check '... and cures' would_restart 4 1.2 p

# ---- datasets that are no longer wanted ----

for layout in dataset prefix scr3; do
    three $layout
    run sionscr index --keep 2 --delete --dry-run p
    check "$layout: a dry run tells" grep -q 'ckpt.1: to be removed, with 1 file$' "$scratch/out"
    check '... and changes nothing' diff -r before p
    run sionscr index --keep 3 --delete p
    check '... as many as there are' diff -r before p
    run sionscr index --keep 2 p
    check '... two are kept' test "$(names p)" = 'ckpt.2 *ckpt.3 '
    check '... and all files' diff -r before/ckpt.1 p/ckpt.1
    run sionscr index --add ckpt.1 p
    run sionscr index --keep 2 --delete p
    check '... files are removed' grep -q 'ckpt.1: removed, with 1 file$' "$scratch/out"
    check '... and their folders' test ! -e p/ckpt.1 -a ! -e p/.scr/scr.dataset.1
    check '... others are not' diff -r before/ckpt.2 p/ckpt.2
    run sionscr check p
    check '... and are complete' succeeded
    run sionscr index --drop ckpt.3 --delete p
    check '... the current one' test "$(names p)" = '*ckpt.2 ' -a ! -e p/ckpt.3
    check '... is another one then' grep -q 'ckpt.2: current' "$scratch/out"
    run sionscr index --drop ckpt.2 p
    check '... the last one' test "$(names p)" = ''
    three $layout
    run sionscr index -u ckpt.1 p
    run sionscr index --keep 1 --delete p
    check '... the current one is not dropped' test "$(names p)" = '*ckpt.1 ckpt.3 ' -a -e p/ckpt.1
done
three prefix
run sionscr index --drop gone p
check 'a name that is not there' failed_with 2 'has no dataset gone'
root=$(find p/.scr/scr.dataset.2 -name 'rank2file*.scr' | sort | tail -n 1)
printf x | dd of="$root" bs=1 seek=30 conv=notrunc 2>/dev/null
rm -rf damaged && cp -r p damaged
run sionscr index --drop ckpt.1 --delete p
check 'another map that cannot be read' failed_with 2 'ckpt.2: what it shares with others is not known'
check '... nothing is changed' diff -r damaged p
run sionscr index --drop ckpt.1 --keep 1 p
check 'both at once' failed_with 1 'not both'
run sionscr index --delete p
check '--delete alone' failed_with 1 '--delete belongs to --drop'
run sionscr index --dry-run --repair p
check '--dry-run alone' failed_with 1 '--dry-run belongs to --build'

three prefix
rm p/.scr/scr.dataset.1/summary.scr
run sionscr index --keep 1 --delete p
check 'a map of which nothing says whose it is' ended 2
check '... the entry goes' test "$(names p)" = '*ckpt.3 '
check '... the files stay' test -s p/ckpt.1/c.sion -a -d p/.scr/scr.dataset.1 -a ! -e p/ckpt.2

# A file that two datasets name stays.
mkdir shared && cp "$GOLDEN/serial/s04_multichunk.sion" shared/c.sion
mkdir shared/data && mv shared/c.sion shared/data
run sionscr export -l prefix -x -i 1 -D one shared/data/c.sion
run sionscr export -l prefix -x -i 2 -D two -n '%c.again.%r' shared/data/c.sion
run sionscr index --drop one --delete shared
check 'a shared container stays' test -s shared/data/c.sion -a ! -e shared/.scr/scr.dataset.1
run sionscr index --drop two --delete shared
check '... until nobody has it' test ! -e shared/data

# ---- convert ----

three dataset
for from in p/ckpt.1 "$scr/real_scr_3_prefix"; do
    for layout in dataset prefix scr3; do
        rm -rf new && mkdir -p new/ckpt
        run sionscr convert -l $layout -D ckpt -x "$from" new/ckpt/all.sion
        check "convert: $layout" succeeded
        run sionscr check new
        check "... is complete" succeeded
    done
done
run sionscr convert -l prefix "$scr/real_scr_3_prefix" new/ckpt/all.sion
check 'convert: the container is there' failed_with 2 'new/ckpt/all.sion already exists'
finish

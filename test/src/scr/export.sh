#!/bin/sh
# sionscr export: every task's stream can be extracted from the container, also by an independent
# decoder; the three layouts; errors.
. "$srcdir/test/tools/lib.sh"

decoder=$(cd "$srcdir" && pwd)/test/src/scr/decode.py
mkdir "$scratch/work" && cd "$scratch/work" || exit 99
have_python=$(command -v python3)

# take CONTAINER: exports, checks and fetches it, and compares the files with sioncat
takes()
{
    rm -rf data out
    mkdir data
    cp "$1"* data/
    chmod -R u+w data
    container=$(basename "$1")
    # shellcheck disable=SC2086
    "$builddir/sionscr" export $2 "data/$container" && "$builddir/sionscr" check data &&
        "$builddir/sionscr" fetch -o out data || return 1
    "$builddir/siondump" "data/$container" | sed -n 's/.*number of tasks: *//p' >ntasks
    test "$(ls out | wc -l)" -eq "$(cat ntasks)" || return 1
    # The ranks are the stored ones, in any order.
    "$builddir/siondump" -a "data/$container" | sed -n 's/.*glblrnk= *\([0-9]*\).*/\1/p' | head -n "$(cat ntasks)" >ranks
    t=0
    while read -r rank; do
        "$builddir/sioncat" -t $t "data/$container" | cmp - "out/$container.task.$rank" || return 1
        t=$((t + 1))
    done <ranks
    test $t -eq "$(cat ntasks)"
}

for sample in serial/s01_single serial/s03_zero serial/s04_multichunk serial/s05_endbig \
    serial/s07_keyval serial/s08_granks serial/s11_fsblk1 serial/s12_allzero mpi/m01_multi \
    mpi/m02_coll2 mpi/m03_cmerge mpi/m04_keyval mpi/m09_chunks130 mpi/m10_lcomm; do
    case $sample in
    *cmerge) force=-f ;;
    *) force= ;;
    esac
    check "streams of $sample" takes "$GOLDEN/$sample.sion" $force
done
cp "$GOLDEN/mpi/m03_cmerge.sion" merged.sion
run sionscr export merged.sion
check 'SCR cannot restart from a merged container' failed_with 2 \
    'tasks seem to have the bytes of those after them'
chmod u+w merged.sion
"$builddir/test/tools/make_members" merged.sion || exit 99
run sionscr export merged.sion
check 'nor from one that says whose the bytes are' failed_with 2 \
    'merged.sion was written merged (cmerge): collectors have the bytes of their groups'
check 'and it gets no map' test ! -e .scr
run sionscr export -f merged.sion
run sionscr fetch -o streams .scr
check 'a forced map has the streams as they are' test "$(stat -c %s streams/*.task.0) $(stat -c %s streams/*.task.1)" = '1953 0'
rm -rf .scr streams

# Who may not read the container may not read its map either, whatever the umask.
for mode in 600 640 644; do
    for layout in dataset prefix scr3; do
        mkdir -p "private/$mode.$layout/data"
        cp "$GOLDEN/serial/s04_multichunk.sion" "private/$mode.$layout/data/c.sion"
        chmod $mode "private/$mode.$layout/data/c.sion"
        run sionscr export -l $layout "private/$mode.$layout/data/c.sion"
        find "private/$mode.$layout" -name '*rank2file*' -exec stat -c %a {} + | sort -u >modes
        echo $mode >wanted_modes
        check "a map in $layout has the permissions of the container, $mode" same modes wanted_modes
    done
done

# A buddy file has place-holders for the tasks that keep it, which stand for no data.
mkdir buddy
cp "$GOLDEN"/buddy/m06_buddy.sion* buddy
chmod -R u+w buddy
buddies()
{
    for file in m06_buddy.sion m06_buddy.sion_BUDDY_00; do
        "$builddir/sionscr" export -n %r "buddy/$file" &&
            "$builddir/sionscr" fetch -o "out_$file" buddy || return 1
    done
    test "$(ls out_m06_buddy.sion | wc -l)" -eq 6 &&
        diff -r out_m06_buddy.sion out_m06_buddy.sion_BUDDY_00
}
check 'a buddy file has the same streams' buddies

cp "$GOLDEN/serial/s04_multichunk.sion" s04.sion
chmod u+w s04.sion

# Reads the map with a program that follows the description of the format, and shares no code.
independent()
{
    python3 "$decoder" "$1" "$2" fetched "$3"
}
streams()
{
    for t in 0 1 2; do
        "$builddir/sioncat" -t $t s04.sion | cmp - "fetched/$t" || return 1
    done
}
for layout in dataset prefix scr3; do
    rm -rf ckpt .scr fetched
    mkdir ckpt fetched
    cp s04.sion ckpt
    # shellcheck disable=SC2046
    run sionscr export -i 1 --layout=$layout $(test $layout != scr3 || echo --segments) ckpt/s04.sion
    check "$layout: export" printed /dev/null
    case $layout in
    dataset) root=ckpt/.scr/rank2file.scr base=ckpt below=ckpt ;;
    prefix) root=.scr/scr.dataset.1/rank2file.scr base=. below=.scr/scr.dataset.1 ;;
    *) root=.scr/scr.dataset.1/rank2file base=. below=. ;;
    esac
    check "$layout: root" test -f "$root"
    check "$layout: summary" test -f "$(dirname "$root")/summary.scr"
    if test -n "$have_python"; then
        check "$layout: an independent decoder" independent "$root" "$base" "$below"
        check "$layout: the decoder finds the bytes" streams
    else
        skip "$layout: an independent decoder" 'no python3'
    fi
    run sionscr check "$base"
    check "$layout: check" printed /dev/null
done

# A rank without bytes has an empty SEG. Without it, SCR would look for a file.
mkdir empty
cp "$GOLDEN/serial/s12_allzero.sion" empty
run sionscr export empty/s12_allzero.sion
check 'no bytes at all' printed /dev/null
run sionscr dump --json empty/.scr/rank2file.0.0.scr
check '... have an empty SEG' grep -q '"SEG": *{}' "$scratch/out"

# ---- SCR 3: the physical files ----

rm -rf .scr set
mkdir set
cp "$GOLDEN"/mpi/m01_multi.sion* set
chmod -R u+w set
run sionscr export -l scr3 set/m01_multi.sion
check 'scr3: physical files' printed /dev/null
run sionscr check -v .
check 'scr3: check' printed /dev/null
run sionscr fetch -o physical .
check 'scr3: fetch' printed /dev/null
check 'scr3: the files themselves' diff -r physical/set set
cp set/m01_multi.sion kept
printf X | dd of=set/m01_multi.sion bs=1 seek=20 conv=notrunc 2>/dev/null
run sionscr check .
check 'scr3: a changed byte is found' grep -q 'file set/m01_multi.sion: its CRC is 0x' "$scratch/err"
mv kept set/m01_multi.sion
run sionscr export -l scr3 -n %r set/m01_multi.sion
check 'scr3: a template for names is refused' failed_with 2 'have the names of the container'

# ---- options ----

rm -rf .scr
run sionscr export --no-crc -n 'ckpt/%r of 100%%' -l prefix -p . -i 7 -t 100 s04.sion
check 'options' printed /dev/null
run sionscr dump .scr/scr.dataset.7/rank2file.0.0.scr
check 'names from a template' grep -qx '        ckpt/0 of 100%' "$scratch/out"
check 'no CRC' test -z "$(grep CRC "$scratch/out")"
check 'a small segment makes a tree' test -f .scr/scr.dataset.7/rank2file.0.1.scr
run sionscr check .
check 'the map is found and right' printed /dev/null
cp -r .scr/scr.dataset.7 older
for fault in open:enospc:4 write:enospc:1 write:enospc:2 sync:eio:1 rename:eio:1; do
    SION_FAULT=$fault run sionscr export -l prefix -p . -i 7 s04.sion
    check "an export with a fault, $fault" ended 2
    check '... leaves the old map, byte for byte' diff -r .scr/scr.dataset.7 older
done
run sionscr export -l prefix -p . -i 7 s04.sion
check 'another map replaces it' test ! -e .scr/scr.dataset.7/rank2file.0.1.scr
run sionscr export -l scr3 -p . -i 7 s04.sion
check '... and a map of another layout replaces that' test "$(ls .scr/scr.dataset.7)" = \
    "rank2file
rank2file.0.0
summary.scr"
run sionscr check .
check '... which is found and right' printed /dev/null
mkdir elsewhere
run sionscr export -o elsewhere s04.sion
check 'a container outside' failed_with 2 's04.sion is not in or below '
run sionscr export -p . s04.sion
check 'a prefix with another layout' failed_with 1 '-p is for the layouts prefix and scr3'
mkdir -p pfx/set
cp s04.sion pfx/set
run sionscr export -l scr3 -o pfx/set pfx/set/s04.sion
check 'the prefix is above the dataset' test -f pfx/.scr/scr.dataset.1/rank2file
run sionscr export -n '../%r' s04.sion
check 'a name that leads out of the folder' failed_with 2 'leads out of its folder'
run sionscr export -n 'all' s04.sion
check 'the application may use equal names' ended 0
run sionscr check .scr/..
check '... which are no overlap' ended 0
run sionscr fetch -o equal .scr/..
check '... but cannot be fetched' grep -q 'File exists' "$scratch/err"

# A release of SCR looks for maps of its own layout only.
for pair in '1.1.8_plain/prefix dataset' '1.2.2_prefix prefix' '3_prefix scr3'; do
    release=${pair% *}
    own=${pair#* }
    for layout in dataset prefix scr3; do
        rm -rf mixed
        cp -r "$GOLDEN/scr/real_scr_$release" mixed
        chmod -R u+w mixed
        mkdir mixed/ckpt.7
        cp s04.sion mixed/ckpt.7
        run sionscr export -l $layout -i 7 --index mixed/ckpt.7/s04.sion
        if test $layout = $own; then
            check "$release: an index of its own layout" printed /dev/null
            continue
        fi
        check "$release: an index of another layout than $layout" failed_with 2 \
            "/.scr/index.scr is of a release of SCR that looks for maps of the layout $own, not $layout"
        check '... stays' same mixed/.scr/index.scr "$GOLDEN/scr/real_scr_$release/.scr/index.scr"
        check '... and there is no map' test -z "$(find mixed/ckpt.7 mixed/.scr/scr.dataset.7 -name 'rank*' 2>/dev/null)"
    done
done
run sionscr export -l scr3 -D . s04.sion
check 'a dataset without a name' failed_with 2 'the name . is that of a folder'
run sionscr export missing.sion
check 'no container' failed_with 2 'missing.sion'
run sionscr export "$GOLDEN/streams.txt"
check 'another file than a container' failed_with 2 'not a sion file'
run sionscr export -l other s04.sion
check 'a wrong layout' failed_with 1 "not 'other'"
run sionscr export -j s04.sion
check 'an option of another command' failed_with 1 '-j is not an option of export'

finish

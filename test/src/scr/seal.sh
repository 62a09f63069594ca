#!/bin/sh
# sionscr seal: adds sizes and CRCs to the maps of SCR 3, so that check finds changes.
. "$srcdir/test/tools/lib.sh"

mkdir "$scratch/work" && cd "$scratch/work" || exit 99
cp -r "$GOLDEN/scr/real_scr_3_prefix" prefix
chmod -R u+w prefix
map=prefix/.scr/scr.dataset.2

run sionscr check $map
check 'a map of SCR 3' printed /dev/null
run sionscr seal $map
check 'seal' printed /dev/null
run sionscr dump $map/rank2file.0.0
# A map of SCR 1.2 has the same files, with SCR's own sizes and CRCs.
sorted()
{
    "$builddir/sionscr" dump "$1" | awk '{
        match($0, /^ */); level = RLENGTH / 2; key[level] = $1; line = ""
        for (i = 1; i <= level; i++) line = line "/" key[i]
        print line }' | sort
}
sorted $map/rank2file.0.0 >ours
sorted "$GOLDEN/scr/real_scr_1.2.2_prefix/.scr/scr.dataset.2/rank2file.0.0.scr" >theirs
check 'SIZE and CRC are those of SCR 1.2, and nothing else changes' same ours theirs
check 'the root is unchanged' same $map/rank2file \
    "$GOLDEN/scr/real_scr_3_prefix/.scr/scr.dataset.2/rank2file"
run sionscr check $map
check 'check' printed /dev/null
cp $map/rank2file.0.0 sealed
run sionscr seal $map
check 'again' printed /dev/null
check '... changes nothing' same $map/rank2file.0.0 sealed

printf X | dd of=prefix/ck/rank_2.ckpt bs=1 seek=1000 conv=notrunc 2>/dev/null
run sionscr check $map
check 'a changed byte is found' grep -q 'ck/rank_2.ckpt.*its CRC is 0x[0-9a-f]*, not 0x3dcb1ddf' \
    "$scratch/err"
run sionscr seal $map
check '... and seal refuses to hide it' failed_with 2 'file ck/rank_2.ckpt: its CRC is 0x'
check '... the map is unchanged' same $map/rank2file.0.0 sealed

# The other dataset has no CRCs yet, so it can get only sizes.
run sionscr seal --no-crc prefix/.scr/scr.dataset.1
check 'sizes only' printed /dev/null
run sionscr dump prefix/.scr/scr.dataset.1/rank2file.0.0
check '... of all files' test "$(grep -c SIZE "$scratch/out")/$(grep -c CRC "$scratch/out")" = 4/0
echo >>prefix/ck/rank_0.ckpt
run sionscr check prefix/.scr/scr.dataset.1
check 'a file that is too long' grep -q 'it has 124295 bytes, not 124294' "$scratch/err"
cp -r "$GOLDEN/scr/real_scr_3_container_prefix" container
chmod -R u+w container
run sionscr seal container
check 'missing files' failed_with 2 'file ckpt.1/data.sion: cannot open '
check '... the map is unchanged' same container/.scr/scr.dataset.1/rank2file.0.0 \
    "$GOLDEN/scr/real_scr_3_container_prefix/.scr/scr.dataset.1/rank2file.0.0"

# ---- a prefix with several datasets ----

fresh()
{
    rm -rf both
    cp -r "$GOLDEN/scr/real_scr_3_prefix" both
    chmod -R u+w both
}
crcs()
{
    run sionscr dump both/.scr/scr.dataset.$1/rank2file.0.0
    grep -c CRC "$scratch/out"
}
fresh
run sionscr seal both
cat >sealed_both <<'END'
both/.scr/scr.dataset.1: sealed
both/.scr/scr.dataset.2: sealed
END
check 'several datasets: each one is named' printed sealed_both
check '... and sealed' test "$(crcs 1) $(crcs 2)" = '4 4'
fresh
mv both/.scr/scr.dataset.1 both/.scr/scr.dataset.10
run sionscr seal both
check 'several datasets: in the order of their numbers' test \
    "$(tr '\n' ' ' <"$scratch/out")" = \
    'both/.scr/scr.dataset.2: sealed both/.scr/scr.dataset.10: sealed '
fresh
rm both/.scr/scr.dataset.1/rank2file.0.0
run sionscr seal both
check 'several datasets: one that fails' ended 2
check '... is named, and counted' test "$(cut -d ' ' -f 2 "$scratch/err" | tr '\n' ' ')" = \
    'both/.scr/scr.dataset.1: 1 '
check '... the other is sealed' test "$(crcs 2)" = 4

finish

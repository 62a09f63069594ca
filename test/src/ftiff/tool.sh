#!/bin/sh
# Runs sionfti on files that FTI has written.
. "$srcdir/test/tools/lib.sh"

fti=$GOLDEN/ftiff
work=$scratch/work
mkdir "$work"
cd "$work" || exit 99

# part FILE FIRST BYTES: prints a part of a file
part()
{
    tail -c +$(($2 + 1)) "$1" | head -c "$3"
}

# change FILE OFFSET: changes one byte
change()
{
    byte=$(part "$1" "$2" 1 | od -An -tu1)
    # shellcheck disable=SC2059
    printf "\\$(printf %03o $((byte ^ 1)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

# copy FILE NAME: makes a copy that can be changed
copy()
{
    cp "$fti/$1" "$2" && chmod u+w "$2"
}

lines_are()
{
    ended 0 && test ! -s "$scratch/err" && test "$(grep -c "$2" "$scratch/out")" -eq "$1" || {
        cat "$scratch/out" "$scratch/err"
        return 1
    }
}

# ---- check ----

for release in v1.1 v1.3 master; do
    for level in L1 L2 L3 L4; do
        run sionfti check "$fti/$release/$level"
        n=$(find "$fti/$release/$level" -name 'Ckpt*.fti' | wc -l)
        check "check: all $n files of $release, level $level" lines_are "$n" ': good, FTI '
    done
done
for sample in v1.1-zero v1.1-rst v1.3-zero v1.3-rst master-zero master-rst; do
    rm -rf packed.sion unpacked variables after
    run sionfti check "$fti/after_restart/$sample"/[1-6]
    check "check: after a restart, $sample" lines_are 12 ': good, FTI '
    mkdir after
    cp "$fti/after_restart/$sample/6"/* after
    run sionfti pack -o packed.sion after
    check "pack: after a restart, $sample" succeeded
    run sionfti unpack -o unpacked packed.sion
    check "unpack: after a restart, $sample" succeeded
    check "unpack: the same files, $sample" diff -r after unpacked
    run sionfti extract -o variables after/Ckpt6-Rank1.fti
    check "extract: after a restart, $sample" succeeded
    check "extract: variable 2, $sample" test "$(wc -c <variables/var_2.bin)" -eq 95
    case $sample in
    *-zero)
        check "extract: an empty variable, $sample" test -f variables/var_6.bin -a ! -s variables/var_6.bin
        run sionfti dump after/Ckpt6-Rank0.fti
        check "dump: a variable without bytes has content, $sample" lines_are 10 '^ hascontent: true$'
        ;;
    esac
    case $sample in
    v1.1-*) ;;
    *)
        run sionfti rehash -o rehashed.fti after/Ckpt6-Rank0.fti
        check "rehash: after a restart, $sample" succeeded
        check "rehash: it was good for FTI, $sample" same rehashed.fti after/Ckpt6-Rank0.fti
        rm -f rehashed.fti
        run sionfti dump -j after/Ckpt6-Rank0.fti
        check "dump: JSON says what comes from the restart, $sample" lines_are 5 '"hasCkpt": true'
        ;;
    esac
done
run sionfti check "$fti/master/L2"
check 'check: partner copies and their originals' lines_are 4 'Pcof[0-3].fti: .*; copy of .*/L2/Ckpt1-Rank[0-3].fti$'
check 'check: the first partner has the last rank' lines_are 1 'Pcof0.fti: .*Ckpt1-Rank3.fti$'
run sionfti check "$fti/v1.1/L3"
check 'check: Reed-Solomon files' lines_are 4 'RSed.*24300 Reed-Solomon bytes match their checksum; they are not decoded$'
run sionfti check "$fti/master/L2/Ckpt1-Pcof1.fti"
check 'check: a partner alone' lines_are 1 'its original is missing or damaged'
run sionfti check "$fti/v1.3/L1/Ckpt7-Rank0.fti"
check 'check: a file that FTI itself refuses' lines_are 1 'FTI itself refuses its checksum, see rehash$'
run sionfti check -c 2 "$fti/master/L1"
check 'check: one checkpoint of a folder' lines_are 2 'checkpoint 2, '

copy master/L1/Ckpt3-Rank0.fti Ckpt3-Rank0.fti
change Ckpt3-Rank0.fti 40123
run sionfti check Ckpt3-Rank0.fti
check 'check: the damaged chunk is named' failed_with 2 \
    'Ckpt3-Rank0.fti: variable 2, container 1 (16000 bytes at offset 40000): the data do not match'
change Ckpt3-Rank0.fti 5
run sionfti check Ckpt3-Rank0.fti
check 'check: each damaged chunk is named' test "$(grep -c 'container' "$scratch/err")" -eq 2
copy v1.1/L1/Ckpt5-Rank0.fti Ckpt5-Rank0.fti
change Ckpt5-Rank0.fti 54000
run sionfti check Ckpt5-Rank0.fti
check 'check: a changed byte after the data, 1.1' failed_with 2 'all bytes after the file block'
copy v1.3/L1/Ckpt5-Rank0.fti Ckpt5-Rank0.fti
change Ckpt5-Rank0.fti 54000
run sionfti check Ckpt5-Rank0.fti
check 'check: a changed byte after the data, 1.3' failed_with 2 'the unused bytes after the data are not 0'
copy master/L1/Ckpt3-Rank0.fti Ckpt4-Rank0.fti
run sionfti check Ckpt4-Rank0.fti
check 'check: a number that differs from the name' failed_with 2 'checkpoint 3, not 4 as its name says'
copy master/L3/Ckpt1-RSed2.fti Ckpt1-RSed2.fti
change Ckpt1-RSed2.fti 77
run sionfti check Ckpt1-RSed2.fti
check 'check: damaged Reed-Solomon bytes' failed_with 2 'the Reed-Solomon bytes have the MD5'
copy master/L3/Ckpt1-RSed2.fti Ckpt2-RSed2.fti
run sionfti check Ckpt2-RSed2.fti
check 'check: Reed-Solomon bytes with a wrong name' failed_with 2 'checkpoint 1, not 2'
part "$fti/master/L1/Ckpt1-Rank0.fti" 0 24000 >Ckpt1-Rank0.fti
run sionfti check Ckpt1-Rank0.fti
check 'check: a truncated file' failed_with 2 'Ckpt1-Rank0.fti: not an FTI-FF checkpoint'
run sionfti check "$GOLDEN/streams.txt"
check 'check: another file' failed_with 2 'not an FTI-FF checkpoint'
run sionfti check missing.fti
check 'check: a missing file' failed_with 2 'missing.fti'
mkdir empty
run sionfti check empty
check 'check: an empty folder' failed_with 2 'no checkpoint files'
run sionfti check "$GOLDEN/serial/s02_unequal4.sion"
check 'check: a container of something else' ended 2
mkdir pair
copy master/L2/Ckpt1-Rank0.fti pair/Ckpt1-Rank0.fti
copy master/L2/Ckpt1-Rank1.fti pair/Ckpt1-Rank1.fti
copy master/L2/Ckpt1-Pcof1.fti pair/Ckpt1-Pcof1.fti
change pair/Ckpt1-Rank0.fti 123
run sionfti check pair
check 'check: a copy of a damaged file is good' grep -q 'Pcof1.fti: good.*; its original is missing or damaged$' \
    "$scratch/out"
check 'check: and the damaged file is named' failed_with 2 'Ckpt1-Rank0.fti: variable 1, container 0'
rm -r pair
rm -f Ckpt*

# ---- dump ----

run sionfti dump "$fti/v1.1/L1/Ckpt1-Rank0.fti"
cat >expected <<'END'
------------------- DATASTRUCTURE BEGIN -------------------

 DataBase-id: 0
 numvars: 3
 dbsize: 24204
 [size metadata: 204]

 Var-id: 0
 id: 1
 idx: 0
 containerid: 0
 hascontent: true
 dptr: 0
 fptr: 300
 chunksize: 4000
 containersize: 4000
 [hash: aba9f101b3231a46d25982346ad5b59d]

END
head -n 18 "$scratch/out" >begin
check 'dump: the form of the description' same begin expected
tail -n 3 "$scratch/out" >end
printf '\n\n------------------- DATASTRUCTURE END ---------------------\n' >expected
check 'dump: the end of the description' same end expected
run sionfti dump "$fti/master/L1/Ckpt7-Rank0.fti"
check 'dump: no idx in layouts without' lines_are 0 '^ idx:'
check 'dump: containers without content' lines_are 4 '^ hascontent: false$'
run sionfti dump "$fti/master/L1/Ckpt1-Rank0.fti" "$fti/master/L1/Ckpt2-Rank0.fti"
check 'dump: several files' lines_are 2 'DATASTRUCTURE END'
run sionfti dump --json "$fti/v1.1/L1/Ckpt1-Rank0.fti" "$fti/master/L3/Ckpt1-RSed0.fti"
check 'dump: JSON has a version' lines_are 1 '^{"format": "sionfti-dump", "version": 1, "files": \[$'
check 'dump: JSON of each file' lines_are 2 '"kind": "\(checkpoint\|reed-solomon\)"'
if command -v python3 >/dev/null; then
    check 'dump: JSON can be read' python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
v = d["files"][0]["blocks"][0]["containers"][2]
assert v["id"] == 3 and v["idx"] == 2 and v["fptr"] == 12300 and v["hascontent"] is True, v
assert d["files"][1]["bytes"] == 24300' "$scratch/out"
else
    skip 'dump: JSON can be read' 'no python3'
fi
run sionfti dump "$fti/master/L1/Ckpt1-Rank0.fti" missing.fti "$fti/master/L1/Ckpt2-Rank0.fti"
check 'dump: continues after a failure' test "$(grep -c 'STRUCTURE END' "$scratch/out")" -eq 2
check 'dump: fails in the end' failed_with 2 missing.fti

# ---- extract ----

run sionfti extract -o variables "$fti/master/L1/Ckpt7-Rank0.fti"
check 'extract' succeeded
check 'extract: a file for each variable' test "$(ls variables | tr '\n' ' ')" = \
    'var_1.bin var_2.bin var_3.bin var_4.bin var_5.bin '
part "$fti/master/L1/Ckpt7-Rank0.fti" 12000 8000 >expected
check 'extract: the used bytes only' same variables/var_3.bin expected
file=$fti/v1.1/L1/Ckpt6-Rank0.fti
run sionfti extract -o variables "$file"
{ part "$file" 12300 12000 && part "$file" 56516 16000 && part "$file" 100732 8000; } >expected
check 'extract: containers one after the other' same variables/var_3.bin expected
copy master/L1/Ckpt3-Rank0.fti Ckpt3-Rank0.fti
change Ckpt3-Rank0.fti 40123
run sionfti extract -o none Ckpt3-Rank0.fti
check 'extract: a damaged file is refused' failed_with 2 'variable 2, container 1'
check 'extract: no file is written then' test ! -e none

# ---- pack, unpack ----

for folder in v1.1/L1 v1.1/L3 v1.3/L4 master/L1 master/L2 master/L3; do
    rm -rf packed.sion unpacked
    run sionfti pack -o packed.sion "$fti/$folder"
    check "pack $folder" succeeded
    run sionfti check packed.sion
    check "check the container packed from $folder" lines_are "$(find "$fti/$folder" -name 'Ckpt*' | wc -l)" ': good, FTI'
    run sionfti unpack -o unpacked packed.sion
    check "unpack $folder" succeeded
    check "the files of $folder are the same" diff -r -x Topology.fti "$fti/$folder" unpacked
done
run sionfti pack -c 1 -o plain.sion "$fti/master/L4"
check 'pack one checkpoint of four ranks' succeeded
run sioncat -t 2 -o stream plain.sion
check 'a stream equals the file' same stream "$fti/master/L4/Ckpt1-Rank2.fti"
run siondump -a plain.sion
check 'nothing else is in the container' lines_are 1 'number of tasks: *4$'
rm -rf unpacked
run sionfti unpack -o unpacked plain.sion
check 'unpack: the original names' test "$(ls unpacked | tr '\n' ' ')" = \
    'Ckpt1-Rank0.fti Ckpt1-Rank1.fti Ckpt1-Rank2.fti Ckpt1-Rank3.fti '
run sionfti dump plain.sion
check 'dump: the streams of a container' lines_are 4 'DATASTRUCTURE END'
run sionfti pack -c 1 -o never.sion "$fti/master/L4" Ckpt3-Rank0.fti
check 'pack: a damaged file is refused' failed_with 2 'variable 2, container 1'
check 'pack: no container is written then' test ! -e never.sion
run sionfti pack -o never.sion "$fti/master/L1/Ckpt1-Rank0.fti" "$fti/master/L4/Ckpt1-Rank0.fti"
check 'pack: two files with one name are refused' failed_with 2 'have the same name'
mkdir one two
cp "$fti/master/L1/Ckpt1-Rank0.fti" one/x.fti
cp "$fti/master/L1/Ckpt1-Rank0.fti" one/y.fti
cp "$fti/master/L1/Ckpt1-Rank0.fti" two/x.fti
run sionfti pack -o never.sion one/x.fti one/y.fti two/x.fti
check 'pack: two other files with one name are refused' failed_with 2 'one/x.fti and two/x.fti have the same name'
cp Ckpt3-Rank0.fti same.fti
run sionfti pack -o same.fti same.fti
check 'pack: the output cannot be an input' failed_with 2 'is a file of the input'
check 'pack: the input is unchanged' same same.fti Ckpt3-Rank0.fti

# Names in a container cannot lead to other folders.
run sionfti pack -c 1 -o named.sion "$fti/v1.1/L1"
LC_ALL=C sed 's|^Ckpt1-Rank1.fti$|../escape-1.fti|' named.sion >hostile.sion
check 'the list of names is changed' test "$(wc -c <hostile.sion)" -eq "$(wc -c <named.sion)"
run sionfti unpack -o inside/ hostile.sion
check 'unpack: a name that leads to another folder' failed_with 2 'the list of names in the container is damaged'
check 'unpack: no file is written there' test ! -e escape-1.fti

LC_ALL=C sed 's|^Ckpt1-Rank1.fti$|Ckpt1-Rank0.fti|' named.sion >hostile.sion
run sionfti unpack -o twice hostile.sion
check 'unpack: a name that appears twice' failed_with 2 'two streams have the name Ckpt1-Rank0.fti'
check 'unpack: no folder is made then' test ! -e twice
run sionfti unpack -o twice "$fti/master/L1/Ckpt1-Rank0.fti"
check 'unpack: another file than a container' failed_with 2 'not a sion file'
cp "$fti/master/L3/Ckpt1-RSed2.fti" Ckpt2-RSed2.fti
run sionfti pack -o never.sion Ckpt2-RSed2.fti
check 'pack: Reed-Solomon bytes with a wrong name' failed_with 2 'checkpoint 1, not 2'
check 'pack: these are not packed' test ! -e never.sion

# ---- a full disk ----

# Like run sionfti, but no file can become larger than 16 blocks.
run_full()
{
    status=0
    (
        trap '' XFSZ
        ulimit -f 16
        timeout 60 "$builddir/sionfti" "$@"
    ) >"$scratch/out" 2>"$scratch/err" || status=$?
}
run sionfti pack -o all.sion "$fti/master/L1"
run_full pack -o full.sion "$fti/master/L1"
check 'pack: a full disk is reported once' failed_with 2 'cannot write '
check 'pack: no file is left' test ! -e full.sion
run_full unpack -o full all.sion
check 'unpack: a full disk' failed_with 2 'cannot write '
check 'unpack: no file is left' test -z "$(ls -A full)"
run_full extract -o full "$fti/master/L1/Ckpt6-Rank0.fti"
check 'extract: a full disk' failed_with 2 'cannot write '
check 'extract: no file is left' test -z "$(ls -A full)"
run_full rehash -o full.fti "$fti/master/L1/Ckpt7-Rank0.fti"
check 'rehash: a full disk' failed_with 2 'cannot write '
check 'rehash: no file is left' test ! -e full.fti

# ---- rehash ----

for release in v1.3 master; do
    file=$fti/$release/L1/Ckpt7-Rank0.fti
    run sionfti rehash -o "mended-$release.fti" "$file"
    check "rehash $release" succeeded
    run sionfti check "mended-$release.fti"
    check "rehash $release: good for FTI, too" lines_are 1 'good, FTI [a-z.0-9 ]*, checkpoint 7, 5 variables, 52000 bytes$'
    cmp -l "$file" "mended-$release.fti" >differences
    size=$(wc -c <"$file")
    check "rehash $release: changes only checksum and hash" awk -v end=$((size - 50)) -v size="$size" \
        '$1 <= size - 110 || $1 > end { bad = 1 } END { exit bad || NR < 20 || NR > 48 }' differences
done
run sionfti rehash -o mended-v1.3.fti "$fti/v1.3/L1/Ckpt7-Rank0.fti"
check 'rehash: replaces no file' failed_with 2 'mended-v1.3.fti already exists'
copy v1.3/L1/Ckpt7-Rank0.fti seven.fti
run sionfti rehash seven.fti
check 'rehash: the default name' same seven.fti.rehashed mended-v1.3.fti
run sionfti rehash -o never.fti "$fti/v1.1/L1/Ckpt7-Rank0.fti"
check 'rehash: files of 1.1 need no correction' failed_with 2 'nothing to correct'
run sionfti rehash -o never.fti "$fti/v1.3/L1"
check 'rehash: not a folder' failed_with 2 'v1.3/L1 is a folder: name a file'
run sionfti rehash -o never.fti Ckpt3-Rank0.fti
check 'rehash: a damaged file is refused' failed_with 2 'variable 2, container 1'
check 'rehash: no file is written then' test ! -e never.fti

# ---- usage ----

run sionfti
check 'usage: no command' sh -c 'grep -q "^Usage: .*sionfti COMMAND" "$1/err" && ! test -s "$1/out"' - \
    "$scratch"
check 'usage: no command: status' ended 1
run sionfti dump
check 'usage: no operand' failed_with 1 'dump takes at least 1 operand, not 0: see sionfti dump --help'
run sionfti unknown file
check 'usage: an unknown command' failed_with 1 "there is no command 'unknown': see sionfti --help"
run sionfti extract -o x one two
check 'usage: too many operands' failed_with 1 'extract takes 1 operand, not 2'
run sionfti dump -x file
check 'usage: an unknown option is named' failed_with 1 'unknown option -x: see sionfti --help'
run sionfti dump -jx file
check 'usage: an unknown option after a known one is named' failed_with 1 'unknown option -x'
run sionfti dump --unknown file
check 'usage: an unknown long option is named' failed_with 1 'unknown option --unknown'
run sionfti extract file -o
check 'usage: a value is missing' failed_with 1 '--output takes a value'
run sionfti dump --json=yes file
check 'usage: a value that is not allowed' failed_with 1 '--json takes no value'
run sionfti dump -o x file
check 'usage: an option of another command' failed_with 1 '-o is not an option of dump'
run sionfti dump -j -o x file
check 'usage: an option of another command behind one of this' failed_with 1 '-o is not an option of dump'
run sionfti pack file
check 'usage: an option is missing' failed_with 1 'pack needs -o'
run sionfti unpack -o x -c 1x file
check 'usage: a value that is not a number' failed_with 1 "'1x'"
for command in dump check extract pack unpack restore convert rehash; do
    run sionfti $command --help
    check "help of $command" sh -c 'head -n 1 "$2" | grep -q "^Usage: sionfti $1 options "' - \
        $command "$scratch/out"
    check "help of $command: status" succeeded
done
run sionfti -o dump check -h
check 'help of a command after an option with a value' grep -q '^Usage: sionfti check ' "$scratch/out"
check 'help of a command: its own options' sh -c \
    'grep -q -- --checkpoint= "$1" && ! grep -q -- --json "$1"' - "$scratch/out"
run sionfti pack --help
check 'help of a command: no options of one with a longer name' sh -c \
    'grep -q "only this checkpoint" "$1" && ! grep -q "its number, if the container" "$1"' - "$scratch/out"
run sionfti --help
check 'help' ended 0
finish

#!/bin/sh
# What tools show of a container that is written and published, and sioncat and sionls --follow. Nothing
# waits but reads of pipes.
. "$(dirname "$0")/lib.sh"

sample=$(cd "$srcdir" && pwd)/test/golden/grown/p01.sion
cd "$scratch" || exit 99
mkfifo commands answers data
"$builddir/test/tools/make_grown" c.sion <commands >answers &
exec 3>commands 4<answers

# say WORDS...: tell the writer, and wait until it has done it
say()
{
    echo "$*" >&3
    read -r answer <&4
    test "$answer" = ok
}

# comes N TEXT: the next N bytes of the tool are TEXT repeated
comes()
{
    test "$(dd bs=1 count="$1" <&5 2>/dev/null)" = "$(printf "%$1s" '' | tr ' ' "$2")"
}

say w 0 100
run sioncat --follow c.sion
check 'nothing is published yet' failed_with 2 'is being written by process'

say w 1 50 && say p && say w 1 30 && say p
check 'the writer has published' test "$answer" = ok

run sionls c.sion
check 'sionls says who writes it' grep -q 'published [0-9]* s ago, being written by process [0-9]' "$scratch/out"
run sionls --json c.sion
check 'sionls --json' grep -q '"closed": false' "$scratch/out"
run siondump c.sion
check 'siondump: the newest state' grep -q 'state 2: *published .*Z, 180 bytes' "$scratch/out"
check 'siondump: the one before' grep -q 'state 1: *published .*Z, 150 bytes' "$scratch/out"
run sionverify c.sion
check 'sionverify: nothing is damaged' test "$status" -eq 0

"$builddir/sioncat" --follow -t 1 c.sion >data 2>errors &
tool=$!
exec 5<data
check 'what is there' comes 80 b
say w 0 500 && say w 1 4000 && say w 1 20 && say p
check 'what a publish brings' comes 4020 b
say w 1 7 && say p && say w 1 8 && say p
check 'of several publishes' comes 15 b

check "it says nothing else" test ! -s errors
kill -INT $tool
wait $tool
check '^C ends it' test $? -eq 0
check 'nothing more comes' test "$(cat <&5)" = ''

"$builddir/sionls" --follow c.sion >data &
tool=$!
exec 5<data
read -r line <&5
check 'sionls --follow: the present state' test "$line" != "${line#c.sion: state 5, *, 4.6 KiB, 4.6 KiB more, published}"
"$builddir/sioncat" --follow c.sion >all &
cat=$!
say w 0 3 && say c
read -r line <&5
check 'sionls --follow: the close' test "$line" != "${line#c.sion: state 6, *, 3 B more, closed}"
wait $tool
check 'sionls ends with it' test $? -eq 0
wait $cat
check 'sioncat, too' test $? -eq 0
check 'all bytes of both tasks' test "$(tr -d b <all | wc -c)/$(tr -d a <all | wc -c)" = 603/4115
run sioncat c.sion
check 'after the close' test "$(wc -c <"$scratch/out")" -eq 4718

# ---- a container that keeps its last generations ----

# begin MODE: another writer, of g.sion
begin()
{
    "$builddir/test/tools/make_grown" g.sion "$1" <commands >answers &
    writer=$!
    exec 3>commands 4<answers
}

# many N BYTES: task 0 writes BYTES N times
many()
{
    i=0
    while test $i -lt "$1" && say w 0 "$2"; do i=$((i + 1)); done
}

begin wb,keep=2
say w 0 10 && say w 1 20 && say p && say w 0 11 && say w 1 21 && say p && say w 0 12 && say p
"$builddir/sioncat" --follow g.sion >data 2>errors &
tool=$!
exec 5<data
check 'generations: the newest one comes first' comes 12 a
say w 0 100 && say w 1 30 && say p
check 'the next one of task 0' comes 100 a
check 'and of task 1' comes 30 b
say w 1 7 && say p && say w 1 8 && say p
check 'two of them' comes 15 b
check 'nothing is lost' test ! -s errors
kill -STOP $tool
for bytes in 1 2 3 4; do say w 0 $bytes && say p; done
kill -CONT $tool
check 'those that are left' comes 7 a
say w 0 6 && say c
check 'the last one' comes 6 a
wait $tool
check 'the close ends it' test $? -eq 0
check 'nothing else comes' test "$(cat <&5)" = ''
echo 'sioncat: warning: generations 7 to 8 of g.sion were forgotten before all of them were read' >expected
check 'it says what is lost, once' same errors expected

begin wb,keep=3
say w 0 10 && say p && say w 0 11 && say p
"$builddir/sioncat" --follow --generation=all -t 0 g.sion >data 2>errors &
tool=$!
exec 5<data
check 'all that are left' comes 21 a
say w 1 99 && say w 0 5 && say p
check 'and what comes' comes 5 a
say c
wait $tool
check 'of that task only' test $? -eq 0 -a "$(cat <&5)" = '' -a ! -s errors

# The tool waits for its pipe in the middle of a generation, which is forgotten, and its bytes freed.
begin wb,keep=1
many 700 4096 && say p
"$builddir/sioncat" --follow g.sion >data 2>errors &
tool=$!
exec 5<data
check 'the first bytes of a large one' comes 1 a
many 5 4096 && say p && say w 0 9 && say p && say c
cat <&5 >rest
wait $tool
check 'a generation is forgotten while it is read' test $? -eq 0 -a "$(tr -d a <rest | wc -c)" -eq 0
check 'it says so' grep -q 'generations 1 to 2 of g.sion were forgotten before' errors
bytes=$(wc -c <rest)
check 'the newest one is there' test "$(((bytes + 1 - 9) % 1048576))" -eq 0

begin wb,keep=2
say w 0 10 && say p
"$builddir/sionls" --follow g.sion >data 2>errors &
tool=$!
exec 5<data
read -r line <&5
check 'sionls: the first generation' test "$line" != "${line#g.sion: state 1, *, 10 B, 10 B more, published}"
for bytes in 20 30 40; do
    say w 0 $bytes && say p
    read -r line <&5
    case $line in *", $bytes B more, published") ;; *) problem=$line ;; esac
done
check 'the next ones' test "${problem-none}" = none
check 'of which none is lost' test ! -s errors
say c
read -r line <&5
check 'sionls: the close' test "$line" != "${line%, 0 B more, closed}"
wait $tool
check 'sionls ends' test $? -eq 0
run sioncat --follow --generation=1 g.sion
check 'one of them does not grow' failed_with 1 'takes no other than all or latest'

# A writer that is killed, and one that was long ago.
"$builddir/test/tools/make_grown" d.sion <commands >answers &
writer=$!
exec 3>commands 4<answers
say w 0 10 && say p
check 'another writer' test "$answer" = ok
"$builddir/sioncat" --follow d.sion >data 2>errors &
tool=$!
exec 5<data
"$builddir/sionls" --follow d.sion >lines 2>&1 &
list=$!
check 'what it has published' comes 10 a
say w 0 20
kill -KILL $writer
wait $tool
check 'sioncat: it has been killed' test $? -eq 3
check 'and says so' grep -q 'd.sion has ended without a close: nothing more will come' errors
check 'nothing that was not published comes' test "$(cat <&5)" = ''
wait $list
check 'sionls: it has been killed' test $? -eq 3
check 'sionls says so' grep -q 'has ended without a close' lines
run sioncat --follow "$sample"
check 'long ago' test "$status" -eq 3
run sioncat "$sample"
check 'it has no close' test "$status" -eq 0

run sioncat --follow -o x c.sion
check '-o' failed_with 1 'cannot be used with'
run sioncat --follow -t 2 c.sion
check 'no such task' failed_with 2 'task number 2 out of range'
run sionls --follow c.sion c.sion
check 'two containers' failed_with 1 'takes one container'
finish

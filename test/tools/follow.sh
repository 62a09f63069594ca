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

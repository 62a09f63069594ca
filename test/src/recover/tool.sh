#!/bin/sh
# sionrecover: its reports, the containers that it writes, and what it refuses.
. "$srcdir/test/tools/lib.sh"
cd "$scratch" || exit 99

make_unclosed()
{
    rm -f "$1" "$1".00*
    "$builddir/test/src/recover/make_unclosed" "$1" "$2" "${3:-1}" || exit 99
}

# says TEXT: the report has this line
says()
{
    succeeded && grep -qxF -- "$1" "$scratch/out" || { cat "$scratch/out" "$scratch/err"; return 1; }
}

# streams CONTAINER: writes the streams of all tasks, one after the other
streams()
{
    run sioncat "$1"
    succeeded && cp "$scratch/out" "$scratch/streams"
}

# size CONTAINER BYTES
size()
{
    streams "$1" && test "$(wc -c <"$scratch/streams")" -eq "$2"
}

# ---- tasks without bytes ----

# They may have been merged: nothing in the file says whose the bytes of the first one are.
for mode in bw,recover bw,posix; do
    rm -f e.sion
    "$builddir/test/src/recover/make_unclosed" e.sion $mode 1 first || exit 99
    run sionrecover e.sion
    check "$mode: members cannot be told apart" \
        grep -q 'if it was merged (cmerge):.*nothing says whose they are' "$scratch/out"
    run sionrecover --json e.sion
    check "$mode: --json" grep -q '"may_be_merged": true' "$scratch/out"
done
make_unclosed e.sion bw,recover
run sionrecover --json e.sion
check 'not if all tasks have bytes' grep -q '"may_be_merged": false' "$scratch/out"
run sionrecover --json "$GOLDEN/mpi/m03_cmerge.sion"
check 'not if it was closed' grep -q '"may_be_merged": false' "$scratch/out"

# ---- with commit records ----

make_unclosed c.sion bw,recover
cp c.sion before.sion
run siondump c.sion
check 'other tools name sionrecover' failed_with 2 sionrecover
run sionrecover c.sion
check 'report: evidence' says 'sionrecover: evidence:                  commit records'
check 'report: certain and possible bytes' says 'task 0: 900 bytes certain, 50 possible, 0 lost'
check 'report: another task' says 'task 1: 903 bytes certain, 50 possible, 0 lost'
check 'report: all tasks' says 'all 2 tasks: 1803 bytes certain, 100 possible, 0 lost'
check 'a report changes nothing' same c.sion before.sion
run sionrecover --json c.sion
check '--json' succeeded
check '--json: evidence' grep -q '"evidence": "commit records",' "$scratch/out"
check '--json: a task' grep -qF \
    '{"rank": 1, "file": 0, "index": 1, "bytes": 903, "certain": 903, "possible": 50, "lost": 0}' "$scratch/out"
if command -v python3 >/dev/null; then
    check '--json is JSON' python3 -m json.tool "$scratch/out" /dev/null
fi

run sionrecover -o out.sion c.sion
check '-o' succeeded
check '-o does not change the input' same c.sion before.sion
check '-o has the streams' size out.sion 1803
cp streams expected
run sionrecover --in-place c.sion
check '--in-place' succeeded
check '--in-place has the streams' size c.sion 1803
check '--in-place and -o have the same streams' same streams expected

if "$builddir/test/src/recover/make_unclosed" holes.sion bw,recover 1 holes; then
    run sionrecover -o out.sion holes.sion
    check '-o of data with holes' succeeded
    check '-o has all of them' size out.sion 40960
    check 'and zeros in the holes' test "$(tr -d '\0' <streams)" = "$(head -c 20480 /dev/zero | tr '\0' x)"
else
    skip '-o of data with holes' 'the file system cannot make holes'
fi

# A program that is still writing must not lose its container.
"$builddir/test/src/recover/make_unclosed" busy.sion bw,recover 1 wait >waiting &
writer=$!
until test -s waiting || ! kill -0 $writer; do sleep 0.1; done
cp busy.sion before.busy
run sionrecover busy.sion
check 'a container that is written: a report' \
    says "sionrecover: being written by:          process $writer on $(hostname), which will close it"
for tool in siondump sioncat sionls sionverify; do
    run $tool busy.sion
    check "$tool: who writes it, and how much is certain" failed_with 2 "busy.sion is being written by \
process $writer on $(hostname), and can be read when that has closed it; 1803 bytes of its 2 tasks are certain so far"
done
run sionrecover --in-place busy.sion
check 'a container that is written: --in-place is refused' \
    failed_with 2 "busy.sion is being written by process $writer on $(hostname)"
check 'a container that is written: nothing changes' same busy.sion before.busy
kill -KILL $writer
wait $writer 2>/dev/null
run sionrecover --in-place busy.sion
check 'its writer was killed: --in-place' succeeded
check 'its writer was killed: nobody writes it' sh -c "! grep -q 'being written' '$scratch/out'"
check 'its writer was killed: the streams' size busy.sion 1803
dd if=c.sion of=front bs=1 count=1108 2>"$scratch/dd"
dd if=before.sion of=front.before bs=1 count=1108 2>"$scratch/dd"
check 'only the tail of the header changes' same front front.before
cp c.sion closed.sion
run sionrecover --in-place c.sion
check 'again: the container is closed' says 'sionrecover: evidence:                  closed'
check 'again: nothing changes' same c.sion closed.sion
run siondump -a c.sion
check 'siondump shows the recovered container' succeeded

# Closed, and cut off: what is there can be copied, but the file must not become a good one.
head -c $(($(wc -c <closed.sion) / 2)) closed.sion >cut.sion
cp cut.sion before.cut
run sionrecover cut.sion
check 'cut off: a report warns' grep -q 'was closed and is cut off' "$scratch/err"
run sionrecover --in-place cut.sion
check 'cut off: --in-place is refused' test "$status" -eq 2
check 'cut off: --in-place says what to do' grep -q 'can be recovered into another file' "$scratch/err"
check 'cut off: nothing changes' same cut.sion before.cut
run siondefrag c.sion defrag.sion
check 'siondefrag copies it' size defrag.sion 1803

make_unclosed k.sion bw,keyval=inline,recover
run sionrecover --in-place k.sion
check 'keys' says 'task 0: 948 bytes certain, 66 possible, 0 lost'
run siondump -k k.sion
check 'keys: siondump' succeeded

# ---- damage ----

make_unclosed l.sion bw,recover
printf 'x' | dd of=l.sion bs=1 seek=$((1536 + 1024 + 1024 - 128 - 1024)) conv=notrunc 2>"$scratch/dd"
run sionrecover l.sion
check 'a damaged record of a chunk' succeeded
make_unclosed l.sion bw,recover
# The slot of task 0's first chunk, which has 1024 bytes: 528 + padding.
offset=$(grep -abo slot l.sion | head -n 1 | cut -d : -f 1)
printf 'x' | dd of=l.sion bs=1 seek="$offset" conv=notrunc 2>"$scratch/dd"
run sionrecover l.sion
check 'bytes after a damaged record are lost' sh -c \
    "grep -qE '^task 0: 0 bytes certain, [0-9]+ possible, [1-9][0-9]* lost' '$scratch/out'"
run sionrecover --in-place l.sion
check 'the other tasks are still recovered' succeeded
check 'the other tasks have their streams' size l.sion 903

# ---- without commit records ----

make_unclosed u.sion bw
cp u.sion before.sion
run sionrecover u.sion
check 'an upper bound' says 'sionrecover: evidence:                  upper bound'
check 'nothing is certain' sh -c "! grep '^task' '$scratch/out' | grep -v ': 0 bytes certain'"
run sionrecover -o out.sion u.sion
check 'an upper bound must be requested' failed_with 2 --upper-bound
run sionrecover --upper-bound -o out.sion u.sion
check '--upper-bound' succeeded
check '--upper-bound: can be read' streams out.sion
check '--upper-bound: no data are missing' test "$(wc -c <streams)" -ge 1803
run sionrecover --in-place u.sion
check 'without commit records, --in-place is refused' failed_with 2 'no commit records'
check 'without commit records, no byte changes' same u.sion before.sion

# ---- sets ----

make_unclosed s.sion bw,recover 3
run sionrecover s.sion
check 'a set' says 'all 6 tasks: 5445 bytes certain, 300 possible, 0 lost'
cp s.sion.000001 kept
rm s.sion.000001
run sionrecover s.sion
check 'a missing file' failed_with 2 s.sion.000001
run sionrecover --reduced --json s.sion
check '--reduced names it' grep -qF '"missing_files": [1]' "$scratch/out"
run sionrecover --reduced -o reduced.sion s.sion
check '--reduced' succeeded
check '--reduced: the other files are recovered' size reduced.sion $((900 + 903 + 912 + 915))
run siondump --json reduced.sion
check '--reduced: ranks do not change' grep -q '"global_rank": 5,' "$scratch/out"
run sionrecover --reduced --in-place s.sion
check '--reduced does not go with --in-place' ended 1
mv s.sion first
run sionrecover --reduced -o reduced.sion s.sion
check 'file 0 is missing' size reduced.sion $((912 + 915))
mv first s.sion
# After a power failure, a file may be empty, torn, or the older one.
make_unclosed other.sion bw,recover 3
for what in empty torn foreign garbage; do
    case $what in
    empty) : >s.sion.000001 ;;
    torn) head -c 1100 kept >s.sion.000001 ;;
    foreign) cp other.sion.000001 s.sion.000001 ;;
    garbage) head -c 5000 /dev/zero >s.sion.000001 ;;
    esac
    run sionrecover s.sion
    check "file 1 is $what: the report says which command helps" failed_with 2 \
        'sionrecover --reduced -o OUT s.sion takes what the other 2 of 3 files hold'
    run sionrecover --in-place s.sion
    check "file 1 is $what: --in-place, too" failed_with 2 'sionrecover --reduced -o OUT s.sion'
    run sionrecover --reduced --json s.sion
    check "file 1 is $what: --reduced names it" grep -qF '"missing_files": [1]' "$scratch/out"
    check "file 1 is $what: --reduced says why" grep -qF \
        'file 1 of s.sion is treated as missing: ' "$scratch/err"
    run sionrecover --reduced -o reduced.sion s.sion
    check "file 1 is $what: --reduced -o" size reduced.sion $((900 + 903 + 912 + 915))
done
mv kept s.sion.000001
mv s.sion first
: >s.sion
run sionrecover --reduced -o reduced.sion s.sion
check 'file 0 is empty' size reduced.sion $((906 + 909 + 912 + 915))
run sionrecover s.sion
check 'file 0 is empty: the report' failed_with 2 'sionrecover --reduced -o OUT s.sion'
mkdir none
: >none/s.sion
run sionrecover --reduced none/s.sion
check 'no file can be read' failed_with 2 'only 0 bytes'
mv first s.sion
rm other.sion*
run sionrecover --in-place s.sion
check 'a set in place' succeeded
check 'a set in place has the streams' size s.sion 5445
make_unclosed s.sion bw,recover 2
make_unclosed t.sion bw,recover 2
cp t.sion.000001 s.sion.000001
run sionrecover s.sion
check 'a mixture of two opens' failed_with 2 'not written together'

# written MODE NAME NFILES FILE TEXT: while a program writes NAME with this mode, the message of a reader of FILE has
# this text
written()
{
    : >waiting
    "$builddir/test/src/recover/make_unclosed" "$2" "$1" "$3" wait >waiting &
    writer=$!
    until test -s waiting || ! kill -0 $writer; do sleep 0.1; done
    run siondump "$4"
    kill -KILL $writer
    wait $writer 2>/dev/null
    check "$1, $3 files: $4 is being written" \
        failed_with 2 "$2 is being written by process $writer on $(hostname), and can be read when that has closed it$5"
}
written bw w.sion 1 w.sion ''
written bw,recover w.sion 2 w.sion '; 3618 bytes of its 4 tasks are certain so far'
rm -f w.sion*
written bw,atomic w.sion 1 w.sion ''
rm -f .w.sion*

# ---- the command that saves most ----

# advises COMMAND
advises()
{
    says "sionrecover: this saves it:             $1"
}
make_unclosed v.sion bw,recover
run sionrecover v.sion
check 'the command for commit records' advises 'sionrecover --in-place v.sion'
run sionrecover --in-place v.sion
check 'it works' succeeded
run sionrecover v.sion
check 'nothing is to be saved of a closed container' sh -c "! grep -q 'this saves' '$scratch/out'"
make_unclosed 'v v.sion' bw
run sionrecover 'v v.sion'
check 'the command without commit records' \
    advises "sionrecover --upper-bound -o 'v v.sion.recovered' 'v v.sion'"
run sionrecover --upper-bound -o 'v v.sion.recovered' 'v v.sion'
check 'it works, too' succeeded

# The writer of an atomic set was killed between the renames, where no older container was.
run siondefrag --files 2 v.sion n.sion
check 'a set' test -f n.sion.000001
mv n.sion .n.sion.0123abcd.new
run sionrecover n.sion
check 'the command for files without their names' \
    failed_with 2 'sionrecover --in-place n.sion gives its files their names'
run sionrecover --in-place n.sion
check 'the files get their names' ended 0
run siondump n.sion
check 'the set can be read' succeeded
mv n.sion .n.sion.0123abcd.new
mv n.sion.000001 .n.sion.0123abcd.new.000001
run sionrecover n.sion
check 'all files are complete, and none has its name: the command' failed_with 2 'sionrecover --in-place n.sion'
run sionrecover --in-place n.sion
check 'all files get their names' sh -c "test $status -eq 0 && test -f n.sion && test -f n.sion.000001"

# ---- refusals ----

make_unclosed c.sion bw,recover
run sionrecover -o c.sion c.sion
check 'the output cannot be an input' failed_with 2 'file of the input'
run sionrecover -o x --in-place c.sion
check '-o and --in-place' ended 1
run sionrecover "$GOLDEN/invalid/i01_empty.sion"
check 'another file than a container' ended 2
cp c.sion b.sion
truncate -s 1T b.sion
run sionrecover b.sion
check 'a file with a huge size in its header' says 'all 2 tasks: 1803 bytes certain, 100 possible, 0 lost'
run sionrecover --in-place b.sion
check 'it is not filled in place' failed_with 2 'more than it holds'
run sionrecover -o out.sion b.sion
check 'its data are extracted' size out.sion 1803
finish

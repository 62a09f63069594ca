#!/bin/sh
# siondump --svg: a picture of few chunks shows each of them; a picture of many is not larger.
. "$(dirname "$0")/lib.sh"

cd "$scratch" || exit 99
file=$GOLDEN/serial/s04_multichunk.sion

draw()
{
    run siondump --svg="$2.svg" "$1"
    check "$2: a picture without a report" printed /dev/null
    if command -v xmllint >/dev/null; then
        check "$2: well-formed" xmllint --noout "$2.svg"
    else
        skip "$2: well-formed" 'no xmllint'
    fi
}
# The heights of the mean line.
mean_heights()
{
    sed -n 's/.*class="mean" d="\([^"]*\)".*/\1/p' "$1" | sed 's/h/ h/g' | tr 'ML' '\n\n' |
        awk 'NF { print $2 }' | sort -u
}
draw "$file" few
check 'each chunk has its place' grep -q \
    '<title>task 1, global rank 1, block 3: 1 of 1024 bytes at offset 8192</title>' few.svg
check 'chunks that a task does not have' test \
    "$(grep -c '<title>task [02] has no chunk in block [1-5]</title>' few.svg)" = 8
check 'all chunks' test "$(grep -c '<g><title>task' few.svg)" = 18
check 'the sum' grep -q '5.5 KiB of data in 8 KiB of chunks (68.2%)' few.svg

# Task 1 has 1024 of 2048 bytes of a block. The width is 1000 pixels, less 3 x 14, which are shared.
check 'widths follow sizes' grep -q \
    'task 1, global rank 1, block 0: .*width="493.0" height="30"' few.svg

draw "$GOLDEN/old/v3.sion" old
check 'old files: the space of a task, not the requested size' grep -q \
    'block 0: 512 of 1024 bytes' old.svg
draw "$GOLDEN/mpi/m01_multi.sion" set
check 'a set: tasks have their own numbers' grep -q \
    '<title>task 7, global rank 7, block 0: 0 of 1024 bytes at offset 4096</title>' set.svg
check 'a set: all files' test "$(grep -c 'm01_multi.sion.00000[12]</text>' set.svg)" = 2

"$builddir/test/tools/make_many" many.sion 100000 3 10 || exit 99
draw many.sion many
check '100000 tasks: a small file' test "$(wc -c <many.svg)" -lt 100000
check '100000 tasks: a scale' grep -q '>90000</text>' many.svg

# Cells computed by hand: each of 250 tasks with 1 chunk is a column. Task 100 has 100 of 300 bytes,
# level 4.
"$builddir/test/tools/make_many" hand.sion 250 1 300 || exit 99
draw hand.sion hand
check 'the colour shows how full a chunk is' grep -q '<path class="f4" d="[^"]*M550 250h' hand.svg
# Two tasks of 0 and 1 bytes form a column: the band goes to the top, the mean line to half of it.
"$builddir/test/tools/make_many" mean.sion 2000 1 1 || exit 99
draw mean.sion mean
check 'the line shows the mean' test "$(mean_heights mean.svg)" = 151
"$builddir/test/tools/make_set" pair.sion 900 || exit 99
draw pair.sion pair
check 'many tasks in two files' test "$(grep -c '>file [01]</text>' pair.svg)" = 2
draw "$GOLDEN/mpi/m09_chunks130.sion" blocks
check 'many blocks' grep -q '>block 120 at ' blocks.svg
draw "$GOLDEN/serial/s12_allzero.sion" zero

cp "$file" "$(printf 'a<b>&"\001\377.sion')"
draw "$(printf 'a<b>&"\001\377.sion')" name
check 'any name' grep -q '<title>a&lt;b&gt;&amp;&quot;..*sion</title>' name.svg

run siondump --svg=- "$file"
check 'to standard output' printed few.svg
run siondump --json --svg=both.svg "$file"
check 'with --json to a file' same both.svg few.svg
run siondump --json --svg=- "$file"
check 'not with --json to standard output' failed_with 1 'both write'
cp "$file" self.sion
chmod u+w self.sion
run siondump --svg=self.sion self.sion
check 'the input cannot be the output' failed_with 2 'is a file of the input'
run siondump --svg=/dev/full "$file"
check 'a full disk' failed_with 2 'cannot write /dev/full'

browser=$(command -v chromium || command -v google-chrome || command -v chromium-browser)
# shot NAME: has a browser draw the picture
shot()
{
    timeout 60 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars \
        --user-data-dir="$scratch/profile" --window-size=1200,600 \
        --screenshot="$scratch/$1.png" "file://$scratch/$1.svg" >/dev/null 2>&1
}
echo '<svg xmlns="http://www.w3.org/2000/svg"/>' >empty.svg
if test -n "$browser" && shot empty && test -s empty.png; then
    for name in few many; do
        shot $name
        check "$name: a browser shows it" sh -c "test -s $name.png && ! cmp -s $name.png empty.png"
    done
else
    skip 'a browser shows it' 'no Chromium that works here'
fi

finish

#!/bin/sh
# Tools on a merged container that says which bytes are whose: they go by members.
. "$(dirname "$0")/lib.sh"

cd "$scratch" || exit 99
cp "$GOLDEN/mpi/m03_cmerge.sion" m.sion
cp "$GOLDEN/mpi/m03_cmerge.sion" plain.sion
chmod u+w m.sion
"$builddir/test/tools/make_members" m.sion || exit 99

# equals PREFIX: the parts are what the tasks have written
equals()
{
    for t in 0 1 2 3 4 5 6 7; do
        same "$1$t" "task.$t" || return 1
    done
}

run sionsplit -d 1 m.sion part.
check 'sionsplit: each task has its own bytes' equals part.
cat task.? >all
run sioncat -o out m.sion
check 'sioncat: task after task' same out all
run sioncat -t 3 -o out m.sion
check 'sioncat -t: of one task' same out task.3
run sionls -l -n 0 m.sion
check 'sionls: it was merged' grep -q ': 8 tasks, 1 file, .*, merged, closed$' "$scratch/out"
check 'sionls: the bytes of a member' grep -q '^ *2 *2 *1100 *1 ' "$scratch/out"
run sionls --json m.sion
check 'sionls --json' grep -q '"merged": true' "$scratch/out"
run sionls --json plain.sion
check 'sionls --json: not if it does not say whose they are' test "$(grep -c merged "$scratch/out")" -eq 0
run siondump -a -l m.sion
check 'siondump -a: the streams as they are' grep -q '^Task 02: size= *0 B' "$scratch/out"
check 'siondump -a: and the members' grep -q '^Member 02: size= *1100 B glblrnk= *2$' "$scratch/out"
run siondump -a -l plain.sion
check 'siondump -a: no members without the record' test "$(grep -c Member "$scratch/out")" -eq 0
run siondump --json m.sion
check 'siondump --json' grep -q '"merged": true' "$scratch/out"
run siondefrag m.sion new.sion
run sionsplit -d 1 new.sion part.
check 'siondefrag: each task has its own bytes' equals part.
run siondiff m.sion new.sion
check 'siondiff: the members are equal' succeeded
run siondiff m.sion plain.sion
check 'siondiff: to the streams as they are they are not' test "$status" -ne 0
run sionverify m.sion
check 'sionverify: a good record' succeeded
run sionrecover m.sion
check 'sionrecover: it was closed' succeeded

# ---- damaged ----

for byte in 8 13 24 30 40 200; do
    cp "$GOLDEN/mpi/m03_cmerge.sion" bad.sion
    chmod u+w bad.sion
    "$builddir/test/tools/make_members" bad.sion $byte || exit 99
    run sionverify bad.sion
    check "byte $byte is wrong: sionverify" failed_with 2 'record of members'
    run sionsplit bad.sion bad.
    check "byte $byte is wrong: sionsplit" failed_with 2 'record of members'
    run siondump bad.sion
    check "byte $byte is wrong: siondump shows the rest" succeeded
done

# Good CRCs, but two tasks of the first group have the same byte: the second group is read.
cp "$GOLDEN/mpi/m03_cmerge.sion" bad.sion
chmod u+w bad.sion
"$builddir/test/tools/make_members" bad.sion overlap || exit 99
run sionverify bad.sion
check 'pieces overlap: sionverify' ended 2
check 'pieces overlap: sionverify says so' grep -q 'the record of members: pieces of the stream of task 0 overlap' "$scratch/err"
run sioncat -t 3 -o out bad.sion
check 'pieces overlap: sioncat -t of its group' ended 2
rm -f out
run sioncat -t 6 -o out bad.sion
check 'pieces overlap: sioncat -t of the other group' same out task.6
run sionsplit bad.sion bad.
check 'pieces overlap: sionsplit' ended 2
run siondump bad.sion
check 'pieces overlap: siondump' succeeded

size=$(wc -c <m.sion)
for cut in 1 100 300; do
    head -c $((size - cut)) m.sion >bad.sion
    run sionsplit bad.sion bad.
    check "$cut bytes are missing: sionsplit" failed_with 2 'record of members'
done
finish

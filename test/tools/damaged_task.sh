#!/bin/sh
# Sets of which one task's numbers are damaged: every tool hands out the other tasks, says which one it
# leaves out, and fails; sionrecover --in-place mends a chunk that says more bytes than it has.
. "$(dirname "$0")/lib.sh"

cd "$scratch" || exit 99
cp "$GOLDEN"/damaged/100014.sion* .
set=100014.sion
what="$set.000001: chunk 1 of task 3 says 735 bytes used of 200"
locked="$what: nothing is read of this task; sionrecover --in-place counts the chunk as 0 bytes"

# left_out: the tool has failed, and has said once which task it leaves out.
left_out()
{
    [ "$status" -eq 2 ] && [ "$(grep -c "$locked" err)" -eq 1 ]
}

warned()
{
    [ "$(grep -c "warning: $what: this task cannot be read, the others can" err)" -eq 1 ]
}

run sionverify "$set"
check 'sionverify calls it damaged' left_out
run siondump -a "$set"
check 'siondump shows it' ended 0
check 'with a warning' warned
run siondump --json "$set"
check 'as JSON, with the reason' grep -q '"task": 9, .*"damage": "chunk 1 of task 3 says 735 bytes used of 200"' out
run sionls -n 0 "$set"
check 'sionls marks the task' grep -q '^ *9 .*100014.sion.000001 (damaged)$' out

# Mended, it is what the tools hand out of the others.
mkdir mended && cp "$set"* mended
run sionrecover "mended/$set"
check 'sionrecover says what it would do' \
    grep -q "$what: counted as 0 bytes by --in-place and by -o" err
check 'and changes nothing' cmp "$set.000001" "mended/$set.000001"
run sionrecover --in-place "mended/$set"
check 'sionrecover mends it' ended 0
check 'and says so' grep -q "$what: counted as 0 bytes$" err
cmp -l "$set.000001" "mended/$set.000001" >changed
check 'by the number of that chunk alone' [ "$(wc -l <changed)" -eq 2 ]
run sionverify "mended/$set"
check 'then it is good' succeeded
check 'without a warning' [ ! -s err ]
run sionrecover -o new.sion "$set"
check 'sionrecover makes another container' ended 0
run siondiff new.sion "mended/$set"
check 'with the same bytes' succeeded

for task in 0 1 2 3 4 5 6 7 8 10 11 12; do
    run sioncat -t $task -o one "$set"
    check "task $task is handed out" ended 0
    run sioncat -t $task -o other "mended/$set"
    check "task $task is right" cmp one other
done
echo older >one
run sioncat -t 9 -o one "$set"
check 'sioncat of the damaged task' left_out
check 'keeps the older output' grep -q older one
run sioncat -o all "$set"
check 'sioncat of all tasks' left_out
run sioncat -t 0-8,10-12 -o others "mended/$set"
check 'hands out the others' cmp all others

mkdir parts right
run sionsplit "$set" parts/p
check 'sionsplit' left_out
run sionsplit -t 0-8,10-12 "mended/$set" right/p
check 'makes all other files' diff -r parts right
run siondefrag "$set" defragged.sion
check 'siondefrag' left_out
rm all
run sioncat -o all defragged.sion
check 'copies the others' cmp all others
run siondiff "$set" "mended/$set"
check 'siondiff' left_out
check 'finds no difference in the others' [ ! -s out ]

# What cannot be counted stays damaged.
cp "$GOLDEN/serial/s04_multichunk.sion" count.sion
printf '\011' | dd of=count.sion bs=1 seek=$((13824 + 8)) conv=notrunc 2>/dev/null
run sionrecover --in-place count.sion
check 'a damaged count' ended 2
check 'is said' grep -q 'task 1 says 9 chunks, of at most 6: nothing of this task can be recovered' err
run sioncat -t 0 -o zero count.sion
check 'task 0 is handed out' ended 0
run sioncat -t 0 -o zero0 "$GOLDEN/serial/s04_multichunk.sion"
check 'as it was' cmp zero zero0

# Of records, those of a damaged task are not handed out, not even the first ones.
cp "$GOLDEN/invalid/i42_kv_len_huge.sion" kv.sion
run sionsplit kv.sion parts/k
check 'damaged records' failed_with 2 'are left'
check 'give no files' [ -z "$(ls parts | grep k00000)" ]
check 'but those of the others' [ "$(ls parts | grep -c k00001)" -eq 3 ]
run siondefrag kv.sion kv_new.sion
check 'siondefrag of records' failed_with 2 'are left'
run siondump -k kv_new.sion
check 'copies the others' [ "$(grep -c '^Task 01: key' out)" -eq 3 ]
run siondump -k kv.sion
check 'siondump lists the others' [ "$(grep -c '^Task 01: key' out)" -eq 3 ]
check 'and fails' ended 2
# A pair of the mapping that names a task of another rank: rank 3 is left out, rank 2 is not.
cp "$GOLDEN"/mpi/m01_multi.sion* .
whole=$GOLDEN/mpi/m01_multi.sion
end=$(($(stat -c %s m01_multi.sion) - 8 * 8))
printf '\001\000\000\000\000\000\000\000' |
    dd of=m01_multi.sion bs=1 seek=$((end + 3 * 8)) conv=notrunc 2>/dev/null
what='rank 3 is not where the mapping says, or has another number there'
locked="m01_multi.sion.*: $what: nothing is read of this task"
warned_of_pair()
{
    [ "$(grep -c "warning: m01_multi.sion: $what: this task cannot be read, the others can" err)" -eq 1 ]
}
run sionverify m01_multi.sion
check 'sionverify of a damaged pair' left_out
run siondump -a m01_multi.sion
check 'siondump shows it' ended 0
check 'with a warning of the pair' warned_of_pair
run sionls m01_multi.sion
check 'sionls marks one task' test "$(grep -c '(damaged)$' out)" -eq 1
for task in 0 1 2 4 5 6 7; do
    run sioncat -t $task -o one m01_multi.sion
    check "task $task is handed out" ended 0
    run sioncat -t $task -o other "$whole"
    check "task $task is right" cmp one other
done
run sioncat -t 3 -o one m01_multi.sion
check 'sioncat of a damaged pair' left_out
rm -rf parts right
mkdir parts right
run sionsplit m01_multi.sion parts/p
check 'sionsplit of a damaged pair' left_out
run sionsplit -t 0-2,4-7 "$whole" right/p
check 'makes all other files' diff -r parts right
run siondefrag m01_multi.sion pair_new.sion
check 'siondefrag of a damaged pair' left_out
run siondiff pair_new.sion m01_multi.sion
check 'copies the others' [ ! -s out ]
finish

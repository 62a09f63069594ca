#!/bin/sh
# The seven checkpoints of FTI's description, written with the original sizes, have the tables
# there.
. "$srcdir/test/tools/lib.sh"

check 'the checkpoints are written' "$builddir/test/src/ftiff/seed" "$scratch"
for n in 1 2 3 4 5 6 7; do
    run sionfti dump "$scratch/checkpoint$n.fti"
    grep -E '^ \[hash: [0-9a-f]{32}\]$' "$scratch/out" >"$scratch/hashes"
    check "checkpoint $n has a hash for each container" \
        test "$(wc -l <"$scratch/hashes")" -eq "$(grep -c '^ Var-id' "$scratch/out")"
    sed 's/^ \[hash: .*/ [hash]/' "$scratch/out" >"$scratch/table"
    check "checkpoint $n agrees with the description's table" \
        same "$scratch/table" "$GOLDEN/ftiff/seed-checkpoint$n.txt"
    rm -f "$scratch/checkpoint$((n - 1)).fti"
done
run sionfti check "$scratch/checkpoint7.fti"
check 'the last checkpoint is good' succeeded
finish

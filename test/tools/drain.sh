#!/bin/sh
# siondrain: what programs have staged becomes containers, whatever has happened to them and to nodes.
. "$(dirname "$0")/lib.sh"

test -n "$MPIEXEC" || skip_all 'built without MPI'
builddir=$(cd "$builddir" && pwd) || exit 99
cd "$scratch" || exit 99
folder=$(pwd -P)
x=$folder/target/x.sion
make=$builddir/test/tools/make_staged_mpi

# staged FILES WORDS [kill]: two nodes stage a container, and end without a drain, or are killed
staged()
{
    rm -rf a b target
    mkdir a b target
    SION_STAGE_EXIT=leave SION_DRAIN_RATE=1 seconds=60 mpi_run 2 "$make" target/x.sion "$@" >log 2>&1
}

# has_tasks FILE RANKS: a good container with the streams of these ranks, "0 1"
has_tasks()
{
    "$builddir/sionverify" --quiet "$1" || return 1
    "$builddir/sionsplit" "$1" part. >/dev/null || return 1
    for rank in $2; do
        printf '%10000s' '' | tr ' ' "$(printf 'ab' | cut -c $((rank + 1)))" >expected
        cmp "$(ls part.* | head -n 1)" expected || return 1
        rm "$(ls part.* | head -n 1)"
    done
    test -z "$(ls part.* 2>/dev/null)"
}
nothing_left()
{
    ! find a b target -name '.*' ! -name '*.lock' | grep .
}
are_untouched()
{
    test "$(ls -A a b)" = "$1"
}
lines()
{
    sed 's/, [0-9]* bytes: /: /' "$scratch/out" >short
    printf '%s\n' "$@" >expected
    same short expected
}
no_json()
{
    test -n "$PYTHON" || return 0
    ! "$PYTHON" -c 'import json, sys; json.load(open(sys.argv[1]))' "$1"
}
json_says()
{
    ! no_json "$scratch/out" && grep -q "\"state\": \"$1\"" "$scratch/out"
}

for files in 1 2; do
    staged "$files" ''
    result $? "$files: two nodes stage a container"
    check 'the end says what goes on' grep -q "x.sion is not complete: 'siondrain .*/[ab]' goes on" log
    check 'it is not there yet' test ! -e target/x.sion
    before=$(ls -A a b)
    run siondrain --list a b
    check 'a list' succeeded
    check 'both parts wait' lines "$x: node 0 of 2: waits for its drain" "$x: node 1 of 2: waits for its drain"
    run siondrain --json --list a
    check 'the list as JSON' json_says staged
    check 'a list changes nothing' are_untouched "$before"
    run siondrain b
    check 'a node drains its part' succeeded
    check 'it waits for the other one' lines "$x: node 1 of 2: drained, and waits for node 0"
    check 'the container is not there yet' test ! -e target/x.sion
    run siondrain b
    check 'the same once more' lines "$x: node 1 of 2: drained, and waits for node 0"
    run siondrain --progress=always a
    check 'the other node completes it' ended 0
    check 'and says so' lines "$x: node 0 of 2: complete"
    check 'progress is shown' grep -q '100.0%' "$scratch/err"
    check 'it has all data' has_tasks target/x.sion '0 1'
    run siondrain b
    check 'the first node learns it' lines "$x: node 1 of 2: complete"
    check 'nothing is left' nothing_left
done

staged 1 ''
run siondrain --rate=5000000 a b
check 'both parts at once' lines "$x: node 0 of 2: complete" "$x: node 1 of 2: complete"
check 'nothing is left' nothing_left
run siondrain a b
check 'nothing to do' printed /dev/null

# ---- what nodes have said could not be removed ----

# leave: notes of a container that is complete, of one that is not, and of another name
leave()
{
    : >target/.x.sion.01234567.new.node.1 && : >target/.x.sion.01234567.new.node.1.rows &&
        : >target/.x.sion.89abcdef.new && : >target/.x.sion.89abcdef.new.node.0 && : >target/.y.sion.01234567.new.node.1
}
left_others()
{
    test "$(ls -A target | grep '^\.[xy].*[0-9a-f].new' | tr '\n' ' ')" = \
        '.x.sion.89abcdef.new .x.sion.89abcdef.new.node.0 .y.sion.01234567.new.node.1 '
}
staged 1 ''
leave
run siondrain a b
check 'siondrain removes them' left_others
leave
run sionrm target/x.sion
check 'sionrm does' left_others
leave
SION_STAGE_EXIT='' seconds=60 mpi_run 2 "$make" target/x.sion 1 '' >log 2>&1
check 'the next open does' left_others
staged 1 ''
SION_FAULT=remove:eio:1+ run siondrain a b
check 'they stay' test "$(ls -A target | grep -c node)" -gt 0
check 'but the container is complete' has_tasks target/x.sion '0 1'
run siondrain a b
check 'nothing is left' nothing_left

# ---- a node is lost ----

staged 1 ''
run siondrain --reduced a
check 'without node 1' ended 0
check 'it says what is lost' \
    lines "$x: node 0 of 2: $x.reduced has the 1 tasks of the nodes that are left; lost: node 1"
check 'the container is not there' test ! -e target/x.sion
check 'another one has what is left' has_tasks target/x.sion.reduced 0
run siondrain b
check 'the node comes back' lines "$x: node 1 of 2: complete"
check 'the container has all data' has_tasks target/x.sion '0 1'
staged 2 ''
run siondrain --reduced b
check 'without node 0, which has file 0' ended 0
check 'what is left' has_tasks target/x.sion.reduced 1

# What the nodes without the tables have is what sionrecover makes of the files, if the container is complete.
# is_as_recovered TASKS: x.sion.reduced has the last TASKS of all
is_as_recovered()
{
    mv target/x.sion.reduced reduced.sion
    "$builddir/siondrain" a b >log 2>&1
    "$builddir/sionsplit" reduced.sion left. >/dev/null && "$builddir/sionsplit" target/x.sion all. >/dev/null || return 1
    test "$(ls left.* | wc -l)" -eq "$1" || return 1
    cat left.* >left
    ls all.* | tail -n "$1" | xargs cat | cmp - left || return 1
    rm -f left* all.*
}
for words in '' ,recover; do for SHORT in '' 1; do
    test -z "$SHORT" || export SHORT
    staged 1 "$words"
    run siondrain --reduced b
    check "'$words' $SHORT: without the node that has the tables" ended 0
    check 'what is left' has_tasks target/x.sion.reduced 1
    check 'as the whole has it' is_as_recovered 1
done; done
unset SHORT
rm -rf a b target
mkdir a b target
SION_STAGE_EXIT=leave SION_DRAIN_RATE=1 seconds=60 mpi_run 6 "$make" target/x.sion 3 '' >log 2>&1
run siondrain --reduced b
check 'without the node that has the tables of two files' ended 0
check 'the tasks of all files are there' \
    lines "$x: node 1 of 2: $x.reduced has the 3 tasks of the nodes that are left; lost: node 0"
check 'each has its bytes' is_as_recovered 3
staged 1 ''
rows=$(ls b/.*.rows)
truncate -s -8 "$rows"
run siondrain --reduced b
check 'a damaged list of what was written' ended 2

# ---- it was not closed ----

staged 1 '' kill
run siondrain a b
check 'killed before the close' ended 2
check 'it says so' lines "$x: node 0 of 2: was not closed" "$x: node 1 of 2: was not closed"
check 'nothing is made' test ! -e target/x.sion
run siondrain --discard a b
check 'it is given up' lines "$x: node 0 of 2: discarded" "$x: node 1 of 2: discarded"
check 'nothing is left' nothing_left
staged 1 ,recover kill
run siondrain a b
check 'with commit records' ended 2
check 'the option is named' grep -q -- '--unclosed' "$scratch/err"
run siondrain --unclosed a b
check 'they are copied' ended 0
new=$(ls -A target | grep 'new$')
run sionrecover -o saved.sion "target/$new"
check 'sionrecover finds all that was flushed' succeeded
check 'which is all' has_tasks saved.sion '0 1'
for node in a b; do
    staged 1 ,recover kill
    run siondrain --reduced $node
    check "only $node is left, and nothing was closed" ended 2
    run siondrain --unclosed --reduced $node
    check 'what was flushed' ended 0
    rank=$(echo $node | tr ab 01)
    check 'it says what is lost' lines \
        "$x: node $rank of 2: $x.reduced has the 1 tasks of the nodes that are left; lost: node $((1 - rank))"
    check 'it is there' has_tasks target/x.sion.reduced $rank
    run siondrain --unclosed --reduced a b
    check 'both nodes are left' has_tasks target/x.sion.reduced '0 1'
    run siondrain --discard a b
    rm target/x.sion.reduced
    check 'nothing is left' nothing_left
done
export RESTART=1
for files in 1 2; do
    staged $files ,recover kill
    run siondrain --unclosed a b
    check "$files: a new start, and not closed" ended 0
    new=$(ls -A target | grep 'new$')
    run sionrecover -o saved.sion "target/$new"
    check 'what was flushed since then' has_tasks saved.sion '0 1'
    for node in a b; do
        staged $files ,recover kill
        run siondrain --unclosed --reduced $node
        check "only $node is left" has_tasks target/x.sion.reduced $(echo $node | tr ab 01)
    done
    staged $files ,recover
    run siondrain a b
    check 'a new start, and closed' has_tasks target/x.sion '0 1'
done
unset RESTART
staged 1 '' kill
run siondrain --unclosed --reduced b
check 'without commit records' ended 2
check 'nothing is made' test ! -e target/x.sion.reduced

# ---- compressed ----

if grep -q '^#define HAVE_ZSTD 1' "$builddir/config.h"; then
    for files in 1 2; do
        staged "$files" ,compress=zstd
        run siondrain a b
        check "$files: compressed" lines "$x: node 0 of 2: complete" "$x: node 1 of 2: complete"
        check 'with all data' has_tasks target/x.sion '0 1'
        run sionls target/x.sion
        check 'which are smaller' grep -q 'stored in .*zstd' "$scratch/out"
        check 'nothing is left' nothing_left
    done
    staged 1 ,compress=zstd
    run siondrain --reduced a
    check 'compressed, without node 1' ended 0
    check 'what is left' has_tasks target/x.sion.reduced 0
    staged 1 ,compress=zstd
    run siondrain --reduced b
    check 'compressed, without node 0' has_tasks target/x.sion.reduced 1
    staged 1 ,recover,compress=zstd kill
    run siondrain --unclosed a b
    check 'compressed, and killed before the close' ended 0
    new=$(ls -A target | grep 'new$')
    run sionrecover -o saved.sion "target/$new"
    check 'sionrecover finds all that was flushed' has_tasks saved.sion '0 1'
else
    skip 'compressed' 'no zstd'
fi

# ---- failures ----

staged 1 ''
before=$(ls -A a b)
SION_FAULT=write:enospc:1+ run siondrain a
check 'a full disk' ended 2
check 'is told' grep -q 'failed: .*No space left' "$scratch/out"
check 'the parts stay' are_untouched "$before"
run siondrain --list a
check 'the failure, or the wait, is remembered' succeeded
run siondrain a b
check 'it goes on' has_tasks target/x.sion '0 1'

rm -rf a b target
mkdir a b target
SION_FAULT=rename:eio:1+ seconds=60 mpi_run 2 "$make" target/x.sion 1 '' >log 2>&1
check 'a program whose drain fails ends so' test $? -ne 0 -a ! -e target/x.sion
check 'a line says why' grep -q "x.sion is not complete: .*Input/output error.*: 'siondrain .*/a' goes on" log
run siondrain a b
check 'it goes on' has_tasks target/x.sion '0 1'
rm -rf a b target
mkdir a b target
SION_FAULT=rename:eio:1+ seconds=60 mpi_run 2 "$make" target/x.sion 1 '' wait >log 2>&1
check 'a program that has waited for the drain ends as it wants' test $? -eq 0

staged 1 ''
echo other >target/x.sion
run siondrain a b
check 'another program has made the file' ended 2
check 'which stays' test "$(cat target/x.sion)" = other
check 'the reason' grep -q 'made by another program' "$scratch/out"
run siondrain --discard a b

staged 1 ''
: >"$(ls -d a/.*stage)"
run siondrain a
check 'a damaged record' failed_with 2 'is not a record of a staged container'
echo >a/.y.sion.00000001.0.stage.000000
run siondrain --discard a
check 'what an open is making stays' test "$(ls -A a | wc -l)" -eq 4
touch -d '1 hour ago' a/.*
run siondrain --discard a
check 'is discarded with its files when it is old' test -z "$(ls -A a)"

run siondrain missing
check 'no such folder' failed_with 2 'missing: there is no such folder'
run siondrain
check 'no folder' ended 1
run siondrain --list --discard a
check 'contradictory options' ended 1
finish

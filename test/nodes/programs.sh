# sionrun on several nodes: what the programs of all nodes write becomes one container.
. "$srcdir/test/nodes/lib.sh"
has_sanitizers && skip_all 'programs without sanitizers cannot load a library with them'
test -e "$builddir/.libs/libsion_run.so" || skip_all 'built without shared libraries'
cd "$NODES/shared" || exit 99
local=$NODES/local
SION_STAGE=$local
export SION_STAGE
program=$builddir/test/nodes/files_mpi
sionrun=$builddir/sionrun
ranks=$((2 * nodes))

on_each()
{
    node=1
    while test $node -le "$nodes"; do
        on_nodes on node$node "$@"
        node=$((node + 1))
    done
}
nothing_left()
{
    test -z "$(on_each ls -A "$local")" && ! ls -A | grep sionrun
}
tar_has()
{
    "$builddir/sioncat" -t "$1" x.sion | tar -xOf - "$2" >found && printf '%s\n' "$3" | cmp - found
}

mkdir out
mpi_run $ranks "$sionrun" -o x.sion --files 'out/own.*' "$program" out first >log 2>&1
result $? 'a job on all nodes makes a container'
rank=0
while test $rank -lt $ranks; do
    check "task $rank has the file of its rank" tar_has $rank out/own.$rank "first of $rank"
    rank=$((rank + 1))
done
check 'the file that matches no pattern is there' test "$(grep -c first out/shared.0)" = $ranks
check 'nothing is left on the nodes' nothing_left
check 'it is a good container' "$builddir/sionverify" --quiet x.sion

rm -f x.sion out/shared.0
mpi_run $ranks "$sionrun" -o x.sion --files 'out/*' "$program" out second >log 2>&1
result "$(test $? -ne 0; echo $?)" 'a file that processes of several nodes write is an error'
check 'it is named' grep -q 'out/shared.0 was written on several nodes' log
parts=$(sed -n 's/.*tasks \([0-9]*\) and \([0-9]*\) have.*/\1 \2/p' log)
for task in $parts; do
    check "task $task has the part of its node" tar_has "$task" out/shared.0 'second of 0
second of 0'
done
check 'these are on two nodes' test "$(echo "$parts" | wc -w)" = 2
check 'nothing is left on the nodes' nothing_left
finish

#!/bin/sh
# sioncat: where the data go, the output of -v, and errors. (streams.sh checks the bytes.)
. "$(dirname "$0")/lib.sh"

util=$GOLDEN/util
cd "$GOLDEN/serial" || exit 99
file=s04_multichunk.sion

run sioncat $file
check 'all data go to stdout' printed "$util/s04_multichunk.sioncat.out"

run sioncat -o "$scratch/data" $file
check '-o: nothing on stdout' printed /dev/null
check '-o: all data in the file' same "$scratch/data" "$util/s04_multichunk.sioncat.out"

head -c 10000 /dev/zero >"$scratch/data"
run sioncat --output="$scratch/data" $file
check '-o: an existing file is replaced' same "$scratch/data" "$util/s04_multichunk.sioncat.out"

for task in 0 1 2; do
    run sioncat -t $task $file
    check "-t $task" printed "$util/s04_multichunk.0000$task"
done
run sioncat --task 1 $file
check '--task' printed "$util/s04_multichunk.00001"
run sioncat -t -1 -b -5 $file
check 'negative numbers mean all' printed "$util/s04_multichunk.sioncat.out"

# Task 1 has 400, 700, 1024, 1, 1024, 1024 bytes in its blocks.
tail -c +1101 "$util/s04_multichunk.00001" | head -c 1024 >"$scratch/block"
run sioncat -t 1 -b 2 $file
check '-t 1 -b 2' printed "$scratch/block"
run sioncat --block=0 $file
{
    cat "$util/s04_multichunk.00000"
    head -c 400 "$util/s04_multichunk.00001"
    head -c 100 "$util/s04_multichunk.00002"
} >"$scratch/block"
check '-b 0: that block of all tasks' printed "$scratch/block"

# ---- lists ----

cat "$util"/s04_multichunk.0000[02] >"$scratch/wanted"
for list in 0,2 2,0 0-0,2 2,0,2-2; do
    run sioncat -t $list $file
    check "-t $list: in the order of the container, each once" printed "$scratch/wanted"
done
for list in 0-2 1-2,0 0,1,2; do
    run sioncat --task=$list $file
    check "--task=$list: all" printed "$util/s04_multichunk.sioncat.out"
done
for list in , 1, ,1 1-0 1- 0-1-2 1:2 '0, 1' +1 18446744073709551616; do
    run sioncat -t "$list" $file
    check "-t '$list'" failed_with 1 "-t takes numbers such as 3,5-8, not '$list'"
done
run sioncat -t 0,2-4 $file
check '-t 0,2-4: there are fewer tasks' failed_with 2 'task number 3 out of range 0 .. 2 , aborting ...'
check '-t 0,2-4: no data' same "$scratch/out" /dev/null
run sioncat -v -t 0,1 $file
check '-v: the list' grep -qx 'sioncat: write data of tasks:       0-1' "$scratch/err"

# The values in the files of sionsplit.
for key in 5 7 9; do
    run sioncat -t 0 --keys $key s07_keyval.sion
    check "--keys $key" printed "$util/s07_kv.00000_00000000000$key"
done
sum_of_keys()
{
    run sioncat --keys "$1" s07_keyval.sion && succeeded &&
        test "$(wc -c <"$scratch/out")" -eq "$(cat "$util"/s07_kv.0000$2 | wc -c)" && test -s "$scratch/out"
}
check '--keys 5-7: two keys of one task' sum_of_keys 5-7 '0_00000000000[57]'
check '--keys 2-3,7: keys of several tasks' sum_of_keys 2-3,7 '[01]_00000000000[237]'
run sioncat --keys 100-18446744073709551615 s07_keyval.sion
check '--keys: no task has them' printed /dev/null
run sioncat --keys 5 $file
check '--keys: no records' failed_with 2 "$file has no key-value records"
run sioncat --keys 5 -b 0 s07_keyval.sion
check '--keys and -b' failed_with 1 '-b and --keys cannot be used together'

# ---- out of range ----

run sioncat -t 3 $file
check '-t out of range' failed_with 2 'task number 3 out of range 0 .. 2 , aborting ...'
check '-t out of range: no data' same "$scratch/out" /dev/null
echo kept >"$scratch/data"
echo kept >"$scratch/kept"
run sioncat -t 3 -o "$scratch/data" $file
check '-t out of range: outfile does not change' same "$scratch/data" "$scratch/kept"
run sioncat -t 1 -b 6 $file
check '-b out of range' failed_with 2 'blk number 6 out of range 0 .. 5 , aborting ...'
# Task 0 has one block, so the run ends there. In s09, tasks 0 to 499 have one block, task 500 has
# two.
run sioncat -b 1 $file
check '-b out of range of one task' failed_with 2 'blk number 1 out of range 0 .. 0 , aborting ...'

# ---- -v ----

# Without -o, SIONlib prints an uninitialised name; and it prints the number of files as that of
# tasks.
sed -e '2s/.*/sioncat: outfile:                   stdout                        /' \
    -e '5s/1$/3/' "$util/s04_multichunk.sioncat-v.stderr" >"$scratch/report"
run sioncat -v $file
check '-v: report' same "$scratch/err" "$scratch/report"
check '-v: the data are the same' same "$scratch/out" "$util/s04_multichunk.sioncat.out"
run sioncat -v -o "$scratch/data" $file
printf 'sioncat: outfile:                   %-30s\n' "$scratch/data" >"$scratch/name"
sed -n 2p "$scratch/err" >"$scratch/line"
check '-v -o: name of the file' same "$scratch/line" "$scratch/name"

cd "$GOLDEN/mpi" || exit 99
run sioncat --verbose -t 2 m01_multi.sion
check '-v: number of tasks of a set' grep -qx 'sioncat: number of tasks:           8' "$scratch/err"
check '-v: sum over a set' grep -qx \
    'sioncat: datasize in file (aggr.):  3370 bytes  (  0.00 MB)' "$scratch/err"
check '-v: the task' grep -qx 'sioncat: write data of task:        2' "$scratch/err"
check '-v: the data of a set' same "$scratch/out" "$util/m01.00002"

# ---- cost ----

"$builddir/test/tools/make_many" "$scratch/chunks.sion" 10 8 65536 || exit 99
if strace -o /dev/null true 2>/dev/null; then
    # The leak sanitizer traces a process itself, so it cannot run here.
    ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 \
        strace -f -y -e trace=write,pwrite64,writev -o "$scratch/calls" "$builddir/sioncat" \
        -o "$scratch/data" "$scratch/chunks.sion"
    calls=$(grep -c '\.new>' "$scratch/calls") # others are those of programs built for gcov
    check 'many chunks are written at a time' test "$calls" -ge 2 -a "$calls" -le 4
    check 'many chunks: the bytes' test "$(wc -c <"$scratch/data")" -eq $((29 * 65536 + 45))
else
    skip 'system calls' 'no strace (Debian: strace), or it may not trace here'
fi

finish

#!/bin/sh
# sionscr under mpiexec: the work is divided, messages are printed once, and the exit status counts
# all processes.
. "$srcdir/test/tools/lib.sh"

mkdir "$scratch/work" && cd "$scratch/work" || exit 99

# run_together N ARGUMENTS...: like run, with N processes
run_together()
{
    n=$1
    shift
    status=0
    seconds=60 mpi_run "$n" "$builddir/sionscr" "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
    without_mpi_lines "$scratch/out" "$scratch/err"
}

for r in 0 1 2 3; do
    seq $((r * 100)) $((r * 100 + 50)) >rank_$r.ckpt
    seq $r 7 >extra_$r
done

run_together 4 pack -s 100 -o packed rank_%r.ckpt extra_%r
check 'pack: every process packs its files' printed /dev/null
printf 'rank_%%r.ckpt\n\nextra_%%r\n' >list
run_together 4 pack -s 100 -o listed --list list
check 'pack: a list' printed /dev/null
check 'pack: a list makes the same' diff -r packed/.scr listed/.scr -x summary.scr
cat rank_0.ckpt extra_0 rank_1.ckpt extra_1 rank_2.ckpt extra_2 rank_3.ckpt extra_3 >stream
cat $(ls packed/.scr/ctr.* | sort -t . -k 4n) >packed_stream
check 'pack: all bytes in the order of the ranks' same packed_stream stream

for n in 1 3 4 6; do
    run_together $n fetch -o out$n packed
    check "fetch with $n processes" printed /dev/null
    for r in 0 1 2 3; do
        check "fetch with $n processes: rank $r" same out$n/rank_$r.ckpt rank_$r.ckpt
    done
    check "fetch with $n processes: all files" test "$(ls out$n | wc -l)" -eq 8
done

run_together 4 pack --wrong
check 'wrong usage: one message' test "$(grep -c 'unknown option --wrong' "$scratch/err")" -eq 1
check 'wrong usage: status' test "$status" -ne 0
run_together 4 dump -s 1 rank_0.ckpt
check 'an option of another command: one message' test "$(grep -c 'is not an option of dump' "$scratch/err")" -eq 1
run_together 4 pack -s many
check 'a wrong number: one message' test "$(grep -c 'takes a number of bytes' "$scratch/err")" -eq 1
run_together 4 --help
check 'help: once' test "$(grep -c '^Usage:' "$scratch/out")" -eq 1
check 'help: status' test "$status" -eq 0
run_together 4 pack --help
check 'help of a command: printed once' test "$(grep -c '^Usage:' "$scratch/out")" -eq 1
run_together 4 --version
check 'version: once' test "$(grep -c '^Scion' "$scratch/out")" -eq 1

run_together 1 pack -s 100 -o one rank_%r.ckpt extra_%r
check 'pack: one process has one rank' printed /dev/null
run_together 1 fetch -o out_one one
check 'pack: ... with its files' same out_one/extra_0 extra_0
mkdir other
cp rank_0.ckpt other
run_together 2 pack -s 100 -o twice rank_0.ckpt other/rank_0.ckpt
check 'pack: two files with one name' grep -q 'rank 0: rank 0 has two files of the name rank_0.ckpt' \
    "$scratch/err"
check 'pack: ... leave no file' test -z "$(ls twice/.scr)"

rm packed/.scr/ctr.1.scr
run_together 3 fetch -o out packed
check 'fetch: a failure' test "$status" -ne 0
check 'fetch: ... names the file' grep -q '^sionscr: rank 0, file rank_0.ckpt: cannot open .*ctr.1.scr' \
    "$scratch/err"
check 'fetch: ... is counted once' test "$(grep -c 'could not be used' "$scratch/err")" -eq 1
run_together 2 check packed
check 'check: one process' test "$(grep -c 'could not be used' "$scratch/err")" -eq 1
check 'check: ... fails' test "$status" -ne 0
run_together 2 pack -s 100 -o packed missing_%r
check 'pack: a failure' test "$status" -ne 0
check 'pack: ... names the file once' grep -qx \
    'sionscr: rank 0: cannot open missing_0 for reading: No such file or directory' "$scratch/err"

finish

# The stages of scripts/test.sh: how their tests are counted, what is printed about stages that fail
# or hang, and that they leave no processes.
. "$srcdir/test/harness.sh"
top=$(cd "$srcdir" && pwd)
command -v bash >/dev/null 2>&1 || skip_all 'no bash'
test -r /proc/self/stat || skip_all 'no /proc'

# Four stages with logs as "make check" writes them. The one that hangs is in a process group of its
# own, like a command of "timeout", and has a child.
cat >"$scratch/run" <<'EOS'
root=$1
build=$1/build
. "$2/scripts/stages.sh"
log() {
    mkdir -p "$build/tests/test/a"
    echo "$2" >>"$build/tests/test/a/$1.log"
}
stage_good() {
    log good 'PASS: test/a/good 1 - one'
    log good 'SKIP: test/a/good 2 - two # SKIP no reason'
    log good 'SKIP: test/a/good 2 - two # SKIP no reason'
    : >"$build/tests/test/a/good.trs"
}
stage_bad() {
    log bad 'PASS: test/a/bad 1 - one'
    log bad 'PASS: test/a/bad 2 - two'
    log bad 'FAIL: test/a/bad 3 - three'
    : >"$build/tests/test/a/bad.trs"
    return 2
}
stage_hangs() {
    log done 'PASS: test/a/done 1 - one'
    : >"$build/tests/test/a/done.trs"
    log hangs 'PASS: test/a/hangs 1 - one'
    timeout 1000 sh -c 'echo $$; sleep 999; true'
}
stage_talks() {
    for i in 1 2 3 4 5 6 7; do
        echo $i
        sleep 1
    done
}
begin_stages
stage good tests
stage bad tests
stage hangs tests
stage talks
end_stages
EOS
root=$scratch/root
mkdir "$root"
STALL_SECONDS=4 timeout 120 bash "$scratch/run" "$root" "$top" >"$scratch/out" 2>&1
status=$?

# line PATTERN: the output has such a line
line()
{
    grep -Ex -- "$1" "$scratch/out" || { cat "$scratch/out" && return 1; }
}
check 'a good stage' line 'good +ok +[0-9]+ s   1 passed, 0 failed, 2 skipped'
check 'a stage that fails counts the tests that passed' line \
    'bad +FAILED +[0-9]+ s   2 passed, 1 failed, 0 skipped'
check '... and names the tests that failed' line 'FAIL: test/a/bad 3 - three'
check 'a stage that hangs is ended and reported' line 'hangs: no output for 4 s: ended'
check '... with the test that was running' line 'was running: test/a/hangs'
check '... and counts the tests that passed' line 'hangs +FAILED +[0-9]+ s   2 passed, 1 failed, 0 skipped'
nothing_left()
{
    ! kill -0 "$(grep -x '[0-9]*' "$root/build/hangs.log")"
}
check '... and leaves no process' nothing_left
check 'a stage that keeps printing is not ended' line 'talks +ok +[0-9]+ s   1 passed, 0 failed, 0 skipped'
check 'a skipped test is named once, with its reason' line \
    'skipped: test/a/good 2 - two - no reason [(]2 times[)]'
last_line()
{
    test "$(tail -n 1 "$scratch/out")" = '6 passed, 2 failed, 2 skipped'
}
check 'the last line has the totals' last_line
check 'the status is a failure' test $status -eq 1
finish

# scripts/fuzz.sh: long runs in parts, which end when a target has found nothing for some time, and
# merged inputs. The target is a script that prints what libFuzzer would.
. "$srcdir/test/harness.sh"
top=$(cd "$srcdir" && pwd)
command -v bash >/dev/null 2>&1 || skip_all 'no bash'
ps -o cputimes= -p $$ >/dev/null 2>&1 || skip_all 'no ps -o cputimes'

WORK=$scratch OUT=$scratch/out CORPUS=$scratch/corpus LOGS=$scratch/logs
export WORK OUT CORPUS LOGS
mkdir -p "$OUT" "$CORPUS/one" "$LOGS"

# Without a limit it is busy until SIGUSR1; the coverage is what the file says.
cat >"$OUT/fuzz_one" <<'EOS'
#!/usr/bin/env bash
echo "$*" >>"$LOGS/arguments"
runs=-1
for argument; do
    case $argument in
        -runs=*) runs=${argument#-runs=} ;;
        -merge=1) merge=1 ;;
    esac
done
if [ "${merge:-0}" = 1 ]; then
    [ ! -f "$LOGS/merge-fails" ] || exit 1
    cp "${@: -1}/b" "${@: -2:1}/"
    exit
fi
trap 'echo "stat::number_of_executed_units: 500"; exit 0' USR1
echo "#2 INITED cov: $(cat "$LOGS/coverage") ft: 9"
while [ "$runs" -lt 0 ]; do :; done
echo "stat::number_of_executed_units: $runs"
[ ! -f "$LOGS/crashes" ] || exit 77
EOS
chmod +x "$OUT/fuzz_one"
echo 40 >"$LOGS/coverage"

# fuzz STATUS ARGUMENT...
fuzz()
{
    expected=$1 status=0
    shift
    timeout 60 bash "$top/scripts/fuzz.sh" "$@" >"$scratch/said" 2>&1 || status=$?
    cat "$scratch/said"
    test $status -eq "$expected"
}
# has COLUMN NUMBER: of the counts
has()
{
    cat "$LOGS/one.total"
    test "$(awk -v column="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i }
        NR == 2 { print $at }' "$LOGS/one.total")" -eq "$2"
}
was_given()
{
    tail -n 1 "$LOGS/arguments"
    tail -n 1 "$LOGS/arguments" | grep -q -- "$1"
}

check 'a run of 100 executions' fuzz 0 run --executions 100 one
check '... is counted' has executions 100
check '... with its coverage' has coverage 40
check 'a run of a total of 250' fuzz 0 run --total-executions 250 one
check '... executes what is left' was_given '-runs=150 '
check '... and adds it up' has executions 250
: >"$LOGS/arguments"
check 'a target at its end' fuzz 0 run --total-executions 250 one
check '... is not run' test ! -s "$LOGS/arguments"
check 'the smaller one of both limits holds' fuzz 0 run --executions 10 --total-executions 300 one
check '... and is counted' has executions 260

check 'a target that finds nothing more is ended' fuzz 0 run --quiet-seconds 1 one
check '... by SIGUSR1, so that its executions count' has executions 760
: >"$LOGS/arguments"
check '... and is at its end' fuzz 0 run --quiet-seconds 1 one
check '... in later runs' test ! -s "$LOGS/arguments"
echo 41 >"$LOGS/coverage"
check 'coverage that has grown' fuzz 0 run --executions 1 one
check '... is a new beginning' has quiet 0

stops()
{
    bash "$top/scripts/fuzz.sh" run --seconds 0 one >"$scratch/said" 2>&1 &
    pid=$!
    rm -f "$LOGS/arguments"
    while ! test -s "$LOGS/arguments"; do kill -0 $pid || return 1; done
    kill -TERM $pid
    status=0
    wait $pid || status=$?
    cat "$scratch/said"
    test $status -eq 3
}
check 'a run ends by SIGTERM with status 3' stops
: >"$LOGS/crashes"
check 'a mistake is a failure' fuzz 1 run --executions 7 one
rm "$LOGS/crashes"

echo a >"$CORPUS/one/a"
echo b >"$CORPUS/one/b"
: >"$LOGS/merge-fails"
check 'a merge that fails' fuzz 1 merge one
check '... keeps the inputs' test -f "$CORPUS/one/a"
rm "$LOGS/merge-fails"
check 'a merge' fuzz 0 merge one
check '... keeps what it has chosen' test "$(ls "$CORPUS/one")" = b
mv "$CORPUS/one" "$CORPUS/one.old"
check 'a merge after one that was ended between two names' fuzz 0 merge one
check '... has the inputs' test "$(ls "$CORPUS")" = one
echo x >"$LOGS/one.total"
check 'damaged counts are refused' fuzz 1 run --executions 1 one
check 'AFL++ has no such end' fuzz 1 run --afl --quiet-seconds 1 one
finish

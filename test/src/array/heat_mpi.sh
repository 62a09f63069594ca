# The heat equation with its field in an array: it is kept every few steps, and runs with other
# numbers of ranks continue from it, to the same result.
. "$srcdir/test/harness.sh"
scripts=$(cd "$srcdir" && pwd)
cd "$scratch" || exit 99
# heat NP ARGUMENTS...
heat() {
    np=$1
    shift
    seconds=60 mpi_run "$np" "$builddir/examples/heat_arrays" "$@"
}
field() {
    "$builddir/sionarray" dump -t 8 "$1" T
}
check 'eight steps with two ranks' heat 2 through.sion 8 4
check 'four steps with four ranks' heat 4 half.sion 4 2
field through.sion >expected
check 'the field has 128 rows' test "$(wc -l <expected)" -eq 128
for np in 1 3 4; do
    check "$np ranks continue" heat $np "$np.sion" 8 2 half.sion
    field "$np.sion" >found
    check "$np ranks end with the same field" same expected found
done
check 'two ranks keep the last step too' heat 2 last.sion 8 3
steps_of() {
    "$builddir/sionarray" ls --json "$1" | tr -d ' \n' | grep -o '"steps":[^]]*]'
}
check 'steps 3, 6 and 8 are kept' test "$(steps_of last.sion)" = '"steps":[3,6,8]'
field last.sion >found
check 'and the last one is the same field' same expected found
check 'a run that is shorter than its interval' heat 2 short.sion 5 50
check 'keeps its last step' test "$(steps_of short.sion)" = '"steps":[5]'
check 'a run from between two kept steps' heat 2 between.sion 8 3 half.sion
check 'keeps what follows' test "$(steps_of between.sion)" = '"steps":[6,8]'
# A run with nothing left to compute would replace the field by none.
for steps in 8 2; do
    cp last.sion same.sion
    rm -f new.sion
    for to in same new; do
        check "nothing is left of $steps steps, to $to.sion" sh -c '! "$@" >refused 2>&1 &&
            test "$(grep -c "^heat: same.sion is at step 8, and $0 are wanted" refused)" -eq 1' $steps \
            env seconds=60 sh "$LAUNCH" 2 "$builddir/examples/heat_arrays" $to.sion $steps 4 same.sion
    done
    check 'the field is unchanged' cmp same.sion last.sion
    check 'no container is created' test ! -e new.sion
done
# A rank is killed at its last call, the container is completed, and another run continues from it.
killed() {
    SION_FAULT=any:kill:$1@0 heat 2 killed.sion 8 2 >log 2>&1
    test $? -ne 0 && "$builddir/sionrecover" --in-place killed.sion >>log 2>&1
}
check 'a run that is killed leaves what it has kept' killed 12
check 'step 4 is there' sh -c '"$1" dump -t 4 "$2" T >kept && "$1" dump -t 4 half.sion T | cmp - kept' - \
    "$builddir/sionarray" killed.sion
check 'two ranks continue from it' heat 2 continued.sion 8 4 killed.sion
field continued.sion >found
check 'and end with the same field' same expected found
check 'a container without such a field is refused' sh -c '! "$@" >refused 2>&1 &&
    grep -q "heat: .* has no field of this plate" refused' - env seconds=60 \
    sh "$LAUNCH" 2 "$builddir/examples/heat_arrays" x.sion 8 2 expected
for python in python3 /usr/bin/python3; do
    "$python" -c 'import matplotlib, numpy' 2>/dev/null && break
    python=
done
if test -n "$python"; then
    PATH=$builddir:$PATH
    check 'plot.py makes a picture' "$python" -B "$scripts/examples/plot.py" through.sion T 4 T.png
    check 'plot.py names the steps that there are' sh -c '! "$@" 2>refused &&
        test "$(cat refused)" = "plot.py: T has the shape [128, 128] and the steps [4, 8]"' - \
        "$python" -B "$scripts/examples/plot.py" through.sion T 5 T.png
    check 'plot.py says why a container cannot be read' sh -c '! "$@" 2>refused &&
        test "$(wc -l <refused)" -eq 1 && grep -q "^sionarray: .*nowhere.sion" refused' - \
        "$python" -B "$scripts/examples/plot.py" nowhere.sion T 5 T.png
else
    skip 'plot.py makes a picture' 'no matplotlib (Debian: python3-matplotlib)'
fi
finish

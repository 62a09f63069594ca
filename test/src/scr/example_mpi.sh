#!/bin/sh
# examples/scr3.c with a stand-in for SCR: it writes a container, and continues from it.
. "$srcdir/test/tools/lib.sh"

lines=$(wc -l <"$srcdir/examples/scr3.c")
check 'the example is short' test "$lines" -le 40

mkdir "$scratch/work" && cd "$scratch/work" || exit 99

# job RANKS
job()
{
    status=0
    timeout 60 sh "$LAUNCH" "$1" "$builddir/test/src/scr/example_mpi" >"$scratch/out" \
        2>"$scratch/err" </dev/null || status=$?
}

for step in 1 2 3; do
    job 2
    check "step $step" ended 0
    check '... becomes the current dataset' test "$(cat current)" = ckpt.$step
    check '... in a container of both ranks' test \
        "$("$builddir/siondump" ckpt.$step/data.sion | sed -n 's/.*number of tasks: *//p')" = 2
done
for call in Init Have_restart Start_restart Complete_restart Start_output Route_file Complete_output \
    Finalize; do
    cp current before
    export STUB_FAILS=SCR_$call
    job 2
    unset STUB_FAILS
    check "the program fails if SCR_$call fails" test $status -ne 0
    mv before current
done
printf X | dd of=ckpt.3/data.sion bs=1 count=4 conv=notrunc 2>/dev/null
job 2
check 'a damaged container stops the restart' test $status -ne 0

finish

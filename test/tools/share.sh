#!/bin/sh
# Tools under mpiexec: the processes share the tasks, or one process does the work where the
# processes of a tool would have to communicate and cannot.
. "$(dirname "$0")/lib.sh"

cd "$scratch" || exit 99
unset PMI_RANK PMI_SIZE PMIX_RANK OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE MPI_LOCALRANKID
many=$scratch/many.sion
"$builddir/test/tools/make_many" "$many" 11 2 3000 || exit 99
mkdir wanted parts
"$builddir/sionsplit" "$many" wanted/t >/dev/null || exit 99

# as RANK SIZE TOOL...: runs the tool as a launcher would start it
as()
{
    PMI_RANK=$1 PMI_SIZE=$2
    export PMI_RANK PMI_SIZE
    shift 2
    run "$@"
    unset PMI_RANK PMI_SIZE
}

as 1 3 sionsplit "$many" parts/t
check 'one of three splits its tasks' test "$(cd parts && echo *)" = 't00001 t00004 t00007 t00010'
check 'only the first process reports' sh -c '! grep -q "number of tasks" "$1"' - "$scratch/out"
as 0 3 sionsplit "$many" parts/t
check 'the first process reports' grep -q 'number of tasks' "$scratch/out"
as 2 3 sionsplit "$many" parts/t
check 'all processes split all tasks' diff -r wanted parts
rm -f parts/*
as 1 3 sionsplit --alone "$many" parts/t
check '--alone: each process splits all tasks' diff -r wanted parts
rm -f parts/*
as 1 2 sionsplit -t 0-4 "$many" parts/t
check 'a list is shared, too' test "$(cd parts && echo *)" = 't00001 t00003'
for wrong in '3 3' '-1 3' 'x 3' '0 0' '1 x'; do
    rm -f parts/*
    # shellcheck disable=SC2086
    as $wrong sionsplit "$many" parts/t
    check "variables that make no sense: $wrong" diff -r wanted parts
done
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=20
export OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE
rm -f parts/*
run sionsplit "$many" parts/t
check 'more processes than tasks, by Open MPI' test "$(cd parts && echo *)" = t00000
unset OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE

# ---- sionverify ----

as 0 2 sionverify "$many"
check 'a part is verified' grep -q "^part 1 of 2 of $many: good.*: 6 tasks" "$scratch/out"
as 1 2 sionverify "$many"
check 'the other part is verified' grep -q "^part 2 of 2 of $many: good.*: 5 tasks" "$scratch/out"
as 1 2 sionverify -j "$many"
check 'JSON is for one process' failed_with 1 '--alone'
as 1 2 sionverify --alone "$many"
check '--alone: everything is verified' grep -q "^$many: good.*: 11 tasks" "$scratch/out"
if test -x "$builddir/test/tools/make_sums"; then
    "$builddir/test/tools/make_sums" sums.sion || exit 99
    printf '\377\376\375' | dd of=sums.sion bs=1 seek=4100 conv=notrunc 2>/dev/null # of task 0
    as 0 2 sionverify sums.sion
    check 'the process that has the damaged task finds it' test "$status" -eq 2
    as 1 2 sionverify sums.sion
    check 'the other process does not find it' grep -qxE 'part 2 of 2 of sums.sion: good: 1 task, .*' "$scratch/out"
fi

# ---- no MPI, or the launcher of another MPI: one process does the work ----

as 1 2 siondefrag "$many" new.sion
check 'siondefrag: the second process does nothing' test "$status" -eq 0 -a ! -s "$scratch/out" -a ! -e new.sion
as 0 2 siondefrag "$many" new.sion
check 'siondefrag: the first process warns of that' failed_with 0 'siondefrag: warning: one of 2 processes does the work: '
check 'siondefrag: the first process does the work' "$builddir/siondiff" -q "$many" new.sion
as 1 2 sionmerge merged.sion wanted/*
check 'sionmerge: likewise' test "$status" -eq 0 -a ! -e merged.sion
as 1 2 sionmerge --alone merged.sion wanted/*
check 'sionmerge --alone' "$builddir/siondiff" -q "$many" merged.sion

# ---- a launcher ----

# under_mpiexec TOOL...: runs the tool with two processes
under_mpiexec()
{
    tool=$1
    shift
    status=0
    timeout 60 sh "$LAUNCH" 2 "$builddir/$tool" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || status=$?
}

if test -n "$MPIEXEC"; then
    rm -f parts/*
    under_mpiexec sionsplit "$many" parts/t
    check 'under mpiexec: sionsplit succeeds' ended 0
    check 'under mpiexec: the files' diff -r wanted parts
    check 'under mpiexec: each file is written once' test "$(grep -c 'generating file' "$scratch/out")" -eq 11
    under_mpiexec sionverify "$many"
    check 'sionverify under mpiexec' ended 0
    check 'sionverify under mpiexec: both parts' test "$(grep -c '^part [12] of 2' "$scratch/out")" -eq 2
    head -c 5000 "$many" >damaged.sion
    under_mpiexec sionverify damaged.sion
    check 'sionverify under mpiexec: one failure is a failure of all' test "$status" -ne 0
else
    skip 'under mpiexec' 'built without MPI'
fi
finish

# The whole product of faults: about a hundred thousand cases.
. "$srcdir/test/harness.sh"

# all NAME COMMAND...
all()
{
    name=$1
    shift
    "$@" full >"$scratch/log" 2>&1
    status=$?
    grep -E '^#|^not ok' "$scratch/log"
    result $status "$name"
    test $status -eq 0 || show "$scratch/log"
}

# launched PROGRAM RANKS...
launched()
{
    program=$builddir/test/faults/$1
    shift
    for np in $(test ! -x "$program" || echo "$@"); do
        seconds=1200 all "$(basename "$program"), $np ranks" mpi_run "$np" "$program"
    done
}

for name in serial generic omp; do
    test ! -x "$builddir/test/faults/$name" || all $name "$builddir/test/faults/$name"
done
launched mpi 1 2 3 4
launched ompi 2
finish

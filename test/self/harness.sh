# The test harness: everything that goes wrong in a test is a failure, and a test that has not run
# does not pass.
. "$srcdir/test/harness.sh"
top=$(cd "$srcdir" && pwd)
mkdir "$scratch/programs"

# A launcher that starts one process.
printf 'shift\nexec "$@"\n' >"$scratch/launch"

# script BODY: runs a script with this body, leaves its output in out, and returns its status
script()
{
    printf '%s\n' "$1" >"$scratch/script.sh"
    srcdir=$top builddir=$scratch/programs LAUNCH=$scratch/launch sh "$scratch/script.sh" \
        >"$scratch/out" 2>&1
    status=$?
    cat "$scratch/out"
    return $status
}

# mpi_script PROGRAM: runs a script that starts an MPI program with this body
mpi_script()
{
    printf '#!/bin/sh\n%s\n' "$1" >"$scratch/programs/program"
    chmod +x "$scratch/programs/program"
    script '. "$srcdir/test/mpi_lib.sh"
run 1 program
done_testing'
}

# ends STATUS LAST-LINE COMMAND...
ends()
{
    wanted=$1
    last=$2
    shift 2
    "$@"
    test $? -eq "$wanted" && test "$(tail -n 1 "$scratch/out")" = "$last"
}

# fails_with LINE COMMAND...: the command fails, and prints this line
fails_with()
{
    line=$1
    shift
    ! "$@" && grep -qx "$line" "$scratch/out"
}

use='. "$srcdir/test/harness.sh"'
check 'a check that passes' ends 0 1..1 script "$use
check good true
finish"
check 'a check that fails' ends 1 1..2 script "$use
check bad false
check good true
finish"
check '... is reported' grep -qx 'not ok 1 - bad' "$scratch/out"
check 'a script that checks nothing' fails_with 'not ok 1 - no test has run' script "$use
finish"
check 'a script that cannot run here' ends 0 '1..0 # SKIP no reason' script "$use
skip_all 'no reason'"
check 'a test that cannot run here' ends 0 1..1 script "$use
skip it 'no reason'
finish"
removes_its_folder()
{
    script "$use
echo \"\$scratch\"
check good true
finish" && test ! -e "$(head -n 1 "$scratch/out")"
}
check 'the folder of a script is removed' removes_its_folder

check 'an MPI program that passes' ends 0 1..2 mpi_script 'echo "ok 1 - a"; echo "ok 2 - b"; echo 1..2'
check '... is reported with its number of ranks' grep -qx 'ok 2 - 1 ranks: b' "$scratch/out"
check 'an MPI program that fails' fails_with 'not ok 1 - 1 ranks: a' \
    mpi_script 'echo "not ok 1 - a"; echo 1..1; exit 1'
check 'an MPI program that crashes' fails_with 'not ok 2 - program with 1 ranks ended with status 139' \
    mpi_script 'echo "ok 1 - a"; exit 139'
check 'an MPI program that runs no test' \
    fails_with 'not ok 1 - program with 1 ranks planned 0 tests and ran 0' mpi_script 'echo 1..0'
check 'an MPI program that ends early, with 0' \
    fails_with 'not ok 2 - program with 1 ranks planned 2 tests and ran 1' \
    mpi_script 'echo "ok 1 - a"; echo 1..2'
check 'an MPI program that prints no plan' \
    fails_with 'not ok 2 - program with 1 ranks planned 0 tests and ran 1' mpi_script 'echo "ok 1 - a"'

cat >"$scratch/none.c" <<'SOURCE'
#include "check.h"
int main(void)
{
    return check_done();
}
SOURCE
no_test_in_c()
{
    ${CC:-cc} -I"$top/test" "$scratch/none.c" -o "$scratch/none" &&
        ! "$scratch/none" >"$scratch/out" && grep -qx 'not ok 1 - no test has run' "$scratch/out" &&
        grep -qx 1..1 "$scratch/out"
}
check 'a C program that runs no test' no_test_in_c

cat >"$scratch/lines" <<'LINES'
[hwloc/linux] failed to find sysfs cpu topology directory, aborting linux discovery.
[1795334315.028002] [vm:22008:0]       tcp_iface.c:816  UCX  ERROR opendir(/sys/class/net) failed
[1] is ours
LINES
only_ours()
{
    without_mpi_lines "$scratch/lines" && test "$(cat "$scratch/lines")" = '[1] is ours'
}
check "MPI's messages about the machine are removed" only_ours
finish

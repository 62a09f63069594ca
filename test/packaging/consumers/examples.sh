# Builds the installed examples with their Makefile and with CMake, runs them, and compares their
# output.
name=examples
. "$srcdir/test/api/installed.sh"
cp -r "$P/share/doc/$(setting PACKAGE_TARNAME)/examples" "$root/work"
chmod -R u+w "$root/work"
LD_LIBRARY_PATH=$libdir
export LD_LIBRARY_PATH
cd "$root/work" || exit 1

# builds TARGET...
# shellcheck disable=SC2086
builds() {
    make "SIONCONFIG=$P/bin/sionconfig" "CC=${CC:-cc}" "CXX=$(setting CXX)" "FC=$(setting FC)" \
        "MPICC=$mpicc" "OPENMP=$openmp" "$@"
}
# says TEXT COMMAND...: the command succeeds and prints these lines, in any order
says() {
    printf '%s' "$1" | sort > expected
    shift
    "$@" > said.unsorted && sort said.unsorted | diff expected -
}
mpicc=$(setting MPICC)

check "the C examples without MPI are built" builds serial
hello='hello from task 0
hello from task 1
hello from task 2
'
check "hello" says "$hello" ./hello
sensors='sensor 0: 20.0 20.3 20.6 20.9
sensor 1: 20.1 20.4 20.7 21.0
sensor 2: 20.2 20.5 20.8 21.1
'
check "keyvalue" says "$sensors" ./keyvalue
check "many: files" sh -c './many files many.files 20 300 | grep -Eqx "[0-9.]+ [0-9.]+" && test "$(ls many.files | wc -l)" -eq 20'
check "many: a container" sh -c './many container many.sion 20 300 | grep -Eqx "[0-9.]+ [0-9.]+" && test -s many.sion'
numbers='read 1000 numbers, all equal to those written
'
for language in f90 cxx; do
    [ -f "$libdir/libsionser_${language}_64.a" ] || continue
    check "hello_$language is built" builds hello_$language
    check "hello_$language" says "$numbers" ./hello_$language
done
if [ -n "$has_mpi" ]; then
    check "the examples with MPI are built" builds checkpoint restart heat/heat
    saved='step 100: saved
step 25: saved
step 50: saved
step 75: saved
'
    check "checkpoint" says "$saved" mpirun 4 ./checkpoint
    restarted='process 0 has task 0 of step 100
process 0 has task 1 of step 100
process 1 has task 2 of step 100
process 2 has task 3 of step 100
'
    check "restart with another number of processes" says "$restarted" mpirun 3 ./restart
    check "heat" mpirun 2 heat/heat --rows 16 --columns 16 --steps 4 --interval 2
    heat_restarts() {
        mpirun "$1" heat/heat --rows 17 --columns 21 --steps 8 --checkpoint heat.half --restart \
            --result "heat.$1" && cmp heat.through "heat.$1"
    }
    heat_runs_halfway() {
        mpirun 2 heat/heat --rows 17 --columns 21 --steps 8 --interval 0 --result heat.through &&
            mpirun 4 heat/heat --rows 17 --columns 21 --steps 5 --interval 5 --checkpoint heat.half
    }
    check "heat saves with four processes" heat_runs_halfway
    heat_stages() {
        mkdir -p staged && mpirun 4 heat/heat --rows 17 --columns 21 --steps 5 --interval 5 \
            --checkpoint heat.staged --stage staged --times heat.times && test -z "$(ls -A staged)" &&
            "$P/bin/siondiff" heat.half.0 heat.staged.0 &&
            test "$(tail -n 1 heat.times | cut -d ' ' -f 2-)" = "end 0 0 0"
    }
    check "heat stages its checkpoint, which is drained at its end" heat_stages
    # Open MPI 4.1 makes no window of one process.
    few=1
    test "$MPI_FLAVOUR" != openmpi || few=2
    for np in $few 3 4; do
        check "heat continues with $np processes, to the same result" heat_restarts $np
    done
fi
if [ -n "$has_mpi" ] && [ -f "$libdir/libsionarray_64.a" ]; then
    arrays_go_on() {
        mpirun 2 heat/arrays first.sion 4 2 && mpirun 3 heat/arrays second.sion 6 2 first.sion
    }
    check "heat/arrays is built" builds heat/arrays
    check "heat/arrays continues with another number of processes" arrays_go_on
fi
hybrid_has_four_tasks() {
    OMP_NUM_THREADS=2 mpirun 2 ./hybrid && "$P/bin/siondump" hybrid.sion | grep -E 'number of tasks: +4$'
}
if [ -n "$has_ompi" ]; then
    check "hybrid is built" builds hybrid
    check "hybrid: a task for each thread" hybrid_has_four_tasks
fi
if command -v cmake > /dev/null; then
    by_cmake() {
        cmake -S . -B by-cmake -DCMAKE_PREFIX_PATH="$P" -DCMAKE_C_COMPILER="${CC:-cc}" \
            -DCMAKE_CXX_COMPILER="$(setting CXX)" -DCMAKE_Fortran_COMPILER="$(setting FC)" &&
            cmake --build by-cmake
    }
    check "CMake builds the examples" by_cmake
    check "... hello" says "$hello" by-cmake/hello
    [ -z "$has_mpi" ] || check "... checkpoint" says "$saved" mpirun 4 by-cmake/checkpoint
fi
finish

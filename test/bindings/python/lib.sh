# Sourced by the tests of the Python package. Skips them if there is nothing to test.
command -v skip_all >/dev/null || . "$srcdir/test/harness.sh"
sources=$(cd "$srcdir" && pwd)

# needs MODULE PACKAGE: skips the test if the Python that configure found lacks the module
needs()
{
    "$PYTHON" -c "import $1" 2>/dev/null || skip_all "$PYTHON has no $1 (Debian: $2)"
}

needs_package()
{
    test -n "$PYTHON" || skip_all 'no Python, or no shared libraries for the package'
    needs cffi python3-cffi
    needs numpy python3-numpy
    if has_sanitizers; then
        skip_all 'Python is built without sanitizers'
    fi
}

# use_libraries FOLDER: use the package in the sources with the libraries in this folder
use_libraries()
{
    SION_LIBDIR=$1 PYTHONPATH=$sources/python PYTHONDONTWRITEBYTECODE=1
    export SION_LIBDIR PYTHONPATH PYTHONDONTWRITEBYTECODE
}

# Prints the MPI of mpi4py: openmpi, mpich, or nothing.
mpi4py_flavour()
{
    "$PYTHON" -c 'import mpi4py
mpi4py.rc.initialize = False
from mpi4py import MPI
print("openmpi" if "Open MPI" in MPI.Get_library_version() else "mpich")' 2>/dev/null
}

# ranks_pass NP: runs ranks.py, and reports each of its results as a test of this script
ranks_pass()
{
    (cd "$scratch" && seconds=100 mpi_run "$1" "$PYTHON" "$sources/test/bindings/python/ranks.py") \
        >"$scratch/ranks.out" 2>"$scratch/ranks.err"
    status=$?
    while read -r line; do
        case $line in
        'ok '*) result 0 "$1 ranks: ${line#* - }" ;;
        'not ok '*) result 1 "$1 ranks: ${line#* - }" ;;
        esac
    done <"$scratch/ranks.out"
    check "$1 ranks: all tests have run" test $status -eq 0 -a \
        "$(grep -c '^1\.\.[1-9]' "$scratch/ranks.out")" -eq 1
    test $status -eq 0 || show "$scratch/ranks.err"
}

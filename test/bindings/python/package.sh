#!/bin/sh
# The Python package: its own tests, its declarations, and its installation.
. "$srcdir/test/bindings/python/lib.sh"
needs_package
use_libraries "$builddir/.libs"
SION_BINDIR=$builddir
MAKE_GROWN_SET=$builddir/test/tools/make_grown_set
export SION_BINDIR MAKE_GROWN_SET

# ---- the tests in Python ----

# Runs them with one of the two readers; names of results have it where it is not the usual one.
run_tests()
{
    suffix=
    test "$1" = compiled || suffix=", $1"
    (cd "$sources/test/bindings/python" && SION_PYTHON=$1 timeout 300 "$PYTHON" -m pytest -v \
        -p no:cacheprovider --basetemp="$scratch/pytest.$1" . 2>&1) >"$scratch/pytest.out"
    # "test_read.py::test_name PASSED [ 2%]"
    sed -nE 's/^(test_[a-z]+)\.py::(test_)?(.*) (PASSED|FAILED|ERROR|SKIPPED).*/\4 \1: \3/p' \
        "$scratch/pytest.out" >"$scratch/results"
    while read -r verdict name; do
        case $verdict in
        PASSED) result 0 "$name$suffix" ;;
        SKIPPED) skip "$name$suffix" 'a module that it needs is missing, or it is for the other reader' ;;
        *) result 1 "$name$suffix" ;;
        esac
    done <"$scratch/results"
    check "the tests in Python pass$suffix" grep -Eq '^=+ [0-9]+ passed' "$scratch/pytest.out"
    tail -n 1 "$scratch/pytest.out" | grep -q failed && show_lines=200 show "$scratch/pytest.out"
}
if "$PYTHON" -c 'import pytest' 2>/dev/null; then
    run_tests compiled
    run_tests pure
else
    skip 'the tests in Python' "$PYTHON has no pytest (Debian: python3-pytest)"
fi

# ---- its declarations of the headers ----

# A declaration that differs from the header's does not compile.
declarations_agree()
{
    {
        printf '#include <%s.h>\n' stdint stdio sion_array sion_common sion_drain sion_error sion_generic sion_recover sion_serial sion_stream
        test -z "$1" || echo '#include <sion_mpi.h>'
        "$PYTHON" -c 'from sion import _declarations as d
import sys
for line in d.TYPES.splitlines():
    # The headers have macros for these two.
    name, plain = line.rstrip(";").split(" ")[-1], " ".join(line.split(" ")[1:-1])
    print(f"_Static_assert(__builtin_types_compatible_p({name}, {plain}), \"{name}\");"
          if name in ("sion_int32", "sion_int64") else line)
print(d.SERIAL, d.SYSTEM, d.ARRAYS, d.MPI if sys.argv[1:] == ["mpi"] else "")
from sion._library import ffi
for struct in ("sion_drain_progress", "sion_recover_info", "sion_recover_task", "struct sion_array_info",
               "struct sion_array_block", "union sion_array_value"):
    print(f"_Static_assert(sizeof({struct}) == {ffi.sizeof(struct)}, \"{struct}\");")
    for member, _ in ffi.typeof(struct).fields:
        print(f"_Static_assert(__builtin_offsetof({struct}, {member}) == "
              f"{ffi.offsetof(struct, member)}, \"{member}\");")
for enum in "enum sion_recover_evidence", "enum sion_array_type":
    for member, value in ffi.typeof(enum).relements.items():
        print(f"_Static_assert({member} == {value}, \"{member}\");")
for name in dir(d):
    value = getattr(d, name)
    if isinstance(value, int):
        print(f"_Static_assert(SION_{name} == ({value}), \"{name}\");")' $1
    } >"$scratch/agree.c"
    # shellcheck disable=SC2046
    $CC -std=c11 -D_DEFAULT_SOURCE -fsyntax-only -I"$srcdir/include" $(test -z "$1" || setting MPI_CFLAGS) \
        "$scratch/agree.c"
}
check 'its declarations agree with the headers' declarations_agree
if grep -q '^have_mpi = yes' "$builddir/Makefile"; then
    check 'its declarations agree with sion_mpi.h' declarations_agree mpi
fi
sed -n 's/^ *SION_ERR_\([A-Z_]*\) *=.*/\1/p' "$srcdir/include/sion_error.h" | sort >"$scratch/wanted"
"$PYTHON" -c 'import sion
for code in sion.Code: print(code.name)' | sort >"$scratch/codes"
check 'it has all error codes' same "$scratch/codes" "$scratch/wanted"
{
    echo '#include <sion_error.h>'
    "$PYTHON" -c 'import sion
for code in sion.Code: print(f"_Static_assert(SION_ERR_{code.name} == {int(code)}, \"{code.name}\");")'
} >"$scratch/codes.c"
check 'the numbers of the error codes agree' "$CC" -std=c11 -fsyntax-only -I"$srcdir/include" "$scratch/codes.c"

documented()
{
    "$PYTHON" -c 'import inspect, sion, sys
lost = []
for thing in [getattr(sion, name) for name in sion.__all__] + [getattr(sion.drain, name) for name in sion.drain.__all__]:
    members = [m for n, m in vars(thing).items() if not n.startswith("_")] if inspect.isclass(thing) else []
    for each in [thing, *members]:
        each = getattr(each, "fget", each)
        if inspect.isfunction(each) or inspect.isclass(each):
            if not each.__doc__: lost.append(each)
            if inspect.isfunction(each) and "return" not in each.__annotations__: lost.append(each)
sys.exit(", ".join(map(str, lost)) or None)'
}
check 'everything public has a docstring and type hints' documented

# Runs a type checker on the package, and on a program that uses it.
types_of()
{
    (cd "$scratch" && MYPYPATH=$sources/python timeout 200 "$PYTHON" -m mypy --cache-dir="$scratch/mypy" \
        --ignore-missing-imports "$@")
}
wrong_types_are_found()
{
    ! types_of --strict --follow-imports=silent "$sources/test/bindings/python/wrong_types.py" >"$scratch/found" || return 1
    sed -n 's/.*:\([0-9]*\): error:.*/\1/p' "$scratch/found" | sort -nu >"$scratch/lines"
    grep -n '# wrong' "$sources/test/bindings/python/wrong_types.py" | cut -d: -f1 >"$scratch/wanted"
    test -s "$scratch/wanted" && same "$scratch/lines" "$scratch/wanted"
}
if "$PYTHON" -c 'import mypy' 2>/dev/null; then
    check 'its type hints agree' types_of "$sources/python/sion"
    check 'wrong types in a program are found, and nothing else' wrong_types_are_found
else
    skip 'type hints' "$PYTHON has no mypy (Debian: mypy)"
fi

# ---- installed ----

# made ARGUMENTS...: runs make in the build folder, independently of the make that runs this test
made()
{
    (unset MAKEFLAGS MFLAGS MAKELEVEL GNUMAKEFLAGS && make -s --no-print-directory -C "$builddir" "$@")
}
P=$scratch/root
install_there()
{
    made install-python DESTDIR="$P"
}
check 'make install-python' install_there
site=$P$(made -f - show 2>/dev/null <<'END'
include Makefile
show:
	@echo '$(pythondir)'
END
)
check 'it is in a folder of that Python' sh -c 'case $1 in */lib/python3.*/site-packages) test -f "$1/sion/__init__.py" ;;
    *) false ;; esac' - "$site"
# reads SITE: runs a program with the package in that folder
reads()
{
    (cd "$scratch" && PYTHONPATH=$1 "$PYTHON" -c 'import sys, sion, importlib.metadata as metadata
assert sion.__file__.startswith(sys.argv[1]), sion.__file__
assert len(sion.open(sys.argv[2]).tasks) == 3
assert metadata.version("sion") == sys.argv[3], metadata.version("sion")
found = [p.value for p in metadata.distribution("sion").entry_points if p.group == "fsspec.specs"]
assert found == ["sion.filesystem.SionFileSystem"], found
found = [p.value for p in metadata.distribution("sion").entry_points if p.group == "xarray.backends"]
assert found == ["sion.xarray_backend:SionBackendEntrypoint"], found' \
        "$1" "$GOLDEN/serial/s04_multichunk.sion" "$(setting PACKAGE_VERSION)")
}
check 'it reads, and fsspec finds it' reads "$site"
xarray_finds_it()
{
    (cd "$scratch" && PYTHONPATH=$site "$PYTHON" -c 'import sion, xarray
with sion.create("by_itself.sion", [4096]) as container:
    container.define_array("T", "f4", [3])
    container.put_array("T", 0, [0], [1, 2, 3])
assert xarray.open_dataset("by_itself.sion")["T"].values.tolist() == [1, 2, 3]')
}
if "$PYTHON" -c 'import xarray' 2>/dev/null; then
    check 'xarray opens .sion by itself' xarray_finds_it
fi
# An installation that has been moved: its package uses its own libraries, as _installed.py tells it,
# and none from the environment or from the old place.
libdir=$(made -f - show 2>/dev/null <<'END'
include Makefile
show:
	@echo '$(libdir)'
END
)
libraries_of_the_installation()
{
    mkdir -p "$P$libdir" && cp "$builddir/.libs/libsion.so.0" "$P$libdir" || return 1
    mv "$P" "$scratch/moved" || return 1
    (unset SION_LIBDIR && reads "$scratch/moved${site#"$P"}" && PYTHONPATH=$scratch/moved${site#"$P"} \
        "$PYTHON" -c 'import sion, sys
sion.open(sys.argv[2]).close()
assert sys.argv[1] in open("/proc/self/maps").read()' \
        "$scratch/moved$libdir/libsion.so.0" "$GOLDEN/serial/s04_multichunk.sion")
    status=$?
    rm -r "$scratch/moved$libdir"
    mv "$scratch/moved" "$P" && return $status
}
check 'after a move, it loads the libraries that it was installed with' libraries_of_the_installation
# Libraries outside of the installation stay where they are.
libraries_elsewhere()
{
    made install-python DESTDIR="$P" libdir="$scratch/lib" && mkdir "$scratch/lib" &&
        cp "$builddir/.libs/libsion.so.0" "$scratch/lib" && (unset SION_LIBDIR && reads "$site")
}
check 'it loads libraries from another folder' libraries_elsewhere
missing_library_is_named()
{
    ! SION_LIBDIR=$scratch/nowhere "$PYTHON" -c 'import sion; sion.create("x.sion", [1])' 2>"$scratch/err" &&
        tail -n 1 "$scratch/err" | grep -q "nowhere/libsion.so.0 is not there"
}
if ! ldconfig -p 2>/dev/null | grep -q libsion.so.0; then
    check 'the message names a missing library' missing_library_is_named
fi
check 'make uninstall-python' made uninstall-python DESTDIR="$P"
check 'make uninstall-python leaves no file' test -z "$(find "$P" ! -type d)"

# ---- a wheel and the sources, by one command ----

wheel=$scratch/dist/sion-$(setting PACKAGE_VERSION)-py3-none-any.whl
makes_packages()
{
    made python-dist python_dist="$scratch/dist" >/dev/null && test -s "$wheel" &&
        test -s "$scratch/dist/sion-$(setting PACKAGE_VERSION).tar.gz"
}
# In an environment of its own, without libsion and without cffi: from a package to a reader.
reads_without_libsion()
{
    rm -rf "$scratch/venv"
    "$PYTHON" -m venv --without-pip "$scratch/venv" &&
        (unset PYTHONPATH SION_LIBDIR && timeout 120 "$PYTHON" -m pip install -q --no-index --no-deps \
            --no-build-isolation --target "$scratch/venv/site" "$1") || return 1
    numpy=$("$PYTHON" -c 'import numpy, os; print(os.path.dirname(os.path.dirname(numpy.__file__)))')
    mkdir "$scratch/venv/others" && ln -s "$numpy"/numpy* "$scratch/venv/others" || return 1
    (cd "$scratch" && unset SION_LIBDIR SION_BINDIR && PYTHONPATH=$scratch/venv/site:$scratch/venv/others &&
        export PYTHONPATH && PATH=/nowhere && python=$scratch/venv/bin/python &&
        "$python" -m sion ls "$GOLDEN/serial/s04_multichunk.sion" >ls.out &&
        "$python" -m sion cat "$GOLDEN/serial/s04_multichunk.sion" >cat.out &&
        "$python" -m sion verify "$GOLDEN/serial/s04_multichunk.sion" >verify.out &&
        ! "$python" -m sion verify "$GOLDEN/invalid/i34_blocksize_gt_chunk.sion" 2>err) &&
        grep -q '3 tasks in 1 files' "$scratch/ls.out" && grep -q ': good' "$scratch/verify.out" &&
        cmp -s "$scratch/cat.out" "$GOLDEN/util/s04_multichunk.sioncat.out" &&
        grep -q 'says 5000 bytes used of 512' "$scratch/err"
}
with_pip()
{
    cp -r "$sources/python" "$scratch/source" && chmod -R u+w "$scratch/source" &&
        (unset PYTHONPATH && timeout 120 "$PYTHON" -m pip install -q --no-index --no-deps \
            --no-build-isolation --target "$scratch/pip" "$scratch/source") && reads "$scratch/pip"
}
if "$PYTHON" -c 'import setuptools, wheel, pip, venv' 2>/dev/null; then
    check 'pip install ./python' with_pip
    check 'make python-dist makes a wheel for any machine and the sources' makes_packages
    check 'the wheel reads without libsion' reads_without_libsion "$wheel"
    check 'the sources, too' reads_without_libsion "$scratch/dist/sion-$(setting PACKAGE_VERSION).tar.gz"
else
    skip 'pip install ./python' "$PYTHON has no pip, setuptools, wheel or venv"
fi

finish

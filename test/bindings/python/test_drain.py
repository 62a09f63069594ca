"""Staged containers. A process writes them by the generic interface, as the only task."""

import os
import subprocess
import sys

import pytest

import sion

# Writes a staged container.
WRITER = """
import sys, cffi, sion
from sion import _library
ffi = cffi.FFI()
ffi.cdef('''
int sion_generic_create_api(char *name);
int sion_generic_paropen(int aid, const char *fname, const char *file_mode, long long *chunksize,
                         int *fsblksize, void *gcommgroup, int grank, int gsize, int *filenumber,
                         int *numfiles, const int *lrank, const int *lsize, void *fileptr,
                         char **newfname);
int sion_generic_parclose(int sid);
long long sion_stream_write(int sid, const void *data, long long bytes);
int sion_generic_register_create_local_commgroup_cb(int aid, void *cb);
int sion_generic_register_free_local_commgroup_cb(int aid, void *cb);
int sion_generic_register_barrier_cb(int aid, void *cb);
int sion_generic_register_bcastr_cb(int aid, void *cb);
int sion_generic_register_gatherr_cb(int aid, void *cb);
int sion_generic_register_scatterr_cb(int aid, void *cb);
int sion_generic_register_gathervr_cb(int aid, void *cb);
int sion_generic_register_scattervr_cb(int aid, void *cb);
''')
lib = _library.load(ffi, "libsion.so.0")

def copy(source, target, kind, n):
    ffi.memmove(target, source, n * {10: 4, 11: 8, 12: 1}[kind])
    return 0

callbacks = {
    "create_local_commgroup": ffi.callback("int(void **, void *, int, int, int, int, int, int)", lambda *_: 0),
    "free_local_commgroup": ffi.callback("int(void *)", lambda *_: 0),
    "barrier": ffi.callback("int(void *)", lambda *_: 0),
    "bcastr": ffi.callback("int(void *, void *, int, int, int)", lambda *_: 0),
    "gatherr": ffi.callback("int(void *, void *, void *, int, int, int)",
                            lambda given, got, _, kind, n, root: copy(given, got, kind, n)),
    "scatterr": ffi.callback("int(void *, void *, void *, int, int, int)",
                             lambda given, got, _, kind, n, root: copy(given, got, kind, n)),
    "gathervr": ffi.callback("int(void *, void *, void *, int, int *, int, int)",
                             lambda given, got, _, kind, counts, n, root: copy(given, got, kind, n)),
    "scattervr": ffi.callback("int(void *, void *, void *, int, int *, int, int)", lambda *_: 0),
}
aid = lib.sion_generic_create_api(ffi.new("char[]", b"one task"))
for name, callback in callbacks.items():
    getattr(lib, f"sion_generic_register_{name}_cb")(aid, ffi.cast("void *", callback))
zero, one = ffi.new("int *", 0), ffi.new("int *", 1)
sid = lib.sion_generic_paropen(aid, b"x.sion", b"w,stage=.", ffi.new("long long *", 1000),
                               ffi.new("int *", 512), ffi.new("int *"), 0, 1, zero, one, zero, one,
                               ffi.NULL, ffi.NULL)
lib.sion_stream_write(sid, bytes(2500), 2500)
assert lib.sion_generic_parclose(sid) == 1
"""

WAITS = """
known = sion.drain.progress("x.sion")
assert known.waiting <= 1 and known.failed == 0 and known.drained <= known.total and known.failure == ""
sion.drain.wait("x.sion")
assert sion.drain.test() and sion.drain.progress() == sion.drain.Progress(0, 0, 0, 0, "")
"""

FAILS = """
try:
    sion.drain.wait()
    sys.exit("the drain has not failed")
except sion.Error as error:
    assert "rename" in str(error) and error.code == sion.Code.SYSTEM
try:
    sion.drain.test("x.sion")
    sys.exit("the drain has not failed")
except sion.Error as error:
    assert "rename" in str(error)
known = sion.drain.progress("x.sion")
assert known.failed == 1 and "rename" in known.failure
"""

# MPI is finalized after the interpreter, as by mpi4py; the library is still there.
LATE = """
import ctypes, os
stays = ctypes.CDLL(os.path.join(os.environ["SION_LIBDIR"], "libsion.so.0"))
assert ctypes.pythonapi.Py_AtExit(stays.sion_layer_end_mpi) == 0
"""


def run(program, **environment):
    return subprocess.run([sys.executable, "-c", WRITER + program], check=False, capture_output=True,
                          text=True, env={**os.environ, **environment})


def test_what_was_never_staged_is_complete():
    assert sion.drain.test("x.sion") and sion.drain.test()
    sion.drain.wait()
    assert sion.drain.progress() == sion.drain.Progress(0, 0, 0, 0, "")


def test_a_name_in_no_folder():
    with pytest.raises(sion.Error, match="missing"):
        sion.drain.wait("missing/x.sion")


def test_a_staged_container_is_waited_for():
    done = run(WAITS)
    assert done.returncode == 0, done.stderr
    with sion.open("x.sion") as container:
        assert container.tasks[0].read() == bytes(2500)


def test_the_process_waits_at_its_end():
    done = run("")
    assert done.returncode == 0 and done.stderr == ""
    assert sion.open("x.sion").meta.bytes == 2500


def test_a_drain_that_fails():
    done = run(FAILS, SION_FAULT="rename:eio:1+")
    assert done.returncode == 0, done.stderr
    assert not os.path.exists("x.sion")


def test_a_drain_that_fails_after_the_interpreter():
    done = run(LATE, SION_FAULT="rename:eio:1+")
    assert done.returncode == os.EX_IOERR and "siondrain" in done.stderr

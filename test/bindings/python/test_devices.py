"""Data in memory of devices, by a driver without hardware (test/device)."""

import ctypes
import os

import numpy as np
import pytest

import sion

DRIVER = os.path.join(os.environ.get("SION_BINDIR", ""), "test/device/.libs/libcuda.so")
pytestmark = pytest.mark.skipif(not os.path.exists(DRIVER), reason="no driver was built")
needs_compiled = pytest.mark.skipif(os.environ.get("SION_PYTHON") == "pure",
                                    reason="only the compiled library reads into memory of devices")


class Driver:
    def __init__(self):
        self.calls = ctypes.CDLL(DRIVER)
        self.calls.fake_allocate.restype = ctypes.c_void_p
        self.calls.fake_allocate.argtypes = [ctypes.c_size_t, ctypes.c_int, ctypes.c_int]
        self.calls.fake_put.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
        self.calls.fake_get.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
        self.calls.fake_use(0)


@pytest.fixture(scope="module")
def driver():
    return Driver()


class OnDevice:
    """An array on device 1."""

    def __init__(self, driver, values):
        self.values, self.driver, self.shape = values, driver, values.shape
        self.at = driver.calls.fake_allocate(max(1, values.nbytes), 0, 1)
        driver.calls.fake_put(self.at, values.ctypes.data, values.nbytes)

    def get(self):
        found = np.empty_like(self.values)
        self.driver.calls.fake_get(found.ctypes.data, self.at, found.nbytes)
        return found


class Interface(OnDevice):
    strides = None

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": self.values.dtype.str, "data": (self.at, False),
                "version": 3, "strides": self.strides, "stream": 1}


class ReadOnly(Interface):
    @property
    def __cuda_array_interface__(self):
        return {**super().__cuda_array_interface__, "data": (self.at, True)}


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("type", ctypes.c_int32), ("device", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("offset", ctypes.c_uint64), ("context", ctypes.c_void_p), ("free", ctypes.c_void_p)]


class DLPack(OnDevice):
    def __dlpack_device__(self):
        return 2, 1

    def __dlpack__(self, stream):
        assert stream == 1
        self.kept = (ctypes.c_int64 * len(self.shape))(*self.shape)
        self.tensor = Tensor(self.at - 64, 2, 1, len(self.shape), 2, 8 * self.values.itemsize, 1,
                             ctypes.addressof(self.kept), None, 64)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.tensor), b"dltensor", None)


KINDS = pytest.mark.parametrize("kind", [Interface, DLPack])


@needs_compiled
@KINDS
def test_streams(driver, tmp_path, kind):
    values = np.random.default_rng(3).random((300, 500))
    data = kind(driver, values)
    with sion.create(tmp_path / "c.sion", 1 << 20, ntasks=1) as container:
        assert container.tasks[0].write(data) == values.nbytes
        container.tasks[0].write(b"end")
    into = kind(driver, np.zeros_like(values))
    with sion.open(tmp_path / "c.sion") as container:
        stream = container.tasks[0]
        assert stream.readinto(into) == values.nbytes
        assert stream.read() == b"end"
        assert np.array_equal(into.get(), values)
        stream.seek(values.nbytes)
        assert stream.readinto(into) == 3
        assert into.get().tobytes()[:4] == b"end" + values.tobytes()[3:4]


@KINDS
def test_keys(driver, tmp_path, kind):
    values = np.arange(30000.0)
    with sion.create(tmp_path / "k.sion", 1 << 20, ntasks=1, keyval=True) as container:
        container.tasks[0].write_record(7, kind(driver, values))
    with sion.open(tmp_path / "k.sion") as container:
        assert container.tasks[0].record(7) == values.tobytes()


@needs_compiled
@KINDS
def test_arrays(driver, tmp_path, kind):
    values = np.random.default_rng(4).random((400, 300))
    with sion.create(tmp_path / "a.sion", 1 << 21, ntasks=1) as container:
        container.define_array("A", "f8", values.shape)
        container.put_array("A", 0, (0, 0), kind(driver, values), task=0)
        with pytest.raises(TypeError, match="float32 on a device is not converted to float64"):
            container.put_array("A", 0, (0, 0), kind(driver, values.astype("f4")), task=0)
    with sion.open(tmp_path / "a.sion") as container:
        step = container.arrays["A"][0]
        assert np.array_equal(step[...], values)
        part = kind(driver, np.zeros((50, 20)))
        step.readinto(part, np.s_[100:150, 30:50])
        assert np.array_equal(part.get(), values[100:150, 30:50])
        row = np.zeros(300)
        step.readinto(row, 17)
        assert np.array_equal(row, values[17])
        with pytest.raises(ValueError, match="out has shape"):
            step.readinto(part)
        with pytest.raises(IndexError, match="without a step"):
            step.readinto(part, np.s_[100:200:2, 30:50])


@needs_compiled
def test_what_cannot_be_read_into(driver, tmp_path):
    data = ReadOnly(driver, np.zeros(5))
    with sion.create(tmp_path / "c.sion", 1 << 20, ntasks=1) as container:
        container.tasks[0].write(data)
        gaps = Interface(driver, np.zeros(5))
        gaps.strides = (16,)
        with pytest.raises(ValueError, match="not contiguous"):
            container.tasks[0].write(gaps)
    with sion.open(tmp_path / "c.sion") as container:
        with pytest.raises(TypeError, match="read-only"):
            container.tasks[0].readinto(data)


@pytest.mark.skipif(os.environ.get("SION_PYTHON") != "pure", reason="it is for the reader in Python")
def test_the_reader_in_python_has_no_device(driver, tmp_path):
    with sion.create(tmp_path / "c.sion", 1 << 20, ntasks=1) as container:
        container.define_array("A", "f8", (5,))
        container.put_array("A", 0, (0,), Interface(driver, np.zeros(5)), task=0)
    with sion.open(tmp_path / "c.sion") as container:
        with pytest.raises(TypeError, match="memory of a device"):
            container.tasks[0].readinto(Interface(driver, np.zeros(5)))
        with pytest.raises(TypeError, match="memory of a device"):
            container.arrays["A"][0].readinto(Interface(driver, np.zeros(5)))

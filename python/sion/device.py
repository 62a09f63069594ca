"""Data in memory of devices: objects with ``__cuda_array_interface__`` or ``__dlpack__``.

Only the compiled library moves such data; the reader in Python has no driver.
"""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np

from ._library import ffi


class Memory(NamedTuple):
    """Contiguous data of an object, of the host or of a device."""

    pointer: Any  #: for the library
    nbytes: int
    dtype: "np.dtype[Any]"
    shape: "tuple[int, ...]"
    is_on_device: bool
    owner: Any  #: keeps the data while they are used


class _Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("number", ctypes.c_int32)]


class _Kind(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    """DLTensor, with which the struct in a capsule begins."""

    _fields_ = [("data", ctypes.c_void_p), ("device", _Device), ("ndim", ctypes.c_int32),
                ("kind", _Kind), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]


_CPU, _CUDA_MANAGED = 1, 13
_DEVICES = {2: 1, 10: 0, _CUDA_MANAGED: 1}  # CUDA, ROCm: the number of their default stream
_HOSTS = (_CPU, 3, 11)  # those with memory that a driver has pinned
_CODES = {0: "i", 1: "u", 2: "f", 5: "c"}


def _is_contiguous(shape: "tuple[int, ...]", strides: "tuple[int, ...] | None", unit: int) -> bool:
    if strides is None or 0 in shape:
        return True
    for extent, stride in zip(reversed(shape), reversed(strides)):
        if extent > 1 and stride != unit:
            return False
        unit *= extent
    return True


def _memory(pointer: int, shape: "tuple[int, ...]", kind: "np.dtype[Any]", owner: Any) -> Memory:
    nbytes = int(np.prod(shape, dtype=np.int64)) * kind.itemsize
    return Memory(ffi.cast("void *", pointer), nbytes, kind, shape, True, owner)


def _refuse_gaps() -> None:
    raise ValueError("the data are not contiguous: copy them first")


def _wait_for(stream: "int | None") -> None:
    """The object's own stream, for which the library does not wait; 1 and 2 are default streams."""
    if stream is None or stream in (1, 2):
        return
    code = ctypes.CDLL("libcuda.so.1").cuStreamSynchronize(ctypes.c_void_p(stream))
    if code != 0:
        raise RuntimeError(f"CUDA cannot wait for the stream of the data: error {code}")


def _of_interface(described: "dict[str, Any]", writable: bool, owner: Any) -> Memory:
    pointer, is_readonly = described["data"]
    shape, kind = tuple(described["shape"]), np.dtype(described["typestr"])
    if writable and is_readonly:
        raise TypeError("the data are read-only")
    if described.get("mask") is not None:
        raise ValueError("the data have masked elements")
    if not _is_contiguous(shape, described.get("strides"), kind.itemsize):
        _refuse_gaps()
    _wait_for(described.get("stream"))
    return _memory(pointer or 0, shape, kind, owner)


def _of_capsule(data: Any, device: int) -> Memory:
    capsule = data.__dlpack__(stream=_DEVICES[device])
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = _Tensor.from_address(get_pointer(capsule, b"dltensor"))
    if tensor.kind.lanes != 1 or tensor.kind.code not in _CODES or tensor.kind.bits % 8:
        raise TypeError("the library has no such type of elements")
    kind = np.dtype(f"{_CODES[tensor.kind.code]}{tensor.kind.bits // 8}")
    shape = tuple(tensor.shape[:tensor.ndim])
    if not _is_contiguous(shape, tuple(tensor.strides[:tensor.ndim]) if tensor.strides else None, 1):
        _refuse_gaps()
    return _memory((tensor.data or 0) + tensor.offset, shape, kind, capsule)


def on_device(data: Any, writable: bool = False) -> "Memory | None":
    """The memory of an object whose data are on a device; None: they are on the host."""
    described = getattr(data, "__cuda_array_interface__", None)
    if described is not None:
        return _of_interface(described, writable, data)
    if not hasattr(data, "__dlpack_device__") or isinstance(data, np.ndarray):
        return None
    device = int(data.__dlpack_device__()[0])
    if device in _HOSTS:
        return None
    if device not in _DEVICES:
        raise TypeError(f"data on a device of type {device} of DLPack are not taken")
    return _of_capsule(data, device)


def memory_of(data: Any, writable: bool = False) -> Memory:
    """The memory of an object whose data are on a device, or that has a contiguous buffer."""
    found = on_device(data, writable)
    if found is not None:
        return found
    view = memoryview(data)
    if not view.c_contiguous:
        raise ValueError("the data are not contiguous: copy them with numpy.ascontiguousarray")
    if writable and view.readonly:
        raise TypeError("the data are read-only")
    view = view.cast("B") if view.nbytes else memoryview(b"")
    return Memory(ffi.from_buffer(view), view.nbytes, np.dtype("u1"), (view.nbytes,), False, view)


__all__ = ["Memory", "memory_of", "on_device"]

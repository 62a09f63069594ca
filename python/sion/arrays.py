"""Arrays in containers: named, typed, with a global shape. A part is read when it is indexed."""

from __future__ import annotations

import bisect
import operator
import os
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Iterator, NoReturn, Sequence

import numpy as np

from ._array_reader import TYPES, ArrayInfo, ArrayReader, Block, library, numbers, open_arrays
from ._declarations import ARRAY_NEWEST
from ._index import box_of
from ._library import check, failure, ffi
from .device import Memory, on_device
from .errors import Error
from .pure.source import is_url

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray


def _text(name: str) -> bytes:
    """A name, key or value in the form that the library takes."""
    if "\0" in name:
        raise ValueError("embedded null character")
    return name.encode()


def _name_to_find(name: Any) -> str:
    """A name to look up; raises KeyError if nothing can have such a name."""
    try:
        return _text(name).decode()
    except (TypeError, ValueError, AttributeError):
        raise KeyError(name) from None


class Attributes(Mapping[str, str]):
    """The texts that were stored with an array, or with a container."""

    def __init__(self, arrays: "Arrays", owner: "str | None") -> None:
        self._arrays = arrays
        self._owner = owner

    def __getitem__(self, key: str) -> str:
        value = self._arrays._open().attribute(self._owner, _name_to_find(key))
        if value is None:
            raise KeyError(key)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays._open().keys(self._owner))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return repr(dict(self))


class Arrays(Mapping[str, "Array"]):
    """The arrays of a container by name: ``container.arrays["T"]``.

    They are read through a handle of their own, which is opened when it is first needed. Threads
    may share the object; their reads wait for each other. A copy that another process unpickles
    opens the container there, by its name.
    """

    def __init__(self, name: "str | os.PathLike[str]",
                 storage_options: "dict[str, Any] | None" = None, contents: Any = None,
                 mode: str = "r") -> None:
        path = os.fspath(name)
        self.name = path if is_url(path) else os.path.abspath(path)  #: of the container
        self._mode = mode
        self._options = storage_options
        self._contents = contents
        self._lock = threading.RLock()
        self._reader: "ArrayReader | None" = None
        self._is_closed = False

    def __reduce__(self) -> "tuple[Any, ...]":
        return Arrays, (self.name, self._options, None, self._mode)

    def __repr__(self) -> str:
        return f"<sion.Arrays of {self.name!r}>"

    def _open(self) -> ArrayReader:
        with self._lock:
            if self._is_closed:
                raise ValueError(f"the container {self.name} is closed")
            if self._reader is None:
                self._reader = open_arrays(self.name, self._mode, self._options, self._contents)
            return self._reader

    def _close(self) -> None:
        with self._lock:
            self._is_closed = True
            if self._reader is not None:
                self._reader.close()
                self._reader = None

    @property
    def attributes(self) -> Attributes:
        """The texts that were stored with the container itself."""
        return Attributes(self, None)

    def __len__(self) -> int:
        return len(self._open().names())

    def __iter__(self) -> Iterator[str]:
        """Names in the order of definition."""
        return iter(self._open().names())

    def __getitem__(self, name: str) -> "Array":
        info = self._open().info(_name_to_find(name))
        if info is None:
            raise KeyError(name)
        return Array(self, name, info)


class Array(Mapping[int, "ArrayStep"]):
    """An array: its steps by number, ``array[42][10:20, :]``. Only the second index reads data."""

    def __init__(self, arrays: Arrays, name: str, info: ArrayInfo) -> None:
        self._arrays = arrays
        self.name = name
        self.shape = info.shape  #: of one step
        self.dtype = info.dtype
        self.ndim = len(info.shape)
        self.nblocks = info.blocks  #: of all steps
        self.range = info.range  #: smallest and largest element, if known
        self.codec = info.codec  #: of the blocks: "", "zstd", "zstd,shuffle", or "mixed"
        self.nbytes_put = info.nbytes  #: bytes of the elements of all blocks
        self.nbytes_stored = info.stored  #: which these take in the container
        self.steps = info.steps  #: the steps that were put, in ascending order

    def __repr__(self) -> str:
        return f"<sion.Array {self.name!r} {self.dtype} {self.shape}, {len(self.steps)} steps>"

    @property
    def attributes(self) -> Attributes:
        """The texts that were stored with the array."""
        return Attributes(self._arrays, self.name)

    @property
    def newest(self) -> "ArrayStep":
        """All steps together: each element is that of the latest step that has it."""
        return ArrayStep(self, ARRAY_NEWEST)

    def __contains__(self, step: object) -> bool:
        if not isinstance(step, (int, np.integer)):
            return False
        number = bisect.bisect_left(self.steps, step)
        return number < len(self.steps) and self.steps[number] == step

    def __getitem__(self, step: int) -> "ArrayStep":
        if step not in self:
            raise KeyError(step if isinstance(step, (int, np.integer)) else
                           f"{step!r} is no step: an array is indexed by its step first, "
                           "array[step][10:20, :]")
        return ArrayStep(self, int(step))

    def __iter__(self) -> Iterator[int]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def chunks(self) -> NoReturn:
        """Always a TypeError: dask, which asks for it first, would take the array for one of its shape."""
        raise TypeError("the shape of an array is that of one step: pass array[step] to dask, or "
                        "stack what it makes of several steps")

    __hash__ = object.__hash__
    __eq__ = object.__eq__

    def __array__(self, dtype: "DTypeLike | None" = None, copy: "bool | None" = None) -> "NDArray[Any]":
        """All steps; they are the first dimension."""
        _refuse_no_copy(copy)
        data = np.empty((len(self.steps), *self.shape), self.dtype)
        for number, step in enumerate(self.steps):
            self._read(step, [0] * self.ndim, self.shape, data[number:number + 1])
        return data if dtype is None else data.astype(dtype, copy=False)

    def _read(self, step: int, offset: "Sequence[int]", count: "Sequence[int]",
              into: "NDArray[Any] | Memory") -> None:
        """Read a part as the type of `into`, which may be another one than the array's."""
        with self._arrays._lock:
            self._arrays._open().read(self.name, step, offset, count, into)

    def blocks(self, step: "int | None" = None) -> "list[Block]":
        """The blocks of a step, or of all steps, for programs that place the bytes themselves.

        They are sorted by step, task and time of the put: where two overlap, the later one counts.
        """
        if step is not None and step not in self:
            raise KeyError(step)
        with self._arrays._lock:
            return self._arrays._open().blocks(self.name, ARRAY_NEWEST if step is None else int(step))


class ArrayStep:
    """One step of an array, read by slicing: ``array[42][10:20, ::2]`` is a numpy array.

    It is indexed like a numpy array, also by masks and by arrays of integers. In each dimension, only
    the range from the first to the last wanted element is read. Elements that nobody has written have
    the fill value. As in numpy, an array of one element is a number for float(), int() and others.
    """

    def __init__(self, array: Array, step: int, dtype: "np.dtype[Any] | None" = None) -> None:
        self.array = array
        self.step = step  #: number of the step; -1: the newest value of each element
        self.dtype: "np.dtype[Any]" = array.dtype if dtype is None else dtype  #: as which it is read

    def __repr__(self) -> str:
        step = "newest" if self.step == ARRAY_NEWEST else f"step {self.step}"
        return f"<sion.ArrayStep {self.array.name!r} {self.dtype} {self.shape}, {step}>"

    @property
    def shape(self) -> "tuple[int, ...]":
        """Elements in each dimension."""
        return self.array.shape

    def astype(self, dtype: "DTypeLike") -> "ArrayStep":
        """The same step, whose elements are converted when they are read.

        A read fails, other than with numpy's astype, if the type cannot represent an element's value:
        the error names the element. Only doubles are rounded, to floats.

        :param dtype: one of the types that arrays have, in the byte order of this machine
        """
        return ArrayStep(self.array, self.step, _checked(np.dtype(dtype)))

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return self.array.ndim

    @property
    def size(self) -> int:
        """Number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an array without dimensions")
        return self.shape[0]

    def __getitem__(self, key: Any) -> Any:
        offset, count, inside = box_of(key, self.shape)
        box = np.empty(count, self.dtype)
        self.array._read(self.step, offset, count, box)
        found = box[inside]
        # If only a part of the box was wanted, a copy of the part lets the box go.
        return found.copy() if isinstance(found, np.ndarray) and found.size < box.size else found

    def readinto(self, out: Any, key: Any = ...) -> None:
        """Read elements into an array that exists, of the host or on a device, as its type.

        :param out: a contiguous array of the shape of the elements
        :param key: which elements: indexes and slices without a step, as for ``[]``
        :raises sion.Error: its type cannot represent an element, or the elements cannot be read
        """
        offset, count, inside = box_of(key, self.shape)
        memory = on_device(out, writable=True)
        for part in key if isinstance(key, tuple) else (key,):
            if not (part is Ellipsis or isinstance(part, (int, np.integer))
                    or (isinstance(part, slice) and part.step in (None, 1))):
                raise IndexError("only indexes and slices without a step are read into an array")
        wanted = np.broadcast_to(np.bool_(False), count)[inside].shape
        if memory is None and not (isinstance(out, np.ndarray) and out.flags.c_contiguous
                                   and out.flags.writeable):
            raise TypeError("out is neither a contiguous array of numpy nor one on a device")
        if tuple(out.shape) != wanted:
            raise ValueError(f"out has shape {tuple(out.shape)}, the elements {wanted}")
        self.array._read(self.step, offset, count, out if memory is None else memory)

    def __array__(self, dtype: "DTypeLike | None" = None, copy: "bool | None" = None) -> "NDArray[Any]":
        """The whole step."""
        _refuse_no_copy(copy)
        data = self[...]
        return data if dtype is None else data.astype(dtype, copy=False)

    def _number(self) -> "NDArray[Any]":
        """The only element. If there are others: what numpy refuses like them, without a read."""
        return self[...] if self.size == 1 else np.broadcast_to(self.dtype.type(), self.shape)

    def __float__(self) -> float:
        return float(self._number())

    def __int__(self) -> int:
        return int(self._number())

    def __complex__(self) -> complex:
        return complex(self._number())

    def __bool__(self) -> bool:
        return bool(self._number())


def _checked(kind: "np.dtype[Any]") -> "np.dtype[Any]":
    if kind not in TYPES:
        raise TypeError(f"arrays have no elements of {kind}")
    return kind


def _refuse_no_copy(copy: "bool | None") -> None:
    if copy is False:
        raise ValueError("an array in a container is always read into new memory")


def _has_masked(data: "ArrayLike") -> bool:
    """Whether elements are masked, also in one of several arrays in a list."""
    if isinstance(data, (list, tuple)):
        return any(_has_masked(part) for part in data)
    return isinstance(data, np.ma.MaskedArray) and bool(np.ma.is_masked(data))


def _converted(data: "ArrayLike", kind: "np.dtype[Any]") -> "NDArray[Any]":
    """Data as a block of this type; what is masked, of another kind, or does not fit is refused."""
    if _has_masked(data):
        raise ValueError("the data have masked elements, which a block has not: use filled()")
    block = np.asarray(data)
    if not np.can_cast(block.dtype, kind, "same_kind"):
        raise TypeError(f"{block.dtype} is not converted to {kind} implicitly: use astype")
    if kind.kind in "iu" and block.size and not np.can_cast(block.dtype, kind):
        low, high = int(block.min()), int(block.max())  # numpy would compare them as floats
        if low < np.iinfo(kind).min or high > np.iinfo(kind).max:
            raise ValueError(f"elements from {low} to {high} do not fit into {kind}")
    return np.asarray(block, kind, order="C")


def _block_of(data: Any, kind: "np.dtype[Any]") -> Memory:
    """The same; of data on a device, which are not converted, the type must be equal."""
    device = on_device(data)
    if device is None:
        block = _converted(data, kind)
        return Memory(ffi.cast("void *", block.ctypes.data), block.nbytes, block.dtype, block.shape,
                      False, block)
    if device.dtype != kind:
        raise TypeError(f"{device.dtype} on a device is not converted to {kind}")
    return device


class ArrayWriter:
    """Methods to write arrays. All calls are local."""

    _sid: int
    _lock: Any

    if TYPE_CHECKING:
        def _check_open(self) -> None: ...

    @property
    def _defined(self) -> "dict[str, np.dtype[Any]]":
        return self.__dict__.setdefault("_array_types", {})

    def define_array(self, name: str, dtype: "DTypeLike", shape: "Sequence[int]", *,
                     attributes: "Mapping[str, str] | None" = None, codec: "str | None" = None) -> None:
        """Define an array. All ranks of a container define the same arrays.

        :param dtype: integers of 1, 2, 4 or 8 bytes, "f4", "f8", "c8" or "c16"
        :param shape: elements in each dimension of the whole array, of all tasks together
        :param attributes: texts to store with the array: "units", "dimensions" (names of the
            dimensions, separated by blanks), "_FillValue" (of elements that nobody writes), ...
        :param codec: how blocks are compressed: "zstd", "zstd:LEVEL", with ",shuffle" behind it
        :raises sion.Error: the array was defined differently, or the container cannot have arrays
        """
        kind = _checked(np.dtype(dtype).newbyteorder("="))
        self._check_open()
        with self._lock:
            check(library().sion_array_define(self._sid, _text(name), TYPES.index(kind) + 1,
                                               len(shape), numbers(shape)) == 1)
            self._defined[name] = kind
            if codec is not None:
                check(library().sion_array_codec(self._sid, _text(name), _text(codec)) == 1)
        for key, value in (attributes or {}).items():
            self.set_attribute(key, value, name)

    def set_attribute(self, key: str, value: str, array: "str | None" = None) -> None:
        """Store a text with a defined array, or with the container.

        Either one task does so, or all tasks store the same text.
        """
        self._check_open()
        name = ffi.NULL if array is None else _text(array)
        with self._lock:
            check(library().sion_array_set_attribute(self._sid, name, _text(key), _text(value)) == 1)

    def _put_array(self, name: str, step: int, offset: "Sequence[int]", data: "ArrayLike") -> None:
        """Write one block into the selected task's stream; called with the lock held."""
        if name not in self._defined:
            raise Error(f"array {name} is not defined")
        block = _block_of(data, self._defined[name])
        if len(offset) != len(block.shape):
            raise ValueError(f"offset has {len(offset)} numbers, the block {len(block.shape)} dimensions")
        if library().sion_array_put(self._sid, _text(name), operator.index(step), numbers(offset),
                                     numbers(block.shape), TYPES.index(block.dtype) + 1,
                                     block.pointer, block.nbytes) != 1:
            raise failure()

"""Arrays as the compiled library reads them, and what every reader of arrays has."""

from __future__ import annotations

import operator
import os
from typing import TYPE_CHECKING, Any, NamedTuple, Sequence

import numpy as np

from ._backend import is_pure
from ._declarations import ARRAY_NEWEST
from ._library import check, ffi, load, name_of, sized
from .device import Memory
from .pure.source import is_url

if TYPE_CHECKING:
    from numpy.typing import NDArray

# In the order of enum sion_array_type, which begins with 1.
TYPES = tuple(map(np.dtype, ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16")))


class Block(NamedTuple):
    """A block that one task has put, and where it is."""

    step: int
    task: int  #: the task that wrote it
    offset: "tuple[int, ...]"  #: position of its first element in the array
    count: "tuple[int, ...]"  # type: ignore[assignment]  #: number of elements in each dimension
    file: "str | None"  #: the physical file; None: the block is in several pieces
    position: "int | None"  #: byte of that file at which its data begin; None: or they are compressed
    nbytes: int
    byteorder: str  #: of its data: "little" or "big"
    range: "tuple[Any, Any] | None"  #: smallest and largest element, if known
    codec: str = ""  #: of compressed data: "zstd", ...
    stored: "int | None" = None  #: bytes of the data in the file
    stored_position: "int | None" = None  #: where these are in the file, in one piece


class ArrayInfo(NamedTuple):
    """What is known of an array without reading it."""

    shape: "tuple[int, ...]"
    dtype: "np.dtype[Any]"
    blocks: int
    steps: "tuple[int, ...]"
    range: "tuple[Any, Any] | None"
    nbytes: int = 0  #: of all blocks
    stored: int = 0  #: which these take in the container
    codec: str = ""  #: of the blocks; "mixed": they differ


class ArrayReader:
    """The arrays of one container. An owner of None stands for the container itself."""

    def names(self) -> "list[str]":
        """Names in the order of definition."""
        raise NotImplementedError

    def info(self, name: str) -> "ArrayInfo | None":
        """An array; None: there is no such array."""
        raise NotImplementedError

    def attribute(self, owner: "str | None", key: str) -> "str | None":
        """A text that was stored with it; None: there is none."""
        raise NotImplementedError

    def keys(self, owner: "str | None") -> "list[str]":
        """The keys of its texts."""
        raise NotImplementedError

    def read(self, name: str, step: int, offset: "Sequence[int]", count: "Sequence[int]",
             into: "NDArray[Any] | Memory") -> None:
        """Read a part as the type of `into`."""
        raise NotImplementedError

    def blocks(self, name: str, step: int) -> "list[Block]":
        """The blocks of a step, or of all steps (ARRAY_NEWEST)."""
        raise NotImplementedError

    def close(self) -> None:
        """Free what it has."""
        raise NotImplementedError


def library() -> Any:
    """libsion_array, which is loaded when the first array is used."""
    return _loaded[0] if _loaded else _load()


_loaded: "list[Any]" = []


def _load() -> Any:
    _loaded.append(load(ffi, "libsion_array.so.0"))
    return _loaded[0]


def numbers(values: "Sequence[int]") -> Any:
    """Integers in the form that the library takes."""
    return ffi.new("sion_int64[]", [operator.index(value) for value in values])


def _range_of(kind: "np.dtype[Any]", known: Any) -> "tuple[Any, Any] | None":
    """Smallest and largest element, as an info or a block of the library has them."""
    if not known.has_range:
        return None
    member = {"i": "i", "u": "u", "f": "f"}[kind.kind]
    return kind.type(getattr(known.low, member)), kind.type(getattr(known.high, member))


class CompiledArrays(ArrayReader):
    """Arrays by the library's functions."""

    def __init__(self, name: str, mode: str) -> None:
        handle = library().sion_array_reader_open_mode(name_of(name), mode.encode())
        check(handle)
        self._handle = ffi.gc(handle, library().sion_array_reader_close)

    def names(self) -> "list[str]":
        """Names in the order of definition."""
        count = library().sion_array_reader_count(self._handle)
        return [ffi.string(library().sion_array_reader_name(self._handle, number)).decode()
                for number in range(count)]

    def info(self, name: str) -> "ArrayInfo | None":
        """An array; None: there is no such array."""
        info, title = sized("struct sion_array_info"), name.encode()
        if library().sion_array_reader_info(self._handle, title, info) != 1:
            return None
        kind = TYPES[info.type - 1]
        steps = tuple(library().sion_array_reader_step(self._handle, title, number)
                      for number in range(info.steps))
        return ArrayInfo(tuple(info.shape)[:info.ndims], kind, info.blocks, steps, _range_of(kind, info),
                         info.bytes, info.stored, ffi.string(info.codec).decode())

    def attribute(self, owner: "str | None", key: str) -> "str | None":
        """A text that was stored with it; None: there is none."""
        value = library().sion_array_reader_attribute(self._handle, _owner(owner), key.encode())
        return ffi.string(value).decode(errors="replace") if value else None

    def keys(self, owner: "str | None") -> "list[str]":
        """The keys of its texts."""
        found: "list[str]" = []
        while key := library().sion_array_reader_key(self._handle, _owner(owner), len(found)):
            found.append(ffi.string(key).decode())
        return found

    def read(self, name: str, step: int, offset: "Sequence[int]", count: "Sequence[int]",
             into: "NDArray[Any] | Memory") -> None:
        """Read a part as the type of `into`."""
        pointer = into.pointer if isinstance(into, Memory) else ffi.cast("void *", into.ctypes.data)
        check(library().sion_array_reader_get_as(self._handle, name.encode(), step, numbers(offset),
                                                 numbers(count), TYPES.index(into.dtype) + 1,
                                                 pointer, into.nbytes) == 1)

    def blocks(self, name: str, step: int) -> "list[Block]":
        """The blocks of a step, or of all steps (ARRAY_NEWEST)."""
        arguments = (self._handle, name.encode(), step, 0)
        count = library().sion_array_reader_blocks(*arguments, 0, ffi.NULL)
        check(count >= 0)
        found = ffi.new("struct sion_array_block[]", count)
        if count:
            found[0].size = ffi.sizeof("struct sion_array_block")
        check(library().sion_array_reader_blocks(*arguments, count, found) == count)
        info = self.info(name)
        return [_block(one, info) for one in found] if info else []

    def close(self) -> None:
        """Free what it has."""
        ffi.release(self._handle)


def _owner(name: "str | None") -> Any:
    return ffi.NULL if name is None else name.encode()


def _block(one: Any, info: ArrayInfo) -> Block:
    whole, ndim = one.stored_position >= 0, len(info.shape)
    return Block(one.step, one.task, tuple(one.offset)[:ndim], tuple(one.count)[:ndim],
                 os.fsdecode(ffi.string(one.file)) if whole else None,
                 one.position if one.position >= 0 else None, one.bytes,
                 "big" if one.big_endian else "little", _range_of(info.dtype, one),
                 ffi.string(one.codec).decode(), one.stored, one.stored_position if whole else None)


def open_arrays(name: str, mode: str, options: "dict[str, Any] | None", contents: Any) -> ArrayReader:
    """Open a container's arrays; `contents`: what the reader in Python knows of it already."""
    if contents is None and not is_url(name) and not is_pure():
        return CompiledArrays(name, mode)
    from .pure.arrays import PureArrays

    return PureArrays(name, mode, options, contents)


__all__ = ["ARRAY_NEWEST", "TYPES", "ArrayInfo", "ArrayReader", "Block", "CompiledArrays", "library",
           "numbers", "open_arrays"]

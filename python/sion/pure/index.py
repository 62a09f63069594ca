"""The index of arrays: what blocks there are, and where. doc/arrays.md, "The bytes of an index"."""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

import numpy as np

from .._array_reader import TYPES
from ..errors import Code, Error
from .records import (BIG_ENDIAN, NAME, PLAIN, VALUE, Coding, Header, bytes_of, is_box, is_coding, is_name,
                      is_type, may_hold)

if TYPE_CHECKING:
    from .records import Trailer

_SAME_BOX, _NO_RANGE = 1, 2
_MOST = (1 << 63) - 1


class Bad(Exception):
    """The bytes are no index."""


class IndexBlock(NamedTuple):
    """A block: a box of an array at a step, and where it is in a task's stream."""

    step: int
    task: int
    position: int
    offset: "tuple[int, ...]"
    count: "tuple[int, ...]"  # type: ignore[assignment]
    range: "tuple[Any, Any] | None"
    stored: int  #: bytes of the data in the stream
    coding: Coding


class IndexArray:
    """An array and its blocks."""

    def __init__(self, name: str, kind: int, shape: "tuple[int, ...]") -> None:
        self.name, self.kind, self.shape = name, kind, shape
        self.dtype = TYPES[kind - 1]
        self.texts: "dict[str, str]" = {}
        self.blocks: "list[IndexBlock]" = []
        self.steps: "tuple[int, ...]" = ()
        self.lacks_range = False
        self._steps_of_blocks: "list[int]" = []

    @property
    def range(self) -> "tuple[Any, Any] | None":
        """Smallest and largest element of all blocks, if they are known."""
        known = [block.range for block in self.blocks if block.range is not None]
        if self.lacks_range or not known:
            return None
        return min(low for low, _ in known), max(high for _, high in known)

    @property
    def codec(self) -> str:
        """How the blocks are stored."""
        codings = {block.coding for block in self.blocks}
        return "mixed" if len(codings) > 1 else codings.pop().text if codings else ""

    def finish(self) -> None:
        """Put the blocks in order; those without elements only say that there is their step."""
        self.steps = tuple(sorted({block.step for block in self.blocks}))
        self.blocks = sorted((block for block in self.blocks if 0 not in block.count),
                             key=lambda block: block[:2])
        self._steps_of_blocks = [block.step for block in self.blocks]
        is_integer = self.dtype.kind in "iu"
        self.lacks_range |= is_integer and any(block.range is None for block in self.blocks)

    def at(self, step: int) -> "list[IndexBlock]":
        """The blocks of a step; -1: all."""
        if step < 0:
            return self.blocks
        return self.blocks[bisect.bisect_left(self._steps_of_blocks, step):
                           bisect.bisect_right(self._steps_of_blocks, step)]


class ArrayIndex:
    """The arrays of a container."""

    def __init__(self) -> None:
        self.arrays: "dict[bytes, IndexArray]" = {}
        self.texts: "dict[str, str]" = {}
        self.big: "set[int]" = set()  # tasks whose data have high bytes first
        self.tasks: "set[int]" = set()  # that have blocks

    def define(self, name: bytes, kind: int, shape: "tuple[int, ...]") -> IndexArray:
        """The array of this name, which is defined if it is new."""
        array = self.arrays.get(name)
        if array is None:
            array = self.arrays[name] = IndexArray(name.decode(), kind, shape)
        elif (array.kind, array.shape) != (kind, shape):
            raise Error(f"array {array.name} has different types or shapes in different tasks", Code.MISMATCH)
        return array

    def add_header(self, task: int, header: Header, position: int) -> None:
        """Add a block that was found by its header."""
        array = self.define(header.name, header.type, header.shape)
        self._set_big(task, header.flags)
        array.lacks_range = True
        self.tasks.add(task)
        array.blocks.append(IndexBlock(header.step, task, position, header.offset, header.count, None,
                                       header.length, header.coding))

    def add_text(self, name: bytes, data: bytes) -> None:
        """Add an attribute that was found by its header."""
        key, nul, value = data.partition(b"\0")
        owner: Any = self.arrays.get(name) if name else self
        if nul and owner is not None and is_name(key):
            owner.texts[key.decode()] = _value(value)

    def _set_big(self, task: int, flags: int) -> None:
        (self.big.add if flags & BIG_ENDIAN else self.big.discard)(task)

    def finish(self) -> None:
        """After this, it can be used."""
        for array in self.arrays.values():
            array.finish()

    # ---- its bytes ----

    def decode(self, data: bytes, stream: int, trailer: "Trailer", ntasks: int,
               length_of: "Callable[[int], int]") -> None:
        """Add what an encoded index says, of all streams, or of this one if it is not -1.

        :raises Bad: the bytes are damaged, and parts of them may have been added
        """
        reader = _Reader(data)
        numbered = [self._definition(reader, trailer.has_codings) for _ in range(reader.number(1))]
        names = [array for array, _ in numbered]
        for _ in range(reader.number(0)):
            owner, key, value = reader.number(0), reader.text(), reader.text()
            if owner > len(names) or len(value) > VALUE or not is_name(key):
                raise Bad
            texts = names[owner - 1].texts if owner else self.texts
            texts[key.decode()] = _value(value)
        for _ in range(reader.number(0)):
            self._section(reader, numbered, stream, trailer.is_whole, ntasks, length_of)

    def _definition(self, reader: "_Reader", has_codings: bool) -> "tuple[IndexArray, Coding]":
        name = reader.text()
        kind, ndims = reader.raw(2)
        if not is_type(kind) or ndims > 8 or len(name) > NAME or not is_name(name):
            raise Bad
        shape = tuple(reader.number(0) for _ in range(ndims))
        if max(shape, default=0) > _MOST or bytes_of(kind, shape) < 0:
            raise Bad
        coding = Coding(*reader.raw(2)) if has_codings else PLAIN
        if not is_coding(kind, coding):
            raise Bad
        return self.define(name, kind, shape), coding

    def _section(self, reader: "_Reader", arrays: "list[tuple[IndexArray, Coding]]", stream: int,
                 is_whole: bool, ntasks: int, length_of: "Callable[[int], int]") -> None:
        task, flags, blocks, size = (reader.number(0) for _ in range(4))
        end = reader.at + size
        if end > len(reader.data) or blocks > size:
            raise Bad
        if stream >= 0 and is_whole and task != 0:
            reader.at = end
            return
        task = stream if stream >= 0 else task
        if task >= ntasks:
            raise Bad
        self._set_big(task, flags)
        if blocks:
            self.tasks.add(task)
        _Section(reader, arrays, task, length_of(task)).read(blocks)
        if reader.at != end:
            raise Bad


class _Section:
    """The blocks of a task, each of which is stored as its difference from those before it."""

    def __init__(self, reader: "_Reader", arrays: "list[tuple[IndexArray, Coding]]", task: int,
                 length: int) -> None:
        self.reader, self.arrays, self.task, self.length = reader, arrays, task, length
        self.boxes: "dict[int, tuple[tuple[int, ...], tuple[int, ...]]]" = {}

    def read(self, blocks: int) -> None:
        """Add them to their arrays."""
        reader, step, end = self.reader, 0, 0
        for _ in range(blocks):
            number = reader.number(0)
            which = number >> 2
            if which >= len(self.arrays):
                raise Bad
            array, coding = self.arrays[which]
            step, position = reader.add(step), reader.add(end)
            stored = reader.number(0) if coding.codec else 0
            offset, count = self._box(array, which, bool(number & _SAME_BOX))
            known = None if number & _NO_RANGE else self._range(array)
            if not is_box(array.shape, offset, count):
                raise Bad
            plain = bytes_of(array.kind, count)
            if stored and not may_hold(coding.codec, stored, plain):
                raise Bad
            end = position + (stored or plain)
            if end > self.length:
                raise Bad
            array.blocks.append(IndexBlock(step, self.task, position, offset, count, known, stored or plain,
                                           coding if stored else PLAIN))

    def _box(self, array: IndexArray, which: int, is_same: bool) -> "tuple[tuple[int, ...], tuple[int, ...]]":
        ndim = len(array.shape)
        if is_same:
            if ndim and which not in self.boxes:
                raise Bad
            return self.boxes.get(which, ((), ()))
        old = self.boxes.get(which, ((0,) * ndim, (0,) * ndim))
        pairs = [(self.reader.add(first), self.reader.add(number)) for first, number in zip(*old)]
        box = tuple(first for first, _ in pairs), tuple(number for _, number in pairs)
        self.boxes[which] = box
        return box

    def _range(self, array: IndexArray) -> "tuple[Any, Any] | None":
        kind = array.dtype
        if kind.kind == "c":
            raise Bad
        low, high = np.frombuffer(self.reader.raw(2 * kind.itemsize), kind.newbyteorder("<")).astype(kind)
        return (low, high) if low <= high else None


class _Reader:
    """Bytes of an index, one number or text after the other."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def number(self, least: int) -> int:
        """The next number; `least`: bytes that each of so many things takes."""
        result = shift = 0
        data = self.data
        while shift < 64 and self.at < len(data):
            byte = data[self.at]
            self.at += 1
            result |= (byte & 127) << shift
            if byte < 128:
                if least and result * least > len(data) - self.at:
                    raise Bad
                return result & 0xffffffffffffffff
            shift += 7
        raise Bad

    def add(self, to: int) -> int:
        """The sum of a number and the next difference, which is not negative."""
        number = self.number(0)
        total = to + (number >> 1 ^ -(number & 1))
        if not 0 <= total <= _MOST:
            raise Bad
        return total

    def raw(self, length: int) -> bytes:
        """The next bytes."""
        if length > len(self.data) - self.at:
            raise Bad
        self.at += length
        return self.data[self.at - length:self.at]

    def text(self) -> bytes:
        """The next text."""
        return self.raw(self.number(0))


def _value(data: bytes) -> str:
    """The text of an attribute, as C has it: up to the first NUL."""
    return data.partition(b"\0")[0].decode(errors="replace")

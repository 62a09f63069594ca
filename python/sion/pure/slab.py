"""Parts of arrays: which blocks have them, and which bytes of these."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .index import IndexArray, IndexBlock

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .arrays import Streams
    from .source import Source
    from .unpack import Unpacker

_COMPARED = 256  # chosen blocks that others are compared with
_GAP = 512  # bytes that are read and dropped, because another call would cost more
_AT_ONCE = 1 << 26  # bytes that are read before they are copied to where they belong

Box = "tuple[tuple[int, ...], tuple[int, ...]]"


class Slab:
    """A part of an array, and how much of it the chosen blocks have."""

    def __init__(self, offset: "tuple[int, ...]", count: "tuple[int, ...]") -> None:
        self.offset, self.count = offset, count
        self._left = _volume(count)

    @property
    def is_covered(self) -> bool:
        """Whether it is known that the blocks have all elements."""
        return self._left <= 0

    def common(self, block: IndexBlock) -> "tuple[tuple[int, ...], tuple[int, ...]] | None":
        """What a block has of it; None: nothing."""
        offset, count = [], []
        for first, number, other, others in zip(self.offset, self.count, block.offset, block.count):
            begin = max(first, other)
            extent = min(first + number, other + others) - begin
            if extent <= 0:
                return None
            offset.append(begin)
            count.append(extent)
        return tuple(offset), tuple(count)

    def choose(self, blocks: "list[IndexBlock]") -> "list[IndexBlock]":
        """The blocks whose elements count, from the one that hides the others on."""
        chosen: "list[IndexBlock]" = []
        boxes: "list[tuple[tuple[int, ...], tuple[int, ...]]]" = []
        seen: "set[Any]" = set()
        for block in reversed(blocks):
            if self.is_covered:
                break
            key = block.offset, block.count
            box = None if key in seen else self.common(block)
            if box is None:
                continue
            compared = boxes if len(boxes) <= _COMPARED else []
            if any(_is_within(box, other) for other in compared):
                continue
            if len(boxes) <= _COMPARED and not any(_meets(box, other) for other in compared):
                self._left -= _volume(box[1])
            seen.add(key)
            boxes.append(box)
            chosen.append(block)
        return chosen


def _volume(count: "tuple[int, ...]") -> int:
    volume = 1
    for number in count:
        volume *= number
    return volume


def _is_within(box: Any, other: Any) -> bool:
    return all(first >= begin and first + number <= begin + extent
               for first, number, begin, extent in zip(*box, *other))


def _meets(box: Any, other: Any) -> bool:
    return all(first < begin + extent and begin < first + number
               for first, number, begin, extent in zip(*box, *other))


class _Part:
    """What one block gives, and which bytes of its data that takes."""

    def __init__(self, array: IndexArray, block: IndexBlock, box: Any, is_big: bool) -> None:
        self.block = block
        self.offset, self.count = box
        self._kind = array.dtype.newbyteorder(">" if is_big else "<")
        size = array.dtype.itemsize
        strides: "list[int]" = []
        stride = size
        for number in reversed(block.count):
            strides.insert(0, stride)
            stride *= number
        self._strides = strides
        first = sum((at - begin) * stride for at, begin, stride in zip(self.offset, block.offset, strides))
        # Dimensions from `inner` on are read as one run, if little is between their rows.
        self._inner, span = len(strides), size
        while self._inner > 0 and strides[self._inner - 1] - span <= min(_GAP, span // 8):
            self._inner -= 1
            span += strides[self._inner] * (self.count[self._inner] - 1)
        self.span = span
        outer = [range(0, number * stride, stride)
                 for number, stride in zip(self.count[:self._inner], strides)]
        self.positions = [block.position + first + sum(place) for place in itertools.product(*outer)]

    def copy(self, runs: "NDArray[np.uint8]", into: "NDArray[Any]", slab: Slab) -> None:
        """Put what was read where it belongs. runs[run][byte]"""
        outer, inner = self.count[:self._inner], self.count[self._inner:]
        steps: "list[int]" = []
        step = self.span
        for number in reversed(outer):
            steps.insert(0, step)
            step *= number
        data = as_strided(runs.reshape(-1)[:self._kind.itemsize].view(self._kind).reshape(()),
                          (*outer, *inner), (*steps, *self._strides[self._inner:])) if self.count else \
            runs.reshape(-1).view(self._kind).reshape(())
        where = tuple(slice(at - first, at - first + number)
                      for at, first, number in zip(self.offset, slab.offset, self.count))
        into[where] = data


class _PackedPart:
    """The same of a compressed block: all that is stored of it, unless it is kept."""

    def __init__(self, array: IndexArray, block: IndexBlock, box: Any, is_big: bool, unpacker: Unpacker) -> None:
        self.block = block
        self._array, self._box, self._unpacker = array, box, unpacker
        self._kind = array.dtype.newbyteorder(">" if is_big else "<")
        self._data = unpacker.find(array, block)
        self.span = block.stored if self._data is None else 0
        self.positions = [block.position] if self._data is None else []

    def copy(self, runs: "NDArray[np.uint8]", into: "NDArray[Any]", slab: Slab) -> None:
        """Put what was read where it belongs."""
        data = self._unpacker.unpack(self._array, self.block, runs.tobytes()) if self._data is None else self._data
        offset, count = self._box
        inside = tuple(slice(at - first, at - first + number)
                       for at, first, number in zip(offset, self.block.offset, count))
        where = tuple(slice(at - first, at - first + number) for at, first, number in zip(offset, slab.offset, count))
        into[where] = data.view(self._kind).reshape(self.block.count)[inside]


def read_box(streams: "Streams", array: IndexArray, chosen: "list[IndexBlock]", slab: Slab, big: "set[int]",
             into: "NDArray[Any]", unpacker: Unpacker) -> None:
    """Read what the chosen blocks have; the last one counts least."""
    batch: "list[_Part | _PackedPart]" = []
    for block in reversed(chosen):
        box = slab.common(block)
        if box is None:
            continue
        is_big = block.task in big
        batch.append(_PackedPart(array, block, box, is_big, unpacker) if block.coding.codec
                     else _Part(array, block, box, is_big))
        if sum(part.span * len(part.positions) for part in batch) > _AT_ONCE:
            _read_parts(streams, batch, slab, into)
            batch = []
    _read_parts(streams, batch, slab, into)


def _read_parts(streams: "Streams", parts: "list[_Part | _PackedPart]", slab: Slab, into: "NDArray[Any]") -> None:
    wanted: "dict[Source, list[tuple[int, memoryview]]]" = {}
    buffers = []
    for part in parts:
        runs = np.empty((len(part.positions), part.span), np.uint8)
        buffers.append(runs)
        source, extents = streams.contents.place(int(streams.tasks[part.block.task]))
        ranges = wanted.setdefault(source, [])
        for position, run in zip(part.positions, runs):
            ranges += extents.ranges(position, run.data)
    for source, ranges in wanted.items():
        source.read_ranges(ranges)
    for part, runs in zip(parts, buffers):
        part.copy(runs, into, slab)

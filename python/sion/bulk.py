"""The streams of many tasks at once, without an object for each task."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Iterator, Sequence, overload

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

_PART = 64 << 20  # bytes that contents() holds at a time


class Streams(Sequence[memoryview]):
    """The bytes of many tasks, one task after the other in one array.

    ``streams[i]`` is a memoryview of the bytes of the task at index i; nothing is copied. A slice
    shares the array.
    """

    def __init__(self, data: "NDArray[np.uint8]", starts: "NDArray[np.int64]") -> None:
        self.data = data  #: the bytes of all tasks
        self.starts = starts  #: where each task begins in data; the last entry is the end

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __repr__(self) -> str:
        return f"<sion.Streams of {len(self)} tasks, {self.sizes.sum()} bytes>"

    @property
    def sizes(self) -> "NDArray[np.int64]":
        """Bytes of each task."""
        return np.diff(self.starts)

    @overload
    def __getitem__(self, index: int) -> memoryview: ...

    @overload
    def __getitem__(self, index: slice) -> "Streams": ...

    def __getitem__(self, index: "int | slice") -> "memoryview | Streams":
        if isinstance(index, slice):
            first, last, step = index.indices(len(self))
            if step != 1:
                raise ValueError("slices of streams go forward in steps of one")
            return Streams(self.data, self.starts[first:max(first, last) + 1])
        if not -len(self) <= index < len(self):
            raise IndexError(f"stream {index} of {len(self)}")
        index %= len(self)
        return self.data[self.starts[index]:self.starts[index + 1]].data

    def __iter__(self) -> Iterator[memoryview]:
        data, starts = self.data.data, self.starts.tolist()
        return (data[start:end] for start, end in zip(starts, starts[1:]))

    def array(self, dtype: "DTypeLike") -> "NDArray[Any]":
        """All bytes as elements of a type, as they are in memory: no copy.

        :raises ValueError: the bytes are no whole number of elements
        """
        return self.data[self.starts[0]:self.starts[-1]].view(dtype)


class ManyStreams:
    """Methods that read several tasks with few calls, without an object for each task."""

    _container: Any

    def _ranks(self) -> "NDArray[np.int32]":
        """The numbers by which the library knows these tasks."""
        raise NotImplementedError

    def _places(self) -> "tuple[NDArray[np.int32], NDArray[np.int64]]":
        """These tasks' ranks, and where each stream begins when all are put into one array."""
        container, ranks = self._container, self._ranks()
        with container._lock:
            _require_streams(container)
            return ranks, container._stream_starts(ranks)

    def _fetch(self, ranks: "NDArray[np.int32]", starts: "NDArray[np.int64]") -> Streams:
        container, data = self._container, np.empty(int(starts[-1]), np.uint8)
        with container._lock:
            _require_streams(container)
            container._read_streams(ranks, starts, data)
        return Streams(data, starts)

    def read(self) -> Streams:
        """Read the whole streams of these tasks into one array.

        The number of calls to the library does not depend on the number of tasks, and tasks that
        are close together in the file are read together. Positions of task objects do not change.

        :raises sion.Error: data cannot be read
        :raises io.UnsupportedOperation: the container has key-value records, or is open for writing
        """
        return self._fetch(*self._places())

    def contents(self) -> Iterator[memoryview]:
        """Iterate over the bytes of each task, also if all of them do not fit into memory.

        It reads like :meth:`read`, but some tasks at a time, and keeps only these in memory.
        """
        ranks, starts = self._places()
        first, n = 0, len(ranks)
        while first < n:
            last = int(np.searchsorted(starts, starts[first] + _PART, side="right")) - 1
            last = min(max(last, first + 1), n)
            yield from self._fetch(ranks[first:last], starts[first:last + 1] - starts[first])
            first = last


def _require_streams(container: Any) -> None:
    container._check_open()
    if container._facts.keyval:
        raise io.UnsupportedOperation("read: a key-value container has records, not bytes")
    if container._writing:
        raise io.UnsupportedOperation("read: the container is open for writing")

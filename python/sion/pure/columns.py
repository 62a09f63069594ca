"""Single tasks of a file that is far away: of its tables only those entries are read.

Where a task begins depends on the chunk sizes of all tasks before it. Files of many tasks have places
of some, so those from the nearest of them on are read. Without these, if the file has checksums, that of
META1 proves whether all sizes are equal. Otherwise the sizes between the task and the nearer end of the
table are read.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

import numpy as np

from . import checksums, places
from .failures import damaged, prefixed
from .header import FIXED
from .tables import ChunkChecker, Column, Row, check_extent, read_start, round_up

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .source import RemoteFile

NEAR = 1 << 13  # chunk sizes that are read with the tail, and at least at once
BEHIND = 1 << 12  # bytes behind META2 that are read with the head of the checksums
TABLE = 1 << 17  # bytes of tables that are rather read as a whole
_AT_ONCE = 16  # chunks of a task whose entries are read before their number is known


class Columns:
    """A physical file, of whose tables single entries are read."""

    def __init__(self, source: "RemoteFile") -> None:
        self.source, self.name = source, source.name
        with prefixed(f"cannot read {self.name}"):
            data = source.read_some(0, FIXED)
            order = ">" if len(data) > 7 and (data[4] | data[7]) & 1 else "<"
            ntasks = struct.unpack_from(order + "i", data, 24)[0] if len(data) >= 28 else 0
            if 0 < ntasks <= source.size // 16 and data[-places.RECORD:][:8] != places.MAGIC:
                # the tail, with the sizes before it
                source.keep(max(0, FIXED + 8 * (2 * ntasks - min(NEAR, ntasks))), 8 * NEAR + 12)
            self.head, self.maxchunks, self.start_of_varheader = read_start(source)
            self.end = check_extent(self.head, self.maxchunks, self.start_of_varheader, source.size)
            self.begin = round_up(self.head.size, self.head.fsblksize)
            self.skip = (self.start_of_varheader - self.begin) // self.maxchunks
        # META2 in the gap after META1 does not tell the size of a block.
        self.needs_all = self.skip < 0 or self.begin + self.skip * self.maxchunks != self.start_of_varheader
        self._front = self._back = np.zeros(0, np.int64)
        self._places = places.decode(self.head, data)
        if self._places is not None and self._places.at[-1] != self.skip:
            self._places = None
        self._part: "tuple[int, NDArray[np.int64]]" = (-1, self._front)  # sizes from a place on
        self._size: "int | None" = None
        self._is_tried = False

    def is_small(self) -> bool:
        """Whether all tables together are worth reading at once."""
        return self.end - self.start_of_varheader + self.head.tail <= TABLE or self.needs_all

    def near_behind(self) -> None:
        """Get what follows META2."""
        if self.source.size > self.end:
            self.source.keep(self.end, BEHIND)

    def size_of_all(self) -> "int | None":
        """The chunk size, if all tasks have it and their ranks are 0, 1, 2, ...: by the CRC of META1."""
        if not self._is_tried and self.source.size - self.end >= checksums.HEAD:
            self._is_tried = True
            self.near_behind()
            self._size = self._prove_size()
        return self._size

    def _prove_size(self) -> "int | None":
        head, n = self.head, self.head.ntasks
        size, rest = divmod(self.skip, n)
        if rest or size % head.grain:
            return None
        for at, data in checksums.places(head, self.source, self.end):
            if data[:8] == checksums.MAGIC:
                stored = checksums.check_head(head.order, at, data, self.source.size).of_meta1
                crc = zlib.crc32(self.source.read(0, head.fixed))
                crc = zlib.crc32(np.arange(n, dtype=head.order + "i8").tobytes(), crc)
                crc = zlib.crc32(np.full(n, size, head.order + "i8").tobytes(), crc)
                return size if zlib.crc32(self.source.read(head.tail, 12), crc) == stored else None
        return None

    def _place(self, task: int) -> "tuple[int, int]":
        """The chunk size of a task, and where its first chunk is."""
        n = self.head.ntasks
        found = self._place_by(self._places, task) if self._places is not None else None
        if found is not None:
            return found
        near = min(task + 1, n - task)
        if near > NEAR and self.size_of_all() is not None:
            size = self._size or 0
            return size, self.begin + task * size
        if task + 1 <= n - task:
            self._front = self._more(self._front, task + 1, 0)
            rounded = round_up(self._front, self.head.grain)
            return int(self._front[task]), self.begin + int(rounded[:task].sum())
        self._back = self._more(self._back, n - task, 1)
        rounded = round_up(self._back, self.head.grain)
        return int(self._back[task - n]), self.begin + self.skip - int(rounded[task - n:].sum())

    def _place_by(self, known: places.Places, task: int) -> "tuple[int, int] | None":
        """By the sizes between two places; None: these do not make the distance of the places."""
        first, at, end = known.around(task)
        if self._part[0] != first:
            self._part = first, self._sizes(first, min(self.head.ntasks, first + known.step))
        sizes = self._part[1].tolist()  # whose sum may need more than 64 bits
        if sum(sizes) != end - at:
            return None
        return sizes[task - first], self.begin + at + sum(sizes[:task - first])

    def _sizes(self, first: int, last: int) -> "NDArray[np.int64]":
        """A part of the table of chunk sizes."""
        order, table = self.head.order, self.head.tail - 8 * self.head.ntasks
        data = self.source.read(table + 8 * first, 8 * (last - first))
        new = np.frombuffer(data, order + "i8").astype(np.int64)
        bad = np.flatnonzero((new < 0) | (new > self.skip))
        if len(bad):
            raise damaged(f"cannot read {self.name}: chunk size of task {first + bad[0]} is {new[bad[0]]}")
        return new

    def _more(self, known: "NDArray[np.int64]", wanted: int, back: int) -> "NDArray[np.int64]":
        """Sizes from the front, or from the back, of the table; more than wanted if that is cheap."""
        if len(known) >= wanted:
            return known
        n = self.head.ntasks
        count = min(n, max(NEAR, wanted))
        new = self._sizes(*((n - count, n - len(known)) if back else (len(known), count)))
        return np.concatenate([new, known] if back else [known, new])

    def rank(self, task: int) -> int:
        """The number that the writer stored with the task."""
        if self._size is not None:
            return task
        return int(self._entries([self.head.fixed + 8 * task])[0])

    def ranks(self) -> "NDArray[np.int64]":
        """The numbers of all tasks."""
        n = self.head.ntasks
        if self.size_of_all() is not None:
            return np.arange(n)
        return np.frombuffer(self.source.read(self.head.fixed, 8 * n), self.head.order + "i8").astype(np.int64)

    def _entries(self, offsets: "list[int]") -> "NDArray[np.int64]":
        """Numbers of the tables, by their offsets."""
        table = np.zeros(len(offsets), np.int64)
        view = memoryview(table.data).cast("B")
        self.source.read_ranges([(at, view[8 * i:8 * i + 8]) for i, at in enumerate(offsets)])
        return table.view(self.head.order + "i8").astype(np.int64)

    def row(self, task: int, with_rank: bool = False) -> Row:
        """The numbers of one task; its rank only if it is wanted."""
        with prefixed(f"cannot read {self.name}"):
            size, start = self._place(task)
        n, m = self.head.ntasks, self.maxchunks
        counts = self.start_of_varheader + 8 * task
        rows = min(m, _AT_ONCE)
        offsets = [self.head.fixed + 8 * task] if with_rank else []
        offsets += [counts] if m > 1 else []  # or else it can only be 1
        found = self._entries(offsets + [counts + 8 * n * (1 + b) for b in range(rows)]).tolist()
        rank = found.pop(0) if with_rank else -1
        count = found.pop(0) if m > 1 else 1
        if rows < count <= m:
            found += self._entries([counts + 8 * n * (1 + b) for b in range(rows, count)]).tolist()
        used = np.array(found[:max(1, min(count, m))], np.int64)
        return self._checked(task, rank, size, start, count, used)

    def _checked(self, task: int, rank: int, size: int, start: int, count: int,
                 used: "NDArray[np.int64]") -> Row:
        column = Column(self.head, self.source, self.maxchunks,
                        (self.begin, self.skip, self.start_of_varheader, self.end),
                        (task, size, start, count, used))
        checker = ChunkChecker(column)
        checker.check()
        damage = checker.found.get(0)
        if damage is not None:
            return Row(rank, size, start, 1, np.zeros(1, np.int64), self.skip, damage)
        checker.mend()
        return Row(rank, size, start, count, used, self.skip, None)

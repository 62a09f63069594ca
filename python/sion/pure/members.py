"""Streams that were written merged: which bytes of the collectors are whose. doc/format.md, section 17."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np

from ..errors import Code, Error
from .checksums import HEAD as SUMS_HEAD
from .checksums import MAGIC as SUMS_MAGIC
from .checksums import load, places
from .crc32c import crc32c
from .damage import Damage
from .failures import damaged, prefixed, warn
from .tables import Extents, Tables

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .columns import Columns

MAGIC = b"SIONMBR1"
HEAD = 32
OWN = 1 << 62
_EMPTY = Extents(np.zeros(0, np.int64), np.zeros(0, np.int64))


def find(tables: "Tables | Columns") -> int:
    """Where the record of members is; 0: there is none."""
    source = tables.source
    for at, data in places(tables.head, source, tables.end):
        if source.size - at < HEAD:
            break
        if data[:8] == MAGIC:
            return at
        if data[:8] != SUMS_MAGIC or len(data) < SUMS_HEAD:
            continue
        sums = load(tables.head.order, at, data)
        behind = sums.end
        if 0 <= sums.number and source.size - behind >= HEAD and source.read_some(behind, 8) == MAGIC:
            return behind
    return 0


class _Record:
    """The record, decoded and checked."""

    def __init__(self, tables: Tables, at: int) -> None:
        self.tables = tables
        self.n = tables.head.ntasks
        self.damages: "dict[int, Damage]" = {}  # by collector
        self.collectors: "list[int]" = []
        self.runs: "list[NDArray[np.int64]]" = []  # [task][run]: offset, size, stride, count
        self._take(self._words(at))
        self.sizes = [-1 if task in tables.damages else size
                      for task, size in enumerate(tables.sizes().tolist())]
        self._check_groups()

    def _words(self, at: int) -> "NDArray[np.int64]":
        order, source = self.tables.head.order, self.tables.source
        data = source.read_some(at, HEAD)
        if len(data) < HEAD:
            raise damaged(f"the record of members is cut off after {len(data)} bytes")
        version, n, words, crc, own = struct.unpack_from(order + "IiqII", data, 8)
        if own != crc32c(data[:28]):
            raise damaged("the head of the record of members is damaged")
        if version != 1:
            raise Error(f"a record of members of the unknown version {version}", Code.VERSION)
        if n < 1 or words < 2 * n:
            raise damaged(f"a record of {n} members in {words} words")
        room = (source.size - at - HEAD) // 8
        if words > room:
            raise damaged(f"the record of members has {words} words, of which only {room} are there")
        if n != self.n:
            raise damaged(f"the record of members has {n} tasks, not {self.n}")
        body = source.read(at + HEAD, 8 * words)
        if crc32c(body) != crc:
            raise damaged("the record of members is damaged")
        return np.frombuffer(body, order + "i8").astype(np.int64)

    def _take(self, words: "NDArray[np.int64]") -> None:
        at, left = 2 * self.n, len(words) - 2 * self.n
        for task, (collector, number) in enumerate(words[:2 * self.n].reshape(-1, 2).tolist()):
            if number < 0 or number > left // 4:
                raise damaged(f"the record of members: task {task} has {number} runs")
            if collector != task and (task == 0 or collector != self.collectors[-1]):
                raise damaged(f"the record of members says that task {collector} collects for {task}")
            self.collectors.append(collector)
            runs = words[at:at + 4 * number].reshape(-1, 4)
            self.runs.append(self._good_runs(task, runs))
            at, left = at + 4 * number, left - 4 * number
        if left:
            raise damaged(f"the record of members has {left} extra words")

    def _add_damage(self, task: int, text: str) -> None:
        self.damages.setdefault(self.collectors[task], Damage("the record of members" + text))

    def _good_runs(self, task: int, runs: "NDArray[np.int64]") -> "NDArray[np.int64]":
        ends = [0, 0]
        for number, (offset, size, stride, count) in enumerate(runs.tolist()):
            own = int(offset & OWN != 0)
            end = (offset & ~OWN) + (count - 1) * stride + size
            if offset < 0 or size < 1 or count < 1 or (count > 1 and stride < size) or end >= OWN or \
                    (count == 1 and stride != 0) or (offset & ~OWN) < ends[own] or \
                    (own and self.collectors[task] == task):
                self._add_damage(task, f": run {number} of task {task} is not valid")
                return runs[:number]
            ends[own] = end
        return runs

    def _pieces(self, task: int, own: bool) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
        """Offsets and sizes of the pieces in the collector's stream, or in the task's own."""
        runs = self.runs[task]
        runs = runs[(runs[:, 0] & OWN != 0) == own]
        counts = runs[:, 3]
        numbers = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        return (np.repeat(runs[:, 0] & ~OWN, counts) + numbers * np.repeat(runs[:, 2], counts),
                np.repeat(runs[:, 1], counts))

    def _bytes(self, task: int, own: bool) -> int:
        return sum(size * count for offset, size, _, count in self.runs[task].tolist()
                   if (offset & OWN != 0) == own)

    def _check_groups(self) -> None:
        first = 0
        while first < self.n:
            end = first + 1
            while end < self.n and self.collectors[end] == first:
                end += 1
            for task in range(first + 1, end):
                self._check_cover(task, [task], True)
            self._check_cover(first, list(range(first, end)), False)
            first = end

    def _check_cover(self, stream: int, tasks: "list[int]", own: bool) -> None:
        """All pieces together are all bytes of the stream, each byte once."""
        size = self.sizes[stream]
        if size < 0:
            return
        found = sum(self._bytes(task, own) for task in tasks)
        if found != size:
            self._add_damage(stream, f" has {found} of the {size} bytes of task {stream}")
            return
        pieces = [self._pieces(task, own) for task in tasks]
        offsets = np.concatenate([one for one, _ in pieces])
        sizes = np.concatenate([one for _, one in pieces])
        order = np.argsort(offsets, kind="stable")
        offsets, sizes = offsets[order], sizes[order]
        if len(offsets) and (offsets[0] != 0 or (offsets[1:] != offsets[:-1] + sizes[:-1]).any()):
            self._add_damage(stream, f": pieces of the stream of task {stream} overlap or are behind its end")

    def damage(self, task: int) -> "Damage | None":
        """Why a member cannot be read."""
        collector, known = self.collectors[task], self.tables.damages
        return known.get(task) or known.get(collector) or self.damages.get(collector)

    def extents(self, task: int) -> Extents:
        """Where the bytes of a member are, in the order in which it has written them."""
        offsets: "list[NDArray[np.int64]]" = []
        sizes: "list[NDArray[np.int64]]" = []
        places = [self.tables.row(self.collectors[task]).extents(), self.tables.row(task).extents()]
        for offset, size, stride, count in self.runs[task].tolist():
            there = (offset & ~OWN) + np.arange(count, dtype=np.int64) * stride
            _place(places[offset & OWN != 0], there, size, offsets, sizes)
        if not offsets:
            return _EMPTY
        return Extents(np.concatenate(offsets), np.cumsum(np.concatenate(sizes)))


def _place(stream: Extents, there: "NDArray[np.int64]", size: int, offsets: "list[NDArray[np.int64]]",
           sizes: "list[NDArray[np.int64]]") -> None:
    """Where pieces of one size are in the file; a piece may be in several chunks."""
    number = np.searchsorted(stream.ends, there, side="right")
    begins = np.concatenate([[0], stream.ends])[number]
    if (there + size <= stream.ends[number]).all():
        offsets.append(stream.offsets[number] + there - begins)
        sizes.append(np.full(len(there), size, np.int64))
        return
    for position in there.tolist():
        parts = np.array(stream.parts(position, size), np.int64)
        offsets.append(parts[:, 0])
        sizes.append(parts[:, 1])


def show(tables: Tables) -> None:
    """Give each task its own bytes, if the file has a record of members."""
    at = find(tables)
    if at == 0 or tables.head.is_keyval:
        return
    with prefixed(tables.name):
        record = _Record(tables, at)
        if record.damages:
            reason, others = next(iter(record.damages.values())).text, len(record.damages) - 1
            warn(f"{tables.name}: {reason}: its group " + (
                f"and {others} others cannot be read by members" if others else
                "cannot be read by members, the others can"))
    damages = [record.damage(task) for task in range(record.n)]
    members = [_EMPTY if damage else record.extents(task) for task, damage in enumerate(damages)]
    tables.members = members
    for task, damage in enumerate(damages):
        if damage is not None:
            tables.damages.setdefault(task, damage)

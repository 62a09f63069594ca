"""Checksums of data: no byte of a piece that has another one is delivered. doc/format.md, section 15."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Iterator, NamedTuple

import numpy as np

from ..errors import Code, Error
from . import damage as damages_of
from .failures import damaged, prefixed
from .header import Header
from .source import Ranges, Source
from .tables import Tables, row_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAGIC = b"SIONCRC1"
HEAD = 40
PORTION = 1 << 20
_MOST = 1 << 30


class Head(NamedTuple):
    """The head of the checksums."""

    at: int
    is_in_area: bool  #: the CRCs are in a table of their own
    piece: int
    number: int  #: of CRCs that follow; in an area instead where the table begins
    of_meta1: int
    of_tables: int
    of_all: int

    @property
    def end(self) -> int:
        """The first byte behind them, where another record may be."""
        return self.at + HEAD + (0 if self.is_in_area else 4 * max(0, self.number))


def places(head: Header, source: Source, end: int) -> "Iterator[tuple[int, bytes]]":
    """Where a head may be: after META2, after an empty mapping, and after one with pairs."""
    first = source.read_some(end, HEAD)
    yield end, first
    if len(first) >= 4:
        pairs = struct.unpack_from(head.order + "I", first)[0]
        for at in (end + 4, end + 4 + 8 * pairs):
            if at < source.size:
                yield at, source.read_some(at, HEAD)


def load(order: str, at: int, data: bytes) -> Head:
    """The numbers of a head, unchecked."""
    version, piece, count, of_meta1, of_tables, of_all = struct.unpack_from(order + "IIqIII", data, 8)
    return Head(at, version == 2, piece, count, of_meta1, of_tables, of_all)


def check_head(order: str, at: int, data: bytes, size: int) -> Head:
    """The numbers of a head, checked but for the CRCs of other things."""
    if len(data) < HEAD:
        raise damaged(f"checksums are cut off after {len(data)} bytes")
    if struct.unpack_from(order + "I", data, 36)[0] != zlib.crc32(data[:36]):
        raise damaged("the head of the checksums is damaged")
    version = struct.unpack_from(order + "I", data, 8)[0]
    if version not in (1, 2):
        raise Error(f"checksums of the unknown version {version}", Code.VERSION)
    found = load(order, at, data)
    if not 1 <= found.piece <= _MOST or found.number < 0:
        raise damaged(f"{found.number} checksums of {found.piece} bytes each")
    room = (size - at - HEAD) // 4
    if found.number > room and not found.is_in_area:
        raise damaged(f"{found.number} checksums, of which only {room} are there")
    return found


def _sum_meta1(tables: Tables) -> int:
    """With the tail that belongs to these tables: the file may have a newer one by now."""
    tail = struct.pack(tables.head.order + "iq", tables.maxchunks, tables.start_of_varheader)
    return zlib.crc32(tail, _sum(tables.source, 0, tables.head.tail))


def _sum(source: Source, begin: int, end: int) -> int:
    crc = 0
    for at in range(begin, end, PORTION):
        crc = zlib.crc32(source.read(at, min(PORTION, end - at)), crc)
    return crc


def find(tables: Tables) -> "Head | None":
    """The head of a file's checksums, if it has any; tables that do not fit to it are a failure."""
    head, source = tables.head, tables.source
    meta1 = -1
    candidates = list(places(head, source, tables.end))
    for at, data in candidates:
        if data[:8] == MAGIC:
            found = check_head(head.order, at, data, source.size)
            changed = "META1" if _sum_meta1(tables) != found.of_meta1 else \
                "META2" if _sum(source, tables.start_of_varheader, at) != found.of_tables else ""
            if changed:
                raise damaged(f"{changed} has changed since its checksums were made: they are of another "
                              "file, or it is damaged")
            return found
    for at, data in candidates:
        if len(data) < HEAD:
            continue
        meta1 = _sum_meta1(tables) if meta1 < 0 else meta1
        maybe = load(head.order, at, data)
        if maybe.of_meta1 == meta1 and \
                maybe.of_tables == _sum(source, tables.start_of_varheader, at):
            raise damaged("the first bytes of the checksums are damaged")
    return None


class Guard(Source):
    """A source whose bytes are compared before they are delivered."""

    def __init__(self, tables: Tables, head: Head) -> None:
        self.source, self.name, self.size = tables.source, tables.source.name, tables.source.size
        self.is_remote = tables.source.is_remote
        self._tables = tables
        self._piece = head.piece
        self._order = tables.head.order
        self._crcs_at = head.at + HEAD
        self._firsts = self._count(head)
        self.number = int(self._firsts[-1])  #: of CRCs
        self._crcs = self._read_area(head) if head.is_in_area else None
        self._good: "set[int]" = set()  # numbers of pieces
        self._kept: "tuple[int, bytes]" = (-1, b"")

    def _count(self, head: Head) -> "NDArray[np.int64]":
        """The number of the first CRC of each task."""
        tables = self._tables
        pieces = np.zeros(tables.head.ntasks, np.int64)
        for first, last in row_parts(*tables.used.shape):
            pieces += ((tables.used[first:last] + (head.piece - 1)) // head.piece).sum(axis=0)
        firsts = np.concatenate([[0], np.cumsum(pieces)])
        if firsts[-1] != head.number and not head.is_in_area:
            raise damaged(f"{head.number} checksums, but not for the data that META2 says")
        return firsts

    def _read_area(self, head: Head) -> "NDArray[np.uint32]":
        """All CRCs of a state in an area: a later one may take their place."""
        tables = self._tables
        pieces = np.concatenate([[0], np.cumsum((tables.chunksizes + (head.piece - 1)) // head.piece)])
        row = int(pieces[-1])
        if head.number <= 0 or head.number + 4 * row * tables.maxchunks > self.size:
            raise damaged("the checksums are not in the file as a whole")
        crcs = np.zeros(self.number, np.uint32)
        following = self._firsts[:-1].copy()
        rows = max(1, PORTION // max(1, 4 * row))
        for first in range(0, tables.maxchunks, rows):
            counts = (tables.used[first:first + rows] + (head.piece - 1)) // head.piece
            if not counts.any():
                continue
            data = self.source.read(head.number + 4 * row * first, 4 * row * len(counts))
            part = np.frombuffer(data, self._order + "u4").reshape(len(counts), row)
            for there, here in zip(part, counts):
                number = np.arange(int(here.sum())) - np.repeat(np.cumsum(here) - here, here)
                crcs[np.repeat(following, here) + number] = there[np.repeat(pieces[:-1], here) + number]
                following += here
        return crcs

    def run(self, offset: int, count: int) -> "tuple[int, bool]":
        """How many bytes from an offset on are data, or are a hole; at most `count`."""
        return self.source.run(offset, count)

    def close(self) -> None:
        """Let the file go."""
        self.source.close()

    def read_some(self, offset: int, count: int) -> bytes:
        """Bytes from an offset on, fewer only at the end of the file."""
        got = bytearray(max(0, min(count, self.size - offset)))
        self.read_ranges([(offset, memoryview(got))])
        return bytes(got)

    def read_ranges(self, ranges: Ranges) -> None:
        """Fill each range; fail if the file ends before."""
        for offset, into in ranges:
            while into.nbytes:
                done = self._read_part(offset, into)
                offset, into = offset + done, into[done:]

    def _find(self, offset: int) -> "tuple[int, int, int] | None":
        """Task, chunk, and position in the chunk of a byte that has a checksum."""
        tables = self._tables
        if offset < tables.begin or tables.skip <= 0:
            return None
        chunk, place = divmod(offset - tables.begin, tables.skip)
        task = int(np.searchsorted(tables.starts, place + tables.begin, side="right")) - 1
        position = place + tables.begin - int(tables.starts[task])
        if chunk >= tables.counts[task] or position >= tables.used[chunk, task]:
            return None
        return task, chunk, position

    def _read_part(self, offset: int, into: memoryview) -> int:
        found = self._find(offset)
        if found is None:  # nobody's data
            self.source.read_ranges([(offset, into[:1])])
            return 1
        task, chunk, position = found
        used = int(self._tables.used[chunk, task])
        piece = position // self._piece
        begin = piece * self._piece
        data = self._compared(offset - position + begin, min(self._piece, used - begin), task, chunk, piece)
        part = data[position - begin:position - begin + into.nbytes]
        into[:len(part)] = part
        return len(part)

    def _compared(self, offset: int, count: int, task: int, chunk: int, piece: int) -> bytes:
        if self._kept[0] == offset:
            return self._kept[1]
        data = self.source.read(offset, count)
        number = self._number(task, chunk, piece)
        if number not in self._good:
            stored = self._stored(number)
            crc = zlib.crc32(data)
            if crc != stored:
                raise damages_of.PieceError(self._tables, task, damages_of.of_piece(task, chunk, piece, stored, crc))
            self._good.add(number)
        self._kept = offset, data
        return data

    def _stored(self, number: int) -> int:
        if self._crcs is not None:
            return int(self._crcs[number])
        return int(struct.unpack(self._order + "I", self.source.read(self._crcs_at + 4 * number, 4))[0])

    def _number(self, task: int, chunk: int, piece: int) -> int:
        before = self._tables.used[:chunk, task]
        return int(self._firsts[task]) + int(((before + (self._piece - 1)) // self._piece).sum()) + piece

    def check_task(self, task: int) -> "str | None":
        """Compare all data of a task; returns what is wrong with it."""
        extents = self._tables.row(task).extents()
        ends = extents.ends.tolist()
        try:
            for offset, begin, end in zip(extents.offsets.tolist(), [0, *ends], ends):
                for at in range(0, end - begin, self._piece):
                    self.read_some(offset + at, min(self._piece, end - begin - at))
        except Error as error:
            if error.code != Code.DAMAGED:
                raise
            return str(error)[len(self.name) + 2:]
        return None


def guarded(tables: Tables) -> "Guard | None":
    """What compares the data of a file, if it has checksums."""
    try:
        with prefixed(tables.name):
            head = find(tables)
            found = Guard(tables, head) if head is not None else None
    finally:
        tables.check_there()  # or else that is what is wrong
    return found


def check_all(tables: Tables) -> None:
    """Compare all data of a file, if it has checksums; fail for the first task that is damaged."""
    found = guarded(tables)
    for task in range(tables.head.ntasks) if found is not None else ():
        text = found.check_task(task) if found is not None else None
        if text:
            raise damages_of.Damage(text).error(tables.name)


def guard(tables: Tables, at_open: bool) -> bool:
    """Compare what is read of a file from now on, if it has checksums; or all of it at once."""
    compared = guarded(tables)
    if compared is None:
        return False
    if not at_open:
        tables.source = compared
        return True
    found = []
    for task in range(tables.head.ntasks):
        text = compared.check_task(task) if task not in tables.damages else None
        if text:
            found.append(damages_of.Damage(text))
            tables.lock_out(task, found[-1])
    damages_of.warn_of(tables.name, found)
    return True

"""Files whose streams are compressed, seen as their plain bytes: task after task from offset 0 on."""

from __future__ import annotations

import bisect
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import Code, Error
from . import frames
from .damage import Damage, PieceError, of_frame, of_zip, of_zip_frames, warn_of
from .failures import damaged, warn
from .source import LARGEST, Ranges, Source
from .tables import Extents, Row, Tables
from .zstd import Zstd

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NEAR = 1 << 16  # stored bytes that one request to a server gets
_END = 1 << 12  # of longer streams: of their ends, where the seek tables are


class _Stream(NamedTuple):
    """A stream as it is stored."""

    task: int
    base: int  # offset of its first byte in the view
    extents: Extents
    frames: frames.Frames


class _Piece(NamedTuple):
    """A part of a frame, and where it goes."""

    stream: _Stream
    number: int  # of the frame
    position: int  # in the frame
    into: memoryview


class Zipped(Source):
    """The plain bytes of a file. What is read of it is decompressed frame by frame."""

    def __init__(self, source: Source, tables: "Tables | None" = None) -> None:
        self.source, self.name, self.size = source, source.name, 0
        self.damages: "dict[int, Damage]" = tables.damages if tables is not None else {}
        self.is_remote = source.is_remote
        self._streams: "list[_Stream]" = []
        self._bases: "list[int]" = []
        self._lock = threading.Lock()
        self._zstd: "Zstd | None" = None
        self._kept: "tuple[int, int, bytes]" = (-1, -1, b"")  # task, number and bytes of a frame
        self._short: "tuple[int, bytes]" = (-1, b"")  # task, and what is stored of it

    def add(self, task: int, stored: Extents) -> "Extents | Damage":
        """The next task: its stream in the view, or why it cannot be read."""
        size = stored.size
        if size == 0:
            return Extents(np.zeros(0, np.int64), np.zeros(0, np.int64))
        try:
            found = frames.find(self._reader(task, stored), size)
        except Error as error:
            if error.code != Code.DAMAGED:
                raise
            warn(str(error))
            return of_zip_frames(task, size)
        if found is None:
            return of_zip(task, size)
        if found.left:
            warn(f"{self.name}: the compressed stream of task {task} ends within a frame: its last {found.left} "
                 "stored bytes are not read")
        base, plain = self.size, int(found.plain[-1])
        self._streams.append(_Stream(task, base, stored, found))
        self._bases.append(base)
        self.size += plain
        pieces = 1 if plain else 0
        return Extents(np.full(pieces, base, np.int64), np.full(pieces, plain, np.int64))

    def before(self, stored: "NDArray[np.int64]") -> "NDArray[np.int64]":
        """Of each task, the plain bytes of so many stored ones, which end with a frame."""
        found = np.zeros(len(stored), np.int64)
        for stream in self._streams:
            number = int(np.searchsorted(stream.frames.stored, stored[stream.task], side="right")) - 1
            found[stream.task] = stream.frames.plain[number]
        return found

    def add_row(self, task: int, row: Row) -> Row:
        """The same, by the numbers of the stored stream."""
        found = self.add(task, row.extents())
        size = 0 if isinstance(found, Damage) else found.size
        start = int(found.offsets[0]) if not isinstance(found, Damage) and size else 0
        return Row(row.rank, size, start, 1, np.array([size], np.int64), 0,
                   found if isinstance(found, Damage) else None)

    def _reader(self, task: int, stored: Extents) -> frames.Read:
        """Of a server, a short stream is got at once; of a long one both ends."""
        near: "list[tuple[int, bytes]]" = []
        if self.is_remote:
            places = [(0, stored.size)] if stored.size <= _NEAR else \
                [(0, frames.HEAD), (stored.size - _END, _END)]
            buffers = [bytearray(count) for _, count in places]
            ranges: Ranges = []
            for (offset, _), buffer in zip(places, buffers):
                ranges += stored.ranges(offset, memoryview(buffer))
            self.source.read_ranges(ranges)
            near = [(offset, bytes(buffer)) for (offset, _), buffer in zip(places, buffers)]
            if len(near) == 1:
                self._short = task, near[0][1]

        def read(offset: int, count: int) -> bytes:
            for start, data in near:
                if start <= offset < start + len(data):
                    count = min(count, start + len(data) - offset)
                    return data[offset - start:offset - start + count]
            got = bytearray(count)
            self.source.read_ranges(stored.ranges(offset, memoryview(got)))
            return bytes(got)

        return read

    # ---- reading ----

    def read_some(self, offset: int, count: int) -> bytes:
        """Bytes from an offset on, fewer only at the end of the file."""
        got = bytearray(max(0, min(count, self.size - offset)))
        self.read_ranges([(offset, memoryview(got))])
        return bytes(got)

    def _pieces(self, ranges: Ranges) -> "list[_Piece]":
        """What is wanted of each frame."""
        found = []
        for offset, into in ranges:
            if offset + into.nbytes > self.size:
                raise damaged(f"{self.name} is cut off: {max(0, self.size - offset)} of {into.nbytes} bytes at "
                              f"offset {offset}")
            while into.nbytes:
                stream = self._streams[bisect.bisect_right(self._bases, offset) - 1]
                plain = stream.frames.plain
                number = int(np.searchsorted(plain, offset - stream.base, side="right")) - 1
                position = offset - stream.base - int(plain[number])
                part = min(into.nbytes, int(plain[number + 1] - plain[number]) - position)
                found.append(_Piece(stream, number, position, into[:part]))
                offset, into = offset + part, into[part:]
        return found

    def read_ranges(self, ranges: Ranges) -> None:
        """Fill each range. Frames that are near to each other are read together."""
        with self._lock:
            batch: "list[_Piece]" = []
            size = 0
            for piece in self._pieces(ranges):
                stored = piece.stream.frames.stored
                size += int(stored[piece.number + 1] - stored[piece.number])
                if batch and (size > LARGEST or not self.is_remote):
                    self._read(batch)
                    batch, size = [], 0
                batch.append(piece)
            self._read(batch)

    def _read(self, pieces: "list[_Piece]") -> None:
        wanted = {(piece.stream.task, piece.number): piece.stream for piece in pieces}
        if list(wanted) == [self._kept[:2]]:
            wanted = {}
        buffers: "dict[tuple[int, int], bytearray]" = {}
        places: Ranges = []
        for (task, number), stream in wanted.items():
            begin, end = stream.frames.stored[number:number + 2].tolist()
            if self._short[0] == task:
                buffers[task, number] = bytearray(self._short[1][begin:end])
                continue
            buffer = buffers[task, number] = bytearray(end - begin)
            places += stream.extents.ranges(begin, memoryview(buffer))
        if places:
            self.source.read_ranges(places)
        for piece in pieces:
            self._keep(piece.stream, piece.number, buffers)
            end = piece.position + piece.into.nbytes
            piece.into[:] = memoryview(self._kept[2])[piece.position:end]

    def _keep(self, stream: _Stream, number: int, stored: "dict[tuple[int, int], bytearray]") -> None:
        """Decompress a frame, unless it was the last one."""
        if self._kept[:2] == (stream.task, number):
            return
        self._zstd = self._zstd or Zstd(f"cannot read {self.name}: its streams are compressed")
        begin, end = stream.frames.plain[number:number + 2].tolist()
        try:
            data = self._zstd.unpack(bytes(stored[stream.task, number]), end - begin)
        except ValueError as error:
            raise PieceError(self, stream.task, of_frame(stream.task, number, str(error))) from error
        self._kept = stream.task, number, frames.unshuffle(data, stream.frames.head.shuffle)

    def close(self) -> None:
        """Let the file go."""
        self.source.close()


def show(tables: Tables) -> None:
    """Give each task its plain bytes."""
    view, members = Zipped(tables.source, tables), []
    for task in range(tables.head.ntasks):
        found = view.add(task, tables.row(task).extents())
        if isinstance(found, Damage):
            warn_of(tables.name, [found])
            tables.damages.setdefault(task, found)
            found = Extents(np.zeros(0, np.int64), np.zeros(0, np.int64))
        members.append(found)
    tables.members, tables.view = members, view

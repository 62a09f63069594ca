"""All tables of one physical file, read as a whole and checked. doc/format.md, section 13."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import Code, Error
from . import damage as damages_of
from . import states
from .damage import Damage
from .failures import damaged, prefixed, warn
from .header import FIXED, TAIL, Header, decode, decode_tail, warn_unusual

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .generations import Record
    from .source import Source

LARGE = 1 << 20  # larger tables may have holes, by which a small file claims any number of tasks
ENTRIES = 1 << 18  # of a table that are looked at together
MOST = (1 << 63) - 1


class Extents(NamedTuple):
    """Where the bytes of a stream are: offsets in the file, and where each piece ends in the stream."""

    offsets: "NDArray[np.int64]"
    ends: "NDArray[np.int64]"

    @property
    def size(self) -> int:
        """Bytes of the stream."""
        return int(self.ends[-1]) if len(self.ends) else 0

    def parts(self, position: int, count: int) -> "list[tuple[int, int]]":
        """Where so many bytes from a position on are: offsets and numbers of bytes."""
        found = []
        number = int(np.searchsorted(self.ends, position, side="right"))
        while count > 0:
            end = int(self.ends[number])
            begin = int(self.ends[number - 1]) if number else 0
            part = min(count, end - position)
            found.append((int(self.offsets[number]) + position - begin, part))
            count, position, number = count - part, position + part, number + 1
        return found

    def ranges(self, position: int, into: memoryview) -> "list[tuple[int, memoryview]]":
        """Where the bytes from a position on are, and where they go."""
        found, done = [], 0
        for offset, part in self.parts(position, into.nbytes):
            found.append((offset, into[done:done + part]))
            done += part
        return found


class Row(NamedTuple):
    """The numbers of one task."""

    rank: int
    chunksize: int
    start: int  #: of its first chunk
    chunks: int  #: their number
    used: "NDArray[np.int64]"  #: bytes in each of them
    skip: int  #: from a chunk to the next one
    damage: "Damage | None"

    @property
    def size(self) -> int:
        """Bytes of the stream."""
        return int(self.used.sum())

    def extents(self) -> Extents:
        """Where its bytes are."""
        chunks = np.flatnonzero(self.used)
        return Extents(self.start + chunks * self.skip, np.cumsum(self.used[chunks]))


def round_up(number: Any, grain: int) -> Any:
    """The smallest multiple of the grain that is not less."""
    return (number + grain - 1) // grain * grain


def place_chunks(sizes: "NDArray[np.int64]", head: Header) -> "tuple[NDArray[np.int64], int, int]":
    """Where each task's first chunk is, where data begin, and the bytes of a block."""
    begin = round_up(head.size, head.fsblksize)
    negative = np.flatnonzero(sizes < 0)
    first_bad = int(negative[0]) if len(negative) else len(sizes)
    good = sizes[:first_bad]
    rounded = good if head.grain == 1 else round_up(good, head.grain)
    ends = np.cumsum(rounded, dtype=np.int64)
    ends += begin
    over = np.flatnonzero((np.diff(ends, prepend=begin) < 0) | (rounded < good) | (ends < 0))
    if len(over):
        raise Error(f"chunk sizes up to task {over[0]} add up to more than a file can hold", Code.ARGUMENT)
    if len(negative):
        raise damaged(f"chunk size of task {first_bad} is {sizes[first_bad]}")
    starts = np.empty_like(ends)
    starts[0] = begin
    starts[1:] = ends[:-1]
    return starts, begin, int(ends[-1]) - begin


def read_start(source: "Source") -> "tuple[Header, int, int]":
    """The fixed part of META1, and its tail: the number of chunks and the offset of META2."""
    head = decode(source.read_some(0, FIXED), source.size)
    warn_unusual(head, source.name)
    return (head, *decode_tail(head, source.read_some(head.tail, TAIL)))


def check_extent(head: Header, maxchunks: int, start: int, size: int) -> int:
    """Check that META2 is there; returns where it ends."""
    if start == 0:
        raise Error("bad value for start_of_varheader (=0): the container was never closed, see "
                    "sionrecover", Code.NOT_CLOSED)
    if maxchunks < 1:
        raise damaged(f"header says {maxchunks} chunks")
    if start < head.size:
        raise damaged(f"bad value for start_of_varheader (={start})")
    end = start + 8 * head.ntasks * (1 + maxchunks)
    if end > size:
        raise damaged(f"file is cut off: metadata of {head.ntasks} tasks and {maxchunks} chunks at offset "
                      f"{start} would end beyond the file's {size} bytes")
    return end


def check_place(head: Header, maxchunks: int, start: int, end: int, begin: int, skip: int,
                has_record: bool) -> bool:
    """Check that META2 is where it belongs; returns whether that is the gap after META1."""
    if start == head.size and end <= begin:
        return True
    if has_record and skip > 0 and start - states.RECORD >= begin and (start - states.RECORD - begin) % skip == 0:
        return False
    if begin + maxchunks * skip != start:
        raise damaged(f"bad value for start_of_varheader (={start}): {maxchunks} blocks of {skip} bytes "
                      f"from offset {begin} on do not end there")
    return False


class Tables:
    """A physical file and its tables."""

    def __init__(self, source: "Source", place: "tuple[int, int] | None" = None) -> None:
        """place: the number of chunks and the offset of META2, if it is not what the tail says."""
        self.source = source
        self._place = place
        self.name = source.name
        self.damages: "dict[int, Damage]" = {}  #: by task
        self.pairs: "NDArray[np.int32] | None" = None  #: [rank]: file, and task there
        self.members: "list[Extents] | None" = None  #: of each task, if they are not as META2 says
        self.view: "Source | None" = None  #: what they are in, if that is not the file
        self.state: "states.State | None" = None  #: that is in front of META2
        self.generation = 0  #: number of the one that is shown; 0: all that there is
        self.shown: "range | None" = None  #: the blocks of that
        self.record: "Record | None" = None  #: of generations
        self.has_odd_generations = False  #: it is damaged
        self.left = 0  #: first block of the oldest one; those before it are forgotten
        self._front, self._tail = b"", b""
        try:
            with prefixed(f"cannot read {self.name}"):
                self._read()
        except Error as error:
            if error.code == Code.DAMAGED:
                self.check_steady()
            raise

    def _read(self) -> None:
        self.head, self.maxchunks, self.start_of_varheader = read_start(self.source)
        self._read_front()
        self._check_counts_are_there()
        self._read_places()
        self._read_chunks()
        damages_of.warn_of(self.name, list(self.damages.values()))
        if self.head.is_set:
            self._read_mapping()
        self.check_steady()

    def _read_front(self) -> None:
        """META2 of a state that was published is behind its record, and so not where a block begins."""
        self._tail = struct.pack(self.head.order + "iq", self.maxchunks, self.start_of_varheader)
        if self._place is not None:
            self.maxchunks, self.start_of_varheader = self._place
        start, grain = self.start_of_varheader, self.head.fsblksize
        at = start - states.RECORD
        if at < self.head.size or start > self.source.size or (start % grain == 0 and states.RECORD % grain != 0):
            return
        self._front = self.source.read_some(at, states.RECORD)
        self.source.measure()  # a state may have been published since it was opened
        found = states.decode(self.head.order, self._front)
        if found is not None and (found.start, found.maxchunks) == (start, self.maxchunks):
            self.state = found

    def is_newest(self) -> bool:
        """Whether the file still says that this state is the newest one. Far files are read once."""
        source = self.source
        return source.is_remote or (
            self._place is None and source.read_some(self.head.tail, TAIL) == self._tail and
            (not self._front or
             source.read_some(self.start_of_varheader - states.RECORD, states.RECORD) == self._front))

    def check_steady(self) -> None:
        """Fail if what was read is not of one state, because the writer publishes."""
        self.check_there()
        source = self.source
        if self._front and not source.is_remote and self._place is None and \
                source.read_some(self.head.tail, TAIL) != self._tail:
            raise states.Moved(self.name)

    def check_there(self) -> None:
        """Fail if the state has gone whose tables were read, and found to be of one state."""
        source = self.source
        if self._front and not source.is_remote and \
                source.read_some(self.start_of_varheader - states.RECORD, states.RECORD) != self._front:
            raise states.Moved(self.name)

    def _numbers(self, offset: int, count: int) -> "NDArray[np.int64]":
        """A table of numbers; holes of large ones are not read, and take no memory."""
        table = np.zeros(count, np.int64)
        view, done = memoryview(table.data).cast("B"), 0
        while done < view.nbytes:
            run, is_hole = view.nbytes, False
            if view.nbytes > LARGE:
                run, is_hole = self.source.run(offset + done, view.nbytes - done)
            if not is_hole:
                self.source.read_ranges([(offset + done, view[done:done + run])])
            done += run
        return table.view(self.head.order + "i8").astype(np.int64, copy=False)

    def _check_counts_are_there(self) -> None:
        """Every task has at least one chunk, so the numbers of their chunks cannot be a hole."""
        counts, at = 8 * self.head.ntasks, self.start_of_varheader
        if counts <= LARGE or at <= 0 or at > self.source.size - counts:
            return
        if self.source.run(at, counts) != (counts, False):
            raise damaged(f"header says {self.head.ntasks} tasks, but the file does not hold the numbers "
                          "of their chunks")

    def _read_places(self) -> None:
        head = self.head
        self.ranks = self._numbers(head.fixed, head.ntasks)
        self.chunksizes = self._numbers(head.fixed + 8 * head.ntasks, head.ntasks)
        self.starts, self.begin, self.skip = place_chunks(self.chunksizes, head)

    def _read_chunks(self) -> None:
        n, at = self.head.ntasks, self.start_of_varheader
        self.end = check_extent(self.head, self.maxchunks, at, self.source.size)
        self.is_in_gap = check_place(self.head, self.maxchunks, at, self.end, self.begin, self.skip,
                                     self.state is not None)
        self.counts = self._numbers(at, n)
        self.used = self._numbers(at + 8 * n, n * self.maxchunks).reshape(self.maxchunks, n)
        self.check_steady()
        checker = ChunkChecker(self)
        checker.check()
        for task in sorted(checker.found):
            self.lock_out(task, checker.found[task])
        checker.mend()

    def lock_out(self, task: int, damage: Damage) -> None:
        """Nothing is read of the task from now on."""
        self.used[:, task] = 0
        self.counts[task] = 1
        self.damages.setdefault(task, damage)

    def _read_mapping(self) -> None:
        head, at, left = self.head, self.end, self.source.size - self.end
        if left < 4:
            raise damaged(f"file 0 of a set of {head.nfiles} has no mapping table")
        size = struct.unpack(head.order + "i", self.source.read(at, 4))[0]
        if size < 1 or size > (left - 4) // 8:
            raise damaged(f"mapping says {size} tasks, with {left - 4} bytes left for it")
        pairs = np.frombuffer(self.source.read(at + 4, 8 * size), head.order + "i4").reshape(size, 2)
        self.pairs = pairs.astype(np.int32)
        if head.nfiles > size:
            raise damaged(f"mapping has {size} tasks, fewer than the {head.nfiles} files")

    def row(self, task: int) -> Row:
        """The numbers of one task."""
        count = int(self.counts[task])
        return Row(int(self.ranks[task]), int(self.chunksizes[task]), int(self.starts[task]), count,
                   self.seen(np.array(self.used[:count, task])), self.skip, self.damages.get(task))

    def seen(self, used: "NDArray[np.int64]") -> "NDArray[np.int64]":
        """Of the bytes in chunks, those of the generation that is shown; the array is changed."""
        if self.shown is not None:
            used[:self.shown.start] = 0
            used[self.shown.stop:] = 0
        return used

    @property
    def streams(self) -> "Source":
        """What the extents of tasks are in."""
        return self.view or self.source

    def extents(self, task: int) -> Extents:
        """Where the bytes of a task's stream are."""
        return self.members[task] if self.members is not None else self.row(task).extents()

    def sizes(self) -> "NDArray[np.int64]":
        """Bytes of each stream."""
        if self.members is not None:
            return np.array([one.size for one in self.members], np.int64)
        total = np.zeros(self.head.ntasks, np.int64)
        rows = self.used if self.shown is None else self.used[self.shown.start:self.shown.stop]
        for first, last in row_parts(len(rows), self.head.ntasks):
            total += rows[first:last].sum(axis=0)
        return total

    def is_place_holder(self, task: int) -> bool:
        """Whether it is no task, but stands for one of another file of a buddy set."""
        return bool(self.ranks[task] < 0 and self.chunksizes[task] == 0)


def row_parts(rows: int, columns: int) -> "list[tuple[int, int]]":
    """A table in parts of rows that are looked at together."""
    step = max(1, ENTRIES // columns)
    return [(first, min(rows, first + step)) for first in range(0, rows, step)]


class ChunkChecker:
    """Checks the entries of META2, a part of the table at a time."""

    def __init__(self, tables: "Tables | Column") -> None:
        self.tables = tables
        self.head = tables.head
        self.found: "dict[int, Damage]" = {}
        self.first = getattr(tables, "first", 0)  # number of the task in the first column

    def check(self) -> None:
        """Find the damaged tasks."""
        tables, counts = self.tables, self.tables.counts
        most = int(counts.max())
        for task in np.flatnonzero((counts < 1) | (counts > tables.maxchunks)).tolist():
            self.found[task] = damages_of.of_count(self.first + task, int(counts[task]), tables.maxchunks)
            most = tables.maxchunks
        room = round_up(tables.chunksizes, self.head.grain)
        is_in_area = getattr(tables, "state", None) is not None
        limit = tables.source.size if tables.end <= tables.begin or is_in_area else tables.start_of_varheader
        if is_in_area:
            self._check_area()
        for first, last in row_parts(*tables.used.shape):
            self._check_part(first, tables.used[first:last], room, limit)
        if self.head.is_keyval:
            self._check_full(room)
        if most < tables.maxchunks:
            if tables.is_in_gap:
                raise damaged(f"header says {tables.maxchunks} chunks, but no task has more than {most}")
            self._check_rows()

    def _check_part(self, first: int, used: "NDArray[np.int64]", room: "NDArray[np.int64]", limit: int) -> None:
        if not used.any():
            return
        rows = np.arange(first, first + len(used), dtype=np.int64)[:, None]
        there = rows < self.tables.counts
        bad_use = there & ((used < -1) | (used > room))
        # Offsets that do not fit into 64 bits are beyond the limit, too.
        left = np.array([max(-1, limit - row * self.tables.skip) for row in rows[:, 0].tolist()])[:, None]
        beyond = there & (used > 0) & ~bad_use & (used > left - self.tables.starts)
        bad = bad_use | beyond
        for task in np.flatnonzero(bad.any(axis=0)).tolist():
            row = int(bad[:, task].argmax())
            number, amount = self.first + task, int(used[row, task])
            self.found.setdefault(task, damages_of.of_used(number, first + row, amount, int(room[task]))
                                  if bad_use[row, task] else
                                  damages_of.of_place(number, first + row, amount, limit))

    def _check_area(self) -> None:
        """No task has bytes in the blocks in which the tables are."""
        tables = self.tables
        first = (tables.start_of_varheader - states.RECORD - tables.begin) // tables.skip
        end = (tables.end - tables.begin - 1) // tables.skip + 1
        used = tables.used[first:end]
        rows = np.arange(first, first + len(used), dtype=np.int64)[:, None]
        bad = (used > 0) & (rows < tables.counts)
        for task in np.flatnonzero(bad.any(axis=0)).tolist():
            row = int(bad[:, task].argmax())
            self.found.setdefault(task, damages_of.of_place(self.first + task, first + row, int(used[row, task]),
                                                            tables.begin + tables.skip * first))

    def _check_full(self, room: "NDArray[np.int64]") -> None:
        """Records with keys go on in the next chunk that has bytes, so all of these but the last are full."""
        tables, trailer = self.tables, self.head.trailer
        several = np.flatnonzero(tables.counts > 1)
        for task in several.tolist():
            if task in self.found:
                continue
            used = tables.used[:int(tables.counts[task]), task]
            full = max(0, int(tables.chunksizes[task]) - trailer)
            is_full = (used == -1) | (used == 0) | (used == full)
            behind = np.flatnonzero(used)
            is_full[int(behind[-1]) if len(behind) else 0:] = True
            partly = np.flatnonzero(~is_full[:-1])
            if len(partly) and not self._has_generations():
                self.found[task] = damages_of.of_partly(self.first + task, int(partly[-1]))

    def _has_generations(self) -> bool:
        """Each of them ends with a chunk that may not be full."""
        from . import generations

        if isinstance(self.tables, Column):
            return False
        state = generations.state_of(self.tables)
        return state is not None and state.generations_length != 0

    def _check_rows(self) -> None:
        """No task has as many chunks as the header says: some have entries behind their last."""
        tables = self.tables
        for first, last in row_parts(*tables.used.shape):
            used = tables.used[first:last]
            rows = np.arange(first, last, dtype=np.int64)[:, None]
            behind = (rows >= tables.counts) & (used != 0) & (used != -1)
            for task in np.flatnonzero(behind.any(axis=0)).tolist():
                if task not in self.found:
                    self.found[task] = damages_of.of_rows(
                        self.first + task, int(tables.counts[task]),
                        first + int(behind[:, task].argmax()), tables.maxchunks)

    def mend(self) -> None:
        """Count chunks of unknown length as empty, and warn of entries that mean nothing."""
        tables, name = self.tables, self.tables.name
        unknown: "list[tuple[int, int]]" = []
        behind: "tuple[int, int, int] | None" = None
        number = 0
        for first, last in row_parts(*tables.used.shape):
            used = tables.used[first:last]
            if not used.any():
                continue
            there = np.arange(first, last, dtype=np.int64)[:, None] < tables.counts
            odd = np.argwhere(there & (used == -1))
            number += len(odd)
            unknown = unknown or [(first + int(row), self.first + int(task)) for row, task in odd[:1]]
            extra = np.argwhere(~there & (used != 0) & (used != -1))
            if behind is None and len(extra):
                row, task = extra[0].tolist()
                behind = first + row, task, int(used[row, task])
            used[(used != 0) & (~there | (used == -1))] = 0
        if unknown:
            others = f" and {number - 1} other chunks have" if number > 1 else " has"
            warn(f"{name} does not say how many bytes chunk {unknown[0][0]} of task {unknown[0][1]}"
                 f"{others}: none are read from {'them' if number > 1 else 'it'}")
        if behind is not None:
            chunk, task, amount = behind
            warn(f"{name} says that task {self.first + task} has {int(tables.counts[task])} chunks, and that "
                 f"its chunk {chunk} has {amount} bytes: they are not read")


class Column:
    """What :class:`ChunkChecker` needs of a file of which the numbers of one task are known."""

    def __init__(self, head: Header, source: "Source", maxchunks: int, places: "tuple[int, int, int, int]",
                 task: "tuple[int, int, int, int, NDArray[np.int64]]") -> None:
        self.head, self.source, self.name, self.maxchunks = head, source, source.name, maxchunks
        self.begin, self.skip, self.start_of_varheader, self.end = places
        self.first, size, start, count, used = task
        self.chunksizes, self.starts = np.array([size], np.int64), np.array([start], np.int64)
        self.counts, self.used = np.array([count], np.int64), used.reshape(-1, 1)
        self.is_in_gap = False

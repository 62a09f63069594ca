"""What a container has: which bytes of which file are whose."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import Code, Error
from . import checksums, generations, mapping, members, sound, zipped
from .columns import Columns
from .damage import Damage, of_pair
from .failures import collected, damaged, warn
from .header import Header, is_misnamed
from .source import Folder, RemoteFile, Source
from .states import Moved, newest
from .tables import Extents, Row, Tables
from .words import Mode, compare_keyval

if TYPE_CHECKING:
    from numpy.typing import NDArray

_AT_ONCE = 1 << 22  # entries of tables that are looked at together
_WINDOW = 1 << 20  # bytes of a read that serves several pieces
_GAP = 8192  # bytes between two pieces that cost less than another read


class Stream:
    """The bytes of a task, as its program has written them.

    If streams are stored in another form, the source is a view of the file that decodes them.
    """

    def __init__(self, source: Source, extents: Extents) -> None:
        self._source = source
        self._extents = extents
        self.size = extents.size  #: in bytes

    def read(self, position: int, into: memoryview) -> None:
        """Fill memory with the bytes from a position on, all of which the stream has."""
        self._source.read_ranges(self._extents.ranges(position, into))


class Contents:
    """A container of which all tables are known."""

    def __init__(self, folder: Folder, mode: Mode, merged: bool, first: "Source | None" = None,
                 seen: "sound.Seen | None" = None) -> None:
        self.folder, self._mode, self._merged = folder, mode, merged
        self.files = [sound.go_back(Tables(first or folder.open()), mode)]
        self.head = self.files[0].head
        self._show_generation(seen)
        if self.files[0].pairs is not None:
            self.files = mapping.open_members(folder, self.files[0])
        self.pairs = self.files[0].pairs
        _warn_misnamed(self.head, folder.name)
        for file in self.files[1:] if self.files[0].generation > 0 else ():
            generations.show(file, self.files[0].generation)
        for file in self.files if mode.all_generations else ():
            generations.note(file)
        self._compare()
        self.unzips = self.head.is_zipped and not mode.stored
        for file in self.files:
            if self.unzips:
                zipped.show(file)
            elif merged:
                members.show(file)
        self.ntasks = self.head.ntasks if self.pairs is None else len(self.pairs)
        self.nfiles = len(self.files)

    def _show_generation(self, seen: "sound.Seen | None") -> None:
        """Of file 0."""
        first, mode = self.files[0], self._mode
        if mode.all_generations:
            return
        if seen is not None:
            seen.generation, seen.first = sound.UNKNOWN, first
        generations.show(first, mode.generation)
        if seen is not None:
            seen.generation = first.generation

    def _compare(self) -> None:
        """With checksums, now or when data are read. The data of far files are read once."""
        is_chosen = self._mode.sound and self.files[0].generation > 0
        if is_chosen and not self.files[0].source.is_remote:
            sound.check(self.files)
            return
        for file in self.files if self._mode.compares or is_chosen else ():
            checksums.guard(file, self._mode.at_open)

    def is_newest(self) -> bool:
        """Whether file 0 still says that this state is the newest one."""
        return self.files[0].is_newest()

    def locate(self, task: int) -> "tuple[int, int]":
        """A task's file, and its number there."""
        if self.pairs is None:
            return 0, task
        file, there = self.pairs[task].tolist()
        return file, there

    def row(self, task: int) -> Row:
        """The numbers of one task, as its reader sees them."""
        number, there = self.locate(task)
        file = self.files[number]
        row = file.row(there)
        if file.members is None:
            return row
        size = file.members[there].size
        return row._replace(chunks=1, used=np.array([size], np.int64), chunksize=size)

    def rank(self, task: int) -> int:
        """The number that the writer stored with the task."""
        return self.row(task).rank

    def ranks(self) -> "NDArray[np.int64]":
        """The same of all tasks."""
        return self.column("ranks")

    def damage(self, task: int) -> "tuple[str, Damage] | None":
        """Why a task cannot be read, and the name of its file."""
        number, there = self.locate(task)
        found = self.files[number].damages.get(there)
        return (self.files[number].name, found) if found else None

    def check(self, task: int) -> None:
        """Fail if the task is damaged."""
        found = self.damage(task)
        if found:
            raise found[1].error(found[0])

    def place(self, task: int) -> "tuple[Source, Extents]":
        """Where the bytes of a task are."""
        self.check(task)
        number, there = self.locate(task)
        return self.files[number].streams, self.files[number].extents(there)

    def stream(self, task: int) -> Stream:
        """The bytes of a task."""
        return Stream(*self.place(task))

    def whole(self) -> "Contents":
        """The container with all its tables."""
        return self

    def column(self, name: str) -> "NDArray[np.int64]":
        """A number of each task: ranks, chunksizes, counts, or sizes."""
        columns = []
        for file in self.files:
            if name == "sizes" or (name == "chunksizes" and file.members is not None):
                columns.append(file.sizes())
            elif name == "counts" and file.members is not None:
                columns.append(np.ones(file.head.ntasks, np.int64))
            else:
                columns.append(getattr(file, name))
        return self.spread(columns)

    def spread(self, columns: "list[NDArray[np.int64]]") -> "NDArray[np.int64]":
        """A number of each task, of those that the files have."""
        if self.pairs is None:
            return columns[0].copy()
        found = np.zeros(self.ntasks, np.int64)
        for number, one in enumerate(columns):
            own = self.pairs[:, 0] == number
            found[own] = one[self.pairs[own, 1]]
        return found

    @property
    def maxchunks(self) -> int:
        """The largest number of chunks of any task."""
        return max(1 if file.members is not None else file.maxchunks for file in self.files)

    def read_many(self, tasks: "list[int]", starts: "list[int]", into: memoryview) -> None:
        """Read whole streams; `starts` says where each goes."""
        wanted: "dict[int, list[tuple[int, int]]]" = {}
        for task, start in zip(tasks, starts):
            number, there = self.locate(task)
            if there in self.files[number].damages:
                self.check(task)
            wanted.setdefault(number, []).append((there, start))
        for number, pairs in wanted.items():
            file = self.files[number]
            is_guarded = isinstance(file.source, checksums.Guard)  # says of the first task what is wrong
            if is_guarded or file.members is not None or len(pairs) * file.maxchunks > _AT_ONCE:
                for there, start in pairs:
                    extents = file.extents(there)
                    file.streams.read_ranges(extents.ranges(0, into[start:start + extents.size]))
            else:
                pieces = _pieces(file, np.array(pairs, np.int64).reshape(-1, 2))
                _read_pieces(file.source, pieces, into)

    def close(self) -> None:
        """Close the files."""
        for file in self.files:
            file.source.close()


def _warn_misnamed(head: Header, name: str) -> None:
    if is_misnamed(head, name):
        warn(f"the header of {name} says that it is file {head.filenumber} of a set, its name does not: "
             "it is read as one file")


def _pieces(file: Tables, wanted: "NDArray[np.int64]") -> "NDArray[np.int64]":
    """Offset, place in memory, and bytes of each piece of some tasks; adjacent ones are joined."""
    used = file.seen(file.used[:, wanted[:, 0]])
    offsets = file.starts[wanted[:, 0]] + np.arange(len(used), dtype=np.int64)[:, None] * file.skip
    places = wanted[:, 1] + np.cumsum(used, axis=0) - used
    pieces = np.stack([offsets[used > 0], places[used > 0], used[used > 0]], axis=1)
    pieces = pieces[np.argsort(pieces[:, 0], kind="stable")]
    if len(pieces) < 2:
        return pieces
    ends = pieces[:-1, :2] + pieces[:-1, 2:]
    begins = np.flatnonzero(np.concatenate([[True], (pieces[1:, :2] != ends).any(axis=1)]))
    joined = pieces[begins]
    joined[:, 2] = np.add.reduceat(pieces[:, 2], begins)
    return joined


def _read_pieces(source: Source, pieces: "NDArray[np.int64]", into: memoryview) -> None:
    """Pieces that are close together in the file are read together."""
    if source.is_remote:
        source.read_ranges([(at, into[place:place + count]) for at, place, count in pieces.tolist()])
        return
    batch: "list[list[int]]" = []
    for piece in pieces.tolist():
        if batch and (piece[0] - (batch[-1][0] + batch[-1][2]) > _GAP or
                      piece[0] + piece[2] - batch[0][0] > _WINDOW):
            _read_batch(source, batch, into)
            batch = []
        batch.append(piece)
    _read_batch(source, batch, into)


def _read_batch(source: Source, batch: "list[list[int]]", into: memoryview) -> None:
    if len(batch) < 2:
        source.read_ranges([(at, into[place:place + count]) for at, place, count in batch])
        return
    first, end = batch[0][0], batch[-1][0] + batch[-1][2]
    data = memoryview(source.read(first, end - first))
    for at, place, count in batch:
        into[place:place + count] = data[at - first:at - first + count]


class FarContents(Contents):
    """A container that is far away: of its tables it reads what is asked for."""

    def __init__(self, folder: Folder, mode: Mode, merged: bool, first: Columns) -> None:
        self.folder, self._mode, self._merged = folder, mode, merged
        self.head = first.head
        self._columns = {0: first}
        self._rows: "dict[int, Row]" = {}
        self._located: "dict[int, tuple[int, int]]" = {}
        self._all: "Contents | None" = None
        self.unzips = self.head.is_zipped and not mode.stored
        self._views: "dict[int, zipped.Zipped]" = {}
        self.nfiles = max(1, first.head.nfiles) if first.head.is_set else 1
        self.ntasks = self._count_pairs() if first.head.is_set else first.head.ntasks
        _warn_misnamed(self.head, folder.name)

    def _count_pairs(self) -> int:
        first, left = self._columns[0], self._columns[0].source.size - self._columns[0].end
        if left < 4:
            raise damaged(f"cannot read {first.name}: file 0 of a set of {self.head.nfiles} has no mapping "
                          "table")
        first.near_behind()
        size: int = struct.unpack(self.head.order + "i", first.source.read(first.end, 4))[0]
        if not self.head.nfiles <= size <= (left - 4) // 8:
            raise damaged(f"cannot read {first.name}: mapping says {size} tasks, with {left - 4} bytes left "
                          "for it")
        return size

    def whole(self) -> Contents:
        """The container with all its tables."""
        if self._all is None:
            self._all = Contents(self.folder, self._mode, self._merged, self._columns[0].source)
            self.files, self.pairs = self._all.files, self._all.pairs
        return self._all

    def _file(self, number: int) -> Columns:
        if number not in self._columns:
            source = self.folder.open(number)
            assert isinstance(source, RemoteFile)
            self._columns[number] = Columns(source)
            member = self._columns[number]
            mapping.check_member(member.head, member.name, self.head, number)
            if self._merged and not self.unzips and members.find(member):
                self.whole()
        return self._columns[number]

    def locate(self, task: int) -> "tuple[int, int]":
        """A task's file, and its number there."""
        if self._all is not None or not self.head.is_set:
            return self._all.locate(task) if self._all is not None else (0, task)
        if task not in self._located:
            first = self._columns[0]
            file, there = struct.unpack(self.head.order + "2i", first.source.read(first.end + 4 + 8 * task, 8))
            if not 0 <= file < self.nfiles or there < 0:
                self.whole()
                return self.locate(task)
            self._located[task] = file, there
        return self._located[task]

    def row(self, task: int) -> Row:
        """The numbers of one task, as its reader sees them."""
        if self._all is not None:
            return self._all.row(task)
        if task not in self._rows:
            number, there = self.locate(task)
            file = self._file(number)
            if self._all is not None or there >= file.head.ntasks or file.needs_all:
                return self.whole().row(task)
            row = file.row(there, with_rank=self.head.is_set)
            if self.head.is_set and row.rank != task:
                row = row._replace(damage=of_pair(task))
            self._rows[task] = self._unzipped(number, there, row) if self.unzips else row
        return self._rows[task]

    def _unzipped(self, number: int, there: int, row: Row) -> Row:
        """The same of the plain stream."""
        if number not in self._views:
            self._views[number] = zipped.Zipped(self._file(number).source)
        return row if row.damage else self._views[number].add_row(there, row)

    def rank(self, task: int) -> int:
        """The number that the writer stored with the task."""
        if self._all is not None:
            return self._all.rank(task)
        return task if self.head.is_set else self._columns[0].rank(task)

    def ranks(self) -> "NDArray[np.int64]":
        """The same of all tasks."""
        if self._all is not None:
            return self._all.ranks()
        return np.arange(self.ntasks) if self.head.is_set else self._columns[0].ranks()

    def damage(self, task: int) -> "tuple[str, Damage] | None":
        """Why a task cannot be read, and the name of its file."""
        if self._all is not None:
            return self._all.damage(task)
        found = self.row(task).damage
        number, there = self.locate(task)
        if found is None and number in self._views:
            found = self._views[number].damages.get(there)
        return (self._file(number).name, found) if found else None

    def place(self, task: int) -> "tuple[Source, Extents]":
        """Where the bytes of a task are."""
        if self._all is not None:
            return self._all.place(task)
        self.check(task)
        number = self.locate(task)[0]
        return self._views[number] if self.unzips else self._file(number).source, self.row(task).extents()

    def column(self, name: str) -> "NDArray[np.int64]":
        """A number of each task: ranks, chunksizes, counts, or sizes."""
        return self.whole().column(name)

    @property
    def maxchunks(self) -> int:
        """The largest number of chunks of any task."""
        return self.whole().maxchunks

    def read_many(self, tasks: "list[int]", starts: "list[int]", into: memoryview) -> None:
        """Read whole streams; `starts` says where each goes."""
        if len(tasks) > _FEW:
            self.whole()
        if self._all is not None:
            return self._all.read_many(tasks, starts, into)
        for task, start in zip(tasks, starts):
            source, extents = self.place(task)
            source.read_ranges(extents.ranges(0, into[start:start + extents.size]))
        return None

    def close(self) -> None:
        """Close the files."""


_ATTEMPTS = 100  # to read one state of a file that is written
_FEW = 64  # tasks whose numbers are read one by one


def open_contents(name: str, mode: Mode, merged: bool = True,
                  options: "dict[str, Any] | None" = None) -> Contents:
    """Open a container for reading."""
    folder = Folder(name, options)
    source = folder.open()
    contents: "Contents | None" = None
    if isinstance(source, RemoteFile) and not mode.compares:
        contents = _open_far(folder, mode, merged, source)
    if contents is None:
        first = [source]
        contents = _open_whole(folder, mode, merged, source) if source.is_remote or not mode.sound else \
            sound.open_newest(mode, lambda now, seen: _open_whole(
                folder, now, merged, first.pop() if first else folder.open(), seen))
    compare_keyval(mode, contents.head.keyval)
    return contents


def keeps_generations(name: str) -> bool:
    """Whether a container here keeps generations, by its newest state; not if that cannot be read."""
    try:
        _, state = newest(name)
        if state is not None:
            return state.generations_length > 0
        with collected():
            return bool(generations.find(Tables(Folder(name).open())))
    except (Error, OSError):
        return False


def _open_whole(folder: Folder, mode: Mode, merged: bool, source: Source,
                seen: "sound.Seen | None" = None) -> Contents:
    """Read all tables; once more if they may be of two states, because one was published meanwhile."""
    for _ in range(_ATTEMPTS):
        try:
            return Contents(folder, mode, merged, source, seen)
        except Error as error:
            if error.code != Code.DAMAGED or source.is_remote:
                raise
            again = folder.open()
            if again.size <= source.size and not isinstance(error, Moved):
                raise
            source = again
    return Contents(folder, mode, merged, source, seen)


def _open_far(folder: Folder, mode: Mode, merged: bool, source: RemoteFile) -> "Contents | None":
    """Single tasks can be read of a container with large tables, unless streams were merged."""
    with collected() as texts:
        first = Columns(source)
    if first.is_small():
        return None
    if first.maxchunks > 1:  # or else there is nothing that another generation could have
        first.near_behind()
        if generations.find(first):
            return None
    is_serial = first.head.nfiles == 1 and first.head.filenumber == 1
    if merged and not is_serial and not first.head.is_zipped:
        first.near_behind()
        if members.find(first):
            return None
    for text in texts:
        warn(text)
    return FarContents(folder, mode, merged, first)

"""Containers and their tasks, as the package has them, over what this reader reads."""

from __future__ import annotations

import array
import io
import os
import struct
from typing import TYPE_CHECKING, Any, BinaryIO, Iterator, NoReturn, overload

import numpy as np

from ..arrays import Arrays
from ..container import Container, Meta, Tasks
from ..device import Memory
from ..errors import Code, Error
from ..streams import Facts, Task, _Records
from . import newer, words
from .checksums import Guard
from .contents import Contents, FarContents, Stream, open_contents
from .failures import damaged
from .source import Source, is_url, member_name

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

_WINDOW = 1 << 16  # bytes of a stream in which heads of records are looked for
_HEAD = 16
_BYTE_ORDERS = ("little", "big")


class PureTask(Task):
    """One task of a container that is read without the compiled library."""

    _container: "PureContainer"

    def _stream(self) -> Stream:
        return self._container._contents.stream(self._number)

    def _select(self) -> None:
        self._container._check_open()

    def _seek_to(self, _position: int) -> None:
        self._container._check_open()
        self._container._selected = self._number
        self._container._contents.check(self._number)

    def _fetch(self, into: memoryview) -> None:
        self._container._streams_of(self._number).read(self._position, into)
        self._note_reached(self._position + into.nbytes)

    def _note_reached(self, position: int) -> None:
        self._container._reached[self._number] = position

    def _read_to_device(self, memory: Memory) -> int:
        raise TypeError("the reader in Python cannot read into memory of a device")

    def _scan(self) -> _Records:
        found = scan(self._stream(), self._container._contents.head.order)
        self._container._selected = self._number
        self._note_reached(self._stream().size)
        return found

    def _read_record(self, key: int, n: int, into: memoryview) -> None:
        records = self._records()
        assert isinstance(records, _PureRecords)
        self._stream().read(records.positions[key][n], into)

    @property
    def rank(self) -> int:
        """The number that the writer stored with the task, usually its rank in the program."""
        return self._container._contents.rank(self._number)

    @property
    def size(self) -> int:
        """Bytes of the stream, including heads of records."""
        self._check_open()
        return self._container._contents.row(self._number).size

    @property
    def chunks(self) -> int:
        """Number of chunks; a task without data has one."""
        return self._container._contents.row(self._number).chunks

    @property
    def chunksize(self) -> int:
        """Size of each of its chunks in bytes."""
        return self._container._contents.row(self._number).chunksize

    @property
    def file(self) -> str:
        """Name of the physical file that contains the task."""
        return self._container.members[self._container._contents.locate(self._number)[0]]


class PureTasks(Tasks):
    """The tasks of such a container, or a slice of them."""

    _container: "PureContainer"

    @overload
    def __getitem__(self, index: int) -> PureTask: ...

    @overload
    def __getitem__(self, index: slice) -> "PureTasks": ...

    def __getitem__(self, index: "int | slice") -> "PureTask | PureTasks":
        self._container._check_open()
        if isinstance(index, slice):
            return PureTasks(self._container, self._numbers[index])
        try:
            return PureTask(self._container, self._numbers[index])
        except IndexError:
            raise IndexError(f"task {index} of {len(self)}") from None

    def __iter__(self) -> "Iterator[Task]":
        self._container._check_open()
        return (PureTask(self._container, number) for number in self._numbers)


def _shown(contents: Contents) -> int:
    return max(1, contents.files[0].generation)


class PureContainer(Container):
    """A container that is read without the compiled library."""

    def __init__(self, name: str, contents: Contents, mode: str, parsed: words.Mode,
                 options: "dict[str, Any] | None") -> None:
        self._contents = contents
        self._mode, self._options = parsed, options
        head = contents.head
        super().__init__(name, 0, head.fsblksize, False, Facts(head.is_keyval, head.big_endian), mode)
        self._generation = 1 if isinstance(contents, FarContents) else _shown(contents)
        self._sees_all = parsed.all_generations
        self._open_streams: "dict[int, Stream]" = {}
        self._selected = 0  # the task that was read last
        self._reached: "dict[int, int]" = {}  # where reads of tasks have ended

    def _new_arrays(self) -> Arrays:
        # Arrays of a file here are read by its full name, as the folder may be changed.
        return Arrays(self.name, self._options, self._contents if is_url(self.name) else None,
                      self._open_mode)

    def _go_on(self) -> bool:
        old, sees_all = self._contents.whole(), self._sees_all
        if old.is_newest():
            return False
        new = open_contents(self.name, self._mode, options=self._options)
        try:
            if not newer.goes_on(self.name, old, new.whole(), sees_all):
                new.close()
                return False
            gone = newer.lost(old, new.whole()) if sees_all else None
        except Error:
            new.close()
            raise
        if gone is not None:
            newer.warn_of_lost(self.name, old, new.whole(), {self._selected: 0, **self._reached})
            self._lost = gone if self._lost is None else self._lost + gone
            self._reached = {task: at - int(gone[task]) for task, at in self._reached.items() if at > gone[task]}
        self._contents.close()
        self._contents, self._generation = new, _shown(new.whole())
        self._open_streams.clear()
        return True

    def publish(self) -> None:
        """Containers are published by those who write them."""
        self._refuse()

    def __repr__(self) -> str:
        return f"<sion.Container {self.name!r}, " + \
            ("closed>" if self.closed else f"{self._contents.ntasks} tasks>")

    def __len__(self) -> int:
        return self._contents.ntasks

    def __del__(self) -> None:
        if getattr(self, "_packed", None) is not None:
            self._packed._close()
        if getattr(self, "_sid", -1) >= 0:
            self._sid = -1
            self._contents.close()

    def close(self) -> None:
        """Close the container."""
        with self._lock:
            self._arrays._close()
            self._packed._close()
            self._open_streams.clear()
            if self._sid >= 0:
                if not isinstance(self._contents, FarContents):
                    self._known  # stays known after the close
                self._sid = -1
                self._contents.close()

    @property
    def tasks(self) -> PureTasks:
        """All tasks: ``container.tasks[3]``, ``container.tasks[2:]``, ``for task in ...``."""
        return PureTasks(self, range(self._contents.ntasks))

    @property
    def members(self) -> "list[str]":
        """Names of the physical files, by number."""
        return [member_name(self.name, number) for number in range(self._contents.nfiles)]

    def _query(self) -> Meta:
        contents = self._contents.whole()
        files = np.zeros(contents.ntasks, np.int32) if contents.pairs is None else contents.pairs[:, 0].copy()
        columns = {name: contents.column(name) for name in ("ranks", "chunksizes", "counts", "sizes")}
        files.flags.writeable = False
        for column in columns.values():
            column.flags.writeable = False
        head = contents.head
        return Meta(ntasks=contents.ntasks, nfiles=contents.nfiles, fsblksize=head.fsblksize,
                    keyval=head.is_keyval, byteorder=_BYTE_ORDERS[head.big_endian],
                    maxchunks=contents.maxchunks, ranks=columns["ranks"], chunksizes=columns["chunksizes"],
                    chunks=columns["counts"], sizes=columns["sizes"], filenumbers=files)

    def _open_file(self) -> BinaryIO:
        return io.BufferedReader(_FileOf(self._contents.whole().files[0].source))

    def _chunk_bytes(self, number: int) -> "NDArray[np.int64]":
        with self._lock:
            return self._contents.row(number).used.copy()

    def _streams_of(self, number: int) -> Stream:
        """The stream of a task; that of the last one is kept, which most reads are of."""
        if number not in self._open_streams:
            self._open_streams = {number: self._contents.stream(number)}
        return self._open_streams[number]

    def _map_chunk(self, number: int) -> "memoryview | None":
        with self._lock:
            source, extents = self._contents.place(number)
            if source.is_remote or isinstance(source, Guard) or len(extents.offsets) != 1:
                return None
            file = self._contents.locate(number)[0]
            if file not in self._files:
                self._files[file] = source.map()
            mapped, start = self._files[file], int(extents.offsets[0])
            end = start + extents.size
            return memoryview(mapped)[start:end] if mapped is not None and end <= len(mapped) else None

    def _stream_starts(self, tasks: "NDArray[np.int32]") -> "NDArray[np.int64]":
        contents = self._contents
        if len(tasks) > 16 or contents is contents.whole():
            sizes = self._known.sizes[tasks]
            bad = [task for task in tasks.tolist() if contents.damage(task)] if \
                any(file.damages for file in contents.files) else []
            for task in bad:
                contents.check(task)
        else:
            sizes = np.array([contents.row(task).size for task in tasks.tolist()], np.int64)
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    def _read_streams(self, tasks: "NDArray[np.int32]", starts: "NDArray[np.int64]",
                      data: "NDArray[np.uint8]") -> None:
        self._contents.read_many(tasks.tolist(), starts[:-1].tolist(), memoryview(data.data))

    def _refuse(self) -> NoReturn:
        raise Error("container is open for reading", Code.MODE)

    def define_array(self, name: str, dtype: "DTypeLike", shape: Any, *, attributes: Any = None,
                     codec: Any = None) -> None:
        """Arrays are defined in containers that are written."""
        self._refuse()

    def set_attribute(self, key: str, value: str, array: "str | None" = None) -> None:
        """Attributes are stored in containers that are written."""
        self._refuse()

    def put_array(self, name: str, step: int, offset: Any, data: "ArrayLike", *, task: int = 0) -> None:
        """Arrays are put into containers that are written."""
        self._refuse()


class _FileOf(io.RawIOBase):
    """A physical file as a raw file object."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self._source, self._position = source, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._position = offset + (0, self._position, self._source.size)[whence]
        return self._position

    def tell(self) -> int:
        return self._position

    def readinto(self, buffer: Any) -> int:
        with memoryview(buffer).cast("B") as view:
            got = self._source.read_some(self._position, view.nbytes)
            view[:len(got)] = got
        self._position += len(got)
        return len(got)


class _PureRecords(_Records):
    """An index of records that also says where they are."""

    def __init__(self) -> None:
        super().__init__()
        self.positions: "dict[int, array.array[int]]" = {}

    def add(self, key: int, size: int, position: int) -> None:
        """Append a record."""
        self.order.append(key)
        self.sizes.setdefault(key, array.array("Q")).append(size)
        self.positions.setdefault(key, array.array("q")).append(position)


def scan(stream: Stream, order: str) -> _PureRecords:
    """Find all records of a stream. Values that are longer than the window are passed over."""
    index, head = _PureRecords(), struct.Struct(order + "QQ")
    position, first, window = 0, 0, b""
    while position < stream.size:
        left = stream.size - position
        if left < _HEAD:
            raise damaged(f"key-value stream ends inside a record header at byte {position}")
        if not first <= position <= first + len(window) - _HEAD:
            data = bytearray(min(_WINDOW, left))
            stream.read(position, memoryview(data))
            first, window = position, bytes(data)
        key, size = head.unpack_from(window, position - first)
        if size > left - _HEAD:
            raise damaged(f"key-value record at byte {position} says {size} bytes, {left - _HEAD} are left")
        index.add(key, size, position + _HEAD)
        position += _HEAD + size
    return index


def open_pure(name: "str | os.PathLike[str]", mode: str,
              options: "dict[str, Any] | None" = None) -> PureContainer:
    """Open a container for reading without the compiled library."""
    path = os.fsdecode(name)
    if "\0" in path:
        raise ValueError("embedded null byte in a file name")
    parsed = words.parse(mode)
    return PureContainer(path, open_contents(path, parsed, options=options), mode, parsed, options)

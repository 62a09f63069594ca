"""Containers that one process reads or writes."""

from __future__ import annotations

import builtins
import io
import math
import mmap
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Iterator, Sequence, overload

import numpy as np

from ._backend import is_pure
from ._declarations import CURRENT_BLK, CURRENT_POS, DUP_RANK
from ._library import check, failure, ffi, lib, libc, name_of, open_lock
from .arrays import Arrays, ArrayWriter
from .bulk import ManyStreams
from .errors import Code, Error
from .files import Files
from .opened import Opened
from .pure.contents import keeps_generations
from .pure.source import is_url
from .streams import Facts, Task, generation_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_BYTE_ORDERS = ("little", "big")


@dataclass(frozen=True)
class Meta:
    """The metadata of a container. Arrays have one entry for each task."""

    ntasks: int
    nfiles: int  #: physical files
    fsblksize: int  #: bytes of a block of the file system, to which chunks are aligned
    keyval: bool  #: whether the streams consist of records with keys
    byteorder: str  #: of the users' data: "little" or "big"
    maxchunks: int  #: the largest number of chunks of any task
    ranks: "NDArray[np.int64]"  #: numbers stored by the writer, usually ranks in its program
    chunksizes: "NDArray[np.int64]"  #: size of a chunk in bytes
    chunks: "NDArray[np.int64]"  #: number of chunks
    sizes: "NDArray[np.int64]"  #: bytes used in all chunks together
    filenumbers: "NDArray[np.int32]"  #: number of the physical file

    @property
    def bytes(self) -> int:
        """Bytes used by all tasks together."""
        return int(self.sizes.sum())


class Tasks(ManyStreams, Sequence[Task]):
    """The tasks of a container, or a slice of them."""

    def __init__(self, container: "Container", numbers: range) -> None:
        self._container = container
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def __repr__(self) -> str:
        return f"<{len(self)} tasks of {self._container.name!r}>"

    @overload
    def __getitem__(self, index: int) -> Task: ...

    @overload
    def __getitem__(self, index: slice) -> "Tasks": ...

    def __getitem__(self, index: "int | slice") -> "Task | Tasks":
        self._container._check_open()
        if isinstance(index, slice):
            return Tasks(self._container, self._numbers[index])
        try:
            return Task(self._container, self._numbers[index])
        except IndexError:
            raise IndexError(f"task {index} of {len(self)}") from None

    def __iter__(self) -> Iterator[Task]:
        self._container._check_open()
        return (Task(self._container, number) for number in self._numbers)

    def _ranks(self) -> "NDArray[np.int32]":
        return np.arange(self._numbers.start, self._numbers.stop, self._numbers.step, np.int32)

    @property
    def sizes(self) -> "NDArray[np.int64]":
        """Bytes of each task: one array for all, without one call for each task."""
        return self._container.meta.sizes[np.asarray(self._numbers, dtype=np.int64)]

    @property
    def ranks(self) -> "NDArray[np.int64]":
        """The number that the writer stored with each task."""
        return self._container._known.ranks[np.asarray(self._numbers, dtype=np.int64)]


class Container(Opened, ArrayWriter):
    """A container that this process has opened with :func:`open` or :func:`create`.

    Use it in a ``with`` statement: the close writes the metadata, without which nobody can read a
    new container. Threads may share it; their calls wait for each other.
    """

    def __init__(self, name: str, sid: int, fsblksize: int, writing: bool,
                 facts: "Facts | None" = None, mode: str = "r") -> None:
        super().__init__(name, sid, writing, facts)
        self._fsblksize = fsblksize
        self._open_mode = mode
        self._generation = 1  # that is shown; before there is one, bytes are those of the first
        self._sees_all = "generation=all" in mode.replace(" ", "").split(",")
        self._lost: "NDArray[np.int64] | None" = None  # bytes of tasks that were shown and are forgotten
        self._selected = 0  # the task that was read last
        self._meta: "Meta | None" = None
        self._files: "dict[int, mmap.mmap | None]" = {}
        self._arrays = self._new_arrays()
        self._packed = Files(self)

    def __repr__(self) -> str:
        return f"<sion.Container {self.name!r}, " + \
            ("closed>" if self.closed else f"{self._known.ntasks} tasks>")

    def __len__(self) -> int:
        return self._known.ntasks

    def __del__(self) -> None:
        if getattr(self, "_packed", None) is not None:
            self._packed._close()
        if getattr(self, "_sid", -1) >= 0:
            try:
                self._close_with(lib.sion_close)
            except OSError:
                pass  # nobody could catch the error; writers should call close()

    def close(self) -> None:
        """Close the container. One that was written is complete after that.

        :raises sion.Error: data could not be written. The container is closed nevertheless.
        """
        with self._lock:
            self._arrays._close()
            self._packed._close()
            self._close_with(lib.sion_close)

    @property
    def tasks(self) -> Tasks:
        """All tasks: ``container.tasks[3]``, ``container.tasks[2:]``, ``for task in ...``."""
        return Tasks(self, range(self._known.ntasks))

    @property
    def arrays(self) -> Arrays:
        """The arrays by name: ``container.arrays["T"][42][10:20, :]`` is a part of step 42.

        Arrays cannot be read while the container is written.
        """
        self._check_open()
        if self._writing:
            raise io.UnsupportedOperation("arrays: the container is open for writing")
        return self._arrays

    def put_array(self, name: str, step: int, offset: "Sequence[int]", data: "ArrayLike", *,
                  task: int = 0) -> None:
        """Write one block of an array into a task's stream.

        :param name: as defined by :meth:`define_array`
        :param step: >= 0, the time step that the block belongs to
        :param offset: the block's first element in the array, an index for each dimension
        :param data: the block, without masked elements; its type is converted if the kind of number stays
            the same and, for integers, the elements fit
        :param task: the task that writes it; where blocks of a step overlap, the last task counts
        :raises sion.Error: the block is not within the array's shape, or cannot be written
        :raises TypeError: it has another kind of number
        :raises ValueError: it has masked elements, or integers that do not fit
        """
        with self._lock:
            self.tasks[task]._select()
            self._put_array(name, step, offset, data)

    def publish(self) -> None:
        """Let others read what all tasks have written so far, as if it were closed; it stays open.

        :raises sion.Error: data could not be written, or the container cannot be published
        """
        with self._lock:
            self._check_open()
            check(lib.sion_publish(self._sid))

    def refresh(self) -> int:
        """Go on with the newest state of a container that another program writes and publishes.

        Until then, a container shows the state that was the newest one when it was opened. Positions in
        its tasks stay; arrays and packed files are found again. A container that keeps generations goes
        on to the newest one, or with ``generation=-1`` to the one before that, and so on; if that is
        another one, all tasks are at its first byte. A generation that was opened by its number stays.
        With ``generation=all``, what the writer has forgotten goes from the beginning of the streams, and
        tasks whose next bytes that were go to the first one that is left; a warning names generations that
        were forgotten before all of them was read.

        :returns: how many bytes its tasks have got since then; of another generation, all that it has
        :raises sion.Error: it cannot be read any more, or is another one, or the generation that was
            opened by its number is forgotten; nothing has changed
        """
        with self._lock:
            self._check_open()
            if self._writing:
                raise io.UnsupportedOperation("refresh: the container is open for writing")
            before, generation, lost = self._known.bytes, self._generation, self._bytes_lost()
            if not self._go_on():
                return 0
            self._at, self._meta = None, None
            self._files.clear()
            self._indices.clear()
            self._arrays._close()
            self._packed._close()
            self._arrays, self._packed = self._new_arrays(), Files(self)
            gone = self._bytes_lost() - lost
            return self._known.bytes - (before - gone if self._generation == generation else 0)

    def _lost_of(self, number: int) -> int:
        return int(self._lost[number]) if self._lost is not None else 0

    def _bytes_lost(self) -> int:
        return int(self._lost.sum()) if self._lost is not None else 0

    def _go_on(self) -> bool:
        """Read the newest tables; whether there may be some. Sets the generation that is shown."""
        check(lib.sion_refresh(self._sid) >= 0)
        self._generation = generation_of(self._sid)
        if self._sees_all and keeps_generations(self.name):
            self._query_lost()
        return True

    def _query_lost(self) -> None:
        """What all tasks have lost. Then the task is selected again that was read last."""
        count, lost = ffi.new("sion_int64 *"), np.zeros(self._known.ntasks, np.int64)
        for number in range(len(lost)):
            if lib.sion_seek(self._sid, number, CURRENT_BLK, CURRENT_POS) == 1:  # it is not damaged
                check(lib.sion_get_generation(self._sid, ffi.NULL, count))
                lost[number] = count[0]
        lib.sion_seek(self._sid, self._selected, CURRENT_BLK, CURRENT_POS)
        self._lost = lost

    def _new_arrays(self) -> Arrays:
        return Arrays(self.name, mode=self._open_mode)

    @property
    def meta(self) -> Meta:
        """The metadata; while the container is written, those of this moment."""
        with self._lock:
            if self._writing and not self.closed:
                self._meta = self._query()
            return self._known

    @property
    def _known(self) -> Meta:
        """The metadata, perhaps of an earlier moment: use only what writing does not change."""
        with self._lock:
            if self._meta is None:
                self._check_open()
                self._meta = self._query()
            return self._meta

    @property
    def files(self) -> Files:
        """The packed files by their paths: ``container.files["a/b"].open()``; none: it has no such files."""
        self._check_open()
        if self._writing:
            raise io.UnsupportedOperation("files: the container is open for writing")
        return self._packed

    @property
    def members(self) -> "list[str]":
        """Names of the physical files, by number."""
        members = [f"{self.name}.{number:06d}" for number in range(1, self._known.nfiles)]
        return [self.name, *members]

    def _query(self) -> Meta:
        """All tables in a fixed number of calls, however many tasks there are."""
        ntasks, maxchunks, (sizes, ranks, counts, used) = self._locations()
        bytes_used = np.zeros(ntasks, np.int64)
        for chunk, row in enumerate(used):  # entries of chunks that a task does not have mean nothing
            bytes_used += np.where(counts > chunk, row, 0)
        nfiles, filenumbers = self._query_files(ntasks)
        return Meta(ntasks=ntasks, nfiles=nfiles, fsblksize=self._fsblksize,
                    keyval=self._facts.keyval, byteorder=_BYTE_ORDERS[self._facts.big_endian],
                    maxchunks=maxchunks, ranks=_copy(ranks), chunksizes=_copy(sizes),
                    chunks=_copy(counts), sizes=_copy(bytes_used), filenumbers=filenumbers)

    def _locations(self) -> "tuple[int, int, list[NDArray[np.int64]]]":
        """The library's tables of all tasks. The library owns them and frees them at the close."""
        ntasks, maxchunks = ffi.new("int *"), ffi.new("int *")
        tables = [ffi.new("sion_int64 **") for _ in range(4)]
        check(lib.sion_get_locations(self._sid, ntasks, maxchunks, ffi.NULL, ffi.NULL, *tables) == 1)
        n = ntasks[0]
        shapes = [(n,), (n,), (n,), (maxchunks[0], n)]
        views = [_view(table[0], shape, "i8") for table, shape in zip(tables, shapes)]
        return n, maxchunks[0], views

    def _query_files(self, ntasks: int) -> "tuple[int, NDArray[np.int32]]":
        entries, pairs, nfiles = ffi.new("int *"), ffi.new("sion_int32 **"), ffi.new("int *")
        check(lib.sion_get_mapping(self._sid, entries, pairs, nfiles) == 1)
        if entries[0] != ntasks or pairs[0] == ffi.NULL:
            return 1, np.zeros(ntasks, np.int32)  # one file, or one of a set by itself
        return nfiles[0], _copy(_view(pairs[0], (ntasks, 2), "i4")[:, 0])

    def _open_file(self) -> BinaryIO:
        """The bytes of the first physical file."""
        return builtins.open(self.name, "rb")

    def _chunk_bytes(self, number: int) -> "NDArray[np.int64]":
        with self._lock:
            _, _, (_, _, counts, used) = self._locations()
            return used[:counts[number], number].copy()

    def _map_chunk(self, number: int) -> "memoryview | None":
        """The bytes of chunk 0 of a task, mapped into memory; None if they cannot be mapped."""
        with self._lock:
            mapped = self._map_file(number)
            if mapped is None:
                return None
            check(lib.sion_seek(self._sid, number, 0, 0) == 1)
            self._at = None
            start = lib.sion_get_position(self._sid)
            end = start + int(self._known.sizes[number])
            return memoryview(mapped)[start:end] if 0 <= start <= end <= len(mapped) else None

    def _map_file(self, number: int) -> "mmap.mmap | None":
        """The physical file of a task. Each file is mapped once, when it is first needed."""
        filenumber = int(self._known.filenumbers[number])
        if filenumber not in self._files:
            self._files[filenumber] = self._map_file_of(number)
        return self._files[filenumber]

    def _map_file_of(self, number: int) -> "mmap.mmap | None":
        with open_lock:
            sid = lib.sion_dup(self._sid, DUP_RANK, number, 0)
        if sid < 0:
            raise failure()
        try:
            fp = lib.sion_get_fp(sid)
            descriptor = libc.fileno(fp) if fp else -1
            return mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ) if descriptor >= 0 else None
        except (OSError, ValueError):
            return None  # no memory or no descriptor is left: the caller reads the data
        finally:
            with open_lock:
                lib.sion_dedup(sid)


def _view(pointer: Any, shape: "tuple[int, ...]", kind: str) -> "NDArray[Any]":
    """A view of an array that the library owns."""
    size = math.prod(shape) * np.dtype(kind).itemsize
    return np.frombuffer(ffi.buffer(pointer, size), kind).reshape(shape)


def _copy(array: "NDArray[Any]") -> "NDArray[Any]":
    """A read-only copy of an array, which stays when the library frees its own."""
    array = array.copy()
    array.flags.writeable = False
    return array


def open(name: "str | os.PathLike[str]", *, mode: str = "r",  # noqa: A001
         storage_options: "dict[str, Any] | None" = None) -> Container:
    """Open a container for reading, with all its tasks.

    If it was written merged (cmerge), and says which bytes are whose, each task has its own bytes in
    one chunk.

    :param name: of the container, that is, of its first file. Or the name of another file of a set:
        this opens the tasks in that file alone. Or the URL of either, for fsspec
    :param mode: further words of sion(7), separated by commas; words for writing are refused
    :param storage_options: of a URL, for its file system
    :raises sion.Error: the file cannot be opened, is no container, is damaged or was never closed, or
        a file of the set is missing
    """
    words = [word.strip() for word in mode.split(",")]
    if {"w", "wb", "bw"} & set(words):
        raise ValueError("sion.open reads; sion.create writes")
    if is_url(os.fsdecode(name)) or is_pure():
        from .pure.container import open_pure

        return open_pure(name, mode, storage_options)
    ntasks, nfiles = ffi.new("int *"), ffi.new("int *")
    fsblksize = ffi.new("sion_int32 *")
    with open_lock:
        sid = lib.sion_open(name_of(name), f"{mode},cmerge".encode(), ntasks, nfiles, ffi.NULL,
                            fsblksize, ffi.NULL, ffi.NULL)
    if sid < 0:
        raise failure()
    container = Container(os.fsdecode(name), sid, fsblksize[0], writing=False, mode=mode)
    container._generation = generation_of(sid)
    return container


def create(name: "str | os.PathLike[str]", chunksizes: "int | ArrayLike", *,
           ntasks: "int | None" = None, ranks: "ArrayLike | None" = None, keyval: bool = False,
           fsblksize: int = -1, byteorder: "str | None" = None, mode: str = "") -> Container:
    """Create a container, or empty an existing one, and open it to write all its tasks.

    :param chunksizes: bytes of a chunk for each task, or one number for all, with ``ntasks``. A
        task may use any number of chunks; one chunk that holds all its data is best.
    :param ntasks: number of tasks, if chunksizes is one number
    :param ranks: numbers to store with the tasks; None: 0, 1, 2, ...
    :param keyval: write records with keys, not plain bytes
    :param fsblksize: block size in bytes, to which chunks are aligned; -1: that of the file system
    :param byteorder: byte order of the data that will be written, "little" or "big", which readers
        can ask for; None: this machine's
    :param mode: further words of the mode string, such as "recover" or "checksum"
    :raises sion.Error: the file cannot be created
    """
    sizes = np.asarray(chunksizes, dtype=np.int64)
    if sizes.ndim == 0:
        sizes = np.full(1 if ntasks is None else ntasks, sizes, dtype=np.int64)
    elif sizes.ndim > 1 or ntasks not in (None, len(sizes)):
        raise ValueError("chunksizes must have one number for each task")
    if byteorder not in (None, *_BYTE_ORDERS):
        raise ValueError("byteorder must be 'little', 'big' or None")
    numbers = np.arange(len(sizes)) if ranks is None else np.asarray(ranks)
    if numbers.shape != sizes.shape:
        raise ValueError(f"ranks has {numbers.size} numbers, but there are {sizes.size} tasks")
    sizes = np.ascontiguousarray(sizes)
    numbers = np.ascontiguousarray(numbers, dtype=np.int32)
    words = "wb" + (",keyval=inline" if keyval else "") + \
        (f",endianness={byteorder}" if byteorder else "") + (f",{mode}" if mode else "")
    blocks = ffi.new("sion_int32 *", fsblksize)
    with open_lock:
        sid = lib.sion_open(name_of(name), words.encode(), ffi.new("int *", len(sizes)),
                            ffi.new("int *", 1),
                            ffi.new("sion_int64 *[1]", [ffi.from_buffer("sion_int64[]", sizes)]),
                            blocks, ffi.new("int *[1]", [ffi.from_buffer("int[]", numbers)]),
                            ffi.NULL)
    if sid < 0:
        raise failure()
    return Container(os.fsdecode(name), sid, blocks[0], writing=True)


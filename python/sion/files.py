"""Packed files: what sionmerge --files and sionrun put into a container, by their paths."""

from __future__ import annotations

import io
import operator
import os
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, BinaryIO, Iterator

import numpy as np

from . import _packed
from .errors import Code, Error, Warning  # noqa: A004

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from .container import Container


class PackedFile(io.RawIOBase):
    """The bytes of a packed file as a raw file object; :meth:`File.open` buffers it."""

    def __init__(self, file: "File") -> None:
        super().__init__()
        self._stream = file._container.tasks[file._entry.task]
        self._begin, self._size = file._entry.data, file.size
        self._position = 0

    def readable(self) -> bool:
        """It can be read."""
        return True

    def seekable(self) -> bool:
        """It can seek."""
        return True

    def tell(self) -> int:
        """The position in the file, in bytes."""
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a byte, which may be beyond the end."""
        starts = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}
        if whence not in starts:
            raise ValueError(f"invalid whence ({whence}, should be 0, 1 or 2)")
        position = starts[whence] + operator.index(offset)
        if position < 0:
            raise ValueError(f"negative seek position {position}")
        self._position = position
        return position

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer; fewer bytes only at the end."""
        with memoryview(buffer).cast("B") as view:
            wanted = min(view.nbytes, max(0, self._size - self._position))
            if wanted:
                self._stream.seek(self._begin + self._position)
                wanted = self._stream.readinto(view[:wanted])
            self._position += wanted
        return wanted


class File:
    """A file, folder, link or pipe that is packed in a container."""

    def __init__(self, container: "Container", entry: _packed.Entry) -> None:
        self._container = container
        self._entry = entry

    def __repr__(self) -> str:
        return f"<sion.File {self.path!r} in {self._container.name!r}, {self.type}, {self.size} bytes>"

    @property
    def path(self) -> str:
        """Its path in the tree; bytes that are not UTF-8 are as :func:`os.fsdecode` makes them."""
        return os.fsdecode(self._entry.path)

    @property
    def type(self) -> str:
        """"file", "folder", "link", "hard link" or "pipe"."""
        return self._entry.type

    @property
    def task(self) -> int:
        """The number of the task whose stream has it."""
        return self._entry.task

    @property
    def size(self) -> int:
        """Bytes; of a hard link, those of its file."""
        return self._original()._entry.size if self.type == "hard link" else self._entry.size

    @property
    def mode(self) -> int:
        """Its permissions, as of :func:`os.chmod`."""
        return self._entry.mode

    @property
    def uid(self) -> int:
        """The number of its owner."""
        return self._entry.uid

    @property
    def gid(self) -> int:
        """The number of its group."""
        return self._entry.gid

    @property
    def mtime_ns(self) -> int:
        """When it was changed last, in nanoseconds since 1970."""
        return self._entry.mtime_ns

    @property
    def target(self) -> "str | None":
        """Where a link leads; of a hard link, the path of its file."""
        return os.fsdecode(self._entry.target) if self._entry.target else None

    def _original(self) -> "File":
        if self.type == "file":
            return self
        if self.type != "hard link":
            raise IsADirectoryError(self.path) if self.type == "folder" else \
                io.UnsupportedOperation(f"{self.path} is a {self.type}")
        original = self._container.files[os.fsdecode(self._entry.target)]
        if original.type != "file":
            raise Error(f"{self.path} is a link to {original.path}, which is no file", Code.DAMAGED)
        return original

    def open(self) -> io.BufferedReader:
        """A file object that reads it, in the container, without a copy.

        :raises sion.Error: the index says that it is where it is not
        """
        original = self._original()
        original._check()
        return io.BufferedReader(PackedFile(original))

    def read(self) -> bytes:
        """All its bytes."""
        with self.open() as file:
            return file.read()

    def array(self, dtype: "DTypeLike", offset: int = 0, count: int = -1) -> "NDArray[Any]":
        """It as a numpy array, as of :meth:`Stream.array`: mapped where that is possible."""
        original = self._original()
        original._check()
        size, kind = original.size, np.dtype(dtype)
        if not 0 <= offset <= size:
            raise ValueError(f"offset {offset} is outside of the file of {size} bytes")
        if count < 0:
            if kind.itemsize == 0 or (size - offset) % kind.itemsize:
                raise ValueError(f"{size - offset} bytes are no whole number of elements of "
                                 f"{kind.itemsize}")
            count = (size - offset) // kind.itemsize
        if count * kind.itemsize > size - offset:
            raise ValueError(f"{count} elements of {kind.itemsize} bytes wanted, "
                             f"{size - offset} bytes left")
        task = self._container.tasks[original.task]
        return task.array(dtype, original._entry.data + offset, count)

    def _check(self) -> None:
        """The header in front of the data is that of a file of this size."""
        entry = self._entry
        stream = self._container.tasks[entry.task]
        is_there = _packed.tarfile.BLOCKSIZE <= entry.data <= stream.size - entry.size
        if is_there:
            stream.seek(entry.data - _packed.tarfile.BLOCKSIZE)
            is_there = _packed.is_header_of(stream.read(_packed.tarfile.BLOCKSIZE), entry)
        if not is_there:
            raise Error(f"{self.path} is not where the index says, in task {entry.task}",
                        Code.DAMAGED)


class Files(Mapping[str, File]):
    """The packed files of a container by their paths, in the order of these.

    ``container.files["a/b"]``, ``"a/b" in container.files``, ``for path in container.files``. They
    are found by the index of the container, or else by the headers in its streams. Of a path that
    several tasks have, the first one's file is found.
    """

    def __init__(self, container: "Container") -> None:
        self._container = container
        self._known: "_packed.Index | _packed.Listed | None" = None
        self._file: "BinaryIO | None" = None

    def __repr__(self) -> str:
        return f"<{len(self)} packed files of {self._container.name!r}>"

    def __len__(self) -> int:
        return self._entries().count

    def __iter__(self) -> "Iterator[str]":
        return (file.path for file in self.values())

    def __getitem__(self, path: str) -> File:
        wanted = os.fsencode(path)
        for entry in self._safely(self._entries().entries(wanted)):
            if entry.path == wanted:
                return File(self._container, entry)
            break
        raise KeyError(path)

    def values(self) -> "Iterator[File]":  # type: ignore[override]
        """All files, one after the other."""
        return (File(self._container, entry) for entry in self._safely(self._entries().entries()))

    def items(self) -> "Iterator[tuple[str, File]]":  # type: ignore[override]
        """All paths with their files, one after the other."""
        return ((file.path, file) for file in self.values())

    def list(self, folder: str = "") -> "Iterator[tuple[str, File | None]]":
        """The names in a folder, "" being the root; None instead of the file: a folder that has no entry."""
        above = os.fsencode(folder)
        begin = len(above) + bool(above)
        known = self._entries()
        rest = self._safely(known.entries(above))
        entry = next(rest, None)
        while entry is not None and _packed.is_below(entry.path, above):
            if entry.path == above or not _packed.is_clean(entry.path):
                entry = next(rest, None)
                continue
            name = entry.path[begin:].partition(b"/")[0]
            path = entry.path[:begin] + name
            yield os.fsdecode(name), File(self._container, entry) if path == entry.path else None
            entry = next(rest, None)
            if entry is not None and _packed.is_below(entry.path, path):
                rest = self._safely(known.entries(path, after=True))
                entry = next(rest, None)

    def _safely(self, entries: "Iterator[_packed.Entry]") -> "Iterator[_packed.Entry]":
        try:
            yield from entries
        except _packed.DamagedError as error:
            raise Error(f"{self._container.name}: {error}", Code.DAMAGED) from None

    def _entries(self) -> "_packed.Index | _packed.Listed":
        with self._container._lock:
            if self._known is None:
                self._container._check_open()
                self._known = self._open_index() or self._scan()
            return self._known

    def _open_index(self) -> "_packed.Index | None":
        if self._file is None:
            self._file = self._container._open_file()
        lengths = self._container.meta.sizes.astype("<i8").tobytes()
        try:
            return _packed.open_index(self._file, lengths)
        except _packed.DamagedError as error:
            warnings.warn(f"{self._container.name}: {error}; the tars are read instead", Warning,
                          stacklevel=5)
            return None

    def _scan(self) -> "_packed.Listed":
        """By the headers in the streams, if these are tars."""
        found: "list[_packed.Entry]" = []
        tasks = [task for task in self._container.tasks if task.size]
        if self._container.meta.keyval or not all(map(_begins_as_tar, tasks)):
            return _packed.Listed(found)
        for task in tasks:
            task.seek(0)
            try:
                found.extend(_packed.scan(io.BufferedReader(task), task.number))
            except _packed.DamagedError as error:
                warnings.warn(f"{self._container.name}: {error}; the files behind it are left out",
                              Warning, stacklevel=5)
        return _packed.Listed(found)

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()


def _begins_as_tar(task: Any) -> bool:
    task.seek(0)
    return _packed.is_tar(task.read(_packed.tarfile.BLOCKSIZE))

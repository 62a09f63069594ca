"""An fsspec file system over containers: ``sion://x.sion/3`` is the stream of task 3.

A container is a folder with a file for each task. In a key-value container, each task is a folder
with a file for each key, which holds all records of the key, one after the other::

    sion:///data/x.sion/3           task 3
    sion:///data/keys.sion/3/17     the records of key 17 of task 3

Behind "#" are packed files, by their paths::

    sion:///data/case.sion#/0.1/U   the file 0.1/U
    sion:///data/case.sion#         the folder of all of them

It is read-only. Importing this module registers "sion"; so does installing the package.
"""

from __future__ import annotations

import io
import os
import threading
from typing import Any, NamedTuple

import fsspec
from fsspec.spec import AbstractBufferedFile, AbstractFileSystem

from .container import Container, open
from .files import File
from .streams import Task


class _Place(NamedTuple):
    """What a path names: a container, perhaps a task in it, perhaps a key of the task."""

    container: Container
    task: "int | None"
    key: "int | None"
    path: "str | None" = None  #: or a packed file; "": the folder of all


class SionFile(AbstractBufferedFile):
    """The stream of a task, with the methods that fsspec's readers call."""

    def __init__(self, *arguments: Any, stream: Task, **options: Any) -> None:
        self._stream = stream
        super().__init__(*arguments, **options)

    def _fetch_range(self, start: int, end: int) -> bytes:
        self._stream.seek(start)
        return self._stream.read(end - start)


class SionFileSystem(AbstractFileSystem):
    """Containers as folders. They stay open as long as the file system object exists."""

    protocol = "sion"
    root_marker = ""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._containers: "dict[str, tuple[tuple[int, ...], Container]]" = {}
        self._containers_lock = threading.Lock()

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        if isinstance(path, list):
            return [cls._strip_protocol(one) for one in path]
        path = os.fspath(path)
        if path.startswith("sion://"):
            path = path[len("sion://"):]
        return path.rstrip("/") or "/"

    def _container(self, name: str) -> Container:
        """Open a container once, and again if the file has changed."""
        status = os.stat(name)
        version = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
        with self._containers_lock:
            if name not in self._containers or self._containers[name][0] != version:
                self._containers[name] = version, open(name)
            return self._containers[name][1]

    def _find(self, path: str) -> _Place:
        """Find the container, which is the first file on the path; numbers follow it, or a path."""
        path = self._strip_protocol(path)
        outer, mark, inner = path.partition("#")
        if mark and os.path.isfile(outer):
            return _Place(self._container(outer), None, None, inner.strip("/"))
        name = path
        numbers: "list[str]" = []
        while name and not os.path.isfile(name):
            name, _, last = name.rpartition("/")
            numbers.insert(0, last)
        if not name or len(numbers) > 2 or not all(n.isascii() and n.isdigit() for n in numbers):
            raise FileNotFoundError(path)
        container = self._container(name)
        if not numbers:
            return _Place(container, None, None)
        task = int(numbers[0])
        if task >= len(container):
            raise FileNotFoundError(f"{path}: the container has {len(container)} tasks")
        if len(numbers) == 1:
            return _Place(container, task, None)
        key = int(numbers[1])
        if not container.meta.keyval or key not in container.tasks[task].keys():
            raise FileNotFoundError(path)
        return _Place(container, task, key)

    def _entries(self, place: _Place, path: str) -> "list[dict[str, Any]]":
        """The entries of a folder, which is a container or a task of a key-value container."""
        container, task, _, inner = place
        if inner is not None:
            return self._list_packed(place, path)
        if task is None:
            kind = "directory" if container.meta.keyval else "file"
            sizes = [0] * len(container) if container.meta.keyval else container.meta.sizes.tolist()
            return [{"name": f"{path}/{number}", "size": size, "type": kind}
                    for number, size in enumerate(sizes)]
        stream = container.tasks[task]
        return [{"name": f"{path}/{key}", "size": stream.stat(key)[1], "type": "file"}
                for key in stream.keys()]

    def _packed_info(self, name: str, file: "File | None") -> "dict[str, Any]":
        """The entry of a packed file, or of a folder without an entry of its own."""
        if file is None or file.type == "folder":
            return {"name": name, "size": 0, "type": "directory"}
        info = {"name": name, "size": file.size if "link" != file.type else 0, "mode": file.mode,
                "mtime": file.mtime_ns / 1e9,
                "type": "file" if file.type in ("file", "hard link") else file.type}
        if file.type == "link":
            info["destination"] = file.target
        return info

    def _find_packed(self, place: _Place, path: str) -> "dict[str, Any]":
        files, inner = place.container.files, place.path
        if not inner:
            return self._packed_info(path, None)
        if inner in files:
            return self._packed_info(path, files[inner])
        if next(files.list(inner), None) is None:
            raise FileNotFoundError(path)
        return self._packed_info(path, None)

    def _list_packed(self, place: _Place, path: str) -> "list[dict[str, Any]]":
        outer = path.partition("#")[0]
        folder = f"{outer}#/{place.path}".rstrip("/")
        return [self._packed_info(f"{folder}/{name}", file)
                for name, file in place.container.files.list(place.path or "")]

    def info(self, path: str, **_options: Any) -> "dict[str, Any]":
        """The entry of a container, a task, a key or a packed file."""
        path = self._strip_protocol(path)
        place = self._find(path)
        if place.path is not None:
            return self._find_packed(place, path)
        container, task, key, _ = place
        if task is None or (container.meta.keyval and key is None):
            return {"name": path, "size": 0, "type": "directory"}
        size = int(container.meta.sizes[task]) if key is None else container.tasks[task].stat(key)[1]
        return {"name": path, "size": size, "type": "file"}

    def ls(self, path: str, detail: bool = True, **_options: Any) -> "list[Any]":
        """The tasks of a container, or the keys of a task."""
        path = self._strip_protocol(path)
        own = self.info(path)
        entries = [own] if own["type"] == "file" else self._entries(self._find(path), path)
        return entries if detail else [entry["name"] for entry in entries]

    def created(self, path: str) -> Any:
        """Containers do not store this."""
        raise NotImplementedError

    def _open(self, path: str, mode: str = "rb", block_size: "int | None" = None,
              **_options: Any) -> Any:
        if mode != "rb":
            raise OSError(f"{path}: this file system is read only")
        container, task, key, inner = self._find(path)
        if inner is not None:
            return self._open_packed(container, inner, path)
        if task is None or (container.meta.keyval and key is None):
            raise IsADirectoryError(path)
        stream = container.tasks[task]
        if key is not None:
            return io.BytesIO(b"".join(stream.record(key, n) for n in range(stream.stat(key)[0])))
        return SionFile(self, path, mode, block_size or "default", size=stream.size, stream=stream)

    @staticmethod
    def _open_packed(container: Container, inner: str, path: str) -> Any:
        try:
            return container.files[inner].open()
        except KeyError:
            error = FileNotFoundError if next(container.files.list(inner), None) is None else \
                IsADirectoryError
            raise error(path) from None

    def cat_file(self, path: str, start: "int | None" = None, end: "int | None" = None,
                 **_options: Any) -> bytes:
        """The bytes of a task, of a key or of a packed file."""
        with self._open(path) as stream:
            size = stream.seek(0, io.SEEK_END)
            first, last, _ = slice(start, end).indices(size)
            stream.seek(first)
            return stream.read(max(0, last - first))


fsspec.register_implementation("sion", SionFileSystem, clobber=True)

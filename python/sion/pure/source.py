"""Where the bytes of a physical file come from: a file here, or whatever fsspec knows."""

from __future__ import annotations

import collections
import errno
import itertools
import mmap
import os
import threading
from typing import Any, List, Tuple

from .failures import damaged, system
from ..errors import Error

# Where bytes begin in the file, and where they go.
Ranges = List[Tuple[int, memoryview]]

MERGED = 512  # bytes between two ranges that cost less than another request to a server
REQUESTS = 200  # if there would be more, ranges are merged over larger gaps
LARGEST = 1 << 24  # bytes of a request that serves several ranges
FIRST = 1 << 16  # bytes that the first request to a server gets
DESCRIPTORS = 32  # files that are open at a time


class Source:
    """A file of which ranges are read."""

    name: str
    size: int
    is_remote = False

    def read_some(self, offset: int, count: int) -> bytes:
        """Bytes from an offset on, fewer only at the end of the file."""
        raise NotImplementedError

    def read_ranges(self, ranges: Ranges) -> None:
        """Fill each range; fail if the file ends before."""
        for offset, into in ranges:
            self._take(offset, self.read_some(offset, into.nbytes), into)

    def _take(self, offset: int, got: bytes, into: memoryview) -> None:
        if len(got) < into.nbytes:
            raise damaged(f"{self.name} is cut off: {len(got)} of {into.nbytes} bytes at offset "
                          f"{offset}")
        into[:] = got

    def read(self, offset: int, count: int) -> bytes:
        """Exactly so many bytes."""
        got = self.read_some(offset, count)
        if len(got) < count:
            raise damaged(f"{self.name} is cut off: {len(got)} of {count} bytes at offset {offset}")
        return got

    def measure(self) -> None:
        """Find its present size, if it can change."""

    def run(self, _offset: int, count: int) -> "tuple[int, bool]":
        """How many bytes from an offset on are data, or are a hole; at most `count`."""
        return count, False

    def map(self) -> "mmap.mmap | None":
        """The file in memory; None: it cannot be mapped."""
        return None

    def close(self) -> None:
        """Let the file go."""


class LocalFile(Source):
    """A file of this machine."""

    def __init__(self, name: str, pool: "Pool") -> None:
        self.name = name
        self._pool = pool
        with pool.lock:
            status = os.fstat(pool.open(self))
        self.size = status.st_size
        self._identity = (status.st_dev, status.st_ino)

    def measure(self) -> None:
        """Find its present size, if it can change."""
        with self._pool.lock:
            self.size = os.fstat(self._pool.open(self)).st_size

    def check(self, descriptor: int) -> None:
        """Fail if the name has become that of another file."""
        status = os.fstat(descriptor)
        if (status.st_dev, status.st_ino) != getattr(self, "_identity", (status.st_dev, status.st_ino)):
            raise damaged(f"{self.name} was replaced by another file while it was open")

    def read_some(self, offset: int, count: int) -> bytes:
        """Bytes from an offset on, fewer only at the end of the file."""
        got = bytearray(count)
        return bytes(got[:self._fill(offset, memoryview(got))])

    def read_ranges(self, ranges: Ranges) -> None:
        """Fill each range; fail if the file ends before."""
        for offset, into in ranges:
            done = self._fill(offset, into)
            if done < into.nbytes:
                raise damaged(f"{self.name} is cut off: {done} of {into.nbytes} bytes at offset "
                              f"{offset}")

    def _fill(self, offset: int, into: memoryview) -> int:
        done = 0
        with self._pool.lock:
            descriptor = self._pool.open(self)
            try:
                while done < into.nbytes:
                    got = os.preadv(descriptor, [into[done:]], offset + done)
                    if got == 0:
                        break
                    done += got
            except OSError as error:
                raise system(f"cannot read {into.nbytes} bytes at offset {offset} of {self.name}",
                             error) from None
        return done

    def run(self, offset: int, count: int) -> "tuple[int, bool]":
        """How many bytes from an offset on are data, or are a hole; at most `count`."""
        with self._pool.lock:
            descriptor = self._pool.open(self)
            try:
                data = os.lseek(descriptor, offset, os.SEEK_DATA)
                if data > offset:
                    return min(count, data - offset), True
                return min(count, os.lseek(descriptor, offset, os.SEEK_HOLE) - offset), False
            except OSError as error:  # no data follow, or the file system cannot tell
                return count, error.errno == errno.ENXIO

    def map(self) -> "mmap.mmap | None":
        """The file in memory; None: it cannot be mapped."""
        with self._pool.lock:
            try:
                return mmap.mmap(self._pool.open(self), 0, access=mmap.ACCESS_READ)
            except (OSError, ValueError):
                return None

    def close(self) -> None:
        """Let the file go."""
        with self._pool.lock:
            self._pool.drop(self)


class Pool:
    """The descriptors of a container's files: the one that was not used for longest makes room."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._open: "collections.OrderedDict[LocalFile, int]" = collections.OrderedDict()

    def open(self, file: LocalFile) -> int:
        """The descriptor of a file."""
        if file in self._open:
            self._open.move_to_end(file)
            return self._open[file]
        while len(self._open) >= DESCRIPTORS:
            os.close(self._open.popitem(last=False)[1])
        try:
            descriptor = os.open(file.name, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise system(f"cannot open {file.name} for reading", error) from None
        self._open[file] = descriptor
        file.check(descriptor)
        return descriptor

    def __del__(self) -> None:
        while self._open:  # of containers that could not be opened, or that die with this pool
            os.close(self._open.popitem()[1])

    def drop(self, file: LocalFile) -> None:
        """Close a file, if it is open."""
        descriptor = self._open.pop(file, -1)
        if descriptor >= 0:
            os.close(descriptor)


class RemoteFile(Source):
    """A file of a file system of fsspec. What its tables need is kept."""

    is_remote = True

    def __init__(self, system_of: Any, path: str, name: str) -> None:
        self.name = name
        self._system = system_of
        self._path = path
        self._kept: "list[tuple[int, bytes]]" = []
        try:
            size = system_of.info(path)["size"]
        except Exception as error:  # each file system has exceptions of its own
            raise system(f"cannot open {name} for reading", error) from error
        if size is None:
            raise Error(f"cannot open {name} for reading: the server does not say how long it is")
        self.size = int(size)
        self.keep(0, FIRST)

    def keep(self, offset: int, count: int) -> None:
        """Get bytes that several later reads will take from here."""
        count = self._within(offset, count)
        if self._find(offset, count) is None:
            self._kept.append((offset, self._get([(offset, count)])[0]))

    def _within(self, offset: int, count: int) -> int:
        return max(0, min(count, self.size - offset))

    def _find(self, offset: int, count: int) -> "bytes | None":
        for start, data in self._kept:
            if start <= offset and offset + count <= start + len(data):
                return data[offset - start:offset - start + count]
        return None

    def read_some(self, offset: int, count: int) -> bytes:
        """Bytes from an offset on, fewer only at the end of the file."""
        count = self._within(offset, count)
        found = self._find(offset, count)
        return self._get([(offset, count)])[0] if found is None else found

    def read_ranges(self, ranges: Ranges) -> None:
        """Fill each range; ranges that are close together are got by one request."""
        left: Ranges = []
        for offset, into in sorted(ranges, key=lambda one: one[0]):
            found = self._find(offset, into.nbytes)
            if found is None:
                left.append((offset, into))
            else:
                into[:] = found
        groups = _groups(left)
        wanted = [(group[0][0], self._within(group[0][0], max(at + to.nbytes for at, to in group) -
                                             group[0][0])) for group in groups]
        for group, (start, _), got in zip(groups, wanted, self._get(wanted)):
            view = memoryview(got)
            for offset, into in group:
                self._take(offset, bytes(view[offset - start:offset - start + into.nbytes]), into)

    def _get(self, wanted: "list[tuple[int, int]]") -> "list[bytes]":
        """Bytes from offsets on. A server that does not know ranges is found out by the lengths."""
        starts, ends = [at for at, _ in wanted], [at + count for at, count in wanted]
        try:
            if len(wanted) == 1:
                parts = [self._system.cat_file(self._path, starts[0], ends[0])] if ends[0] > starts[0] \
                    else [b""]
            else:
                parts = self._system.cat_ranges([self._path] * len(wanted), starts, ends)
        except Exception as error:  # each file system has exceptions of its own
            raise system(f"cannot read {ends[0] - starts[0]} bytes at offset {starts[0]} of {self.name}",
                         error) from error
        for (offset, count), part in zip(wanted, parts):
            if isinstance(part, BaseException):
                raise system(f"cannot read {count} bytes at offset {offset} of {self.name}", part)
            if len(part) != count:
                raise Error(f"cannot read {self.name}: asked for {count} bytes at offset {offset}, the "
                            f"server sent {len(part)}: it does not serve ranges, or the file has changed")
        return parts


def _groups(ranges: Ranges) -> "list[Ranges]":
    """Ranges in order, in groups that one request gets."""
    ends: "list[int]" = list(itertools.accumulate((offset + into.nbytes for offset, into in ranges), max))
    gaps = sorted((ranges[i + 1][0] - end for i, end in enumerate(ends[:-1])), reverse=True)
    merged = max(MERGED, gaps[REQUESTS - 1] if len(gaps) >= REQUESTS else 0)
    groups: "list[Ranges]" = []
    for number, (offset, into) in enumerate(ranges):
        if number and offset - ends[number - 1] <= merged and \
                offset + into.nbytes - groups[-1][0][0] <= LARGEST:
            groups[-1].append((offset, into))
        else:
            groups.append([(offset, into)])
    return groups


class Folder:
    """Where the files of a container are: it opens them by their numbers."""

    def __init__(self, name: str, options: "dict[str, Any] | None" = None) -> None:
        self.name = name
        self._pool = Pool()
        self._system: Any = None
        self._path = name
        if is_url(name):
            self._system, self._path = _system_of(name, options)

    def open(self, number: int = 0) -> Source:
        """The source of file `number` of a set."""
        name = member_name(self.name, number)
        if self._system is None:
            return LocalFile(name, self._pool)
        return RemoteFile(self._system, member_name(self._path, number), name)


def _system_of(name: str, options: "dict[str, Any] | None") -> "tuple[Any, str]":
    try:
        import fsspec.core
    except ImportError as error:
        raise Error(f"cannot open {name}: URLs need fsspec: {error}") from error
    try:
        system_of, path = fsspec.core.url_to_fs(name, **(options or {}))
    except (ImportError, ValueError) as error:
        raise Error(f"cannot open {name}: {error}") from error
    except Exception as error:  # of file systems that connect, or open an archive, before they are asked
        raise system(f"cannot open {name} for reading", error) from error
    return system_of, str(path)


def is_url(name: str) -> bool:
    """Whether a name is one for fsspec, such as https://host/x.sion."""
    scheme, colon, _ = name.partition("://")
    return bool(colon) and scheme.replace("::", "").replace("+", "").replace("-", "").isalnum()


def member_name(name: str, number: int) -> str:
    """The name of file `number` of a set; the query of an address stays behind it."""
    if number == 0:
        return name
    base, chain, rest = name.partition("::")
    base, mark, query = base.partition("?") if is_url(base) else (base, "", "")
    return f"{base}.{number:06d}{mark}{query}{chain}{rest}"

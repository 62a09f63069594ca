"""The bytes of the index of packed files, and the headers of tars (doc/format.md, "Packed files")."""

from __future__ import annotations

import struct
import tarfile
from typing import BinaryIO, Callable, Iterator, NamedTuple

import numpy as np

from .pure.crc32c import crc32c

TRAILER = 80
BLOCK_MOST = 1 << 20  #: bytes of a block
PATH_MOST = 4095
_MAGIC = b"SIONFIL1"
_VERSION = 1
_TRAILER = struct.Struct("<8sIIqqqqqIIIQI")
_LISTED = struct.Struct("<qIIIH")
_ENTRY = struct.Struct("<HHHcBIIIIIqqq")
_TYPES = {b"f": "file", b"d": "folder", b"l": "link", b"h": "hard link", b"p": "pipe"}


class DamagedError(Exception):
    """An index, or a tar, that cannot be used, and why."""


class Entry(NamedTuple):
    """A packed file, as the index says."""

    path: bytes
    type: str
    task: int
    mode: int
    uid: int
    gid: int
    mtime_ns: int  #: since 1970
    size: int
    data: int  #: where its bytes begin in the task's stream
    target: bytes  #: of links


# ---- paths ----

#: A slash is the lowest byte, so that what is below a folder follows it.
_ORDER = bytes([0, *range(2, ord("/") + 1), 1, *range(ord("/") + 1, 256)])


def key_of(path: bytes) -> bytes:
    """What paths are sorted by."""
    return path.translate(_ORDER)


def is_clean(path: bytes) -> bool:
    """Whether a path has no empty parts, "." and ".."."""
    return all(part not in (b"", b".", b"..") for part in path.split(b"/"))


# ---- the index ----

class _Block(NamedTuple):
    offset: int
    size: int
    entries: int
    crc: int
    first: bytes


def _damaged(what: str) -> DamagedError:
    return DamagedError(f"the index of packed files is damaged: {what}")


def _parse_list(data: bytes, count: int, begin: int, end: int) -> "Iterator[_Block]":
    """Blocks follow each other up to the list, and so do their first paths."""
    at = 0
    last = b""
    for _ in range(count):
        if at + _LISTED.size > len(data):
            raise _damaged("the list of its blocks")
        offset, size, entries, crc, length = _LISTED.unpack_from(data, at)
        first = data[at + _LISTED.size:at + _LISTED.size + length]
        at += _LISTED.size + length
        if offset != begin or not _ENTRY.size <= size <= BLOCK_MOST or entries < 1 or \
                len(first) < length or not first or key_of(first) < key_of(last):
            raise _damaged("the list of its blocks")
        begin += size
        last = first
        yield _Block(offset, size, entries, crc, first)
    if at != len(data) or begin != end:
        raise _damaged("the list of its blocks")


def _parse_block(data: bytes, block: _Block, ntasks: int) -> "Iterator[Entry]":
    """Entries are in their order, the first one is that of the list, and they are all of it."""
    at = 0
    path = b""
    for number in range(block.entries):
        if at + _ENTRY.size > len(data):
            raise _damaged("an entry of it")
        (same, rest, length, kind, _, mode, uid, gid, task, fraction, size, mtime,
         place) = _ENTRY.unpack_from(data, at)
        at += _ENTRY.size
        text = data[at:at + rest + length]
        at += rest + length
        before, path, target = path, path[:same] + text[:rest], text[rest:]
        if same > len(before) or len(text) < rest + length or len(path) > PATH_MOST or \
                b"\0" in text or not is_clean(path) or kind not in _TYPES or task >= ntasks or \
                fraction >= 10**9 or size < 0 or place < 0 or (kind in b"lh") != bool(target) or \
                (path != block.first if number == 0 else key_of(path) < key_of(before)):
            raise _damaged("an entry of it")
        yield Entry(path, _TYPES[kind], task, mode, uid, gid, mtime * 10**9 + fraction, size, place,
                    target)
    if at != len(data):
        raise _damaged("an entry of it")


class Index:
    """The index at the end of a file. Reads the list of its blocks, and blocks when they are needed."""

    def __init__(self, file: BinaryIO, end: bytes, size: int, lengths: bytes) -> None:
        self._file = file
        self._kept: "dict[int, list[Entry]]" = {}
        (_, version, self._ntasks, total, self.count, begin, at, length, blocks, list_crc, key, _,
         crc) = _TRAILER.unpack(end)
        if crc != crc32c(end[:-4]):
            raise _damaged("its end")
        if version != _VERSION:
            raise DamagedError(f"the index of packed files has the unknown version {version}")
        if not 0 <= begin <= at or length < 0 or at + length != size - TRAILER:
            raise _damaged("its place")
        sizes = np.frombuffer(lengths, "<i8")
        if self._ntasks != len(sizes) or total != int(sizes.sum()) or key != crc32c(lengths):
            raise DamagedError("the index of packed files is that of other streams")
        listed = self._read(at, length)
        if crc32c(listed) != list_crc:
            raise _damaged("the list of its blocks")
        self._blocks = list(_parse_list(listed, blocks, begin, at))
        if sum(block.entries for block in self._blocks) != self.count:
            raise _damaged("the list of its blocks")
        self._keys = [key_of(block.first) for block in self._blocks]

    def _read(self, offset: int, size: int) -> bytes:
        self._file.seek(offset)
        data = self._file.read(size)
        if len(data) < size:
            raise _damaged("it is cut off")
        return data

    def block(self, number: int) -> "list[Entry]":
        """The entries of a block; the last ones that were used are kept."""
        if number not in self._kept:
            block = self._blocks[number]
            data = self._read(block.offset, block.size)
            if crc32c(data) != block.crc:
                raise _damaged("a block of it")
            if len(self._kept) >= 8:
                del self._kept[next(iter(self._kept))]
            self._kept[number] = list(_parse_block(data, block, self._ntasks))
        return self._kept[number]

    def start(self, path: bytes, after: bool = False) -> "tuple[int, int]":
        """Block and place of the first entry not before a path; after: behind all that is below it."""
        def is_before(entry: bytes) -> bool:
            return key_of(entry) < key_of(path) or (after and is_below(entry, path))

        first = max(_bisect(len(self._blocks), lambda n: is_before(self._blocks[n].first)) - 1, 0)
        if not self._blocks:
            return 0, 0
        entries = self.block(first)
        return first, _bisect(len(entries), lambda n: is_before(entries[n].path))

    def entries(self, path: bytes = b"", after: bool = False) -> "Iterator[Entry]":
        """All entries from there on."""
        number, at = self.start(path, after)
        for n in range(number, len(self._blocks)):
            yield from self.block(n)[at:]
            at = 0


def _bisect(count: int, is_before: "Callable[[int], bool]") -> int:
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if is_before(middle):
            low = middle + 1
        else:
            high = middle
    return low


def is_below(path: bytes, folder: bytes) -> bool:
    """Whether a path is that of the folder, or of something below it. Empty: the root."""
    return not folder or path == folder or path.startswith(folder + b"/")


def open_index(file: BinaryIO, lengths: bytes) -> "Index | None":
    """The index of a container, by its first file and the lengths of its streams; None: it has none.

    :raises DamagedError: it cannot be used
    """
    size = file.seek(0, 2)
    if size < TRAILER:
        return None
    file.seek(size - TRAILER)
    end = file.read(TRAILER)
    return Index(file, end, size, lengths) if end[:8] == _MAGIC else None


# ---- tars ----

class Listed:
    """The entries of tars whose headers have been read, in place of an index."""

    def __init__(self, entries: "list[Entry]") -> None:
        self._entries = sorted(entries, key=lambda entry: (key_of(entry.path), entry.task))
        self.count = len(self._entries)

    def entries(self, path: bytes = b"", after: bool = False) -> "Iterator[Entry]":
        """As of an index."""
        def is_before(n: int) -> bool:
            entry = self._entries[n].path
            return key_of(entry) < key_of(path) or (after and is_below(entry, path))

        return iter(self._entries[_bisect(self.count, is_before):])


def is_tar(block: bytes) -> bool:
    """Whether a stream begins as a tar does, also as an empty one."""
    if len(block) < tarfile.BLOCKSIZE:
        return False
    if not any(block):
        return True
    try:
        tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


def is_header_of(block: bytes, entry: Entry) -> bool:
    """Whether a block is the header of this file: its size, and what there is of its path."""
    try:
        header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    name = _clean(header.name)
    return header.isreg() and header.size == (entry.size if entry.size < 8**11 else 0) and \
        (name == entry.path or (len(entry.path) > tarfile.LENGTH_NAME and entry.path.startswith(name)))


_TAR_TYPES = {tarfile.REGTYPE: "file", tarfile.AREGTYPE: "file", tarfile.CONTTYPE: "file",
              tarfile.DIRTYPE: "folder", tarfile.SYMTYPE: "link", tarfile.LNKTYPE: "hard link",
              tarfile.FIFOTYPE: "pipe"}


def _clean(name: str) -> bytes:
    """Without empty parts and ".", but with a slash at the beginning."""
    path = name.encode("utf-8", "surrogateescape")
    parts = [part for part in path.split(b"/") if part not in (b"", b".")]
    return (b"/" if path.startswith(b"/") else b"") + b"/".join(parts)


def _time_of(member: tarfile.TarInfo) -> int:
    """In ns, where the float of the module has not all digits."""
    text = member.pax_headers.get("mtime", "")
    whole, _, fraction = text.partition(".")
    if not whole.lstrip("-").isdigit():
        return int(member.mtime) * 10**9
    ns = int((fraction + "000000000")[:9] or 0)
    return int(whole) * 10**9 + (-ns if whole.startswith("-") else ns)


def scan(stream: BinaryIO, task: int) -> "Iterator[Entry]":
    """The members of a task's tar.

    :raises DamagedError: the tar is damaged behind what has been listed
    """
    try:
        with tarfile.open(fileobj=stream, mode="r:", errors="surrogateescape") as tar:
            for member in tar:
                kind = _TAR_TYPES.get(member.type)
                path = _clean(member.name)
                if kind is None or not path or member.sparse is not None:
                    continue
                target = b""
                if kind == "hard link":
                    target = _clean(member.linkname)
                elif kind == "link":
                    target = member.linkname.encode("utf-8", "surrogateescape")
                yield Entry(path, kind, task, member.mode & 0o7777, member.uid, member.gid,
                            _time_of(member), member.size if kind == "file" else 0,
                            member.offset_data, target)
    except tarfile.TarError as error:
        raise DamagedError(f"the tar of task {task} is damaged: {error}") from None

"""META1: the fixed part, and where the other tables are by that. doc/format.md, sections 3 and 12."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from ..errors import Code, Error
from .failures import damaged, warn

FIXED, FIXED_V2, TAIL = 1076, 1056, 12
VERSION, OLDEST = 5, 2
NONE, INLINE = 50, 51  # key-value modes
_MARKER = 1 << 48  # flag2 of containers with a nonce
_ZIPPED = 2 << 48  # the same, and the streams are compressed


@dataclass(frozen=True)
class Header:
    """The fixed part of META1."""

    order: str  #: of the numbers in the tables: "<" or ">"
    big_endian: bool  #: the users' data
    version: int  #: 1000 * main + sub of the writer
    format: int
    fsblksize: int
    ntasks: int
    nfiles: int
    filenumber: int
    flag1: int
    flag2: int

    @property
    def fixed(self) -> int:
        """Bytes of the fixed part."""
        return FIXED_V2 if self.format == 2 else FIXED

    @property
    def tail(self) -> int:
        """Where the tail is."""
        return self.fixed + 16 * self.ntasks

    @property
    def size(self) -> int:
        """Bytes of META1, of which those of version 2 have fewer, but begin their data as if not."""
        return FIXED + TAIL + 16 * self.ntasks

    @property
    def grain(self) -> int:
        """What chunk sizes are rounded up to."""
        return self.fsblksize if self.format <= 3 else 1

    @property
    def keyval(self) -> int:
        """The key-value mode."""
        mode = self.flag1 >> 32
        return NONE if self.format < 5 or mode == 0 else mode

    @property
    def is_keyval(self) -> bool:
        """Whether the streams have records with keys."""
        return self.keyval == INLINE

    @property
    def has_usual_keyval(self) -> bool:
        """Whether a writer stores such a mode. Versions before 1.7 may have left it out."""
        if self.format != VERSION:
            return True
        return self.version < 1007 if self.flag1 == 0 else self.flag1 >> 32 in (NONE, INLINE)

    @property
    def marker(self) -> int:
        """flag2 if it has a nonce, or else 0."""
        version, trailer = self.flag2 >> 48, self.flag2 >> 32 & 0xffff
        return self.flag2 if version in (_MARKER >> 48, _ZIPPED >> 48) and trailer in (0, 128) else 0

    @property
    def trailer(self) -> int:
        """Bytes of the trailer at the end of a chunk; 0: there is none."""
        return self.marker >> 32 & 0xffff

    @property
    def is_zipped(self) -> bool:
        """Whether the streams are compressed."""
        return self.marker >> 48 == _ZIPPED >> 48

    @property
    def is_set(self) -> bool:
        """Whether it is the first file of a set."""
        return self.nfiles > 1 and self.filenumber == 0


def _order_of(data: bytes) -> "tuple[str, int]":
    """Byte order and format version; if the version makes sense in one order only, that is right."""
    big = (data[4] | data[7]) & 1
    order, other = (">", "<") if big else ("<", ">")
    version = struct.unpack_from(order + "i", data, 16)[0]
    if not 0 <= version <= 0xffff and 0 <= struct.unpack_from(other + "i", data, 16)[0] <= 0xffff:
        raise damaged(f"endianness word says {'big' if big else 'little'} endian, but the numbers are "
                      "stored the other way round")
    return order, version


def _check_version(version: int) -> None:
    number = version & 0xffffffff
    if version < OLDEST:
        raise Error("sionlib: FATAL ERROR: file format version of file differs, aborting ... "
                    f"({number}!={VERSION})", Code.VERSION)
    if version != VERSION:
        warn("sionlib: FATAL WARNING: old file format version of file differs, trying to read ... "
             f"({number}!={VERSION})")


def decode(data: bytes, file_size: int) -> Header:
    """Decode the fixed part, of which `data` may have less than all, and check it."""
    if len(data) < 4:
        raise Error(f"not a sion file: only {len(data)} bytes long", Code.NOT_SION)
    if data[:4] != b"sion":
        raise Error('not a sion file: it does not begin with "sion"', Code.NOT_SION)
    if len(data) < 20:
        raise damaged(f"header is cut off after {len(data)} bytes")
    order, version = _order_of(data)
    _check_version(version)
    fixed = FIXED_V2 if version == 2 else FIXED
    if len(data) < fixed:
        raise damaged(f"header is cut off after {len(data)} bytes")
    writer = struct.unpack_from(order + "i", data, 8)[0]
    fsblksize, ntasks, nfiles = struct.unpack_from(order + "3i", data, 20)
    filenumber, flag1, flag2 = (1, 0, 0) if version == 2 else struct.unpack_from(order + "iqq", data, 32)
    head = Header(order, bool((data[5] | data[6]) & 1), writer, version, fsblksize, ntasks, nfiles,
                  filenumber, flag1, flag2)
    if fsblksize < 1:
        raise damaged(f"file system block size is {fsblksize}")
    if ntasks < 1 or ntasks > (file_size - fixed) // 16:
        raise damaged(f"header says {ntasks} tasks, which a file of {file_size} bytes cannot hold")
    if nfiles > 1 and not 0 <= filenumber < nfiles:
        raise damaged(f"header says file number {filenumber} of {nfiles} files")
    return head


def warn_unusual(head: Header, name: str) -> None:
    """Warn of numbers that no writer makes."""
    if head.nfiles < 1:
        warn(f"the header of {name} says that it has {head.nfiles} files: it is read as one file")
    if not head.has_usual_keyval:
        warn(f"the header of {name} says key-value mode {head.flag1 >> 32}, which no writer makes: its "
             "streams are read as plain ones")


def decode_tail(head: Header, data: bytes) -> "tuple[int, int]":
    """The number of chunks and the offset of META2."""
    if len(data) < TAIL:
        raise Error("file ends inside its header: the container was never closed, see sionrecover",
                    Code.NOT_CLOSED)
    maxchunks, start = struct.unpack(head.order + "iq", data)
    return maxchunks, start


def is_misnamed(head: Header, name: str) -> bool:
    """Whether a file says that it is one of a set, and its name does not."""
    if head.nfiles <= 1 or head.filenumber == 0 or head.format == 2:
        return False
    return not name.endswith(f".{head.filenumber:06d}") or len(name) <= 7

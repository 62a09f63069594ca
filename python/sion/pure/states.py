"""Containers that grow: the record of a published state. doc/format.md, section 18."""

from __future__ import annotations

import builtins
import struct
import sys
from time import time as now
from typing import NamedTuple

from ..errors import Code, Error
from .crc32c import crc32c
from .header import FIXED, TAIL, decode as decode_header

try:
    import fcntl
except ImportError:  # no system with these locks
    fcntl = None  # type: ignore[assignment]

MAGIC = b"SIONPUB1"
RECORD = 128
_VERSION = 2

#: The byte that a writer locks, and the commands of Linux for locks of open files.
_WRITER = 1 << 61
_F_OFD_GETLK = 36

#: Seconds after which a writer that was never seen with its lock counts as ended.
_MOST_SILENT = 60


class Moved(Error):
    """Tables were written over while they were read: they are to be read again."""

    def __init__(self, name: str) -> None:
        super().__init__(f"cannot read {name}: its tables were written over while they were read: it is "
                         "published too often", Code.DAMAGED)


class State(NamedTuple):
    """What the record of a state says."""

    is_closed: bool  #: it was written by a close
    number: int
    time: int  #: nanoseconds since 1970
    bytes: int  #: of all tasks of the file
    old_start: int  #: of the state before; 0: there is none
    old_maxchunks: int
    maxchunks: int
    start: int
    generations_at: int
    generations_length: int  #: 0: there are none


def decode(order: str, data: bytes) -> "State | None":
    """A record; None: there is none that can be used."""
    if len(data) < RECORD or data[:8] != MAGIC:
        return None
    version, flags, number, time, amount, old_start, old_maxchunks, maxchunks, start = \
        struct.unpack_from(order + "IIqqqqiiq", data, 8)
    if version != _VERSION or struct.unpack_from(order + "I", data, RECORD - 4)[0] != crc32c(data[:RECORD - 4]):
        return None
    return State(bool(flags & 1), number, time, amount, old_start, old_maxchunks, maxchunks, start,
                 *struct.unpack_from(order + "qi", data, 104))


def newest(name: str) -> "tuple[int, State | None]":
    """Where the newest tables of a container here begin (0: nowhere), and their record if it is before them."""
    with builtins.open(name, "rb") as file:
        fixed = file.read(FIXED)
        head = decode_header(fixed, 1 << 62)
        file.seek(head.tail)
        tail = file.read(TAIL)
        if len(tail) < TAIL:
            return 0, None
        start = struct.unpack_from(head.order + "q", tail, 4)[0]
        file.seek(max(0, start - RECORD))
        state = decode(head.order, file.read(RECORD))
    return start, state if state is not None and state.start == start else None


def is_closed(name: str) -> bool:
    """Whether the newest state of a container here was written by a close; tables are not read."""
    start, state = newest(name)
    return start > 0 and (state is None or state.is_closed)


def has_writer(name: str) -> "bool | None":
    """Whether somebody has the lock of the one that writes a file; None: that cannot be told."""
    if fcntl is None or not sys.platform.startswith("linux"):
        return None
    lock = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, _WRITER, 1, 0)
    try:
        with builtins.open(name, "rb") as file:
            found = fcntl.fcntl(file, _F_OFD_GETLK, lock)
    except OSError:
        return None
    return struct.unpack_from("h", found)[0] != fcntl.F_UNLCK


def is_old(name: str) -> bool:
    """Whether the newest state is so old that a writer that was never seen counts as ended."""
    _, state = newest(name)
    return state is not None and now() - state.time / 1e9 > _MOST_SILENT

"""Generations: what was written between two publishes; one of them is shown. doc/format.md, section 18.6."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

from ..errors import Code, Error
from . import checksums, states
from .crc32c import crc32c
from .failures import damaged

if TYPE_CHECKING:
    from .columns import Columns
    from .tables import Tables

MAGIC = b"SIONGEN1"
_HEAD = _ENTRY = 40
_MOST = 1000  # that a writer keeps


class Generation(NamedTuple):
    """Whole blocks of a file."""

    number: int
    time: int  #: nanoseconds since 1970: when it was published
    first: int
    blocks: int
    bytes: int


class Record(NamedTuple):
    """What a file says of its generations."""

    newest: int  #: the largest number that one has got
    list: "list[Generation]"  #: the oldest one first

    @property
    def oldest(self) -> int:
        """The number of the oldest one that is left, or of the first one to come."""
        return self.list[0].number if self.list else self.newest + 1


def state_of(tables: "Tables | Columns") -> "states.State | None":
    """The state whose record is in front of META2, or behind all tables."""
    found = getattr(tables, "state", None)
    if found is not None:
        return found
    order, source = tables.head.order, tables.source
    for place, data in checksums.places(tables.head, source, tables.end):
        at = place
        if data[:8] == checksums.MAGIC and len(data) == checksums.HEAD:
            at = checksums.load(order, place, data).end
        elif data[:8] != states.MAGIC:
            continue
        if at > source.size - states.RECORD:
            continue
        found = states.decode(order, source.read_some(at, states.RECORD))
        if found is not None and (found.start, found.maxchunks) == (tables.start_of_varheader, tables.maxchunks):
            return found
    return None


def decode(order: str, data: bytes, maxchunks: int) -> "Record | None":
    """The numbers of a record; None: it is damaged, or says what the file cannot have."""
    if len(data) < _HEAD or data[:8] != MAGIC:
        return None
    version, count, keep = struct.unpack_from(order + "Iii", data, 8)
    newest, = struct.unpack_from(order + "q", data, 24)
    stored, = struct.unpack_from(order + "I", data, 36)
    if version != 1 or count < 0 or len(data) != _HEAD + count * _ENTRY or not 1 <= keep <= _MOST or \
            stored != crc32c(data[:36] + data[_HEAD:]):
        return None
    found = [Generation(*struct.unpack_from(order + "5q", data, _HEAD + i * _ENTRY)) for i in range(count)]
    number = block = 0
    for one in found:
        if one.number <= number or not block <= one.first < maxchunks or one.bytes < 0 or \
                not 1 <= one.blocks <= maxchunks - one.first:
            return None
        number, block = one.number, one.first + one.blocks
    return Record(newest, found) if number <= newest else None


def read(tables: "Tables | Columns") -> "Record | None":
    """The record of a file; None: it has none."""
    state = state_of(tables)
    if state is None or state.generations_length == 0:
        return None
    at, length, source = state.generations_at, state.generations_length, tables.source
    found = None
    if _HEAD <= length <= _HEAD + (_MOST + 1) * _ENTRY and tables.start_of_varheader < at <= source.size - length:
        found = decode(tables.head.order, source.read_some(at, length), tables.maxchunks)
    if found is None:
        raise damaged(f"cannot read {tables.name}: its record of generations is damaged; generation=all reads "
                      "them as one stream")
    return found


def find(tables: "Tables | Columns") -> "list[Generation]":
    """The generations of a file, the oldest one first."""
    record = read(tables)
    return record.list if record is not None else []


def note(tables: "Tables") -> None:
    """Note the generations of a file of which all are shown, for those who go on with a newer state."""
    try:
        tables.record = read(tables)
    except Error as error:
        if error.code != Code.DAMAGED:
            raise
        tables.has_odd_generations = True
    finally:
        tables.check_steady()
    tables.left = left_of(tables)


def left_of(tables: "Tables") -> int:
    """The first block of the oldest one that is left."""
    record = tables.record
    if record is None:
        return 0
    return record.list[0].first if record.list else tables.maxchunks


def show(tables: "Tables", wanted: int) -> None:
    """From now on, the streams have the bytes of one generation: the newest, or the one that is wanted."""
    try:
        tables.record = read(tables)
    finally:
        tables.check_steady()
    found = tables.record.list if tables.record is not None else []
    tables.left = left_of(tables)
    if not found and wanted != 0:
        raise Error(f"{tables.name} has no generations (generation={wanted})", Code.ARGUMENT)
    if not found:
        return
    if wanted > 0:
        chosen = [one for one in found if one.number == wanted]
    else:
        chosen = found[wanted - 1:][:1] if len(found) >= 1 - wanted else []
    if not chosen:
        raise Error(f"{tables.name} has no generation {wanted}: it has {len(found)}, from {found[0].number} to "
                    f"{found[-1].number}", Code.ARGUMENT)
    tables.generation = chosen[0].number
    tables.shown = range(chosen[0].first, chosen[0].first + chosen[0].blocks)

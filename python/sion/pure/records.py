"""Records of arrays in streams: headers and trailers. doc/arrays.md has every byte."""

from __future__ import annotations

import struct
from typing import NamedTuple

from .._array_reader import TYPES
from .crc32c import crc32c

MAGIC, TRAILER_MAGIC = b"\x89SIONARR", b"\x89SIONARE"
ALIGN, FIXED, LONGEST, TRAILER = 64, 48, 1280, 64
BLOCK, ATTRIBUTE, INDEX = 1, 2, 3
BIG_ENDIAN = 1
DIMS, NAME, VALUE = 8, 1023, 65535
_MOST = (1 << 63) - 1


class Header(NamedTuple):
    """A record's header."""

    kind: int
    size: int  #: of the header
    length: int  #: of the data
    step: int
    type: int
    flags: int
    name: bytes
    shape: "tuple[int, ...]"
    offset: "tuple[int, ...]"
    count: "tuple[int, ...]"  # type: ignore[assignment]


class Trailer(NamedTuple):
    """The end of a stream with an index."""

    is_whole: bool
    crc: int
    start: int
    length: int
    blocks: int
    before: int  #: where the trailer of the index ends that this one goes on; 0: none


def bytes_of(kind: int, count: "tuple[int, ...]") -> int:
    """Bytes of so many elements; -1: they are too many, or a number is negative."""
    size = TYPES[kind - 1].itemsize
    if any(number < 0 for number in count):
        return -1
    for number in count:
        size *= number
    return size if 0 in count or size <= _MOST else -1


def is_name(name: bytes) -> bool:
    """Whether it is UTF-8 without control characters, and neither empty nor too long."""
    if not 1 <= len(name) <= NAME:
        return False
    try:
        text = name.decode()
    except UnicodeDecodeError:
        return False
    return not any(ord(one) < 0x20 or 0x7f <= ord(one) < 0xa0 for one in text)


def is_type(kind: int) -> bool:
    """Whether elements have such a type."""
    return 1 <= kind <= len(TYPES)


def header_size(ndims: int, name_length: int) -> int:
    """Bytes of a header."""
    return (FIXED + 24 * ndims + name_length + 4 + ALIGN - 1) // ALIGN * ALIGN


def resembles(data: bytes) -> bool:
    """Whether bytes with the magic are probably a header that is damaged."""
    version, kind, size = struct.unpack_from("<HHI", data, 8)
    return version == 1 or kind in (BLOCK, ATTRIBUTE) or \
        size == header_size(data[33], int.from_bytes(data[34:36], "little"))


def needed(data: bytes) -> int:
    """Bytes of the header that begins here; 0: none does."""
    if data[:8] != MAGIC or len(data) < FIXED:
        return 0
    version, _, size = struct.unpack_from("<HHI", data, 8)
    ndims, name_length = data[33], int.from_bytes(data[34:36], "little")
    if version != 1 or ndims > DIMS or name_length > NAME or size != header_size(ndims, name_length):
        return 0
    return int(size)


def decode(data: bytes) -> "Header | None":
    """The header that begins here, all of whose bytes are there."""
    size = needed(data)
    if not 0 < size <= len(data) or \
            struct.unpack_from("<I", data, size - 4)[0] != crc32c(data[:size - 4]):
        return None
    kind, _, length, step, number, ndims, name_length, flags = struct.unpack_from("<HIqqBBHI", data, 10)
    numbers = struct.unpack_from(f"<{3 * ndims}q", data, FIXED)
    name = data[FIXED + 24 * ndims:FIXED + 24 * ndims + name_length]
    found = Header(kind, size, length, step, number, flags, name, numbers[:ndims], numbers[ndims:2 * ndims],
                   numbers[2 * ndims:])
    return found if _is_good(found) else None


def is_box(shape: "tuple[int, ...]", offset: "tuple[int, ...]", count: "tuple[int, ...]") -> bool:
    """Whether a box is within a shape."""
    return all(extent >= 0 and first >= 0 and 0 <= number <= extent and first <= extent - number
               for extent, first, number in zip(shape, offset, count))


def _is_good(header: Header) -> bool:
    if header.length < 0:
        return False
    if header.kind == BLOCK:
        return is_type(header.type) and header.step >= 0 and is_name(header.name) and \
            is_box(header.shape, header.offset, header.count) and bytes_of(header.type, header.shape) >= 0 \
            and bytes_of(header.type, header.count) == header.length
    if header.type or header.shape:
        return False
    if header.kind == ATTRIBUTE:
        return header.length <= NAME + 1 + VALUE and (not header.name or is_name(header.name))
    return header.kind == INDEX and not header.name and header.step >= 0


def decode_trailer(data: bytes) -> "Trailer | None":
    """The trailer in the last bytes of a stream, or of what was published of it."""
    if len(data) < TRAILER or data[:8] != TRAILER_MAGIC:
        return None
    version, scope, crc, start, length, parts, blocks, before = struct.unpack_from("<HHIqqqqq", data, 8)
    if version != 1 or scope not in (1, 2, 3, 4) or min(start, length, parts, blocks) < 0 or \
            (scope > 2 and not TRAILER <= before <= start) or \
            struct.unpack_from("<I", data, TRAILER - 4)[0] != crc32c(data[:TRAILER - 4]):
        return None
    return Trailer(scope % 2 == 0, crc, start, length, blocks, before if scope > 2 else 0)

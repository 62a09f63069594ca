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


class Coding(NamedTuple):
    """How the data of a block are stored."""

    codec: int  #: 0: as they are; 1: zstd; 2: zfp
    shuffle: int  #: bytes of an element of which bytes were shuffled before, or 0

    @property
    def text(self) -> str:
        """Words for sion_array_codec, without a level."""
        return ("", "zstd,shuffle" if self.shuffle else "zstd", "zfp")[self.codec]


PLAIN = Coding(0, 0)


def is_coding(kind: int, coding: Coding) -> bool:
    """Whether there can be blocks of a type with such numbers."""
    if coding.codec == 1:
        return coding.shuffle in (0, TYPES[kind - 1].itemsize)
    return coding == PLAIN or coding == (2, 0) and TYPES[kind - 1].kind == "f"


def may_hold(codec: int, stored: int, plain: int) -> bool:
    """Whether so many stored bytes can hold so many plain ones.

    A block of zstd has at most 128 KiB in 4 bytes, one of zfp at most 256 doubles in a bit.
    """
    if not codec:
        return stored == plain
    most = (plain - 1 >> 17) * 4 + 4 if codec == 1 else (plain - 1 >> 14) + 1
    return plain > 0 and most <= stored < 1 << 48


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
    coding: "Coding"


class Trailer(NamedTuple):
    """The end of a stream with an index."""

    has_codings: bool  #: the index says how the blocks of each array are stored
    is_whole: bool
    crc: int
    start: int
    length: int
    blocks: int
    before: int  #: where the trailer of the index ends that this one goes on; 0: none
    generation: int = 0  #: bytes of the stream of a generation, which ends with it; 0: of no one


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
    return version in (1, 2) or kind in (BLOCK, ATTRIBUTE) or \
        size == header_size(data[33], int.from_bytes(data[34:36], "little"))


def needed(data: bytes) -> int:
    """Bytes of the header that begins here; 0: none does."""
    if data[:8] != MAGIC or len(data) < FIXED:
        return 0
    version, _, size = struct.unpack_from("<HHI", data, 8)
    ndims, name_length = data[33], int.from_bytes(data[34:36], "little")
    if version not in (1, 2) or ndims > DIMS or name_length > NAME or size != header_size(ndims, name_length):
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
                   numbers[2 * ndims:], Coding(data[44], data[45]) if data[8] == 2 else PLAIN)
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
            and is_coding(header.type, header.coding) and \
            may_hold(header.coding.codec, header.length, bytes_of(header.type, header.count))
    if header.type or header.shape or header.coding.codec:
        return False
    if header.kind == ATTRIBUTE:
        return header.length <= NAME + 1 + VALUE and (not header.name or is_name(header.name))
    return header.kind == INDEX and not header.name and header.step >= 0


class Later(Exception):
    """A trailer is of a later version."""


def decode_trailer(data: bytes) -> "Trailer | None":
    """The trailer in the last bytes of a stream, or of what was published of it.

    :raises Later: there is one, of a later version
    """
    if len(data) < TRAILER or data[:8] != TRAILER_MAGIC:
        return None
    version, scope, crc, start, length, parts, blocks, before = struct.unpack_from("<HHIqqqqq", data, 8)
    if struct.unpack_from("<I", data, TRAILER - 4)[0] != crc32c(data[:TRAILER - 4]):
        return None
    if version > 2:
        raise Later
    if version < 1 or scope not in (1, 2, 3, 4, 5, 6) or min(start, length, parts, blocks) < 0 or \
            (scope in (3, 4) and not TRAILER <= before <= start) or (scope > 4 and before < TRAILER):
        return None
    return Trailer(version == 2, scope % 2 == 0, crc, start, length, blocks, before if scope in (3, 4) else 0,
                   before if scope > 4 else 0)

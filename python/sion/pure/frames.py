"""Compressed streams as bytes: seekable zstd files. doc/format.md, section 20. zstd itself is not needed."""

from __future__ import annotations

import struct
from typing import Callable, NamedTuple

import numpy as np

from .crc32c import crc32c

HEAD = 40
FOOTER = 9
MOST = 1 << 26  # plain bytes of a frame
_MAGIC = b"SIONZST1"
_SKIPPABLE, _HEAD_FRAME, _SEEK_FRAME = 0x184d2a50, 0x184d2a54, 0x184d2a5e
_SEEK_MAGIC, _FRAME_MAGIC = 0x8f92eab1, 0xfd2fb528
_SEEK_HEAD = 8
_SEEK_MOST = 1 << 27  # entries
_SHUFFLED = 8192  # elements of a block of them
_BUFFER = 1 << 16
_BLOCK = 1 << 17  # most bytes of a block of a frame
_FRAME_HEAD = 18  # most bytes of its head

# Stored bytes: from an offset on, so many, all of which are there.
Read = Callable[[int, int], bytes]


class Head(NamedTuple):
    """What is in front of the frames."""

    frame: int  #: most plain bytes of one
    shuffle: int  #: bytes of an element


class Frames(NamedTuple):
    """Where frames begin, in what is stored and in the plain stream; the last entries are the ends."""

    head: Head
    stored: "np.ndarray[tuple[int], np.dtype[np.int64]]"
    plain: "np.ndarray[tuple[int], np.dtype[np.int64]]"
    left: int = 0  #: bytes at the end that are no whole frame


def decode_head(data: bytes) -> "Head | None":
    """The head; None: it is damaged."""
    if len(data) < HEAD or struct.unpack_from("<II", data) != (_HEAD_FRAME, HEAD - 8) or \
            data[8:16] != _MAGIC or struct.unpack_from("<I", data, 36)[0] != crc32c(data[:36]):
        return None
    version, frame, shuffle = struct.unpack_from("<III", data, 16)
    return Head(frame, shuffle) if version == 1 and 1 <= frame <= MOST and 1 <= shuffle <= 64 else None


def largest(plain: int) -> int:
    """Most stored bytes of a frame."""
    return plain + plain // 64 + 1024


def _of(head: Head, entries: "np.ndarray[tuple[int, int], np.dtype[np.int64]]", left: int = 0) -> Frames:
    sums = np.zeros((len(entries) + 1, 2), np.int64)
    np.cumsum(entries, axis=0, out=sums[1:])
    return Frames(head, sums[:, 0].copy(), sums[:, 1].copy(), left)


class _Table(NamedTuple):
    """A seek table that ends somewhere: where it and its frames begin, and these."""

    at: int
    begin: int
    entries: "np.ndarray[tuple[int, int], np.dtype[np.int64]]"


def _read_table(read: Read, size: int, head: Head) -> "_Table | None":
    """The seek table that ends there; None: there is none that is right."""
    if size < HEAD + FOOTER:
        return None
    count, flags, magic = struct.unpack("<IBI", read(size - FOOTER, FOOTER))
    width = 12 if flags & 0x80 else 8
    at = size - FOOTER - count * width
    if magic != _SEEK_MAGIC or flags & 0x7c or count > _SEEK_MOST or at - _SEEK_HEAD < HEAD or \
            struct.unpack("<II", read(at - _SEEK_HEAD, _SEEK_HEAD)) != (_SEEK_FRAME, count * width + FOOTER):
        return None
    parts = [np.zeros((0, 2), np.int64)]
    step = _BUFFER // width
    for first in range(0, count, step):
        number = min(step, count - first)
        part = np.frombuffer(read(at + first * width, number * width), "<u4").reshape(number, width // 4)
        part = part[:, :2].astype(np.int64)
        stored, plain = part[:, 0], part[:, 1]
        if (stored == 0).any() or (plain > head.frame).any() or \
                ((plain > 0) & (stored > plain + plain // 64 + 1024)).any():
            return None
        parts.append(part)
    entries = np.concatenate(parts)
    begin = at - _SEEK_HEAD - int(entries[:, 0].sum())
    if not count or begin < 0 or (begin > 0 and decode_head(read(begin, HEAD)) != head):
        return None
    return _Table(at - _SEEK_HEAD, begin, entries)


def _read_tables(read: Read, size: int, head: Head) -> "Frames | None":
    """The frames by the seek tables: each generation is a file of its own, with a head and a table."""
    parts: "list[np.ndarray[tuple[int, int], np.dtype[np.int64]]]" = []
    end = size
    while end > 0:
        found = _read_table(read, end, head)
        if found is None:
            return None
        if end < size:
            parts.append(np.array([[end - found.at, 0]], np.int64))
        parts.append(found.entries)
        end = found.begin
    return _of(head, np.concatenate(parts[::-1]))


class FrameHead(NamedTuple):
    """The head of a frame."""

    size: int  #: its bytes; of a skippable frame, of all of it
    plain: int  #: that the frame holds
    more: int  #: behind the last block: a checksum
    is_skippable: bool = False


def decode_frame_head(data: bytes) -> "FrameHead | None":
    """The head of a frame that says how much it holds; None: it is none."""
    if len(data) < 8:
        return None
    magic, number = struct.unpack_from("<II", data)
    if magic & ~0xf == _SKIPPABLE:
        return FrameHead(8 + number, 0, 0, True)
    flags = data[4]
    single = flags >> 5 & 1
    size = 1 if flags >> 6 == 0 and single else (0, 2, 4, 8)[flags >> 6]
    at = 5 + (not single) + (0, 1, 2, 4)[flags & 3]
    if magic != _FRAME_MAGIC or flags & 8 or size == 0 or len(data) < at + size:
        return None
    plain = int.from_bytes(data[at:at + size], "little") & (1 << 63) - 1
    return FrameHead(at + size, plain + (256 if size == 2 else 0), 4 if flags & 4 else 0)


def frame_end(read: Read, size: int, at: int) -> "tuple[int, int] | None":
    """Where the frame at an offset ends, and its plain bytes; None: it is not complete."""
    found = decode_frame_head(read(at, min(_FRAME_HEAD, size - at)))
    if found is None:
        return None
    at += found.size
    is_last = found.is_skippable
    while not is_last:
        if size - at < 3:
            return None
        word = int.from_bytes(read(at, 3), "little")
        is_last, kind, count = bool(word & 1), word >> 1 & 3, word >> 3
        count = 1 if kind == 1 else count
        if kind == 3 or count > _BLOCK:
            return None
        at += 3 + count
    return (at + found.more, found.plain) if at + found.more <= size else None


def _pass_frames(read: Read, size: int, head: Head) -> Frames:
    """The frames, one by one, as far as they are complete."""
    entries, at = [], 0
    while at < size:
        found = frame_end(read, size, at)
        if found is None:
            break
        end, plain = found
        other = decode_head(read(at, HEAD)) if end - at == HEAD and not plain else None
        if other is not None and other != head:
            break
        if plain and (plain > head.frame or end - at > largest(plain)):
            break
        entries.append((end - at, plain))
        at = end
    return _of(head, np.array(entries, np.int64).reshape(-1, 2), size - at)


def _windowed(read: Read, size: int) -> Read:
    """The same bytes, of which those near to the ones that are asked for are read, too."""
    first, window = 0, b""

    def look(offset: int, count: int) -> bytes:
        nonlocal first, window
        if not first <= offset <= offset + count <= first + len(window):
            first = offset
            window = read(offset, max(count, min(_BUFFER, size - offset)))
        return window[offset - first:offset - first + count]

    return look


def find(read: Read, size: int) -> "Frames | None":
    """The frames of a stream of so many stored bytes; None: it does not begin as a compressed one."""
    look = _windowed(read, size)
    head = decode_head(look(0, min(HEAD, size)))
    if head is None:
        return None
    return _read_tables(look, size, head) or _pass_frames(look, size, head)


def unshuffle(data: bytes, element: int) -> bytes:
    """Bytes in the order that they had before they were shuffled."""
    if element <= 1:
        return data
    whole = len(data) // element
    blocks = whole // _SHUFFLED
    middle, end = blocks * _SHUFFLED * element, whole * element
    numbers = np.frombuffer(data, np.uint8)
    plain = np.empty(len(data), np.uint8)
    plain[:middle].reshape(blocks, _SHUFFLED, element)[...] = \
        numbers[:middle].reshape(blocks, element, _SHUFFLED).transpose(0, 2, 1)
    plain[middle:end].reshape(whole % _SHUFFLED, element)[...] = \
        numbers[middle:end].reshape(element, whole % _SHUFFLED).T
    plain[end:] = numbers[end:]
    return plain.tobytes()

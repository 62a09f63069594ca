"""CRC-32C (Castagnoli), which Python has not: by tables of numpy."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_POLYNOMIAL = 0x82f63b78
_LANE = 256  # bytes of which the CRCs are computed side by side
_FEW = 512  # bytes for which a loop is faster
_ROWS = 1 << 14  # lanes at once, so that a column stays in the cache


@functools.lru_cache(maxsize=None)
def _table() -> "NDArray[np.uint32]":
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = (table >> np.uint32(1)) ^ np.where(table & 1, np.uint32(_POLYNOMIAL), np.uint32(0))
    return table


@functools.lru_cache(maxsize=None)
def _numbers() -> "list[int]":
    return _table().tolist()


def _advance(crc: int, data: bytes) -> int:
    """A CRC, not inverted, over some more bytes."""
    table = _numbers()
    for byte in data:
        crc = table[(crc ^ byte) & 0xff] ^ crc >> 8
    return crc


@functools.lru_cache(maxsize=None)
def _shifts() -> "list[list[int]]":
    """What a lane of zeros makes of each byte of a CRC: what it makes of the byte's bits, added."""
    zeros, tables = bytes(_LANE), []
    for place in (0, 8, 16, 24):
        table = [0]
        for bit in range(8):
            column = _advance(1 << (place + bit), zeros)
            table += [crc ^ column for crc in table]
        tables.append(table)
    return tables


def _each_lane(lanes: "NDArray[np.uint8]") -> "list[int]":
    """The CRC of each lane, begun with 0 and not inverted."""
    table, crcs = _table(), []
    for first in range(0, len(lanes), _ROWS):
        columns = np.ascontiguousarray(lanes[first:first + _ROWS].T)
        crc = np.zeros(columns.shape[1], np.uint32)
        for column in columns:
            crc = table[(crc ^ column) & np.uint32(0xff)] ^ (crc >> np.uint32(8))
        crcs.extend(crc.tolist())
    return crcs


def crc32c(data: Any, crc: int = 0) -> int:
    """The CRC-32C of some bytes, continuing that of bytes before them."""
    view = memoryview(data).cast("B")
    crc ^= 0xffffffff
    whole = view.nbytes // _LANE * _LANE if view.nbytes >= _FEW else 0
    if whole:
        first, second, third, fourth = _shifts()
        for lane in _each_lane(np.frombuffer(view[:whole], np.uint8).reshape(-1, _LANE)):
            crc = first[crc & 0xff] ^ second[crc >> 8 & 0xff] ^ third[crc >> 16 & 0xff] ^ fourth[crc >> 24] ^ lane
    return _advance(crc, bytes(view[whole:])) ^ 0xffffffff

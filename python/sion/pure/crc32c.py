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


@functools.lru_cache(maxsize=None)
def _table() -> "NDArray[np.uint32]":
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = (table >> np.uint32(1)) ^ np.where(table & 1, np.uint32(_POLYNOMIAL), np.uint32(0))
    return table


@functools.lru_cache(maxsize=None)
def _numbers() -> "list[int]":
    return _table().tolist()


@functools.lru_cache(maxsize=None)
def _shift(zeros: int) -> "list[int]":
    """What so many zero bytes make of each bit of a CRC."""
    if zeros == 1:
        table = _numbers()
        return [table[1 << bit & 0xff] ^ (1 << bit) >> 8 for bit in range(32)]
    half = _shift(zeros // 2)
    twice = [_apply(half, column) for column in half]
    return [_apply(_shift(1), column) for column in twice] if zeros % 2 else twice


def _apply(shift: "list[int]", crc: int) -> int:
    result = 0
    while crc:
        low = crc & -crc
        result ^= shift[low.bit_length() - 1]
        crc ^= low
    return result


@functools.lru_cache(maxsize=None)
def _lane_shift() -> "NDArray[np.uint32]":
    """The same for a lane, as four tables of 256 entries."""
    shift = _shift(_LANE)
    tables = [[_apply(shift, byte << 8 * place) for byte in range(256)] for place in range(4)]
    return np.array(tables, np.uint32)


def _slowly(crc: int, data: bytes) -> int:
    table = _numbers()
    for byte in data:
        crc = table[(crc ^ byte) & 0xff] ^ crc >> 8
    return crc


def crc32c(data: Any, crc: int = 0) -> int:
    """The CRC-32C of some bytes, continuing that of bytes before them."""
    view = memoryview(data).cast("B")
    state = crc ^ 0xffffffff
    lanes = view.nbytes // _LANE
    if view.nbytes < _FEW:
        return _slowly(state, bytes(view)) ^ 0xffffffff
    rows = np.frombuffer(view[:lanes * _LANE], np.uint8).reshape(lanes, _LANE)
    for part in _each_lane(rows):
        for one in part.tolist():
            tables = _shift_tables()
            state = tables[0][state & 0xff] ^ tables[1][state >> 8 & 0xff] ^ \
                tables[2][state >> 16 & 0xff] ^ tables[3][state >> 24] ^ one
    return _slowly(state, bytes(view[lanes * _LANE:])) ^ 0xffffffff


@functools.lru_cache(maxsize=None)
def _shift_tables() -> "list[list[int]]":
    return _lane_shift().tolist()


def _each_lane(rows: "NDArray[np.uint8]") -> "list[NDArray[np.uint32]]":
    """The CRC of each row, begun with 0 and not inverted."""
    table, parts = _table(), []
    for first in range(0, len(rows), 1 << 14):
        columns = np.ascontiguousarray(rows[first:first + (1 << 14)].T)
        state = np.zeros(columns.shape[1], np.uint32)
        for column in columns:
            state = table[(state ^ column) & np.uint32(0xff)] ^ (state >> np.uint32(8))
        parts.append(state)
    return parts

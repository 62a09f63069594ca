"""zfp, by the module zfpy, which is needed only where something is compressed."""

from __future__ import annotations

import math
import sys
from typing import Any, Sequence

import numpy as np

from ..errors import Code, Error

_WIDTHS = {1: 32, 2: 24, 3: 16, 4: 12}  # bits of a count that zfp reads, by the number of dimensions
_MAGIC, _META, _SHORT, _LEAST = 32, 52, 12, 15  # bits of the parts of a header
_RATES = 2048  # the first modes of a short header are rates: bits of a block of zfp, less one
_HEADER = 64  # more than the bytes of a header, in whole words


class Zfp:
    """Decompresses blocks. `reason`: what needs it, for the message if the module is missing."""

    def __init__(self, reason: str) -> None:
        if sys.byteorder == "big":
            raise Error(f"{reason}, which needs a machine with low bytes first", Code.ARGUMENT)
        try:
            import zfpy
        except (ImportError, ValueError) as error:  # ValueError: it was built for another numpy
            raise Error(f"{reason}, which the reader in Python reads with the module zfpy: {error}",
                        Code.ARGUMENT) from error
        self._decompress = zfpy.decompress_numpy

    def unpack(self, data: bytes, kind: "np.dtype[Any]", count: "Sequence[int]") -> bytes:
        """The elements of a block, with the bytes in this machine's order.

        :raises ValueError: the data are damaged
        """
        _check(data, kind.itemsize, count)
        # zfp reads as many bytes as its mode may need at most, so these have to be there.
        room = 2 * kind.itemsize * math.prod((n + 3) // 4 * 4 for n in count) + 2 * _HEADER
        elements: bytes = self._decompress(data.ljust(max(room, len(data) + _HEADER), b"\0")).tobytes()
        return elements


def _check(data: bytes, size: int, count: "Sequence[int]") -> None:
    """Fail unless the header describes these elements, in a mode that reads no more than there is room for."""
    if len(count) not in _WIDTHS:
        raise ValueError("zfp has no such dimensions")
    if data[:3] != b"zfp":
        raise ValueError("it has no header of zfp")
    bits = int.from_bytes(data[:_HEADER], "little") >> _MAGIC
    width = _WIDTHS[len(count)]
    counts = [(bits >> 4 + width * axis & (1 << width) - 1) + 1 for axis in range(len(count))]
    if (bits & 3, bits >> 2 & 3, counts[::-1]) != (2 if size == 4 else 3, len(count) - 1, list(count)):
        raise ValueError("its header is of another box")
    mode = bits >> _META & (1 << _SHORT) - 1
    least = mode + 1 if mode < _RATES else 0
    if mode == (1 << _SHORT) - 1:
        least = (bits >> _META + _SHORT & (1 << _LEAST) - 1) + 1
    if least > 2 * 8 * size * 4 ** len(count):
        raise ValueError("its mode is none of those that are written")

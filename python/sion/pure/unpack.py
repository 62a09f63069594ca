"""Compressed blocks of arrays. Those that were read last are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .failures import damaged
from .zfp import Zfp
from .zstd import Zstd

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .index import IndexArray, IndexBlock

_KEPT, _KEPT_BYTES = 16, 64 << 20  # blocks, and bytes unless one has more


class Unpacker:
    """Makes what is stored of blocks their elements."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._zstd: "Zstd | None" = None
        self._zfp: "Zfp | None" = None
        self._kept: "dict[tuple[str, IndexBlock], NDArray[np.uint8]]" = {}  # the one that was used last is the last

    def find(self, array: "IndexArray", block: "IndexBlock") -> "NDArray[np.uint8] | None":
        """The bytes of a block that is kept."""
        data = self._kept.pop((array.name, block), None)
        if data is not None:
            self._kept[array.name, block] = data
        return data

    def unpack(self, array: "IndexArray", block: "IndexBlock", stored: bytes) -> "NDArray[np.uint8]":
        """The bytes of a block, which is kept."""
        size = array.dtype.itemsize
        for number in block.count:
            size *= number
        try:
            data = np.frombuffer(self._decompress(array, block, stored, size), np.uint8)
        except ValueError as error:
            raise damaged(f"{self._name}: array {array.name}: the compressed block of task {block.task} at byte "
                          f"{block.position}: {error}") from error
        if block.coding.shuffle:
            data = np.ascontiguousarray(data.reshape(block.coding.shuffle, -1).T).reshape(-1)
        while self._kept and (len(self._kept) >= _KEPT or
                              size + sum(one.nbytes for one in self._kept.values()) > _KEPT_BYTES):
            del self._kept[next(iter(self._kept))]
        self._kept[array.name, block] = data
        return data

    def _decompress(self, array: "IndexArray", block: "IndexBlock", stored: bytes, size: int) -> bytes:
        reason = f"array {array.name} of {self._name} is compressed"
        if block.coding.codec == 1:
            self._zstd = self._zstd or Zstd(reason)
            return self._zstd.unpack(stored, size)
        self._zfp = self._zfp or Zfp(f"{reason} by {block.coding.text}")
        return self._zfp.unpack(stored, array.dtype, block.count)

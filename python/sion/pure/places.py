"""Where every so manyth task of a large file begins, as its header says. doc/format.md, section 3.7."""

from __future__ import annotations

import struct
from typing import NamedTuple

from .crc32c import crc32c
from .header import FIXED, Header

MAGIC = b"SIONPLC1"
RECORD = 32  # bytes at the end of the fixed part
_VERSION = 1
_MOST = 100


class Places(NamedTuple):
    """Offsets in a block of tasks 0, step, 2 step, ..., and the bytes of the block behind these."""

    step: int
    at: "list[int]"

    def around(self, task: int) -> "tuple[int, int, int]":
        """The last task up to this one whose place is known; that place, and the next one."""
        number = task // self.step
        return number * self.step, self.at[number], self.at[number + 1]


def decode(head: Header, fixed: bytes) -> "Places | None":
    """What the fixed part of META1 has of them; None: nothing that can be used."""
    record = fixed[FIXED - RECORD:FIXED]
    if head.format < 4 or record[:8] != MAGIC:
        return None
    version, number, skip, step, stored = struct.unpack(head.order + "IIqiI", record[8:])
    if version != _VERSION or not 1 <= number <= _MOST or step < 1 or (head.ntasks - 1) // step != number:
        return None
    begin = FIXED - RECORD - 8 * number
    if crc32c(fixed[begin:FIXED - 4]) != stored:
        return None
    at = [0, *struct.unpack(f"{head.order}{number}q", fixed[begin:FIXED - RECORD]), skip]
    return Places(step, at) if at == sorted(at) else None

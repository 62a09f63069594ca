"""What is wrong with a task whose numbers are damaged: nothing is read of it, and of others all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ..errors import Code, Error
from .failures import damaged, warn


@dataclass(frozen=True)
class Damage:
    """Why a task cannot be read."""

    text: str
    is_mendable: bool = False  #: sionrecover --in-place mends it

    def error(self, name: str) -> Error:
        """The failure of a read of the task, in a file of this name."""
        more = "; sionrecover --in-place counts the chunk as 0 bytes" if self.is_mendable else ""
        return damaged(f"{name}: {self.text}: nothing is read of this task{more}")


class _Damaged(Protocol):
    """A file some of whose tasks cannot be read."""

    name: str
    damages: "dict[int, Damage]"


class PieceError(Error):
    """A piece of a task's data is damaged."""

    def __init__(self, file: _Damaged, task: int, damage: Damage) -> None:
        super().__init__(f"{file.name}: {damage.text}", Code.DAMAGED)
        self._file, self._task, self._damage = file, task, damage

    def lock_out(self) -> None:
        """Nothing is read of the task from now on."""
        self._file.damages.setdefault(self._task, self._damage)


def warn_of(name: str, damages: "list[Damage]") -> None:
    """Warn of the damaged tasks of a file, if there are any."""
    if len(damages) == 1:
        warn(f"{name}: {damages[0].text}: this task cannot be read, the others can")
    elif damages:
        warn(f"{name}: {damages[0].text}: this task and {len(damages) - 1} others cannot be read")


def of_count(task: int, count: int, most: int) -> Damage:
    """The number of chunks is wrong."""
    return Damage(f"task {task} says {count} chunks, of at most {most}")


def of_used(task: int, chunk: int, used: int, room: int) -> Damage:
    """A chunk says more bytes than it has, or less than none."""
    return Damage(f"chunk {chunk} of task {task} says {used} bytes used of {room}", True)


def of_place(task: int, chunk: int, used: int, limit: int) -> Damage:
    """A chunk is not where data can be."""
    return Damage(f"data of chunk {chunk} of task {task}, {used} bytes, would be beyond offset {limit}",
                  True)


def of_partly(task: int, chunk: int) -> Damage:
    """Records with keys go on in the next chunk only if this one is full."""
    return Damage(f"key-value file, but chunk {chunk} of task {task} is only partly filled")


def of_rows(task: int, count: int, chunk: int, most: int) -> Damage:
    """A chunk behind the last one has bytes."""
    return Damage(f"task {task} says {count} chunks, but its chunk {chunk} has bytes, and the header "
                  f"says {most} chunks")


def of_zip(task: int, stored: int) -> Damage:
    """What is stored is no compressed stream."""
    return Damage(f"the {stored} stored bytes of task {task} do not begin as a compressed stream")


def of_zip_frames(task: int, stored: int) -> Damage:
    """Its frames cannot be found."""
    return Damage(f"where frames begin in the {stored} stored bytes of task {task} cannot be read")


def of_frame(task: int, number: int, why: str) -> Damage:
    """A frame of a compressed stream is not what it should be."""
    return Damage(f"frame {number} of the compressed stream of task {task}: {why}")


def of_pair(rank: int) -> Damage:
    """The mapping and the file do not agree."""
    return Damage(f"rank {rank} is not where the mapping says, or has another number there")


def of_piece(task: int, chunk: int, piece: int, stored: int, found: int) -> Damage:
    """A piece has another checksum."""
    return Damage(f"piece {piece} of chunk {chunk} of task {task} is damaged: its checksum is "
                  f"{found:08x}, not {stored:08x}")

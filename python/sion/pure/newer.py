"""How a reader goes on with a newer state: what there is, and what it has lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import Code, Error
from .failures import damaged, warn
from .zipped import Zipped

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .contents import Contents
    from .tables import Tables


def goes_on(name: str, old: "Contents", new: "Contents", sees_all: bool) -> bool:
    """Whether a reader shows the new contents; not if they have nothing newer that is sound."""
    before, now = old.files[0].generation, new.files[0].generation
    if sees_all and new.files[0].has_odd_generations:
        raise damaged(f"cannot read {name}: its record of generations is damaged")
    if not sees_all and 0 < now < before:
        raise damaged(f"{name} has no sound generation from {before} on")
    if len(old.files) != len(new.files) or not all(map(_has_become, old.files, new.files)):
        raise Error(f"{name} is not the container any more that was opened", Code.MISMATCH)
    return sees_all or before == 0 or now > 0


def _has_become(old: "Tables", new: "Tables") -> bool:
    """Whether a newer state has all that the old one has, but for what is forgotten: bytes are only added."""
    head, rows, left = old.head, min(old.maxchunks, new.maxchunks), new.left
    return (head.ntasks, head.flag1, head.flag2) == (new.head.ntasks, new.head.flag1, new.head.flag2) and \
        np.array_equal(old.chunksizes, new.chunksizes) and np.array_equal(old.ranks, new.ranks) and \
        bool((new.used[left:rows] >= old.used[left:rows]).all()) and not old.used[rows:].any()


def _before(file: "Tables", block: int) -> "NDArray[np.int64]":
    """Bytes of each task's stream before a block."""
    stored = file.used[:block].sum(axis=0)
    return file.view.before(stored) if isinstance(file.view, Zipped) else stored


def lost(old: "Contents", new: "Contents") -> "NDArray[np.int64]":
    """How many bytes of each stream are forgotten between two states of which all generations are shown."""
    return old.spread([_before(file, now.left if file.record is not None else 0)
                       for file, now in zip(old.files, new.files)])


def warn_of_lost(name: str, old: "Contents", new: "Contents", read: "dict[int, int]") -> None:
    """Warn of generations that have gone before all was read; read: bytes of those tasks that somebody reads."""
    then, now = old.files[0].record, new.files[0].record
    first = (then.newest if then is not None else 0) + 1
    last = (now.oldest if now is not None else 1) - 1
    wanted: "dict[int, list[tuple[int, int]]]" = {}
    for task, position in read.items():
        number, there = old.locate(task)
        wanted.setdefault(number, []).append((there, position))
    for number, tasks in wanted.items():
        first = min(first, _first_cut(old.files[number], last, tasks, first))
    if first == last:
        warn(f"generation {first} of {name} was forgotten before all of it was read")
    elif first < last:
        warn(f"generations {first} to {last} of {name} were forgotten before all of them were read")


def _first_cut(file: "Tables", last: int, tasks: "list[tuple[int, int]]", otherwise: int) -> int:
    """The first of the generations up to a number of which not all was read by tasks that are at a position."""
    for one in file.record.list if file.record is not None else ():
        if one.number > last:
            break
        begins, ends = _before(file, one.first), _before(file, one.first + one.blocks)
        if any(ends[task] > max(position, begins[task]) for task, position in tasks):
            return one.number
    return otherwise

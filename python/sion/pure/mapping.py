"""Sets of files. A pair of the mapping says which task has a rank, and the file which rank the task has.

Where the two do not agree, one of them is damaged: that rank cannot be read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator

import numpy as np

from ..errors import Code, Error
from . import checksums, states
from .damage import of_pair, warn_of
from .failures import damaged, prefixed
from .header import Header
from .tables import Tables

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .source import Folder


def check_member(member: Header, name: str, master: Header, number: int) -> None:
    """Check that a file is that of its place in the set."""
    if member.nfiles != master.nfiles or member.filenumber != number:
        raise damaged(f"{name} says it is file {member.filenumber} of {member.nfiles}, not file {number} "
                      f"of {master.nfiles}")
    if (member.format, member.big_endian, member.keyval) != (master.format, master.big_endian, master.keyval):
        raise damaged(f"{name} is not of the same kind as file 0 of its set")
    if member.marker != master.marker:
        raise damaged(f"{name} was not written together with file 0 of its set")


def find_state(tables: Tables) -> "states.State | None":
    """The state that these tables are of; None: the file has no record of it."""
    if tables.state is not None:
        return tables.state
    head, source = tables.head, tables.source
    for at, data in checksums.places(head, source, tables.end):
        if data[:8] == checksums.MAGIC and len(data) >= checksums.HEAD:
            at = checksums.load(head.order, at, data).end
            data = source.read_some(at, 8) if at < source.size else b""
        if data[:8] == states.MAGIC:
            return states.decode(head.order, source.read_some(at, states.RECORD))
    return None


def as_state(member: Tables, first: Tables, number: int) -> Tables:
    """A file that is ahead of a state goes back to it."""
    state = find_state(member)
    while state is not None and state.number > number:
        if state.old_start == 0:
            first.check_steady()
            raise Error(f"{member.name} has no state {number}, which file 0 has", Code.NOT_CLOSED)
        member = Tables(member.source, (state.old_maxchunks, state.old_start))
        state = find_state(member)
    return member


def _as_file_0(member: Tables, first: Tables) -> Tables:
    """A writer switches file 0 last: other files go back to the state that it has."""
    wanted = find_state(first)
    return as_state(member, first, wanted.number if wanted is not None else 0)


def open_members(folder: "Folder", first: Tables) -> "list[Tables]":
    """All files of a set."""
    files = [first]
    for number in range(1, first.head.nfiles):
        member = _as_file_0(Tables(folder.open(number)), first)
        check_member(member.head, member.name, first.head, number)
        files.append(member)
    with prefixed(f"cannot read {folder.name}"):
        assert first.pairs is not None
        _Settler(files, first.pairs).settle()
    return files


class _Settler:
    """Compares the mapping with the files, and locks out the ranks that differ."""

    def __init__(self, files: "list[Tables]", pairs: "NDArray[np.int32]") -> None:
        self.files = files
        self.pairs = pairs  # changed where a rank has no place
        self.named = [np.zeros(file.head.ntasks, bool) for file in files]

    def _find_bad(self) -> "list[int]":
        ranks = np.arange(len(self.pairs))
        agree = np.zeros(len(self.pairs), bool)
        for number, file in enumerate(self.files):
            own = ranks[(self.pairs[:, 0] == number) & (self.pairs[:, 1] >= 0) &
                        (self.pairs[:, 1] < file.head.ntasks)]
            own = own[file.ranks[self.pairs[own, 1]] == own]
            agree[own] = True
            self.named[number][self.pairs[own, 1]] = True
        return np.flatnonzero(~agree).tolist()

    def _left(self) -> "Iterator[tuple[int, int]]":
        """Tasks that no pair has, and that are not place-holders."""
        for number, file in enumerate(self.files):
            holders = (file.ranks < 0) & (file.chunksizes == 0)
            for task in np.flatnonzero(~self.named[number] & ~holders).tolist():
                if not self.named[number][task]:
                    yield number, task

    def settle(self) -> None:
        """Give each rank a place, and lock out those whose place is not certain."""
        bad, left = self._find_bad(), list(self._left())
        if len(left) < len(bad):
            raise damaged(f"mapping has {len(self.pairs)} tasks, more than its files have")
        if len(left) > len(bad):
            number, task = left[-1]
            raise damaged(f"mapping has {len(self.pairs)} tasks, and none of them is task {task} of "
                          f"{self.files[number].name}")
        if not bad:
            return
        reason = of_pair(bad[0])
        self._give_tasks(self._keep_pairs(bad))
        warn_of(self.files[0].name, [reason] * len(bad))

    def _lock_out(self, rank: int, number: int, task: int) -> None:
        self.pairs[rank] = number, task
        self.named[number][task] = True
        self.files[number].ranks[task] = rank
        self.files[number].lock_out(task, of_pair(rank))

    def _keep_pairs(self, bad: "list[int]") -> "list[int]":
        """Ranks whose pair names a task that is left keep it; returns the others."""
        others = []
        for rank in bad:
            number, task = self.pairs[rank].tolist()
            is_there = 0 <= number < len(self.files) and 0 <= task < self.files[number].head.ntasks
            if is_there and not self.named[number][task] and not self.files[number].is_place_holder(task):
                self._lock_out(rank, number, task)
            else:
                others.append(rank)
        return others

    def _give_tasks(self, bad: "list[int]") -> None:
        """The other ranks get what is left, first those that the tasks say."""
        where = {rank: place for place, rank in enumerate(bad)}
        for number, task in list(self._left()):
            place = where.get(int(self.files[number].ranks[task]), 0)
            self._lock_out(bad[place], number, task)
            del where[bad[place]]
            last = bad.pop()
            if place < len(bad):
                bad[place] = last
                where[last] = place

"""An open that takes the newest generation that is not damaged, as restarts want it. doc/reliability.md."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Callable

import numpy as np

from ..errors import Code, Error
from . import checksums, mapping
from .failures import collected, damaged, warn

if TYPE_CHECKING:
    from .contents import Contents
    from .tables import Tables
    from .words import Mode

_MOST = 100  # opens that a writer may overtake
UNKNOWN = -1  # number of a generation, where their record is damaged


class Seen:
    """What an attempt was for."""

    def __init__(self) -> None:
        self.generation = 0  #: 0: of a container without generations, or one that could not be read
        self.first: "Tables | None" = None  #: file 0


def go_back(first: "Tables", mode: "Mode") -> "Tables":
    """File 0 in the state that the mode wants."""
    state = mapping.find_state(first) if mode.states_back else None
    return mapping.as_state(first, first, state.number - mode.states_back) if state is not None else first


def _check_bytes(file: "Tables") -> None:
    """Compare what the tasks have with the record of generations, which has a checksum as META2 has none."""
    recorded = [one.bytes for one in file.record.list if one.number == file.generation] if file.record else []
    if not recorded or file.shown is None:
        return
    there = np.arange(file.shown.start, file.shown.stop)[:, None] < file.counts
    found = int(file.used[file.shown.start:file.shown.stop][there].sum())
    if found != recorded[0]:
        raise damaged(f"{file.name} says that its tasks have {found} bytes in generation {file.generation}, and "
                      f"{recorded[0]} in its record of generations")


def check(files: "list[Tables]") -> None:
    """Fail if any task of a generation is damaged, in its numbers or, with checksums, in its data."""
    for file in files:
        for found in file.damages.values():
            raise found.error(file.name)
        _check_bytes(file)
    for file in files:
        checksums.check_all(file)


def open_newest(mode: "Mode", make: "Callable[[Mode, Seen], Contents]") -> "Contents":
    """Open a container; if its newest generation is damaged, an older one, with a warning that says so."""
    reason, newest, changes = "", 0, 0
    while True:
        seen = Seen()
        with collected() as texts:
            try:
                contents = make(mode, seen)
                break
            except Error as error:
                failure = error.with_traceback(None)  # lets the files of the attempt go
        if not reason and (failure.code != Code.DAMAGED or seen.generation == 0) or \
                failure.code not in (Code.DAMAGED, Code.ARGUMENT, Code.NOT_CLOSED):
            for text in texts:
                warn(text)
            try:
                raise failure
            finally:
                del failure, seen
        if failure.code == Code.DAMAGED and mode.states_back == 0 and changes < _MOST and \
                seen.first is not None and not seen.first.is_newest():
            changes += 1  # what it has read may have been forgotten meanwhile
            continue
        reason, newest = reason or str(failure), newest or seen.generation
        if seen.generation > 0 and failure.code == Code.DAMAGED:
            mode = replace(mode, generation=mode.generation - 1)
        elif mode.states_back == 0 and failure.code != Code.NOT_CLOSED:
            mode = replace(mode, generation=0, states_back=1)
        else:
            raise Error(f"no generation is sound, the newest is not because {reason}; generation=newest reads "
                        "what can be read of it", Code.DAMAGED)
    for text in texts if mode.states_back == 0 else ():
        warn(text)
    if reason:
        which = f"generation {newest}" if newest > 0 else "the newest state"
        warn(f"{which} is damaged: {reason}; generation {contents.files[0].generation} is read instead")
    return contents

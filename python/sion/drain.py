"""Staged containers: whether they are complete, and waiting for them.

They are written with the mode word ``stage=`` of sion(7), or with SION_STAGE, by
:func:`sion.paropen`. Other threads go on while one waits::

    with sion.paropen("x.sion", "w,stage=/dev/shm", comm, chunksize=1 << 20) as stream:
        stream.write(field)
    ...                                             # compute
    sion.drain.wait("x.sion")                       # it has its name now
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from ._library import check, ffi, lib, name_of, sized, text_of

__all__ = ["Progress", "progress", "test", "wait"]


@dataclass(frozen=True)
class Progress:
    """What is known of drains."""

    waiting: int  #: containers that are drained, or will be
    failed: int  #: containers whose drains have failed
    drained: int  #: bytes that this process has copied, of those that are not complete yet
    total: int  #: bytes that it will have copied; 0 in other processes than the node's first one
    failure: str  #: why a drain has failed; "": none has


def test(name: "str | os.PathLike[str] | None" = None) -> bool:
    """Whether containers are complete. Local.

    :param name: None: all that this process has staged
    :raises sion.Error: a drain has failed
    """
    done: int = lib.sion_drain_test(_name_or_all(name))
    check(done >= 0)
    return done == 1


def wait(name: "str | os.PathLike[str] | None" = None) -> None:
    """Wait until containers are complete. Drains that have failed are tried once more. Local.

    :param name: None: all that this process has staged
    :raises sion.Error: a drain has failed; the data stay on the nodes, and siondrain goes on
    """
    check(lib.sion_drain_wait(_name_or_all(name)) == 1)


def progress(name: "str | os.PathLike[str] | None" = None) -> Progress:
    """Get the progress of drains. Local.

    :param name: None: all that this process has staged
    """
    known = sized("sion_drain_progress")
    check(lib.sion_drain_get_progress(_name_or_all(name), known) == 1)
    return Progress(known.waiting, known.failed, known.drained, known.total, text_of(known.failure))


def _name_or_all(name: "str | os.PathLike[str] | None") -> "bytes | object":
    return ffi.NULL if name is None else name_of(name)

"""Containers whose tasks are divided among any number of MPI ranks."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any, Iterator, Sequence, overload

import numpy as np

from ._declarations import SHARE_BYTES, SHARE_TASKS
from ._library import failure, name_of, open_lock
from .bulk import ManyStreams
from .opened import Opened
from .parallel import _mpi
from .streams import SelectedStream

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import NDArray

_WAYS = {"tasks": SHARE_TASKS, "bytes": SHARE_BYTES}


class SharedTask(SelectedStream):
    """One of the tasks that this process reads: ``container.tasks[n]``."""

    def __repr__(self) -> str:
        state = "closed" if self.closed or self._container.closed else f"rank {self._number}"
        return f"<sion.SharedTask of {self._container.name!r}, {state}>"

    @property
    def rank(self) -> int:
        """The number that the writer stored with the task, usually its rank in the program."""
        return self._number


class SharedTasks(ManyStreams, Sequence[SharedTask]):
    """The tasks of this process, in the order of their ranks, or a slice of them."""

    def __init__(self, container: "SharedContainer", ranks: "NDArray[np.int32]") -> None:
        self._container = container
        self.ranks = ranks  #: ranks of the tasks in the program that wrote them

    def __len__(self) -> int:
        return len(self.ranks)

    def __repr__(self) -> str:
        return f"<{len(self)} tasks of {self._container.name!r}>"

    @overload
    def __getitem__(self, index: int) -> SharedTask: ...

    @overload
    def __getitem__(self, index: slice) -> "SharedTasks": ...

    def __getitem__(self, index: "int | slice") -> "SharedTask | SharedTasks":
        self._container._check_open()
        if isinstance(index, slice):
            return SharedTasks(self._container, np.ascontiguousarray(self.ranks[index]))
        if not -len(self) <= index < len(self):
            raise IndexError(f"task {index} of {len(self)}")
        return SharedTask(self._container, int(self.ranks[index]))

    def __iter__(self) -> Iterator[SharedTask]:
        self._container._check_open()
        return (SharedTask(self._container, rank) for rank in self.ranks.tolist())

    def _ranks(self) -> "NDArray[np.int32]":
        return self.ranks


class SharedContainer(Opened):
    """A container that all ranks have opened by :func:`paropen_shared`.

    Use it in a ``with`` statement. Only the open and the close are collective.
    """

    def __init__(self, name: str, sid: int, close: Any, ranks: "NDArray[np.int32]") -> None:
        super().__init__(name, sid, writing=False)
        self._close = close
        self._ranks = ranks

    def __repr__(self) -> str:
        return f"<sion.SharedContainer {self.name!r}, " + \
            ("closed>" if self.closed else f"{len(self._ranks)} tasks here>")

    def __len__(self) -> int:
        return len(self._ranks)

    def __del__(self) -> None:
        # A close here would be a collective call at an arbitrary time.
        if getattr(self, "_sid", -1) >= 0:
            warnings.warn(f"{self!r} was never closed", ResourceWarning, source=self)

    @property
    def tasks(self) -> SharedTasks:
        """The tasks that this process reads; there may be none."""
        return SharedTasks(self, self._ranks)

    def close(self) -> None:
        """Close the container. Collective over the ranks that opened it.

        :raises sion.Error: on all ranks, if the close fails on any
        """
        with self._lock:
            self._close_with(self._close)


def paropen_shared(name: "str | os.PathLike[str]", comm: "MPI.Comm | None" = None, *,
                   by: str = "tasks", mode: str = "br") -> SharedContainer:
    """Open a container for reading with any number of ranks, which divide its tasks among them.

    Collective over comm. Each rank gets consecutive tasks in the order of their ranks, and each
    task goes to one rank. If there are more ranks than tasks, the last ranks get none.

    :param comm: the communicator of mpi4py; None: MPI.COMM_WORLD. Do not free it before the close.
    :param by: "tasks": each rank gets as many tasks, "bytes": about as many bytes
    :param mode: "br" and words for reading, see sion_modes(7)
    :raises sion.Error: on all ranks, if any rank fails
    """
    if by not in _WAYS:
        raise ValueError("by must be 'tasks' or 'bytes'")
    mpi_ffi, mpi_lib, mpi = _mpi()
    comm = mpi.COMM_WORLD if comm is None else comm
    handle = mpi_ffi.cast("MPI_Comm *", mpi._addressof(comm))
    ntasks, ranks = mpi_ffi.new("int *"), mpi_ffi.new("int **")
    with open_lock:
        sid = mpi_lib.sion_paropen_shared_mpi(name_of(name), mode.encode(), handle[0], _WAYS[by],
                                              ntasks, ranks)
    if sid < 0:
        raise failure()
    own = np.array(mpi_ffi.unpack(ranks[0], ntasks[0]) if ntasks[0] else [], np.int32)
    own.flags.writeable = False
    return SharedContainer(os.fsdecode(name), sid, mpi_lib.sion_parclose_mpi, own)

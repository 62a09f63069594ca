"""What all open containers have in common."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ._library import check, ffi, lib, open_lock
from .streams import Facts, _Records, facts_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_Self = TypeVar("_Self", bound="Opened")


class Opened:
    """An open container, with the state that the streams of its tasks share."""

    name: str  #: as it was opened

    def __init__(self, name: str, sid: int, writing: bool, facts: "Facts | None" = None) -> None:
        self.name = name
        self._sid = sid
        self._writing = writing
        self._facts = facts or facts_of(sid)
        self._lock = threading.RLock()
        self._at: "tuple[int, int] | None" = None  # the library's position: task, byte
        self._indices: "dict[int, _Records]" = {}

    def __enter__(self: _Self) -> _Self:
        self._check_open()
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    @property
    def closed(self) -> bool:
        """Whether it has been closed."""
        return self._sid < 0

    @property
    def keyval(self) -> bool:
        """Whether the streams consist of records with keys."""
        return self._facts.keyval

    def close(self) -> None:
        """Close the container."""
        raise NotImplementedError

    def _check_open(self) -> None:
        if self._sid < 0:
            raise ValueError(f"the container {self.name} is closed")

    def _close_with(self, close: Any) -> None:
        """Close it with a function of the library, unless it is already closed."""
        sid, self._sid = self._sid, -1
        if sid >= 0:
            with open_lock:
                check(close(sid) == 1)

    # ---- the streams of many tasks; called with the lock held ----

    def _stream_starts(self, tasks: "NDArray[np.int32]") -> "NDArray[np.int64]":
        """Where each stream begins when all are put into one array; the last entry is the end."""
        starts = np.empty(len(tasks) + 1, np.int64)
        check(lib.sion_stream_sizes(self._sid, len(tasks), _from(tasks, "int[]"),
                                    _from(starts, "sion_int64[]")) >= 0)
        return starts

    def _read_streams(self, tasks: "NDArray[np.int32]", starts: "NDArray[np.int64]",
                      data: "NDArray[np.uint8]") -> None:
        """Read the streams into one array."""
        got = lib.sion_stream_read_tasks(self._sid, len(tasks), _from(tasks, "int[]"),
                                         _from(starts, "sion_int64[]"), _from(data, "char[]"),
                                         data.nbytes)
        check(got == data.nbytes)


def _from(array: "NDArray[Any]", kind: str) -> Any:
    return ffi.from_buffer(kind, array)

"""What all open containers have in common."""

from __future__ import annotations

import threading
from typing import Any, TypeVar

from ._library import check, open_lock
from .streams import _Records, facts_of

_Self = TypeVar("_Self", bound="Opened")


class Opened:
    """An open container, with the state that the streams of its tasks share."""

    name: str  #: as it was opened

    def __init__(self, name: str, sid: int, writing: bool) -> None:
        self.name = name
        self._sid = sid
        self._writing = writing
        self._facts = facts_of(sid)
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

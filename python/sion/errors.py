"""Errors and warnings of the package."""

from __future__ import annotations

import enum


class Code(enum.IntEnum):
    """Why a call failed: the codes of sion_error.h."""

    NONE = 0
    ARGUMENT = -1
    HANDLE = -2
    MODE = -3
    MEMORY = -4
    SYSTEM = -5
    NOT_SION = -6
    DAMAGED = -7
    VERSION = -8
    NOT_CLOSED = -9
    NO_SPACE = -10
    MISMATCH = -11
    COMM = -12
    BUSY = -13


class Error(OSError):
    """A call of the library failed.

    The text is the library's message. ``code`` is one of :class:`Code`, or ``None`` if this package
    itself failed (it found no library, an array is not defined, ...).
    """

    def __init__(self, text: str, code: "int | None" = None) -> None:
        super().__init__(text)
        self.code: "Code | None" = None if code is None else Code(code)


class Warning(UserWarning):
    """A warning of the library: about an unknown mode word, an implausible length, and so on."""

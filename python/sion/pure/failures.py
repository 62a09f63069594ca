"""Failures and warnings, with the texts of the compiled library."""

from __future__ import annotations

import contextlib
import errno
import os
import threading
import warnings
from typing import Iterator

from ..errors import Code, Error, Warning


def damaged(text: str) -> Error:
    """An exception that says that a file is damaged."""
    return Error(text, Code.DAMAGED)


def system(text: str, error: BaseException) -> Error:
    """An exception for a failure of the system, or of a server."""
    return Error(f"{text}: {_reason(error, text)}", Code.SYSTEM)


def _reason(error: BaseException, text: str) -> str:
    """Why it failed. File systems of fsspec often say only a name, which the text has, and the cause says more."""
    number = getattr(error, "errno", None)
    if isinstance(number, int) and number > 0:  # others are those of getaddrinfo
        return os.strerror(number)
    said = getattr(error, "strerror", None) or str(error)
    if said not in text:
        return str(said)
    if error.__cause__ is not None:
        return _reason(error.__cause__, text)
    return os.strerror(errno.ENOENT) if isinstance(error, FileNotFoundError) else type(error).__name__


_collecting = threading.local()


def warn(text: str) -> None:
    """Warn as the library does."""
    kept = getattr(_collecting, "texts", None)
    if kept is None:
        warnings.warn(text, Warning, stacklevel=2)
    else:
        kept.append(text)


@contextlib.contextmanager
def collected() -> "Iterator[list[str]]":
    """Collect the warnings of the block, so that it does not warn."""
    before = getattr(_collecting, "texts", None)
    texts: "list[str]" = []
    _collecting.texts = texts
    try:
        yield texts
    finally:
        _collecting.texts = before


@contextlib.contextmanager
def prefixed(text: str) -> Iterator[None]:
    """Put a text before that of a failure in the block."""
    try:
        yield
    except Error as error:
        raise Error(f"{text}: {error}", error.code) from None

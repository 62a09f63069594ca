"""Which reader opens a container: the compiled library, or the one in Python."""

from __future__ import annotations

import functools
import os
import warnings

from ._library import LIBDIR, ffi, lib
from .errors import Error, Warning

_WAYS = ("compiled", "pure")


@functools.lru_cache(maxsize=None)
def _can_load() -> bool:
    """Whether there is a compiled library; if one is expected and cannot be used, it warns."""
    try:
        ffi.NULL, lib.sion_open
    except Error as error:
        if os.environ.get("SION_LIBDIR") or LIBDIR:
            warnings.warn(f"containers are read in Python: {error}", Warning, stacklevel=3)
        return False
    return True


def is_pure() -> bool:
    """Whether containers are read in Python: by SION_PYTHON, or because there is no library."""
    wanted = os.environ.get("SION_PYTHON", "")
    if wanted and wanted not in _WAYS:
        warnings.warn(f"SION_PYTHON={wanted} is ignored: it takes compiled or pure", Warning, stacklevel=3)
    if wanted in _WAYS:
        return wanted == "pure"
    return not _can_load()

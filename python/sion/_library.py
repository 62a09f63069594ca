"""Loads the shared libraries and turns their errors into exceptions."""

from __future__ import annotations

import atexit
import os
import threading
import warnings
from typing import TYPE_CHECKING, Any, Callable

from . import _declarations
from .errors import Error, Warning

try:  # written by "make install"
    from ._installed import LIBDIR
except ImportError:
    LIBDIR = None

if TYPE_CHECKING:
    import cffi


class _Lazy:
    """Something that is made when it is first used: the package also works without the libraries."""

    def __init__(self, make: "Callable[[], Any]") -> None:
        self._make = make
        self._lock = threading.RLock()
        self._made: Any = None

    def __getattr__(self, name: str) -> Any:
        with self._lock:
            if self._made is None:
                self._made = self._make()
        value = getattr(self._made, name)
        self.__dict__[name] = value  # the next look-up costs nothing
        return value


def new_ffi(declarations: str) -> "cffi.FFI":
    """The declarations of some C functions."""
    try:
        import cffi
    except ImportError as error:
        raise Error(f"calling the libraries needs cffi: {error}") from error
    new = cffi.FFI()
    new.cdef(declarations)
    return new


ffi: Any = _Lazy(lambda: new_ffi(
    _declarations.TYPES + _declarations.RECOVERY + _declarations.DRAIN + _declarations.SERIAL +
    _declarations.SYSTEM + _declarations.ARRAY_TYPES + _declarations.ARRAYS))


def load(any_ffi: Any, name: str) -> Any:
    """dlopen a library of Scion: from SION_LIBDIR, the installation, or the system's folders."""
    reasons = []
    for folder in (os.environ.get("SION_LIBDIR"), LIBDIR, ""):
        if folder is None:
            continue
        path = os.path.join(folder, name)
        if folder and not os.path.exists(path):
            reasons.append(path + " is not there")
            continue
        try:
            return any_ffi.dlopen(path)
        except OSError as error:
            reasons.append(str(error))
    raise Error(f"{name} cannot be loaded; set SION_LIBDIR to its folder ({'; '.join(reasons)})")


def _load_libsion() -> Any:
    loaded = load(ffi, "libsion.so.0")

    # Failures become exceptions when the call returns; without this handler, warnings would be
    # lost.
    @ffi.callback("sion_error_handler_t")
    def on_message(level: int, _rank: int, _rc: int, text: Any, _user: Any) -> None:
        if level == 1:
            warnings.warn(text_of(text), Warning, stacklevel=2)

    _kept.append(on_message)
    loaded.sion_error_set_handler(on_message, ffi.NULL)
    # What the library says later, from MPI_Finalize say, finds no interpreter: it goes to stderr.
    atexit.register(loaded.sion_error_set_handler, ffi.NULL, ffi.NULL)
    return loaded


_kept: "list[Any]" = []  # what the library has pointers to
lib: Any = _Lazy(_load_libsion)
libc: Any = _Lazy(lambda: ffi.dlopen(None))


def text_of(chars: Any) -> str:
    """A C string as text; bytes that are not UTF-8 are kept, as in file names."""
    return os.fsdecode(ffi.string(chars))


def failure() -> Error:
    """The last failure of this thread as an exception."""
    return Error(text_of(lib.sion_error_text()), lib.sion_error_code())


def check(is_good: Any) -> None:
    """Raise the library's last failure unless the call succeeded."""
    if not is_good:
        raise failure()


def name_of(path: "str | bytes | os.PathLike[Any]") -> bytes:
    """A path in the form that the library takes."""
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError("embedded null byte in a file name")
    return name


def sized(kind: str) -> Any:
    """A new struct of a kind that can grow: its first member is its size."""
    new = ffi.new(kind + " *")
    new.size = ffi.sizeof(kind)
    return new


# Opens and closes change the library's table of containers, and a library built without thread
# support has no lock of its own.
open_lock = threading.RLock()

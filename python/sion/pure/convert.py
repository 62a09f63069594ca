"""Elements as those of another type, if it has their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._array_reader import TYPES
from ..errors import Code, Error

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NAMES = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64", "c64", "c128")


def _fits(data: "NDArray[Any]", kind: "np.dtype[Any]") -> "NDArray[np.bool_]":
    """Which numbers the type can represent; only doubles are rounded, to floats."""
    if kind.kind == "c":
        kind = np.dtype(f"f{kind.itemsize // 2}")
    if data.dtype.kind == "c":
        return _fits(data.real, kind)
    if kind.kind == "f" and data.dtype.kind == "f":
        if kind.itemsize >= data.dtype.itemsize:
            return np.ones(data.shape, bool)
        return ~(np.abs(data) >= float.fromhex("0x1.ffffffp127")) | np.isinf(data)
    if kind.kind == "f":
        rounded = data.astype(kind)
        limit = 2.0 ** (63 if data.dtype.kind == "i" else 64)
        below = rounded < limit
        back = np.where(below, rounded, 0).astype(np.int64 if data.dtype.kind == "i" else np.uint64)
        good: "NDArray[np.bool_]" = below & (back == data.astype(back.dtype))
        return good
    low, high = int(np.iinfo(kind).min), int(np.iinfo(kind).max)
    if data.dtype.kind == "f":
        return (data >= float(low)) & (data < 2.0 * (high // 2 + 1)) & (np.trunc(data) == data)
    own = np.iinfo(data.dtype)
    return (data >= max(low, int(own.min))) & (data <= min(high, int(own.max)))


def _text(element: Any) -> str:
    """An element, as the library prints it."""
    if element.dtype.kind in "iu":
        return str(int(element))
    digits = 9 if element.dtype in (np.float32, np.complex64) else 17
    if element.dtype.kind == "f":
        return f"{float(element):.{digits}g}"
    return f"{float(element.real):.{digits}g}{float(element.imag):+.{digits}g}j"


def convert(name: str, data: "NDArray[Any]", offset: "tuple[int, ...]", into: "NDArray[Any]") -> None:
    """Copy elements, which begin at this index of the array, or fail at the first that does not fit."""
    with np.errstate(all="ignore"):
        good = _fits(data, into.dtype)
        if data.dtype.kind == "c" and into.dtype.kind == "c":
            good &= _fits(data.imag, into.dtype)
        elif data.dtype.kind == "c":
            good &= data.imag == 0
        if good.all():
            real = data.real if data.dtype.kind == "c" and into.dtype.kind != "c" else data
            into[...] = real.astype(into.dtype)
            return
    bad = np.unravel_index(int((~good).reshape(-1).argmax()), data.shape)
    index = ", ".join(str(first + int(at)) for first, at in zip(offset, bad))
    types = [_NAMES[TYPES.index(one)] for one in (data.dtype, into.dtype)]
    raise Error(f"array {name}: element ({index}) of type {types[0]} is {_text(data[bad])}, which {types[1]} "
                "cannot represent", Code.MISMATCH)


def fill_value(kind: "np.dtype[Any]", text: "str | None") -> Any:
    """The element that nobody has written: by the attribute, or 0 of integers and NaN of others."""
    default = kind.type(0 if kind.kind in "iu" else complex("nan+nanj") if kind.kind == "c" else np.nan)
    if text is None:
        return default
    try:
        if kind.kind in "iu":
            limits = np.iinfo(kind)
            number = int(text) if "_" not in text else limits.max + 1
            return kind.type(number) if limits.min <= number <= limits.max else default
        with np.errstate(all="ignore"):
            return kind.type(complex(text.strip()) if kind.kind == "c" else float(text))
    except ValueError:
        return default

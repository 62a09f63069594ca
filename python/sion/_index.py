"""Indexes of numpy: which box of an array they need, and the index in that box."""

from __future__ import annotations

import operator
import reprlib
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def box_of(key: Any, shape: "tuple[int, ...]") -> "tuple[list[int], list[int], tuple[Any, ...]]":
    """The box that a numpy index needs: first element and extent; and the index in that box."""
    items = [_simple(item) for item in (key if isinstance(key, tuple) else (key,))]
    dots = sum(item is Ellipsis for item in items)
    free = len(shape) - sum(map(_dimensions, items))
    if dots > 1 or free < 0:
        raise IndexError(f"too many indices for {len(shape)} dimensions" if free < 0 else
                         "an index has one ellipsis at most")
    offset: "list[int]" = []
    count: "list[int]" = []
    inside: "list[Any]" = []
    for item in items if dots or not free else (*items, Ellipsis):
        extents = shape[len(count):]
        if item is Ellipsis:
            count += extents[:free]
            offset += [0] * free
            inside.append(item)
        elif _dimensions(item) == 0:
            inside.append(item)
        else:
            for part, extent in zip(_parts(item, extents), extents):
                first, number, part = _range_in(part, extent)
                offset.append(first)
                count.append(number)
                inside.append(part)
    return offset, count, tuple(inside)


def _simple(item: Any) -> Any:
    """A part of an index as None, an ellipsis, a slice, an int, or an array of integers or booleans."""
    if item is None or item is Ellipsis or isinstance(item, slice):
        return item
    if not isinstance(item, (bool, np.bool_, np.ndarray)):
        try:
            return operator.index(item)
        except TypeError:
            pass
    numbers = np.asarray(item)
    if numbers.size == 0 and not isinstance(item, np.ndarray):
        numbers = numbers.astype(np.intp)  # an empty list has no type of its own
    if numbers.dtype.kind not in "iub":
        raise IndexError(f"{reprlib.repr(item)} is no index: use integers, slices, an ellipsis, "
                         "None, or arrays of integers or of booleans")
    return numbers if numbers.ndim or numbers.dtype == bool else int(numbers)


def _is_mask(item: Any) -> bool:
    return isinstance(item, np.ndarray) and item.dtype == bool


def _dimensions(item: Any) -> int:
    """How many dimensions a part of an index is for; a single boolean is for none."""
    if item is None or item is Ellipsis:
        return 0
    return item.ndim if _is_mask(item) else 1


def _parts(item: Any, extents: "tuple[int, ...]") -> "Sequence[Any]":
    """A part of an index for each dimension: a mask is where it is true."""
    if not _is_mask(item):
        return [item]
    if item.shape != extents[:item.ndim]:
        raise IndexError(f"a boolean index of shape {item.shape} is none of dimensions of "
                         f"{extents[:item.ndim]} elements")
    return item.nonzero()


def _range_in(item: Any, extent: int) -> "tuple[int, int, Any]":
    """The box that a part of an index needs, for one dimension."""
    if isinstance(item, slice):
        wanted = range(extent)[item]
        if not wanted:
            return 0, 0, slice(None)
        first, last = sorted((wanted[0], wanted[-1]))
        return first, last - first + 1, slice(None, None, wanted.step)
    if isinstance(item, np.ndarray):
        return _range_of_many(item, extent)
    if not -extent <= item < extent:
        raise IndexError(f"index {item} is out of bounds for a dimension of {extent} elements")
    return item % extent, 1, 0


def _range_of_many(numbers: "NDArray[Any]", extent: int) -> "tuple[int, int, Any]":
    numbers = numbers.astype(np.intp)
    if numbers.size == 0:
        return 0, 0, numbers
    if numbers.min() < -extent or numbers.max() >= extent:
        raise IndexError(f"an index is out of bounds for a dimension of {extent} elements")
    numbers[numbers < 0] += extent
    first = int(numbers.min())
    return first, int(numbers.max()) - first + 1, numbers - first

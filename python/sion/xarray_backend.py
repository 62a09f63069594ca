"""xarray opens containers with arrays: ``xarray.open_dataset("x.sion")``, also by URL.

Names of dimensions, steps and attributes are those of `sionarray refs`. Nothing is read before it is
needed; with ``chunks={}`` dask's chunks are the blocks, of any sizes.
"""

from __future__ import annotations

import os
from typing import Any, Iterable

import numpy as np
import xarray
from xarray.backends import BackendArray, BackendEntrypoint
from xarray.core import indexing

from ._array_reader import Block
from .arrays import Array, Arrays
from .container import Container, open

_NUMBERS = ("_FillValue", "scale_factor", "add_offset", "missing_value", "valid_min", "valid_max", "valid_range")
_MOST_BLOCKS = 1 << 16  # more are not looked at to find chunks


class _Lazy(BackendArray):
    """An array, with its steps as the first dimension if it has several."""

    def __init__(self, array: Array) -> None:
        self._array = array
        self._has_steps = len(array.steps) > 1
        self.shape = ((len(array.steps),) if self._has_steps else ()) + array.shape
        self.dtype = array.dtype

    def __getitem__(self, key: Any) -> Any:
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.OUTER, self._read)

    def _read(self, key: "tuple[Any, ...]") -> Any:
        """An outer index: of each dimension a number, a slice or an array of numbers."""
        if not self._has_steps:
            return self._read_step(self._array.steps[0] if self._array.steps else -1, key)
        steps = np.asarray(self._array.steps)[key[0]]
        if np.ndim(steps) == 0:
            return self._read_step(int(steps), key[1:])
        if not len(steps):
            return self._read_step(self._array.steps[0], key[1:])[None][:0]
        return np.stack([self._read_step(int(step), key[1:]) for step in steps])

    def _read_step(self, step: int, key: "tuple[Any, ...]") -> Any:
        """Dimensions one after the other, because several arrays in an index mean something else to numpy."""
        bounds = tuple(_bounds(one, extent) for one, extent in zip(key, self._array.shape))
        source = self._array.newest if step < 0 else self._array[step]
        data = source[tuple(slice(first, end) for first, end in bounds)]
        shifted = [one - first if not isinstance(one, slice) else _shifted(one, extent, first)
                   for one, (first, _), extent in zip(key, bounds, self._array.shape)]
        for axis in range(len(key) - 1, -1, -1):
            data = data[(slice(None),) * axis + (shifted[axis],)]
        return data


def _bounds(key: Any, extent: int) -> "tuple[int, int]":
    numbers = np.asarray(range(extent)[key] if isinstance(key, slice) else key)
    return (int(numbers.min()), int(numbers.max()) + 1) if numbers.size else (0, 0)


def _shifted(key: slice, extent: int, first: int) -> Any:
    return np.asarray(range(extent)[key], np.intp) - first


def _number(text: str, kind: "np.dtype[Any]") -> Any:
    """The value of an attribute that readers compute with; None: it is no number."""
    try:
        values = [int(word) if word.lstrip("+-").isdigit() else float(word) for word in text.replace(",", " ").split()]
    except ValueError:
        return None
    if not values or len(values) > 1 and kind is not None and kind.kind == "c":
        return None
    return values[0] if len(values) == 1 else values


def _attributes(array: Array) -> "dict[str, Any]":
    found: "dict[str, Any]" = {}
    for key, text in array.attributes.items():
        number = _number(text, array.dtype) if key in _NUMBERS else None
        if key == "_FillValue":
            if number is not None and array.dtype.kind in "iuf":
                found[key] = array.dtype.type(number)
        elif key != "dimensions":
            found[key] = text if number is None else number
    if len(array.steps) == 1:
        found.setdefault("step", array.steps[0])
    return found


def _dimensions(array: Array) -> "list[str]":
    """The words of the attribute, or the name with a number."""
    words = array.attributes.get("dimensions", "").replace(",", " ").split()
    names: "list[str]" = []
    for number in range(array.ndim):
        name = words[number] if number < len(words) else ""
        names.append(name if name and name not in names else f"{array.name.rpartition('/')[2]}_{number}")
    return names


def _chunks(blocks: "list[Block]", array: Array) -> "dict[int, tuple[int, ...]]":
    """The sizes of blocks in each dimension, if they form a grid."""
    found: "dict[int, tuple[int, ...]]" = {}
    for axis, extent in enumerate(array.shape):
        edges = sorted({0, extent, *(block.offset[axis] for block in blocks),
                        *(block.offset[axis] + block.count[axis] for block in blocks)})
        found[axis] = tuple(end - begin for begin, end in zip(edges, edges[1:])) or (extent,)
    return found


def _variable(array: Array, step_name: str) -> xarray.Variable:
    dimensions = ([step_name] if len(array.steps) > 1 else []) + _dimensions(array)
    encoding: "dict[str, Any]" = {}
    if array.steps and array.nblocks <= _MOST_BLOCKS:
        chunks = _chunks(array.blocks(array.steps[0]), array)
        names = dimensions[len(dimensions) - array.ndim:]
        encoding["preferred_chunks"] = {name: chunks[axis] for axis, name in enumerate(names)}
        if len(array.steps) > 1:
            encoding["preferred_chunks"][step_name] = 1
    return xarray.Variable(dimensions, indexing.LazilyIndexedArray(_Lazy(array)), _attributes(array), encoding)


class _Closer:
    """Closes what a Dataset reads. That of a copy which was unpickled closes what the copy has opened."""

    def __init__(self, arrays: Arrays, container: "Container | None" = None) -> None:
        self._arrays = arrays
        self._container = container

    def __reduce__(self) -> "tuple[Any, ...]":
        return _Closer, (self._arrays,)

    def __call__(self) -> None:
        if self._container is not None:
            self._container.close()
        self._arrays._close()


class SionBackendEntrypoint(BackendEntrypoint):
    """The engine "sion"."""

    description = "Arrays in containers of Scion (.sion)"

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Whether it is a name that ends with .sion."""
        if not isinstance(filename_or_obj, (str, os.PathLike)):
            return False
        return os.fspath(filename_or_obj).partition("?")[0].endswith(".sion")

    def open_dataset(self, filename_or_obj: Any, *,  # type: ignore[override]
                     drop_variables: "str | Iterable[str] | None" = None, mask_and_scale: bool = True,
                     decode_times: bool = True, concat_characters: bool = True, decode_coords: Any = True,
                     use_cftime: "bool | None" = None, decode_timedelta: "bool | None" = None,
                     storage_options: "dict[str, Any] | None" = None, mode: str = "r") -> xarray.Dataset:
        """The arrays of a container, as :func:`sion.open` opens it.

        Arrays with the name of their only dimension are coordinates. Those that are dropped may have other
        sizes of the same dimensions.
        """
        container = open(os.fspath(filename_or_obj), mode=mode, storage_options=storage_options)
        arrays = container.arrays
        several = [array for array in arrays.values() if len(array.steps) > 1]
        is_common = len({array.steps for array in several}) == 1 and "step" not in arrays
        dropped = {drop_variables} if isinstance(drop_variables, str) else set(drop_variables or ())
        variables: "dict[str, xarray.Variable]" = {}
        for name, array in arrays.items():
            if name in dropped:
                continue
            step_name = "step" if is_common else f"{name}_step"
            variables[name] = _variable(array, step_name)
            if len(array.steps) > 1 and step_name not in variables and step_name not in dropped:
                variables[step_name] = xarray.Variable([step_name], np.asarray(array.steps))
        data = xarray.Dataset(variables, attrs=dict(arrays.attributes))
        data = xarray.decode_cf(data, mask_and_scale=mask_and_scale, decode_times=decode_times,
                                concat_characters=concat_characters, decode_coords=decode_coords,
                                use_cftime=use_cftime, decode_timedelta=decode_timedelta)
        data.set_close(_Closer(arrays, container))
        return data

"""Checks a container as sionverify does: its tables, and all data that have checksums."""

from __future__ import annotations

from typing import Any

from ..errors import Error
from . import checksums
from .contents import Contents
from .failures import collected
from .source import Folder
from .words import Mode

_KINDS = ("none", "some", "all")
_PIECE = 1 << 20  # bytes that are read at once


def verify(name: str, *, needs_checksums: bool = False,
           options: "dict[str, Any] | None" = None) -> "dict[str, Any]":
    """What sionverify reports of a container.

    :raises sion.Error: it is damaged, or it has no checksums and they are needed
    """
    with collected() as texts:
        contents = Contents(Folder(name, options), Mode(), True)
        guards = [checksums.guarded(file) for file in contents.files]
        for file, guarded in zip(contents.files, guards):
            for task in range(file.head.ntasks):
                if task in file.damages:
                    raise file.damages[task].error(file.name)
                text = guarded.check_task(task) if guarded else _readable(file, task)
                if text:
                    raise Error(f"{file.name}: {text}")
    if texts:  # of numbers that no writer makes
        raise Error(texts[0])
    known = sum(guarded is not None for guarded in guards)
    if needs_checksums and known < len(guards):
        raise Error(f"{name}: it has no checksums")
    sizes = contents.column("sizes")
    contents.close()
    return {"name": name, "good": True, "tasks": contents.ntasks, "files": contents.nfiles,
            "bytes": int(sizes.sum()), "checksums": _KINDS[0 if not known else 2 if known == len(guards) else 1],
            "pieces": sum(guarded.number for guarded in guards if guarded), "damaged": [], "damaged_pieces": 0}


def _readable(file: Any, task: int) -> "str | None":
    """Key-value records are parsed, compressed streams are read; of others without checksums the tables tell all."""
    if not file.head.is_keyval and not file.head.is_zipped:
        return None
    from .container import scan
    from .contents import Stream

    stream = Stream(file.streams, file.extents(task))
    size = stream.size if file.head.is_zipped else 0
    piece = memoryview(bytearray(min(size, _PIECE)))
    try:
        for at in range(0, size, _PIECE):
            stream.read(at, piece[:size - at])
        if file.head.is_keyval:
            scan(stream, file.head.order)
    except Error as error:
        return f"task {task}: {error}"
    return None

"""Checks and repair of containers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from typing import Any

from . import _library
from ._backend import is_pure
from ._library import check, failure, ffi, lib, name_of, sized
from .errors import Error
from .pure.source import is_url
from .pure.verify import verify as verify_here


@dataclass(frozen=True)
class RecoveredTask:
    """What is left of a task, in bytes."""

    rank: int  #: its global rank
    file: int  #: number of its physical file
    bytes: int  #: length of its stream once the container is closed
    certain: int  #: those of them that the commit records or the tables confirm
    possible: int  #: further bytes that may have been written
    lost: int  #: bytes that commit records mention, but that cannot be reached


@dataclass(frozen=True)
class Recovery:
    """What is left of a container whose writer did not close it."""

    closed: bool  #: it was closed, so there was nothing to recover
    missing_files: int  #: physical files of the set that are not there
    tasks: "list[RecoveredTask]"


def _tool(name: str) -> str:
    """The path of a tool: in the installation, or else in PATH; empty: it is not installed."""
    folders = [os.environ.get("SION_BINDIR")]
    if _library.LIBDIR:
        folders.append(os.path.join(os.path.dirname(_library.LIBDIR), "bin"))
    for folder in filter(None, folders):
        found = shutil.which(name, path=folder)
        if found:
            return found
    return shutil.which(name) or ""


def verify(name: "str | os.PathLike[str]", *, checksums: bool = False) -> "dict[str, Any]":
    """Check the tables of a container, and its data if it has checksums.

    sionverify does that; if it is not installed, or of a URL, the reader in Python.

    :param checksums: also fail if the container has no checksums
    :return: what sionverify reports: ``good``, ``tasks``, ``files``, ``bytes`` and so on
    :raises sion.Error: the container is damaged; the text is the report
    """
    path, tool = os.fsdecode(name), "" if is_pure() else _tool("sionverify")
    if not tool or is_url(path):
        return verify_here(path, needs_checksums=checksums)
    words = [tool, "--json", "--progress=never"] + (["-c"] if checksums else [])
    done = subprocess.run(words + ["--", path], capture_output=True, check=False)
    if done.returncode != 0:
        raise Error((done.stderr or done.stdout).decode(errors="replace").strip())
    report: "dict[str, Any]" = json.loads(done.stdout)["containers"][0]
    return report


def _task(recovery: Any, index: int) -> RecoveredTask:
    task = sized("sion_recover_task")
    check(lib.sion_recover_get_task(recovery, index, task) == 1)
    return RecoveredTask(task.globalrank, task.file, task.bytes, task.certain, task.possible,
                         task.lost)


def recover(name: "str | os.PathLike[str]", *, in_place: bool = True) -> Recovery:
    """Close a container whose writer was killed, so that it can be opened for reading.

    The container must have been written with the mode word ``recover``, and no program may write it
    now.

    :param in_place: False: only report what is left, and change nothing
    :raises sion.Error: the file is no container, has no commit records, or files of it are missing
    """
    recovery = lib.sion_recover_open(name_of(name), 0)
    if not recovery:
        raise failure()
    try:
        info = sized("sion_recover_info")
        check(lib.sion_recover_get_info(recovery, info) == 1)
        tasks = [_task(recovery, index) for index in range(info.ntasks)]
        if in_place:
            check(lib.sion_recover_in_place(recovery) == 1)
        return Recovery(info.evidence == lib.SION_RECOVER_CLOSED, info.missing_files, tasks)
    finally:
        lib.sion_recover_close(recovery)

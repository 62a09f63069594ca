"""``python -m sion ls|cat|verify NAME``: list, print or check containers, also by their URLs."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Callable, TextIO

from . import Container, Error, open, verify

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
_PIECE = 1 << 22  # bytes that are printed at a time


def size_text(count: int) -> str:
    """A number of bytes as people read it: "512 B", "1.5 KiB"."""
    value, unit = float(count), 0
    while value >= 1024 and unit + 1 < len(_UNITS):
        value, unit = value / 1024, unit + 1
    return f"{value:.1f} {_UNITS[unit]}" if unit else f"{count} B"


def write_list(container: Container, to: TextIO) -> None:
    """A line for the container, and one for each task."""
    meta = container.meta
    kind = ", key-value records" if meta.keyval else ""
    to.write(f"{container.name}: {meta.ntasks} tasks in {meta.nfiles} files, "
             f"{size_text(meta.bytes)}{kind}\n")
    to.write(f"{'task':>8} {'rank':>8} {'size':>12} {'chunks':>7}  file\n")
    files = container.members
    columns = zip(meta.ranks.tolist(), meta.sizes.tolist(), meta.chunks.tolist(),
                  meta.filenumbers.tolist())
    for task, (rank, size, chunks, file) in enumerate(columns):
        to.write(f"{task:8} {rank:8} {size_text(size):>12} {chunks:7}  {files[file]}\n")


def _list(name: str, _arguments: argparse.Namespace) -> None:
    with open(name) as container:
        write_list(container, sys.stdout)


def _cat(name: str, arguments: argparse.Namespace) -> None:
    """The streams of some tasks, or of all; of key-value containers the values."""
    with open(name) as container:
        tasks = range(len(container)) if arguments.task is None else arguments.task
        for number in tasks:
            if not 0 <= number < len(container):
                raise Error(f"{name} has {len(container)} tasks, and no task {number}")
            task = container.tasks[number]
            if container.keyval:
                for _, data in task.records():
                    sys.stdout.buffer.write(data)
                continue
            while data := task.read(_PIECE):
                sys.stdout.buffer.write(data)


def _verify(name: str, arguments: argparse.Namespace) -> None:
    report = verify(name, checksums=arguments.checksums)
    lacks = "" if report["checksums"] == "all" else " as far as can be checked, but it has no checksums"
    print(f"{name}: good{lacks}: {report['tasks']} tasks, {size_text(report['bytes'])}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m sion", description="Read SION containers.",
                                     epilog="Without a command: ls.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="ls|cat|verify")
    actions: "list[tuple[str, str, Callable[..., None]]]" = [
        ("ls", "list the tasks", _list), ("cat", "print the streams", _cat),
        ("verify", "check the tables, and the data that have checksums", _verify)]
    for name, text, action in actions:
        one = commands.add_parser(name, help=text, description=text)
        one.add_argument("name", nargs="+", help="a container, or its URL")
        one.set_defaults(action=action)
        if name == "cat":
            one.add_argument("-t", "--task", type=int, action="append", help="only this task; repeatable")
        if name == "verify":
            one.add_argument("-c", "--checksums", action="store_true", help="fail if there are no checksums")
    return parser


def _drop_output() -> None:
    """What could not be written goes nowhere. The exit would try it again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main() -> int:
    """Run a command; returns 2 if it failed for one of the containers, or if its output cannot be written."""
    words = sys.argv[1:]
    if words and words[0] not in ("ls", "cat", "verify", "-h", "--help"):
        words.insert(0, "ls")
    arguments, status = _parser().parse_args(words), 0
    for name in arguments.name:
        try:
            arguments.action(name, arguments)
            print(end="", flush=True)
        except BrokenPipeError:
            _drop_output()  # the reader has ended
            return status
        except Error as error:
            print(f"sion: {error}", file=sys.stderr)
            status = 2
        except OSError as error:
            print(f"sion: cannot write the output: {error.strerror}", file=sys.stderr)
            _drop_output()
            return 2
    return status


if __name__ == "__main__":
    sys.exit(main())

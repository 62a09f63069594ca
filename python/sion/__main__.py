"""``python -m sion x.sion``: list the tasks of containers."""

from __future__ import annotations

import argparse
import sys
from typing import TextIO

from . import Container, Error, open

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


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


def main() -> int:
    """List the containers on the command line; returns 2 if one could not be opened."""
    parser = argparse.ArgumentParser(prog="python -m sion", description="List SION containers.")
    parser.add_argument("name", nargs="+", help="a container")
    status = 0
    for name in parser.parse_args().name:
        try:
            with open(name) as container:
                write_list(container, sys.stdout)
        except Error as error:
            print(f"sion: {error}", file=sys.stderr)
            status = 2
        except BrokenPipeError:
            sys.stderr.close()  # the reader has ended
            return status
    return status


if __name__ == "__main__":
    sys.exit(main())

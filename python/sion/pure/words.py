"""Words of the mode that mean something when a container is read, and their variables."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field

from ..errors import Code, Error
from .failures import warn
from .header import INLINE, NONE

_READS, _WRITES = {"r", "rb", "br"}, {"w", "wb", "bw"}
_KEYVAL = {"": INLINE, "default": INLINE, "inline": INLINE, "none": NONE, "meta": 52, "hash": 53, "unknown": -1}
_NAMES = {NONE: "SION_KEYVAL_NONE", INLINE: "SION_KEYVAL_INLINE", 52: "SION_KEYVAL_META",
          53: "SION_KEYVAL_HASH", 54: "SION_KEYVAL_UNKNOWN"}
# Words with the values that they take; None: any, also none.
_OTHERS: "dict[str, set[str] | None]" = {
    "ansi": None, "posix": None, "collective": None, "collectivemerge": None, "cmerge": None,
    "collmsa": None, "collread": None, "buffered": {""}, "sync": {"none", "close", "flush"},
    "lock": {"yes", "1", "no", "0"}, "recover": {"", "none"}, "atomic": {"", "none"}, "stage": None,
    "stage_keep": None, "compress": None, "shuffle": None, "compress_frame": None, "compress_threads": None,
    "cache": None, "collsize": None, "buddy": None, "files": None,
    "endianness": {"", "big", "little"}}


@dataclass
class Mode:
    """What the mode and the environment ask for."""

    compares: bool = False  #: checksums
    at_open: bool = False
    keyval: int = -1  #: the wanted mode; -1: any
    generation: int = 0  #: its number; 0: the newest one; -1: the one before
    all_generations: bool = False  #: as one stream
    sound: bool = False  #: the newest one that is not damaged
    states_back: int = 0  #: 1: of the state before the newest one
    stored: bool = False  #: compressed streams as they are
    unknown: "list[str]" = field(default_factory=list)


def _of_environment() -> Mode:
    text = os.environ.get("SION_CHECKSUM", "")
    try:
        number = int(text) if text and text != "open" else 0
    except ValueError:
        warn(f"SION_CHECKSUM={text} is ignored: it takes a number, 1 or 0, or open")
        number = 0
    return Mode(compares=number != 0 or text == "open", at_open=text == "open")


def parse(text: str) -> Mode:
    """The mode of an open for reading."""
    mode = _of_environment()
    mode.sound = True
    reads = writes = False
    for part in filter(None, text.split(",")):
        word, _, value = part.partition("=")
        reads |= word in _READS
        writes |= word in _WRITES
        if word in _READS | _WRITES or word.startswith("hints"):
            continue
        if word == "sionfwd":
            raise Error("file mode 'sionfwd': I/O forwarding is not available", Code.ARGUMENT)
        _take(mode, word, value)
    if reads and writes:
        raise Error(f"file mode '{text}' asks for reading and for writing", Code.ARGUMENT)
    if mode.unknown:
        warn(f"unknown words in the file mode are ignored: {', '.join(mode.unknown)}"[:1000])
    return mode


def _take_generation(mode: Mode, value: str) -> None:
    mode.all_generations, mode.sound, mode.generation = value == "all", value == "latest", 0
    if value in ("all", "latest", "newest"):
        return
    number = int(value) if re.fullmatch(r"[+-]?[0-9]+", value) else 0
    if number == 0 or number < -1000 or number >= 1 << 31:
        raise Error(f"file mode 'generation={value}': it takes latest, newest, all, a number, or -1 for the "
                    "one before the newest", Code.ARGUMENT)
    mode.generation = number


def _take(mode: Mode, word: str, value: str) -> None:
    known = True
    if word == "checksum":
        known = value in ("", "open")
        mode.compares = True
        mode.at_open |= value == "open"
    elif word == "compress" and value:
        mode.stored = value == "stored"
        if value not in ("stored", "none") and not re.fullmatch(r"zstd(:[+-]?[0-9]+)?", value):
            raise Error(f"file mode 'compress={value}': it takes zstd, zstd:LEVEL, stored or none", Code.ARGUMENT)
    elif word == "generation":
        _take_generation(mode, value)
    elif word == "keyval":
        known = value in _KEYVAL
        mode.keyval = _KEYVAL.get(value, mode.keyval)
    else:
        values = _OTHERS.get(word, set())
        known = word in _OTHERS and (values is None or value in values)
    if not known:
        mode.unknown.append(f"'{word}={value}'" if value else f"'{word}'")


def compare_keyval(mode: Mode, keyval: int) -> None:
    """Warn if the file has another key-value mode than the wanted one."""
    wanted, source = mode.keyval, "parameter"
    if wanted == -1:
        text, source = os.environ.get("SION_KEYVALUE_MODE", ""), "env-var"
        parts = (("inline", INLINE), ("meta", 52), ("hash", 53), ("none", NONE))
        wanted = next((number for part, number in parts if part in text), -1)
    if wanted not in (-1, keyval):
        warn(f"file read: keyvalmode of file ({_NAMES.get(keyval, 'unknown')}) is different to requested "
             f"keyvalmode ({_NAMES.get(wanted, 'unknown')}) from {source}, the file's is taken")

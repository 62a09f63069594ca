"""Extracts every rank's file, as located by a rank2file map, from the description of the format alone.

usage: decode.py ROOT BASE OUT [SEGMENTS]      writes OUT/RANK

Names of segments are relative to the folder SEGMENTS, all others to BASE.
"""

import os
import struct
import sys
import zlib


def tree(data, at):
    """The packed tree at an offset, as a dictionary, and the offset after it."""
    (count,) = struct.unpack_from(">I", data, at)
    at += 4
    keys = {}
    for _ in range(count):
        end = data.index(0, at)
        key = data[at:end].decode()
        keys[key], at = tree(data, end + 1)
    return keys, at


def record(path, offset):
    with open(path, "rb") as file:
        file.seek(offset)
        data = file.read()
    magic, kind, version, size, flags = struct.unpack_from(">IHHQI", data)
    assert (magic, kind, version, flags) == (0x951FC3F5, 1, 1, 1), path
    (crc,) = struct.unpack_from(">I", data, size - 4)
    assert crc == zlib.crc32(data[: size - 4]), path
    keys, end = tree(data, 20)
    assert end == size - 4, path
    return keys


def value(keys):
    (text,) = keys
    return text


def ranks(path, offset, root, base):
    """All per-rank trees below a node."""
    node = record(path, offset)
    if value(node["LEVEL"]) == "0":
        yield from node["RANK"].items()
        return
    for entry in node["RANK"].values():
        name = value(entry["FILE"])
        is_suffix = name[0] == "." and name[1].isdigit()
        below = root + name if is_suffix else os.path.join(base, name)
        yield from ranks(below, int(value(entry["OFFSET"])), root, base)


def contents(file, base):
    data = b""
    segments = file.get("SEG", {})
    for number in sorted(segments, key=int):
        segment = segments[number]
        with open(os.path.join(base, value(segment["FILE"])), "rb") as source:
            source.seek(int(value(segment["OFFSET"])))
            data += source.read(int(value(segment["LENGTH"])))
    return data


def main(root, base, out, below=None):
    for rank, files in ranks(root, 0, root, base):
        (name,) = files["FILE"]
        file = files["FILE"][name]
        data = contents(file, below or base)
        assert len(data) == int(value(file["SIZE"])), name
        if "CRC" in file:
            assert zlib.crc32(data) == int(value(file["CRC"]), 0), name
        with open(os.path.join(out, rank), "wb") as target:
            target.write(data)


main(*sys.argv[1:])

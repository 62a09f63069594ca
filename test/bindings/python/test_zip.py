"""Compressed streams: both readers give the plain bytes, and read no more frames than they need."""

import os
import pathlib
import struct
import subprocess
import sys

import numpy as np
import pytest
from test_both import check_both, difference, outcome
from test_urls import server  # noqa: F401

import sion

pytest.importorskip("zstandard")
HEAD = 40

# Tests that compare both readers need not run with each of them.
once = pytest.mark.skipif(os.environ.get("SION_PYTHON") == "pure", reason="it compares both readers")


def can_write():
    """Whether the library has zstd."""
    try:
        sion.create("probe.sion", chunksizes=[100], mode="compress=zstd").close()
    except sion.Error:
        return False
    return True


def field(count, start=0):
    """Bytes that shrink, more so when they are shuffled."""
    return np.round(300 + 10 * np.sin(np.arange(start, start + count) / 300), 5).tobytes()


@pytest.fixture
def zipped(random):
    """Compressed containers of several kinds."""
    if not can_write():
        pytest.skip("the library has no zstd")
    found = []
    for more in "", ",shuffle=8,compress_frame=65544", ",shuffle=3,checksum", ",recover,compress_frame=5000":
        name = f"z{len(found)}.sion"
        with sion.create(name, chunksizes=[9000, 0, 700, 100], fsblksize=64, ranks=[3, 0, 1, 2],
                         mode=f"compress=zstd{more}") as container:
            container.tasks[0].write(field(60001))
            container.tasks[2].write(random.bytes(30000))  # does not shrink
            container.tasks[3].write(b"%7d\n" * 5 % (1, 2, 3, 4, 5))
        found.append(name)
    return found


@once
@pytest.mark.parametrize("mode", ["r", "r,compress=stored", "r,checksum", "r,checksum=open"])
def test_modes(zipped, mode, monkeypatch):
    for name in zipped:
        check_both(name, monkeypatch, mode)


def test_plain_bytes_and_jumps(zipped):
    plain = field(60001)
    for name in zipped:
        with sion.open(name) as container:
            task = container.tasks[0]
            assert task.size == len(plain) and task.chunks == 1 and container.meta.bytes > len(plain)
            assert task.read() == plain
            for position in 479_999, 70_000, 70_001, 5, 65_540, 480_000:
                task.seek(position)
                assert task.read(100) == plain[position:position + 100]
            assert container.tasks.read().data.tobytes().startswith(plain)


def find_tail(name):
    """Where the last seek table of the file is, and the number of its entries."""
    data = pathlib.Path(name).read_bytes()
    end = data.rfind(struct.pack("<I", 0x8f92eab1))
    count = struct.unpack_from("<I", data, end - 5)[0]
    return data, end - 5 - 8 * count, count


@once
def test_damage(zipped, random, monkeypatch):
    """Each byte that is read may be wrong."""
    for name in zipped:
        good, at, count = find_tail(name)
        begin = good.find(b"SIONZST1") - 8
        places = [begin + 3, begin + 9, begin + 20, begin + 37, begin + HEAD, begin + HEAD + 4, begin + HEAD + 11,
                  begin + HEAD + 200, at - 8, at - 3, at + 1, at + 9, at + 8 * count, at + 8 * count + 4,
                  *random.integers(begin, at + 8 * count + 9, int(os.environ.get("CHECK_DAMAGED", "3")))]
        for place in places:
            pathlib.Path("c.sion").write_bytes(good[:place] + bytes([good[place] ^ 1 << place % 8]) + good[place + 1:])
            for mode in "r", "r,checksum":
                check_both("c.sion", monkeypatch, mode)


@pytest.mark.parametrize("way", ["compiled", "pure"])
def test_a_frame_that_cannot_be_read_is_not_good(zipped, monkeypatch, way):
    monkeypatch.setenv("SION_PYTHON", way)
    sion.verify(zipped[0])
    good = find_tail(zipped[0])[0]
    place = good.find(b"SIONZST1") - 8 + HEAD + 200
    pathlib.Path("c.sion").write_bytes(good[:place] + bytes([good[place] ^ 1]) + good[place + 1:])
    with pytest.raises(sion.Error, match="c.sion.*frame"):
        sion.verify("c.sion")


def one_task(stored, name="b.sion"):
    """A container whose only task has these stored bytes."""
    with sion.create(name, chunksizes=[len(stored)], fsblksize=64, mode="recover=none") as container:
        container.tasks[0].write(stored)
    data = bytearray(pathlib.Path(name).read_bytes())
    data[44 + 6:44 + 8] = struct.pack("<H", 2)  # the upper end of flag2: streams are compressed
    pathlib.Path(name).write_bytes(data)
    return name


def head(frame=1 << 26):
    """Of a stream."""
    from sion.pure.crc32c import crc32c

    data = struct.pack("<II8sIII8x", 0x184d2a54, 32, b"SIONZST1", 1, frame, 1)
    return data + struct.pack("<I", crc32c(data))


def table(*entries):
    """A seek table."""
    entries = [(HEAD, 0), *entries]
    return struct.pack("<II", 0x184d2a5e, 8 * len(entries) + 9) + b"".join(struct.pack("<II", *e) for e in entries) + \
        struct.pack("<IBI", len(entries), 0, 0x8f92eab1)


def frame(says, data=b"x"):
    """A raw frame that says how much it holds."""
    return struct.pack("<IBQ", 0xfd2fb528, 0xe0, says) + struct.pack("<I", len(data) << 3 | 1)[:3] + data


BOMBS = {
    "a frame says more than the table": head() + frame(1 << 40) + table((len(frame(1)), 1)),
    "a frame says as much as the table, and has less": head() + frame(1 << 26) + table((len(frame(1)), 1 << 26)),
    "a table says more than a frame can have": head(1 << 20) + frame(1) + table((len(frame(1)), 1 << 21)),
    "frames say more than they can have": head(1 << 20) + frame(1 << 62),
    "many entries": head() + frame(1) + table((len(frame(1)), 1))[:-9] + struct.pack("<IBI", 1 << 27, 0, 0x8f92eab1),
    "a block that repeats a byte": head() + struct.pack("<IBQ", 0xfd2fb528, 0xe0, 1 << 17) + b"\x03\x00\x10x" +
    table((17, 1 << 17)),
    "zero bytes of a frame of zero": head() + frame(0, b"") + table((len(frame(0, b"")), 0)),
    "two frames in one entry": head() + frame(1) + frame(1) + table((2 * len(frame(1)), 2)),
}


@once
@pytest.mark.parametrize("name", BOMBS)
def test_bombs(name, monkeypatch):
    one_task(BOMBS[name])
    import tracemalloc

    for reader in "compiled", "pure":
        monkeypatch.setenv("SION_PYTHON", reader)
        tracemalloc.start()
        outcome("b.sion", "r")
        assert tracemalloc.get_traced_memory()[1] < (1 << 28)
        tracemalloc.stop()
    check_both("b.sion", monkeypatch)


@once
def test_a_stream_without_a_table(zipped, monkeypatch):
    """It ends where the writer was killed."""
    good, at, count = find_tail(zipped[0])
    begin = good.rfind(b"SIONZST1") - 8
    stored = good[begin:at - 8]
    for cut in 0, 1, 9, len(stored) - HEAD, len(stored) - HEAD + 1:
        check_both(one_task(stored[:len(stored) - cut]), monkeypatch)


@once
def test_without_the_module(zipped):
    program = ("import sys\nsys.modules['zstandard'] = None\nimport sion\n"
               "with sion.open(sys.argv[1]) as c:\n"
               "    print(c.meta.sizes.tolist(), c.tasks[1].read())\n"
               "    try: c.tasks[0].read()\n"
               "    except sion.Error as error: print(error)")
    lines = subprocess.run([sys.executable, "-c", program, zipped[0]], check=True, capture_output=True, text=True,
                           env={**os.environ, "SION_PYTHON": "pure"}).stdout.splitlines()
    assert lines[0] == "[480008, 0, 30000, 40] b''"
    assert lines[1].startswith("cannot read z0.sion: its streams are compressed, which the reader in Python reads "
                               "with the module zstandard: ")


@once
def test_commands(zipped, monkeypatch):
    monkeypatch.setenv("SION_PYTHON", "pure")
    for name in zipped[1:3]:
        def run(*words):
            return subprocess.run([sys.executable, "-m", "sion", *words, name], check=True, capture_output=True).stdout
        listed = run("ls").decode().splitlines()
        assert "468.8 KiB" in listed[2] and "40 B" in listed[5]
        assert run("cat", "-t", "0") == field(60001)
        assert b": good" in run("verify")
    pathlib.Path("z0.sion").write_bytes(pathlib.Path("z0.sion").read_bytes().replace(b"SIONZST1", b"SIONZST2"))
    done = subprocess.run([sys.executable, "-m", "sion", "verify", "z0.sion"], capture_output=True, text=True)
    assert done.returncode == 2 and "do not begin as a compressed stream" in done.stderr


@once
def test_by_url(zipped, server):  # noqa: F811
    for name in zipped:
        here = outcome(name, "r")
        there = outcome(f"{server.url}/{name}", "r")
        assert difference(here[2][0][0], there[2][0][0]) == "" and here[3] == there[3] and here[4] == there[4]


def test_a_jump_gets_one_frame(server, random):  # noqa: F811
    data = random.integers(0, 16, 4 << 20, np.uint8).tobytes()  # half of the bits
    with sion.create("x.sion", chunksizes=[3 << 20] * 2, mode="compress=zstd,compress_frame=65536") as container:
        container.tasks[1].write(data)
    with sion.open(f"{server.url}/x.sion") as container:
        task = container.tasks[1]
        assert task.size == len(data)
        for position in 3 << 20, (3 << 20) + 1000, 65_000, len(data) - 1000:
            before = len(server.requests())
            task.seek(position)
            assert task.read(1000) == data[position:position + 1000]
            requests, got = server.count(before)
            assert requests <= 1 and got <= 80_000, position
        before = len(server.requests())
        task.seek(0)
        assert task.read() == data
        assert server.count(before)[0] <= 2


def test_a_container_that_is_published_and_written_on(monkeypatch):
    if not can_write():
        pytest.skip("the library has no zstd")
    data, at = field(40_000), 0
    with sion.create("g.sion", chunksizes=[9000] * 2, mode="compress=zstd,shuffle=8,compress_frame=65536") as writer:
        reader = None
        for step in range(1, 6):
            writer.tasks[1].write(data[at:at + 40_000 * step // 2])
            writer.publish()
            at += 40_000 * step // 2
            if reader is None:
                reader = sion.open("g.sion")
                task = reader.tasks[1]
            reader.refresh()
            assert task.read() == data[at - 40_000 * step // 2:at]
            if os.environ.get("SION_PYTHON") != "pure":
                check_both("g.sion", monkeypatch)
                monkeypatch.delenv("SION_PYTHON")
        assert task.size == at
        reader.close()
    with sion.open("g.sion") as container:
        assert container.tasks[1].read() == data[:at]

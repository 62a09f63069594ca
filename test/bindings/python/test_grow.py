"""Containers that are published while they are written, and readers that go on with what comes."""

import os
import pickle
import re
import signal
import warnings

import numpy as np
import pytest

import sion


@pytest.mark.parametrize("word", ["", "checksum"])
def test_a_reader_sees_one_state_until_it_asks(word):
    writer = sion.create("a.sion", [512, 4096, 700], fsblksize=512, mode=word)
    written = [b"", b"", b""]

    def publish(n):
        for i in range(n):
            for task in range(3):
                piece = bytes([i, task, n]) * 90
                writer.tasks[task].write(piece)
                written[task] += piece
        writer.publish()

    publish(2)
    seen = list(written)
    with sion.open("a.sion", mode="r," + word) as reader:
        task = reader.tasks[1]
        assert task.read(100) == seen[1][:100]
        for n in range(1, 30):
            publish(n)
            assert [one.read() for one in reader.tasks] == seen
            assert reader.meta.bytes == sum(map(len, seen))
            assert reader.refresh() == sum(map(len, written)) - sum(map(len, seen))
            seen = list(written)
            assert [one.read() for one in reader.tasks] == seen
            assert reader.meta.bytes == sum(map(len, seen))
            assert reader.refresh() == 0
        assert task.tell() == 100
        assert task.read() == seen[1][100:]
        writer.close()
        assert reader.refresh() == 0
        assert reader.tasks[2].array("u1").tobytes() == seen[2]


def test_follow_ends_with_the_close():
    writer = sion.create("f.sion", 4096, ntasks=2, fsblksize=512)
    writer.publish()
    steps = iter(range(10))

    def step():
        number = next(steps, None)
        if number is None:
            writer.tasks[1].write(b"the end")
            writer.close()
        elif number % 2:
            writer.tasks[0].write(b"x" * 100)
            writer.tasks[1].write(b"%d," % number * 500)
            writer.publish()

    with sion.open("f.sion") as reader:
        pieces = list(reader.tasks[1].follow(step, interval=0))
    assert b"".join(pieces) == b"".join(b"%d," % number * 500 for number in range(1, 10, 2)) + b"the end"
    assert len(pieces) == 6


def test_follow_ends_when_it_is_told():
    with sion.create("f.sion", 4096, ntasks=1) as writer:
        writer.tasks[0].write(b"now")
        writer.publish()
        with sion.open("f.sion") as reader:
            assert list(reader.tasks[0].follow(lambda: True)) == [b"now"]


def test_follow_fails_when_the_writer_is_killed():
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        writer = sion.create("f.sion", 4096, ntasks=1)
        writer.tasks[0].write(b"before")
        writer.publish()
        os.write(tell, b"1")
        signal.pause()
    assert os.read(told, 1) == b"1"
    with sion.open("f.sion") as reader:
        pieces = reader.tasks[0].follow(interval=0)
        assert next(pieces) == b"before"
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with pytest.raises(sion.Error, match="f.sion has ended without a close") as caught:
            next(pieces)
        assert caught.value.code == sion.Code.NOT_CLOSED
    os.close(told)
    os.close(tell)


def test_records_with_keys():
    writer = sion.create("k.sion", 600, ntasks=1, keyval=True, fsblksize=512)
    writer.publish()
    with sion.open("k.sion") as reader:
        for n in range(20):
            writer.tasks[0].write_record(n % 3, b"v" * n * 10)
            writer.publish()
            assert len(list(reader.tasks[0].records())) == n
            reader.refresh()
            assert reader.tasks[0].record(n % 3, -1) == b"v" * n * 10
    writer.close()


@pytest.mark.parametrize("way", ["compiled", "pure"])
@pytest.mark.parametrize("word", ["keep=2", "keep=2,checksum", "keep=2,compress=zstd"])
def test_readers_go_on_to_another_generation(way, word, monkeypatch):
    texts = [b"%d" % n * (700 + 50 * n) for n in range(9)]
    try:
        writer = sion.create("g.sion", 600, ntasks=2, fsblksize=512, mode=word)
    except sion.Error as error:
        pytest.skip(str(error))  # there is no libzstd
    if "compress" in word and way == "pure":
        pytest.importorskip("zstandard")
    numbers = iter(range(9))

    def publish():
        n = next(numbers)
        writer.tasks[0].write(texts[n])
        writer.tasks[1].write(texts[n][:n])
        writer.publish()
        return n

    publish()
    monkeypatch.setenv("SION_PYTHON", way)
    with sion.open("g.sion") as newest:
        one, other = newest.tasks
        assert one.read(600) == texts[0][:600] and other.read() == b""
        for _ in range(3):
            n = publish()
            assert newest.meta.bytes == len(texts[n - 1]) + n - 1 and one.tell() == 600
            assert newest.refresh() == len(texts[n]) + n == newest.meta.bytes
            assert newest.refresh() == 0
            assert one.tell() == other.tell() == 0
            assert one.read(600) == texts[n][:600] and other.read() == texts[n][:n]
        with sion.open("g.sion", mode="r,generation=-1") as before, \
                sion.open("g.sion", mode="r,generation=4") as fourth:
            assert before.tasks[0].read() == texts[2] and fourth.tasks[0].read(20) == texts[3][:20]
            publish()
            assert before.refresh() == len(texts[3]) + 3 and before.tasks[0].read() == texts[3]
            assert fourth.refresh() == 0 and fourth.tasks[0].read() == texts[3]
            publish()
            with pytest.raises(sion.Error, match="has no generation 4") as caught:
                fourth.refresh()
            assert caught.value.code == sion.Code.ARGUMENT
        writer.close()
        assert newest.refresh() == len(texts[5]) + 5 and one.read() == texts[5]
    with sion.open("g.sion", mode="r,generation=all") as reader:
        with pytest.raises(sion.Error, match="open it again to read all of them") as caught:
            reader.refresh()
        assert caught.value.code == sion.Code.MODE


@pytest.mark.parametrize("way", ["compiled", "pure"])
def test_follow_goes_from_one_generation_to_the_next(way, monkeypatch):
    writer = sion.create("g.sion", 600, ntasks=1, fsblksize=512, mode="keep=2")
    writer.publish()
    monkeypatch.setenv("SION_PYTHON", way)
    with sion.open("g.sion") as reader:
        steps = iter(range(5))

        def step():
            n = next(steps, None)
            if n is None:
                writer.close()
            else:
                writer.tasks[0].write(b"%d" % n * (10 - n))
                writer.publish()

        found = list(reader.tasks[0].follow(step, interval=0))
    assert found == [b"%d" % n * (10 - n) for n in range(5)]


@pytest.mark.parametrize("way", ["compiled", "pure"])
def test_arrays_are_those_of_the_generation_that_is_open(way, monkeypatch):
    with sion.create("g.sion", 4000, ntasks=1, fsblksize=512, mode="keep=3") as writer:
        writer.define_array("T", "f8", (4,))
        for step in range(5):
            writer.put_array("T", step, (0,), np.full(4, step + 0.5))
            writer.publish()
    monkeypatch.setenv("SION_PYTHON", way)
    for mode, steps in {"r": (4,), "r,generation=-1": (3,), "r,generation=3": (2,),
                        "r,generation=all": (2, 3, 4)}.items():
        with sion.open("g.sion", mode=mode) as container:
            for arrays in container.arrays, pickle.loads(pickle.dumps(container.arrays)):
                assert arrays["T"].steps == steps
                assert [arrays["T"][step][0] for step in steps] == [step + 0.5 for step in steps]


def test_what_cannot_be():
    writer = sion.create("a.sion", 512, ntasks=1)
    with pytest.raises(OSError):
        writer.refresh()
    writer.tasks[0].write(b"something")
    writer.close()
    with sion.open("a.sion") as reader:
        sion.create("a.sion", 9000, ntasks=1).close()
        with pytest.raises(sion.Error, match="is not the container any more that was opened"):
            reader.refresh()
        assert reader.tasks[0].size == 9


def test_tables_in_an_area_are_checked(monkeypatch):
    """What readers refuse, in both of them: damaged records, and data where the tables are."""
    writer = sion.create("a.sion", 4096, ntasks=2, fsblksize=512)
    for _ in range(4):
        writer.tasks[0].write(b"1" * 3000)
        writer.tasks[1].write(b"2" * 3000)
        writer.publish()
    with open("a.sion", "rb") as file:
        good = file.read()
    start = int.from_bytes(good[1076 + 32 + 4:1076 + 32 + 12], "little")
    assert good[start - 128:start - 120] == b"SIONPUB1"
    block = (start - 128 - 1536) // 8192
    bad = {start - 100: bytes([good[start - 100] ^ 255]), 1076 + 32: b"\x63", start + 16 * (1 + block): b"\x07"}
    texts = {}
    for place, byte in bad.items():
        with open("b.sion", "wb") as file:
            file.write(good[:place] + byte + good[place + 1:])
        for way in "compiled", "pure":
            monkeypatch.setenv("SION_PYTHON", way)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    container = sion.open("b.sion")
                with container:
                    container.tasks[1].read()
                    container.tasks[0].read()
                raise AssertionError
            except sion.Error as error:
                texts.setdefault(place, set()).add(re.sub(r"^sion_\w+: ", "", str(error)))
    assert all(len(found) == 1 for found in texts.values()) and len(texts) == 3, texts
    writer.close()

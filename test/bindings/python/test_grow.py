"""Containers that are published while they are written, and readers that go on with what comes."""

import os
import pickle
import re
import signal
import subprocess
import warnings
from random import Random

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


_TASKS = range(3)


class _Writer:
    """One that keeps two generations, and what these and those before them have of each task."""

    def __init__(self, word, random):
        try:
            self._container = sion.create("g.sion", [600, 700, 500], fsblksize=512, mode="keep=2" + word)
        except sion.Error as error:
            pytest.skip(str(error))  # there is no libzstd
        self._random, self._pieces, self.oldest = random, [], 0

    @property
    def newest(self):
        return len(self._pieces)

    def publish(self):
        new = [self._random.randbytes(self._random.choice([0, 1, 90, 1500])) for _ in _TASKS]
        for task, data in zip(self._container.tasks, new):
            task.write(data)
        self._container.publish()
        if any(new):
            self._pieces.append(new)
            self.oldest = max(0, self.newest - 2)

    def close(self):
        self._container.close()

    def bytes(self, task, first, last):
        return b"".join(piece[task] for piece in self._pieces[first:last])


class _Reader:
    """One of all generations, and where its tasks are in all that was ever written."""

    def __init__(self, writer, word):
        self.container = sion.open("g.sion", mode="r,generation=all" + word)
        self._writer, self._selected = writer, 0
        self._tasks, self._at = list(self.container.tasks), [0] * len(_TASKS)
        self._first, self._last = writer.oldest, writer.newest

    def _before(self, task, generation):
        return len(self._writer.bytes(task, 0, generation))

    def read(self, task, amount):
        """Unless something is forgotten: it may read as zeros."""
        gone = self._before(task, self._first)
        assert self._tasks[task].size == self._before(task, self._last) - gone
        assert self._tasks[task].tell() == self._at[task] - gone
        if self._first == self._writer.oldest:
            data = self._writer.bytes(task, 0, self._last)[self._at[task]:][:amount]
            assert self._tasks[task].read(amount) == data
            self._at[task] += len(data)
            if data or not self._tasks[task].size:
                self._selected = task

    def _first_lost(self):
        """The first generation that somebody has not read to its end; the next one to come, if all have."""
        for generation in range(self._first, self._last):
            for task in _TASKS:
                begin, end = self._before(task, generation), self._before(task, generation + 1)
                if (task == self._selected or self._at[task] > self._before(task, self._first)) and \
                        end > max(begin, self._at[task]):
                    return generation
        return self._last

    def _text(self):
        lost, oldest = self._first_lost(), self._writer.oldest
        if lost >= oldest:
            return None
        return f"generation {oldest} of g.sion was forgotten" if lost + 1 == oldest else \
            f"generations {lost + 1} to {oldest} of g.sion were forgotten"

    def refresh(self):
        writer, text = self._writer, self._text()
        left = max(writer.oldest, self._first)
        expected = sum(len(writer.bytes(task, left, writer.newest)) - len(writer.bytes(task, left, self._last))
                       for task in _TASKS)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert self.container.refresh() == expected
        assert len(caught) == (text is not None) and (text is None or text in str(caught[0].message))
        self._first, self._last = writer.oldest, writer.newest
        self._at = [max(at, self._before(task, self._first)) for task, at in enumerate(self._at)]
        return text is not None

    def close(self):
        self.container.close()


@pytest.mark.parametrize("way", ["compiled", "pure"])
@pytest.mark.parametrize("word", ["", ",checksum", ",compress=zstd", ",checksum,compress=zstd,compress_frame=4096"])
def test_readers_of_all_generations_go_on(way, word, monkeypatch):
    random = Random(len(word))
    writer = _Writer(word, random)
    if "compress" in word and way == "pure":
        pytest.importorskip("zstandard")
    monkeypatch.setenv("SION_PYTHON", way)
    writer.publish()
    reader = _Reader(writer, ",checksum" if "checksum" in word else "")
    warned = 0
    for _ in range(100):
        for _ in range(random.randrange(4)):
            reader.read(random.choice(_TASKS), random.choice([10, 400, 5000]))
        for _ in range(random.choice([0, 0, 1, 1, 2, 4])):
            writer.publish()
        if random.randrange(3):
            warned += reader.refresh()
    writer.close()
    reader.refresh()
    for task in _TASKS:
        reader.read(task, 20000)
    reader.close()
    assert 10 < warned < 60


@pytest.mark.parametrize("way", ["compiled", "pure"])
def test_records_of_all_generations(way, monkeypatch):
    writer = sion.create("g.sion", 600, ntasks=1, fsblksize=512, keyval=True, mode="keep=2")
    monkeypatch.setenv("SION_PYTHON", way)
    reader = None
    for n in range(8):
        writer.tasks[0].write_record(n % 3, b"%d" % n * 400)
        writer.publish()
        reader = reader or sion.open("g.sion", mode="r,generation=all")
        reader.refresh()
        assert list(reader.tasks[0].records()) == [(i % 3, b"%d" % i * 400) for i in range(max(0, n - 1), n + 1)]
    reader.close()
    writer.close()


@pytest.mark.parametrize("way", ["compiled", "pure"])
def test_arrays_of_all_generations_go_on(way, monkeypatch):
    writer = sion.create("g.sion", 4000, ntasks=1, fsblksize=512, mode="keep=2")
    writer.define_array("T", "f8", (4,))
    monkeypatch.setenv("SION_PYTHON", way)
    reader = None
    for n in range(5):
        writer.put_array("T", n, (0,), np.full(4, n + 0.5))
        writer.publish()
        reader = reader or sion.open("g.sion", mode="r,generation=all")
        reader.refresh()
        array = reader.arrays["T"]
        assert array.steps == tuple(range(max(0, n - 1), n + 1))
        assert [array[step][0] for step in array.steps] == [step + 0.5 for step in array.steps]
    reader.close()
    writer.close()


@pytest.mark.parametrize("way", ["compiled", "pure"])
def test_a_damaged_record_of_generations_is_not_gone_on_to(way, monkeypatch):
    writer = sion.create("g.sion", 600, ntasks=1, fsblksize=512, mode="keep=2")
    monkeypatch.setenv("SION_PYTHON", way)
    writer.tasks[0].write(b"first")
    writer.publish()
    with sion.open("g.sion", mode="r,generation=all") as reader:
        writer.tasks[0].write(b"second")
        writer.publish()
        with open("g.sion", "rb") as file:
            data = file.read()
        places = [at.start() for at in re.finditer(b"SIONGEN1", data)]
        assert places
        for at in places:
            with open("g.sion", "r+b") as file:
                file.seek(at + 30)
                file.write(b"x")
        with pytest.raises(sion.Error, match="its record of generations is damaged") as caught:
            reader.refresh()
        assert caught.value.code == sion.Code.DAMAGED
        assert reader.tasks[0].read() == b"first"
    writer.close()


@pytest.mark.parametrize("way", ["compiled", "pure"])
def test_follow_all_generations(way, monkeypatch):
    """Also where one is forgotten, and punched, while it is read."""
    writer = sion.create("g.sion", 600, ntasks=2, fsblksize=512, mode="keep=1")
    texts = [b"%d" % n * (3000 + n) for n in range(10)]

    def publish(n):
        for task in writer.tasks:
            task.write(texts[n])
        writer.publish()

    publish(0)
    monkeypatch.setenv("SION_PYTHON", way)
    steps = iter(range(1, 10))

    def step():
        n = next(steps, None)
        if n is None:
            writer.close()
        else:
            publish(n)

    with sion.open("g.sion", mode="r,generation=all") as reader:
        task = reader.tasks[1]
        read, is_late = task.read, iter([False, False, True])

        def read_late(*words):
            if next(is_late, False):  # the third one takes the place of what is about to be read
                step()
            return read(*words)

        monkeypatch.setattr(task, "read", read_late)
        assert list(task.follow(step, interval=0)) == texts[:1] + texts[2:]


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
    subprocess.run([f"{os.environ['SION_BINDIR']}/sionrm", "--keep=1", "g.sion"], check=True)
    with sion.open("g.sion") as reader:  # sionrm has written the state of a close again
        assert list(reader.tasks[0].follow(interval=0)) == found[-1:]


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

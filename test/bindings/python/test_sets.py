"""Sets of files that grow, and readers that go on with what comes: in all files, or in none."""

import os
import subprocess

import pytest

import sion

_TASKS = range(4)  # two of each file


class Writer:
    """The program that all tasks are in; and what each has written in each round."""

    def __init__(self, mode):
        tool = os.environ.get("MAKE_GROWN_SET", "")
        if not os.path.exists(tool):
            pytest.skip("there is no program that writes sets")
        self._process = subprocess.Popen([tool, "s.sion", mode], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.rounds = []

    def _tell(self, line):
        self._process.stdin.write(line)
        self._process.stdin.flush()
        assert self._process.stdout.readline() == b"ok\n"

    def publish(self, size):
        self._tell(b"w %d\n" % size)
        letters = [97 + (4 * len(self.rounds) + task) % 26 for task in _TASKS]
        self.rounds.append([bytes([letter]) * size * (task + 1) for task, letter in enumerate(letters)])

    def close(self):
        self._tell(b"c\n")
        self._process.communicate()
        assert self._process.returncode == 0

    def kill(self):
        self._process.kill()
        self._process.communicate()

    def steps(self, sizes):
        """What publishes the next one each time that it is called, and closes behind the last."""
        left = iter(sizes)

        def step():
            size = next(left, None)
            if size is None:
                self.close()
            else:
                self.publish(size)

        return step

    def texts(self, first=0, last=None):
        return [b"".join(one[task] for one in self.rounds[first:last]) for task in _TASKS]


@pytest.fixture
def write():
    """Makes a writer, which is ended with the test."""
    writers = []

    def make(mode):
        writers.append(Writer(mode))
        return writers[-1]

    yield make
    for writer in writers:
        writer.kill()


def read(tasks):
    return [task.read() for task in tasks]


@pytest.mark.parametrize("way", ["compiled", "pure"])
def test_readers_of_a_set_see_one_state_until_they_ask(way, write, monkeypatch):
    writer = write("bw")
    writer.publish(300)
    monkeypatch.setenv("SION_PYTHON", way)
    with sion.open("s.sion") as reader:
        last = reader.tasks[3]
        assert len(reader.members) == 2 and last.file == "s.sion.000001"
        assert last.read(100) == writer.texts()[3][:100]
        seen = writer.texts()
        for size in 1, 900, 0, 2000, 40:
            writer.publish(size)
            assert [task.size for task in reader.tasks] == list(map(len, seen))
            assert read(reader.tasks) == seen
            assert reader.refresh() == sum(map(len, writer.texts())) - sum(map(len, seen))
            seen = writer.texts()
            assert [task.size for task in reader.tasks] == list(map(len, seen))
            assert reader.meta.bytes == sum(map(len, seen)) and reader.refresh() == 0
            assert last.tell() == 100
        writer.close()
        assert reader.refresh() == 0 and last.read() == seen[3][100:]
        assert read(reader.tasks) == seen


@pytest.mark.parametrize("way", ["compiled", "pure"])
@pytest.mark.parametrize("task", [1, 2])
def test_follow_a_task_of_a_set(way, task, write, monkeypatch):
    """To the close, which file 0 says for all."""
    writer = write("bw")
    writer.publish(0)
    monkeypatch.setenv("SION_PYTHON", way)
    step = writer.steps([10, 0, 2500, 1])
    with sion.open("s.sion") as reader:
        pieces = list(reader.tasks[task].follow(step, interval=0))
    assert pieces == [one[task] for one in writer.rounds if one[task]]


@pytest.mark.parametrize("way", ["compiled", "pure"])
def test_follow_a_set_whose_writer_is_killed(way, write, monkeypatch):
    writer = write("bw")
    writer.publish(10)
    monkeypatch.setenv("SION_PYTHON", way)
    with sion.open("s.sion") as reader:
        pieces = reader.tasks[3].follow(interval=0)
        assert next(pieces) == writer.texts()[3]
        writer.kill()
        with pytest.raises(sion.Error, match="s.sion has ended without a close"):
            next(pieces)


@pytest.mark.parametrize("way", ["compiled", "pure"])
def test_readers_of_a_set_go_on_to_another_generation(way, write, monkeypatch):
    writer = write("bw,keep=2")
    writer.publish(700)
    monkeypatch.setenv("SION_PYTHON", way)
    with sion.open("s.sion") as newest, sion.open("s.sion", mode="r,generation=all") as both:
        streams = list(both.tasks)
        for n, size in enumerate([20, 1500, 300], 1):
            assert read(newest.tasks) == writer.texts(n - 1)
            writer.publish(size)
            assert newest.refresh() == newest.meta.bytes == 10 * size
            assert [task.tell() for task in newest.tasks] == [0] * 4
            assert read(streams) == writer.texts(n - 1, n)
            both.refresh()
            with sion.open("s.sion", mode="r,generation=-1") as before:
                assert read(before.tasks) == writer.texts(n - 1, n)
        writer.close()
        assert read(newest.tasks) == read(streams) == writer.texts(3)


@pytest.mark.parametrize("way", ["compiled", "pure"])
def test_follow_all_generations_of_a_set(way, write, monkeypatch):
    writer = write("bw,keep=1")
    writer.publish(300)
    monkeypatch.setenv("SION_PYTHON", way)
    step = writer.steps([700, 60, 2000])
    with sion.open("s.sion", mode="r,generation=all") as reader:
        assert list(reader.tasks[2].follow(step, interval=0)) == [one[2] for one in writer.rounds]


@pytest.mark.parametrize("way", ["compiled", "pure"])
def test_a_set_that_has_lost_a_file_is_not_gone_on_to(way, write, monkeypatch):
    writer = write("bw")
    writer.publish(300)
    monkeypatch.setenv("SION_PYTHON", way)
    with sion.open("s.sion") as reader:
        writer.publish(200)
        os.rename("s.sion.000001", "kept")
        with pytest.raises(sion.Error, match="s.sion"):
            reader.refresh()
        assert reader.tasks[0].read() == writer.texts(0, 1)[0]
        os.rename("kept", "s.sion.000001")
        assert reader.refresh() == 2000
        reader.tasks[3].seek(0)
        assert reader.tasks[3].read() == writer.texts()[3]
    writer.close()

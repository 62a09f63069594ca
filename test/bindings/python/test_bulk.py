"""The streams of many tasks at once."""

import gc
import io
import os
import resource
import subprocess

import numpy as np
import pytest

import sion

TASKS = 20_000


def make(name, streams, chunksize=64, fsblksize=1):
    """A container with these streams."""
    with sion.create(name, chunksizes=[chunksize] * len(streams), fsblksize=fsblksize) as container:
        for task, data in zip(container.tasks, streams):
            task.write(data)


def test_all_tasks_are_read_by_two_calls(calls):
    streams = [b"%d" % n * (n % 4) for n in range(TASKS)]
    make("x.sion", streams)
    calls.clear()
    with sion.open("x.sion") as container:
        got = container.tasks.read()
        assert len(got) == TASKS and list(map(bytes, got)) == streams
        assert list(map(bytes, container.tasks.contents())) == streams
    assert calls["sion_stream_sizes"] == calls["sion_stream_read_tasks"] == 2, calls
    assert sum(calls.values()) < 15, calls


def test_no_task_object_is_created(monkeypatch):
    make("x.sion", [b"x"] * 100)
    with sion.open("x.sion") as container:
        monkeypatch.setattr(sion.container, "Task", None)
        assert bytes(container.tasks.read().data) == b"x" * 100
        assert len(list(container.tasks[::3].contents())) == 34
        assert container.tasks.sizes.sum() == container.meta.bytes == 100


def test_the_bytes_are_one_array(random):
    streams = [random.bytes(int(n)) for n in random.integers(0, 300, 50)]
    make("x.sion", streams)
    with sion.open("x.sion") as container:
        got = container.tasks.read()
        assert got.data.tobytes() == b"".join(streams)
        assert got.starts.tolist() == np.cumsum([0] + [len(data) for data in streams]).tolist()
        assert got.sizes.tolist() == container.tasks.sizes.tolist() == [len(s) for s in streams]
        assert isinstance(got[3], memoryview) and got[3] == streams[3] and got[-1] == streams[-1]
        part = got[10:20]
        assert [bytes(data) for data in part] == streams[10:20] and len(part) == 10
        assert np.shares_memory(part.data, got.data) and part.array("u1").tobytes() == \
            b"".join(streams[10:20])
        assert len(got[20:10]) == 0 and "50 tasks" in repr(got)
        with pytest.raises(IndexError, match="stream 50 of 50"):
            got[50]
        with pytest.raises(ValueError, match="forward"):
            got[::2]
        for choice in (slice(5, 40, 7), slice(None, None, -1), slice(3, 3)):
            assert [bytes(data) for data in container.tasks[choice].read()] == streams[choice]
            assert [bytes(data) for data in container.tasks[choice].contents()] == streams[choice]


def test_numbers_of_all_tasks():
    make("x.sion", [np.full(4, n, "<i4") for n in range(10)])
    with sion.open("x.sion") as container:
        assert np.array_equal(container.tasks.read().array("<i4").reshape(10, 4)[:, 0], range(10))


def test_positions_of_tasks_stay():
    make("x.sion", [b"abcdef", b"ghijkl"])
    with sion.open("x.sion") as container:
        task = container.tasks[0]
        assert task.read(2) == b"ab"
        assert bytes(container.tasks.read()[1]) == b"ghijkl"
        assert task.read(2) == b"cd" and container.tasks[1].read(3) == b"ghi"


def test_contents_holds_a_part_at_a_time(calls, monkeypatch):
    streams = [b"x" * 10] * 25 + [b"y" * 50] + [b""] * 3 + [b"z"]
    make("x.sion", streams)
    monkeypatch.setattr(sion.bulk, "_PART", 35)
    with sion.open("x.sion") as container:
        calls.clear()
        assert [bytes(data) for data in container.tasks.contents()] == streams
    assert calls["sion_stream_read_tasks"] == 8 + 1 + 1 + 1, calls  # 3 x 8, 1, the large one, rest


def test_a_set_of_files_is_read(golden):
    with sion.open(golden / "mpi/m01_multi.sion") as container:
        wanted = [task.read() for task in container.tasks]
        assert [bytes(data) for data in container.tasks.read()] == wanted and any(wanted)


def test_a_set_of_more_files_than_descriptors_is_read():
    streams = [b"%d" % n * n for n in range(300)]
    make("one.sion", streams, chunksize=1000)
    tool = os.path.join(os.environ["builddir"], "siondefrag")
    subprocess.run([tool, "-q", "512", "--files=300", "one.sion", "set.sion"], check=True,
                   stdout=subprocess.DEVNULL)
    gc.collect()  # what failures of other tests have open
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
    try:
        with sion.open("set.sion") as container:
            assert list(map(bytes, container.tasks.read())) == streams
            assert [task.read() for task in container.tasks] == streams
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_unreadable_containers_are_refused(random):
    make("x.sion", [random.bytes(5000)] * 3, chunksize=5000)
    with sion.open("x.sion") as container:
        with open("x.sion", "r+b") as file:
            file.truncate(9000)
        with pytest.raises(sion.Error, match="cut off"):
            container.tasks.read()
    with pytest.raises(ValueError, match="closed"):
        container.tasks.read()
    part = iter(container.tasks.contents())
    with pytest.raises(ValueError, match="closed"):
        next(part)
    with sion.create("k.sion", chunksizes=[512] * 2, keyval=True) as container:
        with pytest.raises(io.UnsupportedOperation):
            container.tasks.read()
    with sion.open("k.sion") as container:
        with pytest.raises(io.UnsupportedOperation, match="records"):
            container.tasks.read()

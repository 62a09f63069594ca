"""Writing containers, and key-value records."""

import io
import pickle

import numpy as np
import pytest

import sion


def test_writes_are_appended_across_chunks(random):
    parts = [[random.bytes(int(random.integers(0, 3000))) for _ in range(20)] for _ in range(3)]
    with sion.create("x.sion", chunksizes=[1000, 600, 5000], fsblksize=512,
                     ranks=[7, 5, 3]) as container:
        assert container.meta.chunksizes.tolist() == [1024, 1024, 5120]
        for turn in range(20):
            for task, stream in zip(container.tasks, parts):
                assert task.write(stream[turn]) == len(stream[turn])
                assert task.tell() == task.size == sum(map(len, stream[:turn + 1]))
        assert container.tasks[0].chunks == -(-container.tasks[0].size // 1024)
        assert container.meta.sizes.tolist() == [sum(map(len, stream)) for stream in parts]
    with sion.open("x.sion") as container:
        assert [task.read() for task in container.tasks] == [b"".join(stream) for stream in parts]
        assert container.meta.ranks.tolist() == [7, 5, 3]
        assert container.tasks[0].chunk_bytes[:-1].tolist() == \
            [1024] * (container.tasks[0].chunks - 1)


def test_any_buffer_can_be_written():
    array = np.arange(100.0).reshape(10, 10)
    with sion.create("x.sion", chunksizes=10000, ntasks=5) as container:
        container.tasks[0].write(array)
        container.tasks[1].write(memoryview(b"abc"))
        container.tasks[2].write(b"")
        with pytest.raises(ValueError, match="contiguous"):
            container.tasks[3].write(array.T)
        with pytest.raises(TypeError):
            container.tasks[3].write("text")
        with io.BufferedWriter(container.tasks[3]) as file:
            pickle.dump(array, file)
        container.tasks[4].write(np.zeros((0, 3)))
    with sion.open("x.sion") as container:
        assert np.array_equal(container.tasks[0].array("f8").reshape(10, 10), array)
        assert container.tasks[1].read() == b"abc"
        assert np.array_equal(pickle.load(io.BufferedReader(container.tasks[3])), array)
        assert container.meta.sizes[[2, 4]].tolist() == [0, 0]


def test_wrong_arguments_are_refused_and_create_nothing(tmp_path):
    for wrong in (dict(chunksizes=[[1, 2]]), dict(chunksizes=[1, 2], ntasks=3),
                  dict(chunksizes=[1], ranks=[1, 2]), dict(chunksizes=[1], byteorder="middle")):
        with pytest.raises(ValueError):
            sion.create("x.sion", **wrong)
    with pytest.raises(sion.Error, match="chunk size of task 1 is -2"):
        sion.create("x.sion", chunksizes=[1, -2])
    with pytest.raises(sion.Error) as failure:
        sion.create("x.sion", chunksizes=[])
    assert failure.value.code == sion.Code.ARGUMENT
    with pytest.raises(ValueError, match="sion.create"):
        sion.open("x.sion", mode="w")
    assert list(tmp_path.iterdir()) == []


def test_reading_and_writing_do_not_mix():
    with sion.create("x.sion", chunksizes=[100]) as container:
        task = container.tasks[0]
        assert task.writable() and not task.readable() and not task.seekable()
        for use in (task.read, lambda: task.seek(0), lambda: task.array("u1"), task.keys,
                    lambda: task.write_record(1, b"")):
            with pytest.raises(io.UnsupportedOperation):
                use()
    with sion.open("x.sion") as container:
        for use in (lambda: container.tasks[0].write(b"x"), container.tasks[0].keys):
            with pytest.raises(io.UnsupportedOperation):
                use()


def test_a_write_that_fails_is_an_error():
    with sion.create("x.sion", chunksizes=[0]) as container:
        with pytest.raises(sion.Error):
            container.tasks[0].write(b"x")


def test_an_exception_inside_with_still_closes():
    with pytest.raises(RuntimeError):
        with sion.create("x.sion", chunksizes=[100]) as container:
            container.tasks[0].write(b"abc")
            raise RuntimeError
    assert sion.open("x.sion").tasks[0].read() == b"abc"


# ---- records with keys ----


def test_records_agree_with_a_model(random):
    model = [[], [], []]
    with sion.create("k.sion", chunksizes=[600] * 3, fsblksize=512, keyval=True) as container:
        for _ in range(300):
            task = int(random.integers(2))  # nothing for the last task
            key = [0, 1, 17, 2**63, 2**64 - 1][int(random.integers(5))]
            data = random.bytes(int(random.choice([0, 0, 1, 1, 2, 100, 5000])))
            container.tasks[task].write_record(key, data)
            model[task].append((key, data))
    with sion.open("k.sion") as container:
        assert container.meta.keyval
        for task, records in zip(container.tasks, model):
            by_key = {}
            for key, data in records:
                by_key.setdefault(key, []).append(data)
            assert list(task.records()) == records
            assert task.keys() == list(by_key)
            for key, values in by_key.items():
                assert [task.record(key, n) for n in range(len(values))] == values
                assert task.record(key) == values[0] and task.record(key, -1) == values[-1]
                assert task.stat(key) == (len(values), sum(map(len, values)))
                with pytest.raises(IndexError, match=str(len(values))):
                    task.record(key, len(values))
                with pytest.raises(IndexError):
                    task.record(key, -len(values) - 1)
        with pytest.raises(KeyError):
            container.tasks[0].record(99)


def test_records_of_a_sample(golden):
    with sion.open(golden / "serial/s07_keyval.sion") as container:
        assert container.tasks[0].keys()
        for task in container.tasks:
            assert len(task.keys()) == len({key for key, _ in task.records()})
            assert sum(16 + len(data) for _, data in task.records()) == task.size


def test_a_key_value_task_has_no_bytes():
    with sion.create("k.sion", chunksizes=[100], keyval=True) as container:
        with pytest.raises(io.UnsupportedOperation, match="records"):
            container.tasks[0].write(b"abc")
        with pytest.raises(ValueError, match="64 bits"):
            container.tasks[0].write_record(-1, b"")
    with sion.open("k.sion") as container:
        assert not container.tasks[0].readable()
        with pytest.raises(io.UnsupportedOperation, match="records"):
            container.tasks[0].read()


def test_damaged_records_are_an_error(golden):
    with sion.open(golden / "invalid/i42_kv_len_huge.sion") as container:
        with pytest.raises(sion.Error) as failure:
            for task in container.tasks:
                task.keys()
        assert failure.value.code == sion.Code.DAMAGED

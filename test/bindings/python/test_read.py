"""Reading containers."""

import io
import os
import pathlib
import pickle
import struct
import subprocess
import warnings

import numpy as np
import pytest

import sion


def write(name, streams, chunksize=1 << 12, **options):
    """A container with these streams."""
    with sion.create(name, chunksizes=[chunksize] * len(streams), fsblksize=512,
                     **options) as container:
        for task, data in zip(container.tasks, streams):
            task.write(data)


def test_a_sample_reads_as_it_was_written(golden):
    with sion.open(golden / "serial/s04_multichunk.sion") as container:
        assert len(container.tasks) == len(container) == 3
        assert container.meta.fsblksize == 512
        assert container.meta.maxchunks == 6
        assert container.meta.chunksizes.tolist() == [512, 1024, 512]
        assert container.meta.chunks.tolist() == [1, 6, 3]
        assert container.meta.sizes.tolist() == [300, 4173, 1112]
        assert container.meta.bytes == 300 + 4173 + 1112
        assert container.tasks[1].chunk_bytes.tolist() == [400, 700, 1024, 1, 1024, 1024]
        assert container.tasks[2].chunks == 3 and container.tasks[2].chunksize == 512
        assert len(container.tasks[1].read()) == 4173


def test_tasks_of_merged_streams_have_their_own_bytes(golden, tmp_path):
    program = pathlib.Path(os.environ.get("SION_BINDIR", ""), "test/tools/make_members")
    if not program.exists():
        pytest.skip("no make_members")
    name = tmp_path / "m.sion"
    name.write_bytes((golden / "mpi/m03_cmerge.sion").read_bytes())
    subprocess.run([program.absolute(), "m.sion"], cwd=tmp_path, check=True)
    written = [(tmp_path / f"task.{task}").read_bytes() for task in range(8)]
    with warnings.catch_warnings(), sion.open(name) as container:
        warnings.simplefilter("error")
        assert container.meta.sizes.tolist() == [len(data) for data in written]
        assert [task.read() for task in container.tasks] == written
        assert [bytes(data) for data in container.tasks.read()] == written


def test_tasks_read_what_sioncat_writes(golden):
    expected = (golden / "util/s04_multichunk.sioncat.out").read_bytes()
    with sion.open(golden / "serial/s04_multichunk.sion") as container:
        assert b"".join(task.read() for task in container.tasks) == expected


@pytest.mark.parametrize("name, damaged, reason", [
    ("invalid/i34_blocksize_gt_chunk.sion", 0, "chunk 0 of task 0 says 5000 bytes used of 512"),
    ("invalid/i45_multi_badmap.sion", 4, "rank 4 is not where the mapping says"),
    ("damaged/100014.sion", 9, "chunk 1 of task 3 says 735 bytes used of 200")])
def test_a_damaged_task_fails_and_the_others_are_read(golden, name, damaged, reason):
    with pytest.warns(sion.Warning, match=reason):
        container = sion.open(golden / name)
    with container:
        for number, task in enumerate(container.tasks):
            if number == damaged:  # it says 0 bytes
                for read in (task.read, task.readall, lambda: task.readinto(bytearray(9))):
                    with pytest.raises(sion.Error, match=reason):
                        read()
            else:
                assert len(task.read()) == task.size
        with pytest.raises(sion.Error, match=reason):
            container.tasks.read()
        rest = [*container.tasks[:damaged].read(), *container.tasks[damaged + 1:].read()]
        assert sum(map(len, rest)) == container.meta.bytes


def test_ranks_are_those_of_the_writer(golden):
    with sion.open(golden / "serial/s08_granks.sion") as container:
        ranks = container.meta.ranks.tolist()
        assert ranks != list(range(len(ranks)))
        assert [task.rank for task in container.tasks] == ranks
        assert container.tasks.ranks.tolist() == ranks
        assert [task.number for task in container.tasks] == list(range(len(ranks)))


def test_a_set_of_files_is_one_container(golden):
    name = golden / "mpi/m01_multi.sion"
    with sion.open(name) as container:
        assert container.meta.nfiles == len(container.members) > 1
        for file in container.members:
            assert open(file, "rb").read(4) == b"sion"
        numbers = [container.members.index(task.file) for task in container.tasks]
        assert numbers == container.meta.filenumbers.tolist()
        assert set(numbers) == set(range(container.meta.nfiles))
        for task in container.tasks:
            data = task.read()
            assert len(data) == task.size
            assert task.array("u1").tobytes() == data


def test_a_file_of_a_set_can_be_read_alone(golden):
    with sion.open(str(golden / "mpi/m01_multi.sion.000001")) as container:
        assert container.members == [container.name]
        assert all(len(task.read()) == task.size for task in container.tasks)


def test_streams_cross_chunks_and_positions_are_kept(random):
    streams = [random.bytes(n) for n in (10000, 0, 4096, 1)]
    write("x.sion", streams)
    with sion.open("x.sion") as container:
        tasks = list(container.tasks)
        assert tasks[0].chunks == 3
        parts = [b""] * 4
        for _ in range(2000):  # alternate between tasks, in pieces of any size
            n = int(random.integers(4))
            parts[n] += tasks[n].read(int(random.integers(1, 50)))
            assert tasks[n].tell() == len(parts[n])
        assert [part + task.read() for part, task in zip(parts, tasks)] == streams
        assert [task.read() for task in tasks] == [b""] * 4


def test_seek_goes_anywhere(random):
    data = random.bytes(9000)
    write("x.sion", [data, data[::-1]])
    with sion.open("x.sion") as container:
        file, other = container.tasks[0], container.tasks[1]
        model = io.BytesIO(data)
        for _ in range(300):
            whence, offset = int(random.integers(3)), int(random.integers(-9500, 9500))
            try:
                place = model.seek(offset, whence)
                wanted = place if place or whence == 0 else None
            except ValueError:
                wanted = None
            if wanted is None or (whence and model.tell() + 0 != wanted):
                file.seek(model.tell())
            else:
                assert file.seek(wanted) == wanted
            n = int(random.integers(0, 200))
            assert file.read(n) == model.read(n)
            assert other.read(1) == data[::-1][other.tell() - 1:other.tell()]
        assert file.seek(-10, io.SEEK_END) == 8990 and file.read() == data[-10:]
        assert file.seek(5) == 5 and file.seek(5, io.SEEK_CUR) == 10 and file.read(2) == data[10:12]
        assert file.seek(99999) == 99999 and file.read() == b""
        with pytest.raises(ValueError, match="negative"):
            file.seek(-1)
        with pytest.raises(ValueError, match="whence"):
            file.seek(0, 7)


def test_it_is_a_raw_file_for_the_standard_library(random):
    values = {"a": [1, 2.5, None], "b": list(range(3000))}
    lines = b"".join(b"line %d\n" % n for n in range(2000))
    write("x.sion", [pickle.dumps(values) + pickle.dumps("second"), struct.pack("<3d", 1, 2, 3),
                     lines])
    with sion.open("x.sion") as container:
        tasks = container.tasks
        assert isinstance(tasks[0], io.RawIOBase)
        assert tasks[0].readable() and tasks[0].seekable() and not tasks[0].writable()
        file = io.BufferedReader(tasks[0])
        assert pickle.load(file) == values and pickle.load(file) == "second"
        assert pickle.load(tasks[0]) == values
        assert struct.unpack("<3d", tasks[1].read(24)) == (1, 2, 3)
        assert list(io.BufferedReader(tasks[2])) == lines.splitlines(keepends=True)
        assert io.TextIOWrapper(io.BufferedReader(tasks[2])).read() == lines.decode()
        buffer = bytearray(30000)
        assert tasks[2].readinto(buffer) == len(lines) and buffer[:len(lines)] == lines


def test_slices_and_iteration():
    write("x.sion", [b"%d" % n for n in range(10)])
    with sion.open("x.sion") as container:
        tasks = container.tasks
        assert [task.read() for task in tasks[2:9:3]] == [b"2", b"5", b"8"]
        assert [task.read() for task in reversed(tasks)][0] == b"9"
        assert tasks[-1].number == 9 and tasks[::-1][0].number == 9 and len(tasks[3:]) == 7
        assert tasks[2:5][1].number == 3 and tasks[1:][:2][-1].number == 2
        assert tasks[4:6].sizes.tolist() == [1, 1] and tasks[:0].sizes.tolist() == []
        with pytest.raises(IndexError, match="task 10 of 10"):
            tasks[10]


def test_an_array_in_one_chunk_is_mapped(random):
    values = random.random(500)
    write("x.sion", [values, values.tobytes() * 5, b""])
    with sion.open("x.sion") as container:
        array = container.tasks[0].array("f8")
        assert np.array_equal(array, values)
        assert not array.flags.owndata and not array.flags.writeable
        with pytest.raises(ValueError):
            array.flags.writeable = True
        assert np.shares_memory(array, container.tasks[0].array("u1"))
        copied = container.tasks[1].array("f8")
        assert np.array_equal(copied, np.tile(values, 5)) and copied.flags.writeable
        assert container.tasks[2].array("f8").shape == (0,)
    assert np.array_equal(array, values)  # also after the close


def test_parts_of_arrays_and_wrong_sizes(random):
    values = np.arange(1000, dtype="<i4")
    record = np.dtype([("a", "<i4"), ("b", "<f4")])
    write("x.sion", [values, values.tobytes() + b"x"], chunksize=512)
    with sion.open("x.sion") as container:
        whole, odd = container.tasks[0], container.tasks[1]
        assert whole.array("<i4", offset=400, count=7).tolist() == list(range(100, 107))
        assert whole.array(record)["a"].tolist() == list(range(0, 1000, 2))
        assert odd.array("<i4", count=1000).tolist() == values.tolist()
        assert whole.tell() == 0
        for wrong in (lambda: odd.array("<i4"), lambda: whole.array("<i4", count=1001),
                      lambda: whole.array("<i4", offset=4001), lambda: whole.array("<i4", offset=-4),
                      lambda: whole.array(object)):
            with pytest.raises(ValueError):
                wrong()


@pytest.mark.parametrize("order, code", [("little", "<"), ("big", ">")])
def test_arrays_have_the_byte_order_of_the_container(order, code):
    write("x.sion", [np.arange(5, dtype=code + "i4")], byteorder=order)
    with sion.open("x.sion") as container:
        assert container.meta.byteorder == order
        assert container.tasks[0].array("i4").tolist() == [0, 1, 2, 3, 4]
        assert container.tasks[0].array(">i4" if code == "<" else "<i4").tolist()[1] == 1 << 24


def test_failures_have_the_text_of_the_library(golden):
    for name, code, text in (("invalid/i03_badmagic.sion", sion.Code.NOT_SION, "badmagic"),
                             ("invalid/i12_unclosed_zero.sion", sion.Code.NOT_CLOSED, "closed"),
                             ("invalid/i21_sv_beyond.sion", sion.Code.DAMAGED, "beyond"),
                             ("nothing.sion", sion.Code.SYSTEM, "No such file")):
        with pytest.raises(sion.Error, match=text) as failure:
            sion.open(golden / name)
        assert failure.value.code == code
        assert isinstance(failure.value, OSError)


def test_messages_do_not_go_to_stderr(golden, capfd):
    with pytest.raises(sion.Error):
        sion.open("nothing.sion")
    with pytest.warns(sion.Warning, match="nonsense"):
        sion.open(golden / "serial/s01_single.sion", mode="r,nonsense").close()
    assert capfd.readouterr() == ("", "")


def test_a_file_that_shrinks_while_it_is_read(random):
    write("x.sion", [random.bytes(100000)], chunksize=1 << 17)
    with sion.open("x.sion") as container:
        with open("x.sion", "r+b") as file:
            file.truncate(50000)
        with pytest.raises(sion.Error):
            container.tasks[0].read()


def test_after_the_close_all_calls_fail():
    write("x.sion", [b"abc"])
    container = sion.open("x.sion")
    task = container.tasks[0]
    container.close()
    container.close()
    assert container.closed and "closed" in repr(container) and "closed" in repr(task)
    for use in (task.read, lambda: container.tasks[0], task.tell, lambda: task.array("u1"),
                container.__enter__, lambda: task.chunk_bytes):
        with pytest.raises(ValueError, match="closed"):
            use()


def test_closing_a_task_leaves_the_container():
    write("x.sion", [b"abc"])
    with sion.open("x.sion") as container:
        with container.tasks[0] as task:
            assert task.read(1) == b"a"
        with pytest.raises(ValueError, match="closed"):
            task.read()
        assert container.tasks[0].read() == b"abc"


def test_names_with_any_bytes():
    name = b"x\xff.sion".decode("utf-8", "surrogateescape")
    write(name, [b"abc"])
    with sion.open(name) as container:
        assert container.tasks[0].read() == b"abc"
    with pytest.raises(ValueError, match="null"):
        sion.open("x\0y")


def test_threads_share_a_container(random):
    import concurrent.futures

    streams = [random.bytes(20000) for _ in range(8)]
    write("x.sion", streams)
    with sion.open("x.sion") as container:
        def read(number):
            task = container.tasks[number % 8]
            return b"".join(iter(lambda: task.read(333), b""))

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            assert list(pool.map(read, range(16))) == streams * 2

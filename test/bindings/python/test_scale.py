"""Many tasks: loops over tasks run in C."""

import io
import os
import subprocess
import sys

import numpy as np
import pytest

import sion
import sion.__main__

TASKS = 200_000


def make(name):
    """A container of many tasks, of which every 1000th has data."""
    with sion.create(name, chunksizes=np.ones(TASKS, np.int64), fsblksize=1) as container:
        for task in container.tasks[::1000]:
            task.write(b"x")


def test_calls_do_not_grow_with_the_tasks(calls):
    make("x.sion")
    calls.clear()
    with sion.open("x.sion") as container:
        meta = container.meta
        assert meta.ntasks == TASKS and meta.bytes == TASKS // 1000
        assert container.tasks.sizes[::1000].all() and not container.tasks[1::1000].sizes.any()
        assert container.tasks[::2].ranks.tolist() == list(range(0, TASKS, 2))
        assert [task.rank for task in container.tasks[:1000]] == list(range(1000))
        text = io.StringIO()
        sion.__main__.write_list(container, text)
        assert len(text.getvalue().splitlines()) == TASKS + 2
    assert sum(calls.values()) < 20, calls


def test_a_write_does_not_query_all_tasks(calls):
    with sion.create("x.sion", chunksizes=np.ones(1000, np.int64), fsblksize=1) as container:
        for task in container.tasks:
            task.write(b"x")
            assert task.rank == task.number and task.chunksize == 1
    assert calls["sion_get_locations"] < 5, calls


def test_sequential_reads_need_no_seek(calls):
    with sion.create("x.sion", chunksizes=[1 << 16] * 2) as container:
        container.tasks[1].write(bytes(1 << 16))
    with sion.open("x.sion") as container:
        calls.clear()
        task = container.tasks[1]
        while task.read(64):
            pass
    assert calls["sion_stream_read"] == 1024 and calls.get("sion_seek", 0) <= 1, calls


def test_many_arrays_map_the_file_once(calls):
    with sion.create("x.sion", chunksizes=[512] * 100, fsblksize=512) as container:
        for task in container.tasks:
            task.write(np.full(10, task.number, "i4"))
    with sion.open("x.sion") as container:
        assert [int(task.array("i4")[9]) for task in container.tasks] == list(range(100))
    assert calls["sion_dup"] == calls["sion_dedup"] == 1


def test_the_command_lists(golden):
    run = subprocess.run([sys.executable, "-m", "sion", golden / "serial/s04_multichunk.sion",
                          "nothing.sion"], capture_output=True, text=True, check=False)
    lines = run.stdout.splitlines()
    assert lines[0].endswith("s04_multichunk.sion: 3 tasks in 1 files, 5.5 KiB")
    assert lines[3].split()[:5] == ["1", "1", "4.1", "KiB", "6"] and len(lines) == 5
    assert run.returncode == 2 and run.stderr.startswith("sion: ") and "nothing.sion" in run.stderr


def command(*words):
    """Run the package as a program."""
    return subprocess.run([sys.executable, "-m", "sion", *words], capture_output=True, check=False)


@pytest.mark.parametrize("word", ["ls", "cat", "verify"])
def test_the_command_says_that_its_output_has_no_room(golden, word):
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    with open("/dev/full", "wb") as full:
        run = subprocess.run([sys.executable, "-m", "sion", word, golden / "serial/s04_multichunk.sion"], stdout=full,
                             stderr=subprocess.PIPE, check=False)
    assert (run.returncode, run.stderr) == (2, b"sion: cannot write the output: No space left on device\n")


def test_the_command_ends_with_its_reader(golden):
    reader, writer = os.pipe()
    os.close(reader)
    run = subprocess.run([sys.executable, "-m", "sion", "cat", golden / "serial/s04_multichunk.sion"], stdout=writer,
                         stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (run.returncode, run.stderr) == (0, b"")


def test_the_command_prints_streams_and_checks(golden):
    name = golden / "serial/s04_multichunk.sion"
    assert command("cat", name).stdout == (golden / "util/s04_multichunk.sioncat.out").read_bytes()
    with sion.open(name) as container:
        assert command("cat", "-t", "1", "-t", "0", name).stdout == \
            container.tasks[1].read() + container.tasks[0].read()
    with sion.create("k.sion", chunksizes=[64], keyval=True) as container:
        container.tasks[0].write_record(7, b"value" * 20)
    assert command("cat", "k.sion").stdout == b"value" * 20
    wrong = command("cat", "-t", "3", name)
    assert wrong.returncode == 2 and b"no task 3" in wrong.stderr
    with sion.create("c.sion", chunksizes=[1000], mode="checksum") as container:
        container.tasks[0].write(b"x" * 1000)
    good = command("verify", "-c", "c.sion")
    assert good.returncode == 0 and good.stdout == b"c.sion: good: 1 tasks, 1000 B\n"
    assert command("verify", "-c", name).returncode == 2
    with open("c.sion", "r+b") as file:
        file.seek(sion.open("c.sion").meta.fsblksize + 10)
        file.write(b"y")
    bad = command("verify", "c.sion")
    assert bad.returncode == 2 and b"checksum" in bad.stderr and not bad.stdout

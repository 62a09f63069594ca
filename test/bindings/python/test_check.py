"""Containers that are verified, and recovered after a kill."""

import os
import signal
import subprocess
import sys

import pytest

import sion

KILLED = """
import os, signal, sion
container = sion.create("x.sion", chunksizes=[1000, 1000, 1000], mode={mode!r})
for number, task in enumerate(container.tasks):
    task.write(bytes([number + 65]) * 2500 * number)
    task.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""


def kill_a_writer(mode):
    done = subprocess.run([sys.executable, "-c", KILLED.format(mode=mode)], check=False)
    assert done.returncode == -signal.SIGKILL


def test_a_killed_container_is_recovered():
    kill_a_writer("recover")
    with pytest.raises(sion.Error, match="sionrecover"):
        sion.open("x.sion")
    told = sion.recover("x.sion", in_place=False)
    assert not told.closed and told.missing_files == 0
    assert [task.bytes for task in told.tasks] == [0, 2500, 5000]
    assert [task.certain for task in told.tasks] == [0, 2500, 5000]
    assert [task.rank for task in told.tasks] == [0, 1, 2]
    with pytest.raises(sion.Error):
        sion.open("x.sion")
    assert sion.recover("x.sion") == told
    with sion.open("x.sion") as container:
        assert [task.read() for task in container.tasks] == [b"", b"B" * 2500, b"C" * 5000]
    assert sion.recover("x.sion").closed


def test_without_commit_records_nothing_is_closed():
    kill_a_writer("")
    with pytest.raises(sion.Error):
        sion.recover("x.sion")
    with pytest.raises(sion.Error):
        sion.open("x.sion")


def test_only_containers_can_be_recovered(golden):
    with pytest.raises(sion.Error, match="nothing.here"):
        sion.recover("nothing.here")
    with pytest.raises(sion.Error):
        sion.recover(os.fspath(golden / "serial"))


def test_good_containers_are_verified(golden):
    report = sion.verify(golden / "serial" / "s04_multichunk.sion")
    assert report["good"] is True and report["tasks"] == 3
    with pytest.raises(sion.Error):
        sion.verify(golden / "serial" / "s04_multichunk.sion", checksums=True)


def test_a_damaged_container_is_an_error():
    with sion.create("x.sion", chunksizes=1000, ntasks=2) as container:
        container.tasks[1].write(b"x" * 1000)
    sion.verify("x.sion")
    with open("x.sion", "r+b") as file:
        file.truncate(os.path.getsize("x.sion") - 40)
    with pytest.raises(sion.Error, match="x.sion"):
        sion.verify("x.sion")

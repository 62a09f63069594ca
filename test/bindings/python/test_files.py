"""Packed files: by their paths, by the index or without one."""

import io
import os
import pathlib
import subprocess
import tarfile

import numpy as np
import pytest

import sion
from sion import _packed
from sion.pure import crc32c

LONG = "d" * 120 + "/" + "n" * 200


@pytest.fixture
def tree():
    """A tree of files, packed as packed.sion (3 tasks), and as plain.sion without an index."""
    root = pathlib.Path("tree")
    (root / "a/b").mkdir(parents=True)
    (root / LONG).parent.mkdir()
    (root / "empty").mkdir()
    (root / "a/one").write_bytes(b"one")
    (root / "a/numbers").write_bytes(np.arange(1000, dtype="<f8").tobytes())
    (root / "a/b/large").write_bytes(os.urandom(3_000_000))
    (root / "a.b").write_bytes(b"")
    (root / LONG).write_bytes(b"long")
    (root / os.fsdecode(b"byte\xff")).write_bytes(b"x")
    (root / "a/link").symlink_to("one")
    os.link(root / "a/one", root / "z")
    os.mkfifo(root / "pipe")
    os.utime(root / "a/one", ns=(0, 1234567890123456789))
    os.utime(root / "a/numbers", ns=(0, -1500000000))
    for n in range(2000):
        (root / f"empty/{n}").write_bytes(b"%d" % n)
    tool = pathlib.Path(os.environ["SION_BINDIR"])
    subprocess.run([tool / "sionmerge", "--files", "--root", root, "-n", "3", ".", "packed.sion"],
                   check=True)
    subprocess.run([tool / "siondefrag", "packed.sion", "plain.sion"], check=True,
                   stdout=subprocess.DEVNULL)
    return root


def paths_of(root):
    """All paths of a tree in the order of the container."""
    found = [os.fsencode(path.relative_to(root)) for path in root.rglob("*")]
    return [os.fsdecode(path) for path in sorted(found, key=_packed.key_of)]


@pytest.mark.parametrize("name", ["packed.sion", "plain.sion"])
def test_the_files_are_those_of_the_tree(tree, name):
    with sion.open(name) as container:
        files = container.files
        assert list(files) == paths_of(tree) and len(files) == len(paths_of(tree))
        for path, file in files.items():
            there = tree / path
            status = there.lstat()
            assert file.path == path and path in files and files[path].task == file.task
            assert file.mtime_ns == status.st_mtime_ns
            assert file.mode == status.st_mode & 0o7777 and file.uid == status.st_uid
            if file.type in ("file", "hard link"):
                assert file.read() == there.read_bytes() and file.size == status.st_size
        assert files["a"].type == "folder" and files["pipe"].type == "pipe"
        assert files["a/link"].type == "link" and files["a/link"].target == "one"
        assert {files["a/one"].type, files["z"].type} == {"file", "hard link"}
        for wrong in ("none", "a/", "", "a/b/large/x", "zz"):
            assert wrong not in files
            with pytest.raises(KeyError):
                files[wrong]


@pytest.mark.parametrize("name", ["packed.sion", "plain.sion"])
def test_folders_are_listed(tree, name):
    with sion.open(name) as container:
        for folder in ("", "a", "empty", "a/b"):
            names = [name for name, _ in container.files.list(folder)]
            assert sorted(names) == sorted(os.listdir(tree / folder))
            assert all(file is not None for _, file in container.files.list(folder))
        assert not list(container.files.list("a/one")) and not list(container.files.list("none"))


def test_a_file_is_a_file_object(tree):
    data = (tree / "a/b/large").read_bytes()
    with sion.open("packed.sion") as container:
        with container.files["a/b/large"].open() as file:
            assert file.read(10) == data[:10] and file.tell() == 10
            assert file.seek(-5, io.SEEK_END) == len(data) - 5
            assert file.read() == data[-5:] and file.read() == b""
            file.seek(1234567)
            assert file.read(100000) == data[1234567:1334567]
        numbers = container.files["a/numbers"]
        assert np.array_equal(numbers.array("<f8"), np.arange(1000))
        assert np.array_equal(numbers.array("<f8", offset=80, count=5), np.arange(10, 15))
        for wrong in ({"offset": 8001}, {"count": 1001}, {"offset": 4}):
            with pytest.raises(ValueError):
                numbers.array("<f8", **wrong)
        with pytest.raises(IsADirectoryError):
            container.files["a"].open()
        with pytest.raises(io.UnsupportedOperation):
            container.files["pipe"].open()
        last = container.files["a/one"]
    with pytest.raises(ValueError):
        last.read()


def test_a_container_without_packed_files_has_none(golden):
    with sion.open(golden / "serial/s01_single.sion") as container:
        assert len(container.files) == 0 and list(container.files) == []
        assert not list(container.files.list())
    with sion.open(golden / "serial/s07_keyval.sion") as container:
        assert "x" not in container.files
    with sion.create("w.sion", chunksizes=[100]) as container:
        with pytest.raises(io.UnsupportedOperation):
            container.files


def spoil(name, at):
    """Change a byte, counted from the end."""
    data = bytearray(pathlib.Path(name).read_bytes())
    data[at] ^= 0x40
    pathlib.Path(name).write_bytes(data)


def test_a_damaged_index_is_not_used(tree):
    wanted = paths_of(tree)
    spoil("packed.sion", -40)
    with sion.open("packed.sion") as container, pytest.warns(sion.Warning, match="tars are read"):
        assert list(container.files) == wanted
    spoil("packed.sion", -40)
    spoil("packed.sion", -100)  # the list of blocks
    with sion.open("packed.sion") as container, pytest.warns(sion.Warning, match="list of its blocks"):
        assert list(container.files) == wanted


def test_a_damaged_block_is_an_error(tree):
    place = pathlib.Path("packed.sion").read_bytes().rindex(b"/large")
    spoil("packed.sion", place)
    with sion.open("packed.sion") as container, pytest.raises(sion.Error, match="a block of it") as error:
        list(container.files)
    assert error.value.code == sion.Code.DAMAGED


def test_another_header_than_that_of_the_index_is_an_error(tree):
    place = pathlib.Path("packed.sion").read_bytes().index(b"a/b/large\0")
    spoil("packed.sion", place + 3)
    with sion.open("packed.sion") as container:
        assert container.files["a/one"].read() == b"one"
        with pytest.raises(sion.Error, match="a/b/large is not where the index says"):
            container.files["a/b/large"].read()


def test_a_damaged_tar_is_listed_up_to_the_damage(tree):
    with sion.open("plain.sion") as container:
        tasks = {path: file.task for path, file in container.files.items()}
    place = pathlib.Path("plain.sion").read_bytes().index(b"a/b/large\0")
    spoil("plain.sion", place + 3)
    with sion.open("plain.sion") as container, pytest.warns(sion.Warning, match="left out"):
        left = list(container.files)
    lost = [path for path in tasks if path not in left]
    assert "a/b/large" in lost and {tasks[path] for path in lost} == {tasks["a/b/large"]}


def test_paths_that_lead_elsewhere_are_in_no_folder():
    with tarfile.open("x.tar", "w") as tar:
        for name in ("../up", "/absolute", "fine/file"):
            tar.addfile(tarfile.TarInfo(name))
    data = pathlib.Path("x.tar").read_bytes()
    with sion.create("x.sion", chunksizes=[len(data)]) as container:
        container.tasks[0].write(data)
    with sion.open("x.sion") as container:
        assert "../up" in container.files and "/absolute" in container.files
        assert [name for name, _ in container.files.list()] == ["fine"]


def test_crcs_are_those_of_the_standard():
    assert crc32c.crc32c(b"123456789") == 0xE3069283
    data = os.urandom(10000)
    for size in (0, 1, 255, 256, 511, 512, 513, 5000, 10000):
        slowly = crc32c._advance(0xFFFFFFFF, data[:size]) ^ 0xFFFFFFFF
        assert crc32c.crc32c(data[:size]) == slowly
        assert crc32c.crc32c(data[size // 3:size], crc32c.crc32c(data[:size // 3])) == slowly


def test_a_crc_of_more_lanes_than_are_done_at_once(monkeypatch):
    data = os.urandom(crc32c._LANE * 40)
    at_once = crc32c.crc32c(data)
    monkeypatch.setattr(crc32c, "_ROWS", 16)
    assert crc32c.crc32c(data) == at_once


def test_addresses_of_packed_files(tree):
    fsspec = pytest.importorskip("fsspec")
    pytest.importorskip("sion.filesystem")
    with fsspec.open("sion://packed.sion#/a/one") as file:
        assert file.read() == b"one"
    fs = fsspec.filesystem("sion")
    assert fs.ls("packed.sion#/a/b", detail=False) == ["packed.sion#/a/b/large"]
    assert fs.info("packed.sion#/a/b/large")["size"] == 3_000_000 and fs.isdir("packed.sion#/a")
    assert fs.isdir("sion://packed.sion#") and fs.isfile("packed.sion#/z") and fs.isdir("packed.sion#/a/b")
    assert sorted(fs.glob("packed.sion#/a/*")) == sorted(f"packed.sion#/a/{name}" for name in os.listdir(tree / "a"))
    assert fs.cat_file("packed.sion#/a/one", 1, 2) == b"n"
    assert len(fs.find("packed.sion#/empty")) == 2000
    assert fs.ls("packed.sion", detail=False) == ["packed.sion/0", "packed.sion/1", "packed.sion/2"]
    for wrong in ("packed.sion#/none", "none.sion#/a", "packed.sion#/a/one/x"):
        assert not fs.exists(wrong)
        with pytest.raises(FileNotFoundError):
            fs.open(wrong)
    with pytest.raises(IsADirectoryError):
        fs.open("packed.sion#/a")

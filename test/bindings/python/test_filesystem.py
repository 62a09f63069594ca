"""Containers accessed through fsspec."""

import io

import numpy as np
import pytest

import sion

fsspec = pytest.importorskip("fsspec")
filesystem = pytest.importorskip("sion.filesystem")


@pytest.fixture
def plain():
    """A container of three tasks."""
    with sion.create("x.sion", chunksizes=[512] * 3, fsblksize=512) as container:
        for task in container.tasks:
            task.write(b"%d" % task.number * 1000)
    return "x.sion"


@pytest.fixture
def keyed():
    """A key-value container."""
    with sion.create("k.sion", chunksizes=[512] * 2, keyval=True) as container:
        for key, data in ((5, b"five"), (2**64 - 1, b"last"), (5, b"again")):
            container.tasks[1].write_record(key, data)
    return "k.sion"


def test_a_task_opens_by_its_url(plain):
    with fsspec.open(f"sion://{plain}/2") as file:
        assert file.read() == b"2" * 1000
    with fsspec.open(f"sion://{plain}/1", "rt") as file:
        assert file.read(3) == "111"


def test_a_container_lists_its_tasks(plain, tmp_path):
    fs = fsspec.filesystem("sion")
    assert fs.ls(plain, detail=False) == ["x.sion/0", "x.sion/1", "x.sion/2"]
    assert fs.ls(f"sion://{plain}")[1] == {"name": "x.sion/1", "size": 1000, "type": "file"}
    assert fs.info(plain)["type"] == "directory" and fs.isdir(plain) and fs.isfile(plain + "/0")
    assert fs.size(f"{plain}/1") == 1000 and fs.exists(f"{plain}/2")
    assert fs.find(plain) == fs.ls(plain, detail=False)
    assert fs.glob(f"{plain}/[12]") == ["x.sion/1", "x.sion/2"]
    assert fs.cat_file(f"{plain}/1", 990, None) == b"1" * 10
    assert fs.cat_file(f"{plain}/1", -5) == b"1" * 5
    assert fs.info(f"sion://{tmp_path}/{plain}/1")["size"] == 1000
    fs.get(f"{plain}/2", "copied")
    assert open("copied", "rb").read() == b"2" * 1000
    for wrong in ("x.sion/3", "x.sion/x", "x.sion/1/0", "y.sion/1", "x.sion/-1", "x.sion/1/2/3"):
        assert not fs.exists(wrong)
        with pytest.raises(FileNotFoundError):
            fs.info(wrong)
    with pytest.raises(OSError, match="read only"):
        fs.open("x.sion/0", "wb")


def test_keys_are_files(keyed):
    fs = fsspec.filesystem("sion")
    assert fs.ls("k.sion", detail=False) == ["k.sion/0", "k.sion/1"]
    assert fs.isdir("k.sion/1") and fs.ls("k.sion/0") == []
    assert fs.find("k.sion") == ["k.sion/1/18446744073709551615", "k.sion/1/5"]
    assert fs.cat_file("k.sion/1/5") == b"fiveagain" and fs.size("k.sion/1/5") == 9
    assert fs.cat(f"k.sion/1/{2**64 - 1}") == b"last"
    with pytest.raises(IsADirectoryError):
        fs.open("k.sion/1")
    with pytest.raises(FileNotFoundError):
        fs.info("k.sion/1/6")


def test_a_container_that_was_written_again_is_read(plain):
    fs = fsspec.filesystem("sion")
    assert fs.size("x.sion/0") == 1000
    with sion.create("new.sion", chunksizes=[512]) as container:
        container.tasks[0].write(b"new")
    import os

    os.replace("new.sion", "x.sion")
    assert fs.cat_file("x.sion/0") == b"new"


def test_numpy_and_others_read_from_it():
    values = np.arange(12.0).reshape(3, 4)
    buffer = io.BytesIO()
    np.save(buffer, values)
    with sion.create("x.sion", chunksizes=[64]) as container:
        container.tasks[0].write(buffer.getvalue())
    with fsspec.open("sion://x.sion/0") as file:
        assert np.array_equal(np.load(file), values)


def write_text(name, *texts):
    """A container with texts that are longer than a chunk."""
    with sion.create(name, chunksizes=[64] * len(texts), fsblksize=64) as container:
        for task, text in zip(container.tasks, texts):
            task.write(text.encode())


def table(first):
    """Lines of a table of 100 rows."""
    return "a,b\n" + "".join(f"{n},{n * n}\n" for n in range(first, first + 100))


def test_pandas_reads_a_table():
    pandas = pytest.importorskip("pandas")
    write_text("x.sion", table(0), table(50))
    frame = pandas.read_csv("sion://x.sion/1")
    assert frame["a"].tolist() == list(range(50, 150)) and frame["b"].iloc[-1] == 149 * 149


def test_dask_reads_a_part_of_each_task():
    bag = pytest.importorskip("dask.bag")
    write_text("x.sion", table(0), table(50))
    lines = bag.read_text("sion://x.sion/*").compute(scheduler="synchronous")
    assert "".join(lines) == table(0) + table(50)
    pieces = bag.read_text("sion://x.sion/1", blocksize=100)
    assert pieces.npartitions > 5
    assert "".join(pieces.compute(scheduler="threads")) == table(50)


def test_xarray_opens_a_data_set():
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("scipy")  # reads the file
    whole = xarray.Dataset({"t": ("x", np.arange(500.0))})
    with sion.create("x.sion", chunksizes=[512] * 2, fsblksize=512) as container:
        container.tasks[1].write(whole.to_netcdf())
    with fsspec.open("sion://x.sion/1") as file, xarray.open_dataset(file) as data:
        assert data.equals(whole)

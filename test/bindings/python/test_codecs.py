"""Compressed arrays: both readers, parts, by URL, in xarray, and without the module zstandard."""

import sys

import numpy as np
import pytest

import sion
from test_both import check_both, difference
from test_urls import server  # noqa: F401

CODECS = "zstd", "zstd:3,shuffle", "none", None
pytest.importorskip("zstandard")


@pytest.fixture
def whole(random):
    """c.sion has arrays of several types and codecs in blocks of 4 tasks, at steps 0 and 3."""
    smooth = np.add.outer(np.arange(40) * 0.37, np.arange(60) * 0.011)
    arrays = {f"{kind}{number}": np.stack([smooth + 1, random.normal(size=smooth.shape)]).astype(kind)
              for kind in ("f4", "f8", "i2", "c16", "u1") for number in range(len(CODECS))}
    with sion.create("c.sion", chunksizes=[1 << 20] * 4) as container:
        for name, steps in arrays.items():
            try:
                container.define_array(name, steps.dtype, smooth.shape, codec=CODECS[int(name[-1])])
            except sion.Error as error:
                pytest.skip(str(error))  # there is no libzstd
            for step, data in zip((0, 3), steps):
                for task in range(4):
                    container.put_array(name, step, [10 * task, 0], data[10 * task:10 * task + 10], task=task)
    return arrays


def test_both_readers(whole, monkeypatch):
    check_both("c.sion", monkeypatch)
    data = bytearray(open("c.sion", "rb").read())
    at = data.find(b"\x89SIONARE")
    while at >= 0:  # without the indexes, the headers say it
        data[at] = 0
        at = data.find(b"\x89SIONARE")
    open("c.sion", "wb").write(data)
    check_both("c.sion", monkeypatch)


def test_parts(whole, random):
    with sion.open("c.sion") as container:
        for name, steps in whole.items():
            array = container.arrays[name]
            text = {"zstd:3,shuffle": "zstd,shuffle", "none": None}.get(CODECS[int(name[-1])], CODECS[int(name[-1])])
            assert array.codec == (text or "") and array.nbytes_put == steps.nbytes
            assert text is not None or array.nbytes_stored == steps.nbytes
            for block in array.blocks(3):
                assert block.codec == array.codec and block.nbytes == 600 * steps.itemsize
                assert (block.position is None) == bool(text) and block.stored_position is not None
            assert np.array_equal(array, steps)
            for _ in range(20):
                rows, columns = np.sort(random.integers(0, 41, 2)), np.sort(random.integers(0, 61, 2))
                key = slice(*rows.tolist()), slice(*columns.tolist())
                assert np.array_equal(array[3][key], steps[1][key])
        assert container.arrays["f80"].nbytes_stored > container.arrays["f81"].nbytes_stored


def test_a_wrong_codec():
    with sion.create("w.sion", chunksizes=[4096]) as container:
        with pytest.raises(sion.Error, match="it takes zstd or zstd:LEVEL"):
            container.define_array("T", "f8", (3,), codec="zip")


def test_damage(whole):
    with sion.open("c.sion") as container:
        block = container.arrays["f81"].blocks(3)[2]
    data = bytearray(open("c.sion", "rb").read())
    data[block.stored_position + block.stored // 2] ^= 0x55
    open("c.sion", "wb").write(data)
    with sion.open("c.sion") as container:
        step = container.arrays["f81"][3]
        assert np.array_equal(step[:20], whole["f81"][1][:20]) and np.array_equal(step[30:], whole["f81"][1][30:])
        for _ in range(2):
            with pytest.raises(sion.Error, match="c.sion: array f81: the compressed block of task 2 at byte"):
                step[25, 7]


def test_by_url(whole, server):  # noqa: F811
    with sion.open(f"{server.url}/c.sion") as container:
        array = container.arrays["f81"]
        array[0][0, 0]  # the index, and the header of a block
        before = len(server.requests())
        assert np.array_equal(array[3][10:20, 3:5], whole["f81"][1][10:20, 3:5])
        requests, got = server.count(before)
        assert requests <= 2 and got < array.blocks(3)[1].stored + 2000
        before = len(server.requests())
        assert np.array_equal(array[3][12:14], whole["f81"][1][12:14])  # the block is kept
        assert server.count(before)[0] == 0
        assert np.array_equal(array, whole["f81"])


def test_xarray(whole):
    xarray = pytest.importorskip("xarray")
    backend = pytest.importorskip("sion.xarray_backend")
    with xarray.open_dataset("c.sion", engine=backend.SionBackendEntrypoint) as dataset:
        assert np.array_equal(dataset["f81"].sel(step=3).values, whole["f81"][1])
    with xarray.open_dataset("c.sion", engine=backend.SionBackendEntrypoint, chunks={}) as dataset:
        assert dataset["f80"].chunks == ((1, 1), (10,) * 4, (60,))
        assert np.array_equal(dataset["f80"][:, 5:35, 7].values, whole["f80"][:, 5:35, 7])


def test_without_the_module(whole, monkeypatch):
    monkeypatch.setenv("SION_PYTHON", "pure")
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with sion.open("c.sion") as container:
        assert container.arrays["f81"].codec == "zstd,shuffle"
        assert np.array_equal(container.arrays["f82"], whole["f82"])
        with pytest.raises(sion.Error, match="array f81 of .*c.sion is compressed, .* the module zstandard"):
            container.arrays["f81"][0][...]


@pytest.mark.parametrize("reader", ["compiled", "pure"])
def test_a_later_version(whole, reader, monkeypatch):
    from sion.pure.crc32c import crc32c

    data = bytearray(open("c.sion", "rb").read())
    at = data.rfind(b"\x89SIONARE")
    while at >= 0:
        data[at + 8] = 3
        data[at + 60:at + 64] = crc32c(bytes(data[at:at + 60])).to_bytes(4, "little")
        at = data.rfind(b"\x89SIONARE", 0, at)
    open("c.sion", "wb").write(data)
    monkeypatch.setenv("SION_PYTHON", reader)
    with sion.open("c.sion") as container:
        with pytest.raises(sion.Error, match="is of a later version of the format") as found:
            len(container.arrays)
    assert difference(found.value.code, sion.Code.VERSION) == ""

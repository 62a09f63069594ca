"""Compressed arrays: both readers, parts, by URL, in xarray, and without the module zstandard."""

import pathlib
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


@pytest.fixture(params=["little", "big"])
def lossy(request):
    """l.sion has arrays of 1 to 4 dimensions that zfp has compressed; those with NaN are so without loss."""
    arrays = {}
    with sion.create("l.sion", chunksizes=[1 << 18], byteorder=request.param) as container:
        for shape in (1001,), (40, 31), (7, 9, 12), (8, 8, 4, 9):
            for codec in "zfp:accuracy=1e-3", "zfp:rate=8", "zfp:rate=20":
                for kind in "f4", "f8":
                    data = np.indices(shape).sum(axis=0).astype(kind)
                    name = f"{kind}{len(arrays)}"
                    if "accuracy" in codec and kind == "f8":
                        data.flat[5] = np.nan
                    try:
                        container.define_array(name, kind, shape, codec=codec)
                    except sion.Error as error:
                        pytest.skip(str(error))  # there is no libzfp
                    container.put_array(name, 0, [0] * len(shape), data)
                    arrays[name] = data
    return arrays


def test_with_loss(lossy, monkeypatch):
    pytest.importorskip("zfpy")
    check_both("l.sion", monkeypatch)
    monkeypatch.setenv("SION_PYTHON", "pure")
    with sion.open("l.sion") as container:
        assert {array.codec for array in container.arrays.values()} == {"zfp"}
        for name, data in list(lossy.items())[:2]:  # with a bound, and without loss
            assert np.allclose(container.arrays[name][0], data, rtol=0, atol=1e-3, equal_nan=True)


def test_without_zfpy(lossy, monkeypatch):
    monkeypatch.setenv("SION_PYTHON", "pure")
    monkeypatch.setitem(sys.modules, "zfpy", None)
    with sion.open("l.sion") as container:
        with pytest.raises(sion.Error, match="array f40 of .*l.sion is compressed by zfp, .* the module zfpy"):
            container.arrays["f40"][0][...]


def test_damaged_headers_of_zfp(lossy, monkeypatch):
    """None makes zfp read beyond the data, or take memory for more elements than there are."""
    pytest.importorskip("zfpy")
    with sion.open("l.sion") as container:
        places = [container.arrays[name].blocks(0)[0].stored_position for name in lossy]
    good = pathlib.Path("l.sion").read_bytes()
    for at, value, reason in [(0, b"x", "no header"), (4, b"\0", "another box"), (6, b"\xff", "another box"),
                              (10, b"\xf0" + b"\xff" * 8, "(none of those that are written|required zfp header)")]:
        data = bytearray(good)
        for place in places:
            part = slice(place + at, place + at + len(value))
            data[part] = bytes(one | two for one, two in zip(data[part], value)) if at == 10 else value
        pathlib.Path("l.sion").write_bytes(data)
        check_both("l.sion", monkeypatch)
        monkeypatch.setenv("SION_PYTHON", "pure")
        with sion.open("l.sion") as container:
            for array in container.arrays.values():
                with pytest.raises(sion.Error, match=f"the compressed block of task 0 at byte .*{reason}") as failure:
                    array[0][...]
                assert failure.value.code == sion.Code.DAMAGED

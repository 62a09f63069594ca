"""Other packages read the container of make.c: others.py TEST, which is a test_* below"""
import json
import locale
import struct
import sys
import zlib

import numpy as np


def field(step):
    return np.add.outer(100.0 * np.arange(8), np.arange(6.0)) + step / 2.0


cube = np.arange(24, dtype="i4").reshape(4, 3, 2)
cube[3] = -7
both = np.stack([field(3), field(10)])


def read_png(path):
    """Return the pixels; the CRC of each piece must be right, and each row unfiltered."""
    data = open(path, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    pieces, at = {}, 8
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        crc, = struct.unpack(">I", data[at + 8 + length:at + 12 + length])
        assert crc == zlib.crc32(data[at + 4:at + 8 + length])
        pieces[name] = data[at + 8:at + 8 + length]
        at += 12 + length
    assert list(pieces) == [b"IHDR", b"IDAT", b"IEND"] and pieces[b"IEND"] == b""
    width, height, *form = struct.unpack(">IIBBBBB", pieces[b"IHDR"])
    assert form == [8, 2, 0, 0, 0]
    rows = np.frombuffer(zlib.decompress(pieces[b"IDAT"]), "u1").reshape(height, 1 + 3 * width)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(height, width, 3)


def test_png():
    cell = 4
    pixels = read_png("picture.png")
    assert pixels.shape == (8 * cell, 6 * cell, 3)
    cells = pixels[::cell, ::cell]
    assert np.array_equal(pixels, cells.repeat(cell, 0).repeat(cell, 1))
    assert list(cells[0, 0]) == [68, 1, 84] and list(cells[7, 5]) == [253, 231, 37]
    level = (field(10) - 5) / 705
    green = np.interp(level, [0, .25, .5, .75, 1], [1, 82, 145, 201, 231])
    assert (abs(cells[..., 1] - green) <= 1).all()


def test_numpy():
    assert np.array_equal(np.load("npy/T.npy"), both)
    assert np.array_equal(np.load("npy/cube.npy"), cube)
    assert np.load("npy/odd.npy").dtype == np.dtype("f4")


def test_fsspec():
    import fsspec

    refs = json.load(open("x.json"))
    files = fsspec.filesystem("reference", fo=refs)
    block = np.frombuffer(files.cat("T/1.1.0"), "f8").reshape(4, 3)
    assert np.array_equal(block, field(10)[4:8, 0:3])


def test_zarr():
    import fsspec
    import zarr

    group = zarr.open(fsspec.get_mapper("reference://", fo="x.json"), mode="r")
    assert np.array_equal(group["T"][:], both)
    assert np.array_equal(group["cube"][:], cube)
    assert group["cube"].fill_value == -7
    assert np.array_equal(group["T"][1, 2:7:2, 4], field(10)[2:7:2, 4])


def noise():
    number = np.arange(2000, dtype="u4") * np.uint32(2654435761)
    return (number ^ number >> 15) * np.uint32(40503) ^ number >> 3


def test_coded():
    """Compressed blocks, by numcodecs alone."""
    import fsspec
    import zarr

    group = zarr.open(fsspec.get_mapper("reference://", fo="coded.json"), mode="r")
    assert group["T"].compressor.codec_id == "zstd" and group["T"].filters[0].codec_id == "shuffle"
    assert group["p"].compressor.codec_id == "zstd" and not group["p"].filters
    assert np.array_equal(group["T"][:], both) and np.array_equal(group["p"][:], both)
    assert np.array_equal(group["cube"][:], cube)
    assert np.array_equal(group["noise"][:], noise())
    data = open_with_xarray("coded.json")
    assert np.array_equal(data["T"].sel(step=10).values, field(10)) and data["T"].attrs["units"] == "K"


def test_lossy():
    """Blocks of zfp, by numcodecs alone."""
    import fsspec
    import zarr

    group = zarr.open(fsspec.get_mapper("reference://", fo="lossy.json"), mode="r")
    assert abs(group["T"][:] - both).max() <= 1e-3 and abs(group["p"][:] - both).max() < 1


def open_with_xarray(refs, group=None):
    import xarray

    return xarray.open_dataset("reference://", engine="zarr", chunks=None, group=group,
                               backend_kwargs={"consolidated": False,
                                               "storage_options": {"fo": refs}})


def test_xarray():
    data = open_with_xarray("x.json")
    assert data["T"].dims == ("step", "y", "x") and data["p"].dims == data["T"].dims
    assert list(data["step"].values) == [3, 10]
    assert data["T"].attrs["units"] == "K" and data.attrs["title"] == 'a "test"'
    assert np.array_equal(data["T"].sel(step=10).values, field(10))
    assert list(open_with_xarray("steps.json")["step"].values) == [0, 3]
    numbers = open_with_xarray("numbers.json")["T"].values # zeros are no missing values
    assert numbers.dtype == np.dtype("i4") and np.array_equal(numbers.ravel(), np.arange(numbers.size))
    assert "step" not in data["T"].attrs and data["cube"].attrs["step"] == 0
    cubes = data.load()["cube"].values
    assert np.array_equal(cubes[:3], cube[:3]) and np.isnan(cubes[3]).all()


def members(pairs):
    """An object of JSON, in which no name occurs twice."""
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


def test_names():
    for key, value in json.load(open("names.json"))["refs"].items():
        if isinstance(value, str) and value.startswith("{"):
            json.loads(value, object_pairs_hook=members)
    data = open_with_xarray("names.json")
    assert data.attrs["key"] == "°"
    size = data["größe"]
    assert size.attrs == {"units": "°C", "smile": "\U0001f600", "dimensions": "höhe"}
    assert size.dims == ("größe_step", "höhe")
    assert list(data["größe_step"].values) == [3, 10] and list(data["w_step"].values) == [0, 3]
    assert list(size.sel({"größe_step": 10}).values) == [10, 11]
    assert data["w"].dims == ("w_step", "w_0")
    assert data["once"].attrs == {"step": 7} and data["own"].attrs == {"step": "first"}
    group = open_with_xarray("names.json", "U")
    assert group["x"].dims == ("x_step", "x_0") and list(group["x_step"].values) == [2, 5]
    same = open_with_xarray("same.json", "U")
    assert list(same["step"].values) == [2, 5] and list(same["x"].sel(step=5).values) == [5, 6]


def test_turns():
    for group, names in ("A", "st"), ("B", "st"), ("A/b", "x"):
        found = open_with_xarray("turns.json", group)
        assert list(found["step"].values) == [1, 4] and set(found.data_vars) == set(names)
    q = open_with_xarray("turns.json")["q"]
    assert q.dims == ("step", "q_2", "x", "q_2_", "q_3") and q.sel(step=4).values.ravel().tolist() == [1, 2]


def test_packed():
    found = open_with_xarray("packed.json").packed
    assert found.values.tolist() == [6, 11, 16], found


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def test_order():
    """Make order.sion: the headers say the other byte order; without indexes, they count."""
    data, at = bytearray(open("x.sion", "rb").read()), -1
    while (at := data.find(b"\x89SIONAR", at + 1)) >= 0:
        if data[at + 7:at + 8] == b"E":
            data[at + 20] ^= 1
        elif data[at + 10] == 1:  # a block
            size, = struct.unpack_from("<I", data, at + 12)
            data[at + 36] ^= 1
            struct.pack_into("<I", data, at + size - 4, crc32c(data[at:at + size - 4]))
    open("order.sion", "wb").write(data)


def test_vtkmodules():
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOXdmf2 import vtkXdmfReader

    reader = vtkXdmfReader()
    reader.SetFileName("x.xdmf")
    reader.UpdateInformation()
    reader.Update()
    blocks = reader.GetOutput()
    cells = 0
    iterator = blocks.NewIterator()
    while not iterator.IsDoneWithTraversal():
        array = iterator.GetCurrentDataObject().GetCellData().GetArray("T")
        values = vtk_to_numpy(array)
        assert np.isin(values, both).all()
        cells += len(values)
        iterator.GoToNextItem()
    assert cells == 48


def read_xdmf(path, name, shape, spacing):
    """Return the steps of an array, made of the grids that have it."""
    import xdmf3

    steps = {}
    for time, origin, distance, attributes in xdmf3.read(path):
        assert (distance == spacing).all()
        if name in attributes:
            block = attributes[name]
            begin = (origin / spacing).astype(int)
            part = tuple(slice(b, b + n) for b, n in zip(begin, block.shape))
            whole = steps.setdefault(time, np.full(shape, np.nan))
            assert np.isnan(whole[part]).all()  # no grid is there twice
            whole[part] = block
    return steps


def test_xdmf3():
    import xdmf3

    locale.setlocale(locale.LC_ALL, "C")  # in which that library reads numbers

    for name in "T", "p":
        steps = read_xdmf("x.xdmf", name, (8, 6), 0.5)
        assert list(steps) == [3, 10]
        assert np.array_equal(steps[3], field(3)) and np.array_equal(steps[10], field(10))
    found = read_xdmf("cube.xdmf", "cube", (4, 3, 2), [1, 2, 0.5])
    assert np.array_equal(found[0][:3], cube[:3]) and np.isnan(found[0][3]).all()
    (time, origin, spacing, arrays), = xdmf3.read("types.xdmf")
    assert time == 7 and list(origin) == [0, 0] and list(spacing) == [1, 1]
    assert list(arrays) == ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "f32", "f64"]
    for name, array in arrays.items():
        dtype = np.dtype(name[0] + str(int(name[1:]) // 8))
        assert array.dtype == dtype
        assert np.array_equal(array, np.array([[-1, 2, 3], [4, 5, 6]], "i8").astype(dtype))
    whole = np.add.outer(10 * np.arange(4), np.arange(4))
    for name, steps in ("T", [0]), ("p", [0, 1]), ("q", [0, 1]):
        found = read_xdmf("mixed.xdmf", name, (4, 4), 1)
        assert list(found) == steps
        assert all(np.array_equal(found[step], whole + 100 * step) for step in steps)


globals()["test_" + sys.argv[1]]()

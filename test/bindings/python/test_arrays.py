"""Arrays are written as blocks and read as slices."""

import io
import pickle
import subprocess
import warnings

import numpy as np
import pytest

import sion
import sion.arrays

TYPES = "i1 u1 i2 u2 i4 u4 i8 u8 f4 f8 c8 c16".split()


def write(name, arrays, tasks=3):
    """Write a container from {name: {step: whole array}}; each task writes some rows."""
    with sion.create(name, chunksizes=[1 << 14] * tasks) as container:
        for title, steps in arrays.items():
            first = next(iter(steps.values()))
            container.define_array(title, first.dtype, first.shape)
            for step, data in steps.items():
                for task, rows in enumerate(np.array_split(np.arange(len(data)), tasks)):
                    if len(rows):
                        container.put_array(title, step, [rows[0]] + [0] * (data.ndim - 1),
                                            data[rows], task=task)


def one(random, shape=(7, 5, 6), kind="f8"):
    """An array of random numbers."""
    if kind[0] == "c":
        return (random.normal(size=shape) + 1j * random.normal(size=shape)).astype(kind)
    return random.integers(0, 100, size=shape).astype(kind)


def random_numbers(random, extent):
    """Random indices of a dimension, as numpy takes them: an array, a list, a tuple or a range."""
    if random.integers(4) == 0:
        return range(*sorted(random.integers(-extent, extent, size=2).tolist()))
    shape = [(3,), (1,), (2, 1), (0,)][random.integers(4)]
    numbers = random.integers(-extent, extent, size=shape)
    return [numbers, numbers.astype("i2"), numbers.tolist(), tuple(numbers.tolist())][random.integers(4)]


def random_mask(random, extents):
    """A random mask of some of these dimensions, or a single boolean."""
    mask = random.random(extents[:random.integers(len(extents) + 1)]) < random.random()
    return [mask, mask.tolist(), mask[()]][random.integers(3)]


def random_slice(random, extent):
    numbers = random.integers(-extent - 2, extent + 3, size=2).tolist()
    numbers = [n if random.integers(3) else None for n in numbers]
    return slice(*numbers, [None, 1, 2, 3, -1, -2, 7][random.integers(7)])


def random_index(random, shape):
    """A random index of an array without empty dimensions. numpy refuses it only where several
    arrays in it do not fit together."""
    items, at, end = [], 0, random.integers(len(shape) + 1)
    while at < end:
        extent, kind = shape[at], random.integers(8)
        if kind == 0:
            items.append(random_mask(random, shape[at:]))
            at += np.ndim(items[-1])
            continue
        if kind < 3:
            items.append(random_numbers(random, extent))
        elif kind < 5:
            number = int(random.integers(-extent, extent))
            items.append([number, np.int8(number), np.array(number)][random.integers(3)])
        else:
            items.append(random_slice(random, extent))
        at += 1
    if random.integers(3) == 0:
        items.append(Ellipsis)
        while at < len(shape) and random.integers(2):
            items.append(slice(1, None))
            at += 1
    for _ in range(random.integers(3)):
        one_more = [None, None, None, True, True, np.False_][random.integers(6)]
        items.insert(random.integers(len(items) + 1), one_more)
    return items[0] if len(items) == 1 else tuple(items)


def outcome(data, index):
    try:
        return data[index]
    except IndexError:
        return IndexError


def test_indexing_agrees_with_numpy(random):
    arrays = {f"{kind} {ndim}": {4: one(random, (7, 5, 1, 6)[:ndim], kind)}
              for kind in TYPES for ndim in (1, 2, 3, 4)}
    write("x.sion", arrays)
    with sion.open("x.sion") as container:
        for name, steps in arrays.items():
            step, expected = container.arrays[name][4], steps[4]
            assert step.shape == expected.shape and step.ndim == expected.ndim
            assert step.dtype == expected.dtype and step.nbytes == expected.nbytes
            assert len(step) == 7 and step.size == expected.size
            for _ in range(60):
                index = random_index(random, expected.shape)
                wanted, found = outcome(expected, index), outcome(step, index)
                assert type(found) is type(wanted), index
                if wanted is not IndexError:
                    assert found.dtype == wanted.dtype and found.shape == wanted.shape, index
                    assert np.array_equal(found, wanted), index
            assert np.array_equal(step[expected.real > 50], expected[expected.real > 50])


def test_several_arrays_as_index_or_none_at_all(random):
    data = one(random)
    write("x.sion", {"T": {0: data}})
    with sion.open("x.sion") as container:
        step = container.arrays["T"][0]
        for index in (([0, 3], [1, 4]), (2, slice(None), [5, 0]), ([[1, 2], [6, -7]], 3),
                      np.int8(3), np.array(2), slice(3, 3), (), (Ellipsis, 0), (None, 1, None),
                      range(3), (slice(None), (0, 1)), data > 50, (data[:, :, 0] > 50, slice(2)),
                      (0, data[0] > 50), True, np.bool_(data[0, 0, 0] == 0), (np.array(True), 2),
                      [], ((), 1), (range(0),), np.array([], int)):
            assert np.array_equal(step[index], data[index]), index
            assert step[index].shape == data[index].shape, index


def test_wrong_indices_are_refused(random):
    write("x.sion", {"T": {0: one(random)}})
    with sion.open("x.sion") as container:
        step = container.arrays["T"][0]
        for index in (7, -8, (0, 5), (0, 0, 0, 0), (Ellipsis, Ellipsis), 1.5, "a", [0.5], [7],
                      [-8], [True, False], np.ones((7, 5, 5), bool), (slice(None), [5]), np.array([]),
                      (0, np.ones((7, 5), bool)), (0, 0, np.ones((6, 1), bool)), (0, 0, 0, [True]),
                      np.array([0, 1], object), ([1, 2], [1, 2, 3]), range(8), [2**70], {0}):
            with pytest.raises(IndexError):
                step[index]


def test_only_the_box_is_read(random, monkeypatch):
    write("x.sion", {"T": {0: one(random, (100, 50))}})
    boxes = []
    real = sion.arrays.Array._read
    monkeypatch.setattr(sion.arrays.Array, "_read", lambda self, step, offset, count, into:
                        (boxes.append((list(offset), list(count))), real(self, step, offset, count, into)))
    with sion.open("x.sion") as container:
        step = container.arrays["T"][0]
        assert boxes == []  # nothing is read before the index
        assert step[10:20, :].base is None or step[10:20, :].base.size == 500
        assert step[90:10:-20, 3].shape == (4,) and step[90:10:-20, 3].base is None
        step[-1, [4, 2, 9]]
        mask = np.zeros((100, 50), bool)
        mask[[20, 31, 25], [7, 9, 30]] = True
        assert step[mask].shape == (3,) and boxes.pop() == ([20, 7], [12, 24])
        assert step[5:7, (3, 8)].shape == (2, 2) and boxes.pop() == ([5, 3], [2, 6])
        assert boxes[0] == ([10, 0], [10, 50])
        assert ([30, 3], [61, 1]) in boxes and boxes[-1] == ([99, 2], [1, 8])


def test_steps_and_information(random):
    first, last = one(random), one(random)
    write("x.sion", {"T": {3: first, 10: last}, "n": {0: np.zeros((4, 2), "u2")}})
    with sion.open("x.sion") as container:
        arrays = container.arrays
        assert list(arrays) == ["T", "n"] and len(arrays) == 2 and "T" in arrays
        for wrong in ("nothing", "", "T\0", 5, None, "\udc80"):
            assert wrong not in arrays
        with pytest.raises(KeyError, match="nothing"):
            arrays["nothing"]
        array = arrays["T"]
        assert array.steps == (3, 10) == tuple(array) and len(array) == 2
        assert array.shape == (7, 5, 6) and array.dtype == "f8" and array.ndim == 3
        assert array.range == (min(first.min(), last.min()), max(first.max(), last.max()))
        assert 10 in array and np.int32(10) in array and 4 not in array and "3" not in array
        for wrong in (4, -1, 11):
            with pytest.raises(KeyError):
                array[wrong]
        assert np.array_equal(np.asarray(array), [first, last])
        assert np.array_equal(array.newest[1:3], last[1:3])
        assert [np.array_equal(step, data) for step, data in zip(array.values(), (first, last))] == \
            [True, True]
        assert np.asarray(array[3], "f4").dtype == "f4" and (array[3] + np.ones(6) == first + 1).all()
        with pytest.raises(ValueError, match="new memory"):
            array[3].__array__(copy=False)
        assert "'T' float64 (7, 5, 6), step 3" in repr(array[3])


def test_blocks_tell_where_the_bytes_are(random):
    data = {0: one(random, (9, 4), "i4"), 1: one(random, (9, 4), "i4")}
    write("x.sion", {"T": data})
    with sion.open("x.sion") as container:
        array = container.arrays["T"]
        blocks = array.blocks()
        assert len(blocks) == array.nblocks == 6 and array.blocks(1) == blocks[3:]
        for block in blocks:
            box = data[block.step][tuple(slice(o, o + n) for o, n in zip(block.offset, block.count))]
            with open(block.file, "rb") as file:
                file.seek(block.position)
                found = np.frombuffer(file.read(block.nbytes), "i4").reshape(block.count)
            assert np.array_equal(found, box) and block.range == (box.min(), box.max())
            assert block.task == block.offset[0] // 3 and block.byteorder == "little"
        with pytest.raises(KeyError):
            array.blocks(2)


def test_attributes_that_are_no_utf8():
    with sion.create("x.sion", chunksizes=[4096]) as container:
        container.define_array("T", "i2", [4], attributes={"units": "unit?"})
        container.put_array("T", 0, [0], np.ones(4, "i2"))
    with open("x.sion", "r+b") as file:
        old = file.read()
        file.seek(0)
        file.write(old.replace(b"unit?", b"unit\xb0"))
    with sion.open("x.sion") as container:
        assert dict(container.arrays["T"].attributes) == {"units": "unit\ufffd"}


def test_attributes_and_fill_values():
    with sion.create("x.sion", chunksizes=[4096]) as container:
        container.define_array("T", "i2", [4, 4], attributes={"units": "°C", "_FillValue": "-9"})
        container.define_array("f", "c8", [2])
        container.set_attribute("title", "a test")
        container.put_array("T", 0, [0, 0], np.ones((2, 4), "i2"))
        container.put_array("f", 0, [0], [1 + 2j])
    with sion.open("x.sion") as container:
        array = container.arrays["T"]
        assert dict(array.attributes) == {"units": "°C", "_FillValue": "-9"}
        assert dict(container.arrays.attributes) == {"title": "a test"}
        assert len(array.attributes) == 2 and "nothing" not in array.attributes
        with pytest.raises(KeyError):
            array.attributes["nothing"]
        assert array[0][1:3, 0].tolist() == [1, -9]
        complex_one = container.arrays["f"]
        assert complex_one.range is None and complex_one[0][0] == 1 + 2j and np.isnan(complex_one[0][1])


def test_arrays_of_one_element_and_of_none():
    with sion.create("x.sion", chunksizes=[4096]) as container:
        container.define_array("t", "f8", [])
        container.define_array("none", "f8", [0, 3])
        container.put_array("t", 7, [], 2.5)
        container.put_array("none", 4, [0, 0], np.zeros((0, 3)))
    with sion.open("x.sion") as container:
        step = container.arrays["t"][7]
        assert step[()] == 2.5 and step[...].shape == () and step.shape == () and float(step[()]) == 2.5
        assert np.asarray(container.arrays["none"].newest).shape == (0, 3)
        none = container.arrays["none"]
        assert none.steps == (4,) and none[4][...].shape == (0, 3) and none.blocks(4) == []
        with pytest.raises(KeyError):
            none[7]
        with pytest.raises(TypeError):
            len(step)


def numbers_of(data):
    """What Python makes of an array in place of a number."""
    found = []
    for convert in (float, int, complex, bool):
        try:
            found.append(convert(data))
        except (TypeError, ValueError) as error:
            found.append(type(error))
    return found


def test_an_array_of_one_element_is_a_number(monkeypatch):
    arrays = {"scalar": np.array(2.5), "one": np.array([[-3]], "i4"), "zero": np.zeros(1, "f4"),
              "complex": np.array(1 + 2j, "c8"), "two": np.ones(2)}
    with sion.create("x.sion", chunksizes=[4096]) as container:
        for name, data in arrays.items():
            container.define_array(name, data.dtype, data.shape)
            container.put_array(name, 0, [0] * data.ndim, data)
    with sion.open("x.sion") as container, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy's, of numbers that are complex
        for name, data in arrays.items():
            if name == "two":  # refused without a read
                monkeypatch.setattr(sion.arrays.Array, "_read", None)
            assert numbers_of(container.arrays[name][0]) == numbers_of(data), name


def test_elements_are_converted_when_they_are_read(random):
    arrays = {kind: {4: one(random, (7, 5), kind) if kind[0] != "c" else np.ones((7, 5), kind)} for kind in TYPES}
    write("x.sion", arrays)
    with sion.open("x.sion") as container:
        for name, steps in arrays.items():
            for kind in TYPES if name[0] != "f" else ("f8", "c16"):
                step = container.arrays[name][4].astype(kind)
                wanted = steps[4].real.astype(kind)
                assert step.dtype == wanted.dtype and step.nbytes == wanted.nbytes
                assert step[2:5, ::2].dtype == wanted.dtype
                assert np.array_equal(step[2:5, ::2], wanted[2:5, ::2])
                assert np.array_equal(np.asarray(step), wanted)
            assert container.arrays[name][4].dtype == steps[4].dtype
        assert np.array_equal(container.arrays["f8"].newest.astype("f4")[...], arrays["f8"][4].astype("f4"))
        for wrong in ("f2", "S3", "O", np.dtype("f4").newbyteorder()):
            with pytest.raises(TypeError, match="elements of"):
                container.arrays["i4"][4].astype(wrong)


def test_elements_that_another_type_cannot_represent_are_refused():
    write("x.sion", {"d": {0: np.array([[1, 2], [3, 1e300]])}, "i": {0: np.array([2**53 + 1, 300])},
                     "m": {0: np.array([2**63 - 1, 2**63 - 1024])}})
    with sion.open("x.sion") as container:
        numbers, integers = container.arrays["d"][0], container.arrays["i"][0]
        for kind in "i1", "i8", "u8", "f4":
            with pytest.raises(sion.Error, match=r"element \(1, 1\) of type f64 is 1.*e\+300, which") as failure:
                numbers.astype(kind)[:, 1]
            assert failure.value.code == sion.Code.MISMATCH
            assert numbers.astype(kind)[0].tolist() == [1, 2]
        with pytest.raises(sion.Error, match=r"array i: element \(0\) of type i64 is 9007199254740993, which f64"):
            integers.astype("f8")[...]
        with pytest.raises(sion.Error, match=r"element \(1\) of type i64 is 300, which u8 cannot represent"):
            integers.astype("u1")[1]
        with pytest.raises(sion.Error, match=r"element \(0\) of type i64 is 9223372036854775807, which f64"):
            container.arrays["m"][0].astype("f8")[...]
        assert container.arrays["m"][0].astype("f8")[1] == 2.0**63 - 1024
        assert np.asarray(integers, "u1").tolist() == [1, 44]  # numpy's own conversion


def test_data_that_would_change_are_refused():
    with sion.create("x.sion", chunksizes=[1 << 14]) as container:
        for kind in TYPES:
            container.define_array(kind, kind, (3,), attributes={"_FillValue": "7"})
        masked = np.ma.masked_array([1, 2, 3], [False, True, False])
        for data in masked, list(masked), [1, np.ma.masked, 3], [masked[:1], (masked[1:2], [3])]:
            with pytest.raises(ValueError, match="filled"):
                container.put_array("i8", 0, [0], data)
        container.put_array("i8", 0, [0], masked.filled(7))
        container.put_array("i8", 1, [0], np.ma.masked_array([1, 2, 3], False))
        for kind, number in (("i1", 300), ("i1", -129), ("i2", 32768), ("i4", -2**31 - 1),
                             ("i8", np.uint64(2**63)), ("u1", np.uint16(256))):
            with pytest.raises(ValueError, match="-?[0-9]+ .*int"):
                container.put_array(kind, 0, [0], [number, number])
        for kind, data in (("i4", [1.0]), ("f8", [1j]), ("u2", np.array([1], "i2")), ("f4", ["1"])):
            with pytest.raises(TypeError, match="astype"):
                container.put_array(kind, 0, [0], data)
        container.put_array("i1", 0, [0], [-128, 0, 127])
        container.put_array("i1", 1, [0], np.array([127], "u8"))
        container.put_array("u1", 0, [0], np.array([255, 0], "u4"))
        container.put_array("u1", 1, [0], np.zeros(0, "u4"))
        container.put_array("f4", 0, [0], [2**40, 1])
    with sion.open("x.sion") as container:
        assert container.arrays["i8"][0][...].tolist() == [1, 7, 3]
        assert container.arrays["i8"][1][...].tolist() == [1, 2, 3]
        assert container.arrays["i1"][0][...].tolist() == [-128, 0, 127]
        assert container.arrays["i1"][1][...].tolist() == [127, 7, 7]
        assert container.arrays["u1"][0][:2].tolist() == [255, 0]
        assert container.arrays["u1"][1][...].tolist() == [7, 7, 7]
        assert container.arrays["f4"][0][0] == 2**40


def test_blocks_are_checked_before_they_are_put():
    with sion.create("x.sion", chunksizes=[4096]) as container:
        container.define_array("T", ">f4", (4, 4))
        container.define_array("T", "f4", (4, 4))  # the same
        with pytest.raises(sion.Error, match="T"):
            container.define_array("T", "f4", (4, 5))
        with pytest.raises(sion.Error, match="not defined"):
            container.put_array("U", 0, [0, 0], [[1]])
        with pytest.raises(sion.Error) as failure:
            container.put_array("T", 0, [3, 0], np.zeros((2, 4)))
        assert failure.value.code == sion.Code.ARGUMENT
        with pytest.raises(TypeError):
            container.put_array("T", 0, [0, 0], np.zeros((4, 4), complex))
        with pytest.raises(ValueError, match="dimensions"):
            container.put_array("T", 0, [0], np.zeros((4, 4)))
        for wrong in ("f2", "S3", "O", [("a", "f4")], "M8[s]", "?"):
            with pytest.raises(TypeError):
                container.define_array("U", wrong, [1])
        with pytest.raises(ValueError, match="null"):
            container.define_array("a\0b", "f4", [1])
        with pytest.raises(sion.Error, match="_FillValue"):
            container.define_array("V", "f4", [1], attributes={"_FillValue": "x"})
        container.put_array("T", 0, [0, 0], np.arange(16.0).reshape(4, 4).T)  # another order and type
        with pytest.raises(io.UnsupportedOperation, match="writing"):
            container.arrays
    with sion.open("x.sion") as container:
        assert container.arrays["T"][0][1].tolist() == [1, 5, 9, 13]
        with pytest.raises(sion.Error):
            container.define_array("W", "f4", [1])
    with pytest.raises(ValueError, match="closed"):
        container.arrays


def test_arrays_end_with_their_container(random):
    data = one(random)
    write("x.sion", {"T": {0: data}})
    with sion.open("x.sion") as container:
        step, copy = container.arrays["T"][0], pickle.loads(pickle.dumps(container.arrays["T"][0]))
        assert (step[0] == data[0]).all()
    with pytest.raises(ValueError, match="closed"):
        step[0]
    assert (copy[1:] == data[1:]).all()  # it opens the container by its name


def test_a_block_that_is_damaged_is_an_error(monkeypatch):
    monkeypatch.setenv("SION_ARRAY_CRC", "1")
    write("x.sion", {"T": {0: np.full((30, 7), 3.25)}})
    block = sion.open("x.sion").arrays["T"].blocks()[1]
    with open("x.sion", "r+b") as file:
        file.truncate(block.position + 8)
    with pytest.raises(sion.Error):
        sion.arrays.Arrays("x.sion")["T"][0][10:]


def test_a_container_without_arrays(golden):
    with sion.open(golden / "serial/s04_multichunk.sion") as container:
        assert len(container.arrays) == 0 and list(container.arrays) == []
    with pytest.raises(sion.Error):
        len(sion.arrays.Arrays("nothing.sion"))


def test_threads_share_an_array(random):
    from concurrent.futures import ThreadPoolExecutor

    data = one(random, (64, 30))
    write("x.sion", {"T": {0: data}})
    with sion.open("x.sion") as container, ThreadPoolExecutor(8) as threads:
        step = container.arrays["T"][0]
        rows = list(threads.map(lambda row: step[row], list(range(64)) * 10))
    assert np.array_equal(rows, np.concatenate([data] * 10))


def test_dask_computes_with_it(random):
    dask = pytest.importorskip("dask.array")
    data = {step: one(random, (40, 30)) for step in range(3)}
    write("x.sion", {"T": data}, tasks=4)
    with sion.open("x.sion") as container:
        array = container.arrays["T"]
        lazy = dask.from_array(array[1], chunks=(16, 7))
        assert lazy.shape == (40, 30) and lazy.dtype == "f8"
        assert lazy.sum().compute() == data[1].sum()
        assert np.array_equal(lazy[3:20:3, ::-2].compute(), data[1][3:20:3, ::-2])
        assert np.array_equal(lazy[[5, 1, 30], 4:].compute(), data[1][[5, 1, 30], 4:])
        steps = dask.stack([dask.from_array(array[step]) for step in array.steps])
        assert np.array_equal(steps.mean(axis=0).compute(), np.mean(list(data.values()), axis=0))


def test_an_array_is_indexed_by_its_step_first(random):
    write("x.sion", {"T": {3: one(random)}})
    with sion.open("x.sion") as container:
        array = container.arrays["T"]
        for index in (slice(2), (3, 0), Ellipsis, "3", [3]):
            with pytest.raises(KeyError, match=r"array\[step\]"):
                array[index]
        with pytest.raises(KeyError, match="^4$"):
            array[4]
        assert array.get("3") is None and array.get((3, 0), 5) == 5


@pytest.mark.parametrize("options", [{}, {"name": "T"}, {"name": False, "chunks": 4}])
def test_dask_refuses_all_steps_at_once(random, options):
    dask = pytest.importorskip("dask.array")
    write("x.sion", {"T": {3: one(random)}})
    with sion.open("x.sion") as container:
        with pytest.raises(TypeError, match=r"array\[step\]"):
            dask.from_array(container.arrays["T"], **options)


def test_the_tool_agrees(random):
    import os

    write("x.sion", {"T": {2: one(random, (5, 3), "i4")}})
    tool = os.path.join(os.environ["SION_BINDIR"], "sionarray")
    text = subprocess.run([tool, "dump", "-t", "2", "x.sion", "T"], check=True, capture_output=True,
                          text=True).stdout
    with sion.open("x.sion") as container:
        assert np.array_equal(np.loadtxt(text.splitlines()), container.arrays["T"][2])

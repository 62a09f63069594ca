"""xarray opens containers by its engine "sion"."""

import pickle

import numpy as np
import pytest

import sion

xarray = pytest.importorskip("xarray")
backend = pytest.importorskip("sion.xarray_backend")


@pytest.fixture
def data(random):
    """Three steps of a field in blocks of several sizes, which zarr cannot take; coordinates; a scalar."""
    field = {step: random.random((7, 10)) for step in (0, 5, 9)}
    with sion.create("x.sion", chunksizes=[1 << 14] * 4) as container:
        container.define_array("T", "f8", (7, 10), attributes={"dimensions": "y x", "units": "K"})
        container.define_array("x", "f8", (10,), attributes={"dimensions": "x", "units": "m"})
        container.define_array("n", "i2", (7,), attributes={"dimensions": "y", "_FillValue": "-9",
                                                            "scale_factor": "0.5"})
        container.set_attribute("title", "a run")
        for step, values in field.items():
            for task, (rows, columns) in enumerate([(slice(3), slice(4)), (slice(3), slice(4, 10)),
                                                    (slice(3, 7), slice(4)), (slice(3, 7), slice(4, 10))]):
                container.put_array("T", step, [rows.start or 0, columns.start or 0], values[rows, columns],
                                    task=task)
        container.put_array("x", 0, [0], np.arange(10.0))
        container.put_array("n", 3, [0], np.array([1, 2, -9, 4, 5, 6, 7], "i2"))
    return field


def opened(name="x.sion", **options):
    return xarray.open_dataset(name, engine=backend.SionBackendEntrypoint, **options)


def test_a_generation_is_a_data_set():
    with sion.create("g.sion", 4000, ntasks=1, fsblksize=512, mode="keep=3") as container:
        container.define_array("T", "f8", (4,))
        for step in range(3):
            container.put_array("T", step, (0,), np.full(4, step + 0.5))
            container.publish()
    with opened("g.sion", mode="r,generation=-1") as dataset:
        assert dataset["T"].values.tolist() == [1.5] * 4


def test_a_container_is_a_data_set(data):
    with opened() as dataset:
        assert dataset["T"].dims == ("step", "y", "x") and dataset["step"].values.tolist() == [0, 5, 9]
        assert dataset.attrs == {"title": "a run"} and dataset["T"].attrs == {"units": "K"}
        assert "x" in dataset.coords and dataset["x"].attrs["units"] == "m"
        assert np.array_equal(dataset["T"].values, list(data.values()))
        assert np.array_equal(dataset["T"].sel(step=5, x=[2, 7]).values, data[5][:, [2, 7]])
        assert np.array_equal(dataset["n"], [0.5, 1, np.nan, 2, 2.5, 3, 3.5], equal_nan=True)
        assert dataset["n"].attrs == {"step": 3}
    with opened(drop_variables=["n"], mask_and_scale=False) as dataset:
        assert set(dataset.variables) == {"T", "x", "step"}


@pytest.mark.parametrize("dropped", ["U", ["U"]])
def test_dropped_arrays_may_have_other_sizes(dropped):
    with sion.create("x.sion", chunksizes=[1 << 14]) as container:
        for name, size in ("T", 3), ("U", 5):
            container.define_array(name, "f8", (size,), attributes={"dimensions": "y"})
            for step in range(2):
                container.put_array(name, step, [0], np.full(size, step + 0.5))
    with pytest.raises(ValueError, match="y"):
        opened()
    with opened(drop_variables=dropped) as dataset:
        assert set(dataset.variables) == {"T", "step"} and dataset["T"].values.tolist() == [[0.5] * 3, [1.5] * 3]
    with opened(drop_variables=["U", "step"]) as dataset:
        assert set(dataset.variables) == {"T"}


def test_indexes_agree_with_numpy(data, random):
    whole = np.array(list(data.values()))
    with opened() as dataset:
        for _ in range(100):
            index = []
            for extent in whole.shape:
                numbers = random.integers(-extent, extent, size=int(random.integers(4))).tolist()
                start, stop = random.integers(-extent - 1, extent + 1, size=2).tolist()
                index.append([int(random.integers(-extent, extent)), numbers,
                              slice(start, stop, [1, 2, 3, -1][random.integers(4)])][random.integers(3)])
            expected = xarray.DataArray(whole, dims=("step", "y", "x"))[tuple(index)].values
            found = dataset["T"][tuple(index)].values
            assert found.shape == expected.shape and np.array_equal(found, expected), index


def test_nothing_is_read_before_it_is_needed(data, monkeypatch):
    boxes = []
    real = sion.arrays.Array._read
    monkeypatch.setattr(sion.arrays.Array, "_read", lambda self, step, offset, count, into:
                        (boxes.append((self.name, step, list(offset), list(count))),
                         real(self, step, offset, count, into)))
    with opened() as dataset:
        part = dataset["T"][1, 2:4, [8, 3]]
        assert [box for box in boxes if box[0] == "T"] == []
        assert np.array_equal(part.values, data[5][2:4][:, [8, 3]])
        assert [box for box in boxes if box[0] == "T"] == [("T", 5, [2, 3], [2, 6])]


def test_chunks_of_dask_are_blocks(data):
    pytest.importorskip("dask")
    with opened(chunks={}) as dataset:
        assert dataset["T"].chunks == ((1, 1, 1), (3, 4), (4, 6))
        assert dataset["T"].mean().compute(scheduler="threads") == pytest.approx(
            np.mean(list(data.values())), rel=1e-12)


def test_different_steps_have_dimensions_of_their_own():
    with sion.create("x.sion", chunksizes=[1 << 14]) as container:
        for name, steps in ("a", (0, 1)), ("b", (0, 2)):
            container.define_array(name, "f4", (2, 2))
            for step in steps:
                container.put_array(name, step, [0, 0], np.full((2, 2), step, "f4"))
    with opened() as dataset:
        assert dataset["a"].dims == ("a_step", "a_0", "a_1") and dataset["b_step"].values.tolist() == [0, 2]
        assert dataset["b"].values[1].tolist() == [[2, 2], [2, 2]]


def test_names_that_it_takes():
    entry = backend.SionBackendEntrypoint()
    assert entry.guess_can_open("a/x.sion") and entry.guess_can_open("https://h/x.sion?key=1")
    assert not entry.guess_can_open("x.nc") and not entry.guess_can_open(3)


@pytest.mark.parametrize("chunks", [None, {}])
def test_data_sets_can_be_pickled(data, chunks):
    """The copy reads and closes by itself."""
    if chunks is not None:
        pytest.importorskip("dask")
    with opened(chunks=chunks) as dataset:
        stored = pickle.dumps(dataset)
        with pickle.loads(stored) as copy:
            assert np.array_equal(copy["T"][1].values, data[5]) and copy.attrs == dataset.attrs
        with pytest.raises(ValueError, match="is closed"):
            copy["T"][2].values
        assert np.array_equal(dataset["T"].values, list(data.values()))
    assert np.array_equal(pickle.loads(stored)["T"].values, list(data.values()))


def test_by_url(data):
    fsspec = pytest.importorskip("fsspec")
    fsspec.filesystem("memory").put_file("x.sion", "/x.sion")
    with opened("memory://x.sion") as dataset:
        assert np.array_equal(dataset["T"].values, list(data.values()))

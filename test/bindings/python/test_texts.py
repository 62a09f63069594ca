"""The examples in the documents run."""

import os
import pathlib
import re
import subprocess

import numpy as np
import pytest

import sion
import sion.arrays

ROOT = pathlib.Path(os.environ["GOLDEN"]).parent.parent
BLOCKS = [(name, number, block)
          for name in ("doc/python.md", "README.md", "python/README.md")
          for number, block in enumerate(re.findall(r"```python\n(.*?)```",
                                                    (ROOT / name).read_text(), re.DOTALL))
          if not re.search("mpi4py|https://", block)]  # ranks.py and test_urls.py make the same calls


def pack(field):
    """A container with the packed files that the examples name."""
    folder = pathlib.Path("case/0.1")
    folder.mkdir(parents=True)
    for name in ("U", "p"):
        field.tofile(folder / name)
    subprocess.run([pathlib.Path(os.environ["SION_BINDIR"]) / "sionmerge", "--files", "case",
                    "packed.sion"], check=True)


@pytest.mark.parametrize("name, number, block", BLOCKS,
                         ids=[f"{name}-{number}" for name, number, _ in BLOCKS])
def test_an_example_runs(name, number, block):
    field = np.arange(100.0)
    for file in ("x.sion", "out.sion"):
        with sion.create(file, chunksizes=[4096] * 20) as container:
            for task in container.tasks:
                task.write(field)
            container.define_array("T", "f8", (20, 4), attributes={"units": "K"})
            container.put_array("T", 42, [0, 0], np.arange(80.0).reshape(20, 4), task=19)
    with sion.create("k.sion", chunksizes=[4096] * 4, keyval=True) as container:
        container.tasks[3].write_record(42, b"")
    if "packed.sion" in block:
        pack(field)
    if "fsspec" in block:
        pytest.importorskip("sion.filesystem")
    if "engine=" in block:
        pytest.importorskip("sion.xarray_backend")
        block = block.replace('"sion"', "sion.xarray_backend.SionBackendEntrypoint")
    if "dask" in block:
        pytest.importorskip("dask.array")
    names = {"field": field, "sion": sion, "np": np, "upper": np.ones((512, 64)),
             "lower": np.zeros((512, 64))}
    if "temperature = " not in block:
        names["temperature"] = sion.arrays.Arrays("x.sion")["T"]
    exec(compile(block, f"{name} block {number}", "exec"), names)


def test_there_are_examples():
    assert len(BLOCKS) >= 6

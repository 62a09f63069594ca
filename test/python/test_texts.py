"""The examples of the texts run."""

import os
import pathlib
import re

import numpy as np
import pytest

import sion

ROOT = pathlib.Path(os.environ["GOLDEN"]).parent.parent
BLOCKS = [(name, number, block)
          for name in ("doc/python.md", "README.md", "python/README.md")
          for number, block in enumerate(re.findall(r"```python\n(.*?)```",
                                                    (ROOT / name).read_text(), re.DOTALL))
          if "mpi4py" not in block]  # ranks.py makes its calls


@pytest.mark.parametrize("name, number, block", BLOCKS,
                         ids=[f"{name}-{number}" for name, number, _ in BLOCKS])
def test_an_example_runs(name, number, block):
    field = np.arange(100.0)
    for file in ("x.sion", "out.sion"):
        with sion.create(file, chunksizes=[4096] * 20) as container:
            for task in container.tasks:
                task.write(field)
    with sion.create("k.sion", chunksizes=[4096] * 4, keyval=True) as container:
        container.tasks[3].write_record(42, b"")
    if "fsspec" in block:
        pytest.importorskip("sion.filesystem")
    exec(compile(block, f"{name} block {number}", "exec"), {"field": field, "sion": sion})


def test_there_are_examples():
    assert len(BLOCKS) >= 6

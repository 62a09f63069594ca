"""Fixtures that the tests of the package share."""

import ctypes
import os
import pathlib

import numpy as np
import pytest

import sion
from sion import _library


# libsion looks for it by its name, and finds what is loaded.
CHECKSUMS = pathlib.Path(os.environ.get("SION_LIBDIR", ""), "libsion_checksum.so.0")
if CHECKSUMS.exists():
    ctypes.CDLL(str(CHECKSUMS))


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    """Each test writes in a folder of its own."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def golden():
    """The sample containers."""
    return pathlib.Path(os.environ["GOLDEN"])


@pytest.fixture
def random():
    """Random numbers; if a test fails, their seed is printed."""
    seed = int(os.environ.get("CHECK_SEED", "20261122"))
    print("seed", seed)
    return np.random.default_rng(seed)


class Counter:
    """Wraps the library and counts its calls."""

    def __init__(self, library):
        self.real = library
        self.calls = {}

    def __getattr__(self, name):
        function = getattr(self.real, name)

        def counted(*arguments):
            self.calls[name] = self.calls.get(name, 0) + 1
            return function(*arguments)

        return counted


@pytest.fixture
def calls(monkeypatch):
    """The number of calls to each function of the library that a test makes from here on."""
    if os.environ.get("SION_PYTHON") == "pure":
        pytest.skip("counts calls of the compiled library")
    counter = Counter(_library.lib)
    for module in (sion.container, sion.opened, sion.parallel, sion.streams):
        monkeypatch.setattr(module, "lib", counter)
    return counter.calls

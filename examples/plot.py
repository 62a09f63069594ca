#!/usr/bin/env python3
"""Draws an array of a container with matplotlib: plot.py CONTAINER ARRAY STEP PICTURE

The array must have two dimensions. sionarray converts it for numpy.
"""
import json
import subprocess
import sys
import tempfile

import matplotlib
import numpy

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402


def read(container, array, step):
    """Return one step of the array."""
    shown = subprocess.run(["sionarray", "ls", "--json", container, array], check=True,
                           capture_output=True, text=True)
    steps = json.loads(shown.stdout)["arrays"][0]["steps"]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["sionarray", "export", "-o", folder, container, array], check=True)
        data = numpy.load(f"{folder}/{array}.npy")
    return data[steps.index(step)] if len(steps) > 1 else data


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    container, array, step, picture = sys.argv[1:]
    image = pyplot.imshow(read(container, array, int(step)), cmap="inferno")
    pyplot.colorbar(image)
    pyplot.title(f"{array}, step {step}")
    pyplot.savefig(picture, dpi=120, bbox_inches="tight")


main()

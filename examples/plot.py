#!/usr/bin/env python3
"""Draws an array of a container with matplotlib: plot.py CONTAINER ARRAY STEP PICTURE

The array must have two dimensions. sionarray prints the step for numpy.
"""
import io
import json
import subprocess
import sys

import matplotlib
import numpy

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402


def sionarray(*words):
    """Run the tool, and return what it prints; where it fails, it has said why."""
    done = subprocess.run(["sionarray", *words], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(done.returncode)
    return done.stdout


def read(container, array, step):
    """Return one step of the array; of complex numbers their absolute values."""
    info = json.loads(sionarray("ls", "--json", container, array))["arrays"][0]
    if len(info["shape"]) != 2 or step not in info["steps"]:
        sys.exit(f"plot.py: {array} has the shape {info['shape']} and the steps {info['steps']}")
    text = sionarray("dump", "--csv", f"--step={step}", container, array)
    dtype = complex if info["type"].startswith("c") else float
    data = numpy.loadtxt(io.StringIO(text), dtype, delimiter=",", ndmin=2)
    return numpy.abs(data) if dtype is complex else data


def main():
    if len(sys.argv) != 5 or not sys.argv[3].isdecimal():
        sys.exit(__doc__)
    container, array, step, picture = sys.argv[1:]
    image = pyplot.imshow(read(container, array, int(step)), cmap="inferno")
    pyplot.colorbar(image)
    pyplot.title(f"{array}, step {step}")
    pyplot.savefig(picture, dpi=120, bbox_inches="tight")


main()

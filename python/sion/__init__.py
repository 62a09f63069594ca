"""Containers of Scion and SIONlib: the byte streams of many tasks in one file, or in a few.

Read::

    with sion.open("x.sion") as container:
        print(len(container.tasks), container.meta.bytes)
        data = container.tasks[3].read()            # bytes
        field = container.tasks[3].array("f8")      # numpy; no copy if it is in one chunk

Read any part of an array (sion_array.h)::

    with sion.open("x.sion") as container:
        rows = container.arrays["T"][42][10:20, :]  # of step 42

Read files that sionmerge --files has packed::

    with sion.open("x.sion") as container:
        with container.files["case/0.1/U"].open() as file:
            ...

Write, from one process::

    with sion.create("x.sion", chunksizes=[1 << 20] * 4) as container:
        container.tasks[0].write(b"...")

Write and read with one stream for each rank of an MPI program::

    with sion.paropen("x.sion", "w", comm=MPI.COMM_WORLD, chunksize=1 << 20) as stream:
        stream.write(field)

Read with any number of ranks, each of which reads a share of the tasks::

    with sion.paropen_shared("x.sion", comm=MPI.COMM_WORLD) as container:
        for task in container.tasks:
            ...

Containers that are staged (mode word ``stage=``) are complete after :func:`sion.drain.wait`.

Errors are exceptions of type :class:`sion.Error`, with the text of the library.
"""

from . import drain
from .arrays import Array, Arrays, ArrayStep, Attributes, Block
from .bulk import Streams
from .check import recover, verify
from .container import Container, Meta, Tasks, create, open  # noqa: A004
from .errors import Code, Error, Warning  # noqa: A004
from .files import File, Files, PackedFile
from .parallel import ParallelStream, paropen
from .shared import SharedContainer, SharedTask, SharedTasks, paropen_shared
from .streams import Stream, Task

__all__ = [
    "Array",
    "ArrayStep",
    "Arrays",
    "Attributes",
    "Block",
    "Code",
    "Container",
    "Error",
    "File",
    "Files",
    "Meta",
    "PackedFile",
    "ParallelStream",
    "SharedContainer",
    "SharedTask",
    "SharedTasks",
    "Stream",
    "Streams",
    "Task",
    "Tasks",
    "Warning",
    "create",
    "drain",
    "open",
    "paropen",
    "paropen_shared",
    "recover",
    "verify",
]

"""Only for a type checker, which must report the lines marked as wrong, and no others."""

from __future__ import annotations

import sion

with sion.open("x.sion") as container:
    data: bytes = container.tasks[3].read()
    text: str = container.tasks[3].read()  # wrong
    part: sion.Tasks = container.tasks[1:]
    number: int = container.meta.ntasks + part[0].rank
    streams: sion.Streams = container.tasks.read()
    view: memoryview = streams[0]
    keys: list[int] = container.tasks[0].keys()
    for one in container.tasks.contents():
        view = one
    container.tasks["3"]  # wrong
    container.tasks[3].record("key")  # wrong
with sion.paropen_shared("x.sion", by="bytes") as shared:
    data = shared.tasks[0].read()
    streams = shared.tasks[1:].read()
    data = streams  # wrong
with sion.paropen("x.sion", "w", chunksize=100) as stream:
    number = stream.write(data)
    number = stream.read(10)  # wrong
with sion.create("x.sion", chunksizes=[1, 2]) as new:
    new.tasks[0].write_record(7, data)
    new.tasks[0].write_record("7", data)  # wrong
complete: bool = sion.drain.test("x.sion")
sion.drain.wait(3)  # wrong
number = sion.drain.progress().drained

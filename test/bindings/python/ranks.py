"""Run under mpiexec: every rank writes and reads its stream. Rank 0 prints the results as TAP."""

import os
import sys

import numpy as np
from mpi4py import MPI

import sion

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
number = 0


def check(name, is_good):
    """One test, which passes only if it passes on all ranks."""
    global number
    number += 1
    results = comm.gather(bool(is_good))
    if rank == 0:
        bad = [r for r, good in enumerate(results) if not good]
        print(f"not ok {number} - {name} # ranks {bad}" if bad else f"ok {number} - {name}", flush=True)


def fails(code, call):
    """Whether a call raises the library's error."""
    try:
        call()
    except sion.Error as error:
        return error.code == code and str(error) != ""
    return False


def stream_of(writer):
    """The data of a rank: more than a chunk."""
    return np.random.default_rng(writer).bytes(3000 + 100 * writer)


def test_streams(nfiles):
    """A stream for each rank, in several chunks."""
    name = f"streams{nfiles}.sion"
    with sion.paropen(name, "w", comm, chunksize=1000, fsblksize=512, nfiles=nfiles) as stream:
        data = stream_of(rank)
        check("a stream is written", stream.write(data[:1500]) == 1500 and
              stream.write(data[1500:]) == len(data) - 1500 and stream.tell() == len(data))
        check("it cannot be read while it is written", stream.writable() and not stream.readable())
    check("it is closed", stream.closed and fails_with(ValueError, lambda: stream.write(b"x")))
    with sion.paropen(name, comm=comm) as stream:
        check("the stream knows its rank", stream.rank == rank and stream.nfiles == nfiles and
              stream.chunksize == 1024)
        check("its size, too", stream.size == len(data))
        check("the whole stream is read", stream.read(700) + stream.read() == data)
        check("sought in", stream.seek(1020) == 1020 and stream.read(10) == data[1020:1030] and
              stream.seek(-5, 2) and stream.read() == data[-5:])
        check("an array", stream.array("u1", offset=100).tobytes() == data[100:])
        check("the position is restored", stream.read() == b"")
    if rank == 0:
        with sion.open(name) as container:
            good = [task.read() == stream_of(task.rank) for task in container.tasks]
            good += [container.meta.nfiles == nfiles, len(container) == size]
    check("one process reads all streams", rank != 0 or all(good))


def fails_with(kind, call):
    """Whether a call raises this exception."""
    try:
        call()
    except kind:
        return True
    return False


def test_collective():
    """Collectors write records."""
    with sion.paropen("coll.sion", "w,collective,collsize=2", comm, chunksize=4000) as stream:
        check("collective write", stream.collective_write(b"%d" % rank * 100) == 100)
    with sion.paropen("coll.sion", "r,collective", comm) as stream:
        check("collective read", stream.collective_read(100) == b"%d" % rank * 100)


def test_records():
    """Records with keys."""
    with sion.paropen("keys.sion", "w", comm, chunksize=512, keyval=True) as stream:
        stream.write_record(rank, b"mine")
        stream.write_record(99, bytes(2000))
    with sion.paropen("keys.sion", "r,keyval=inline", comm) as stream:
        check("records", stream.keys() == [rank, 99] and stream.record(rank) == b"mine" and
              stream.record(99) == bytes(2000))


def test_groups():
    """A communicator of the program's own, and a file for each group."""
    half = comm.Split(rank % 2, rank)
    with sion.paropen(f"half{rank % 2}.sion", "w", half, chunksize=100) as stream:
        stream.write(b"%d" % rank)
        check("the rank is that of the communicator", stream.rank == half.Get_rank())
    with sion.paropen("groups.sion", "w", comm, chunksize=100, nfiles=0, local_comm=half) as stream:
        stream.write(b"%d" % rank)
    if rank == 0:
        with sion.open("groups.sion") as container:
            good = [task.read() == b"%d" % task.rank for task in container.tasks]
            good.append(container.meta.nfiles == min(size, 2))
    check("a file for each group", rank != 0 or all(good))
    half.Free()


def test_staged():
    """A container in a folder of the node, which is drained to its own place."""
    with sion.paropen("staged.sion", "w,stage=.", comm, chunksize=100) as stream:
        stream.write(b"%d" % rank)
    known = sion.drain.progress()
    sion.drain.wait("staged.sion")
    check("staged", known.waiting <= 1 and known.drained <= known.total and known.failure == "" and
          sion.drain.test() and sion.drain.progress().waiting == 0)
    with sion.paropen("staged.sion", comm=comm) as stream:
        check("what was staged is read", stream.read() == b"%d" % rank)


def test_arrays():
    """Each rank writes rows of an array; any number of processes read it."""
    whole = np.arange(size * 20.0).reshape(size * 2, 10)
    rows = slice(2 * rank, 2 * rank + 2)
    with sion.paropen("arrays.sion", "w", comm, chunksize=4096) as stream:
        stream.define_array("T", "f8", whole.shape, attributes={"units": "K"})
        for step in range(2):
            stream.put_array("T", step, [2 * rank, 0], whole[rows] + step)
    with sion.open("arrays.sion") as container:
        array = container.arrays["T"]
        check("arrays", np.array_equal(np.asarray(array), [whole, whole + 1]) and
              np.array_equal(array[1][::-2, 3], whole[::-2, 3] + 1) and array.attributes["units"] == "K")
    comm.Barrier()
    stream = sion.paropen("differ.sion", "w", comm, chunksize=4096)
    stream.define_array("T", "f8", [4 + (size > 1 and rank == size - 1)])
    check("definitions must agree", size == 1 or fails(sion.Code.MISMATCH, stream.close) and stream.closed)
    stream.close()


def shares(count):
    """The number of tasks that each rank gets."""
    return [count // size + (r < count % size) for r in range(size)]


def test_shares():
    """Ten tasks on any number of ranks; the last task is as large as all others together."""
    streams = [stream_of(task)[:100] for task in range(9)] + [stream_of(9)[:900]]
    if rank == 0:
        with sion.create("ten.sion", chunksizes=[64] * 10, ranks=range(10)) as container:
            for task, data in zip(container.tasks, streams):
                task.write(data)
    comm.Barrier()
    with sion.paropen_shared("ten.sion", comm) as container:
        tasks = container.tasks
        ranks = [task.rank for task in tasks]
        first = sum(shares(10)[:rank])
        check("each rank gets its tasks", ranks == list(range(first, first + len(tasks))) and
              len(container) == len(tasks) == shares(10)[rank] and tasks.ranks.tolist() == ranks)
        check("each task is read", [task.read() for task in tasks] == [streams[r] for r in ranks])
        check("sizes are right", all(task.size == task.seek(0, 2) == len(streams[task.rank]) for task in tasks))
        check("one call reads all", [bytes(data) for data in tasks.read()] == [streams[r] for r in ranks] ==
              [bytes(data) for data in tasks.contents()])
        check("an array", all(task.array("u1").tobytes() == streams[task.rank] for task in tasks))
        check("a slice", [task.rank for task in tasks[::-2]] == ranks[::-2] and
              len(tasks[1:].read()) == max(0, len(ranks) - 1))
        check("there are no more tasks", fails_with(IndexError, lambda: tasks[len(tasks)]))
    check("closed", container.closed and fails_with(ValueError, lambda: tasks.read()) and
          fails_with(ValueError, lambda: list(tasks)))
    with sion.paropen_shared("ten.sion", comm, by="bytes") as container:
        wanted = list(range(10)) if size == 1 else [9]
        check("divided by bytes, the large task is alone",
              9 not in container.tasks.ranks or container.tasks.ranks.tolist() == wanted)
    check("other words for `by` are refused",
          fails_with(ValueError, lambda: sion.paropen_shared("ten.sion", comm, by="weight")))
    check("a missing file is a failure on all ranks",
          fails(sion.Code.SYSTEM, lambda: sion.paropen_shared("no.sion", comm)))


def test_shares_of_records():
    """Fewer tasks than ranks, with records."""
    if rank == 0:
        with sion.create("two.sion", chunksizes=[64] * 2, keyval=True) as container:
            for task in container.tasks:
                task.write_record(7, b"of %d" % task.number)
    comm.Barrier()
    with sion.paropen_shared("two.sion", comm) as container:
        check("records are read", container.keyval and len(container) == shares(2)[rank] and
              all(task.keys() == [7] and task.record(7) == b"of %d" % task.rank
                  for task in container.tasks))


def test_failures():
    """All ranks get the failure."""
    check("a missing file is refused", fails(sion.Code.SYSTEM, lambda: sion.paropen("no.sion", comm=comm)))
    wanted = -1 if rank == size - 1 else 100
    check("a wrong size on one rank fails on all ranks",
          fails(sion.Code.ARGUMENT, lambda: sion.paropen("x.sion", "w", comm, chunksize=wanted)))
    comm.Barrier()
    check("no file was created", not os.path.exists("x.sion"))


test_streams(1)
test_streams(min(size, 2))
test_collective()
test_records()
test_groups()
test_staged()
test_arrays()
test_shares()
test_shares_of_records()
test_failures()
if rank == 0:
    print(f"1..{number}")
sys.stdout.flush()

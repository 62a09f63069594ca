"""The compiled reader and the one in Python give the same results, and refuse the same."""

import os
import pathlib
import re
import struct
import subprocess
import sys
import warnings

import numpy as np
import pytest

import sion
from sion.pure.crc32c import crc32c
from sion.pure.records import TRAILER, TRAILER_MAGIC

GOLDEN = pathlib.Path(os.environ["GOLDEN"])
SAMPLES = sorted(str(file.relative_to(GOLDEN)) for folder in "array buddy compress damaged defrag grown invalid mpi "
                 "old omp serial swapped".split() for file in GOLDEN.glob(f"{folder}/*.sion*") if file.is_file())


def without_zstd(text):
    """A text without what zstd says, which has other words in Python."""
    text = re.sub(r"( of the compressed stream of task \d+): .*?(: nothing is read of|$)", r"\1\2", text)
    return re.sub(r"(the compressed block of task \d+ at byte \d+): .*", r"\1", text)


def reason_of(error):
    """Class, code and text of a failure, without the name of the C function."""
    kind = "Error" if isinstance(error, sion.Error) else type(error).__name__
    return kind, getattr(error, "code", None), without_zstd(re.sub(r"^sion_\w+: ", "", str(error)))


def tried(call):
    """The result of a call, or why it failed."""
    try:
        return call()
    except (sion.Error, KeyError, ValueError) as error:
        return reason_of(error)


def arrays_of(container):
    """All that there is of arrays."""
    found = []
    for name, array in container.arrays.items():
        found.append((name, array.shape, array.dtype.str, array.steps, array.nblocks, repr(array.range),
                      dict(array.attributes), tried(array.blocks)))
        for step in [*array.values(), array.newest]:
            found.append(tried(lambda step=step: step[...].tobytes()))
            found.append(tried(lambda step=step: step.astype("f4")[...].tobytes()))
    return found, dict(container.arrays.attributes)


def task_of(task, keyval):
    """All that there is of a task."""
    if keyval:
        return tried(lambda: list(task.records())), tried(task.keys)
    return tried(task.read), task.chunks, task.chunksize, task.rank, task.file, task.chunk_bytes.tolist()


def outcome(name, mode):
    """What an open and the reads after it give."""
    try:
        container = sion.open(name, mode=mode)
    except (sion.Error, ValueError) as error:
        return reason_of(error)
    with container:
        meta = container.meta
        table = [value.tolist() if isinstance(value, np.ndarray) else value for value in vars(meta).values()]
        tasks = [task_of(task, meta.keyval) for task in container.tasks]
        many = None if meta.keyval else tried(lambda: container.tasks.read().data.tobytes())
        arrays = None if meta.keyval else tried(lambda: arrays_of(container))
        return table, container.members, tasks, many, arrays


def both(name, monkeypatch, mode="r"):
    """The outcomes of both readers, with their warnings."""
    found = []
    for reader in "compiled", "pure":
        monkeypatch.setenv("SION_PYTHON", reader)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            result = outcome(name, mode)
        found.append((result, [without_zstd(str(one.message)) for one in told if one.category is sion.Warning]))
    return found


def difference(one, other, path=""):
    """Where two results begin to differ, in few words."""
    if type(one) is type(other) and isinstance(one, (list, tuple)) and len(one) == len(other):
        return next((found for number, pair in enumerate(zip(one, other))
                     if (found := difference(*pair, f"{path}.{number}"))), "")
    return "" if one == other else f"{path}: {str(one)[:600]} != {str(other)[:600]}"


def check_both(name, monkeypatch, mode="r"):
    """Both readers agree; returns what they say."""
    compiled, pure = both(name, monkeypatch, mode)
    assert difference(pure, compiled) == "", (name, mode)
    return pure


@pytest.mark.parametrize("name", SAMPLES)
def test_samples(name, monkeypatch):
    check_both(GOLDEN / name, monkeypatch)


@pytest.fixture
def written(random):
    """Containers of several kinds, with checksums, records, and commit records."""
    names = []
    for mode in "", "checksum", "recover", "recover,checksum":
        name = f"plain{len(names)}.sion"
        with sion.create(name, chunksizes=[700, 0, 300], fsblksize=64, mode=mode, ranks=[2, 0, 1]) as container:
            container.tasks[0].write(random.bytes(2500))
            container.tasks[2].write(random.bytes(300))
        names.append(name)
        name = f"keys{len(names)}.sion"
        with sion.create(name, chunksizes=[200] * 2, fsblksize=64, keyval=True, mode=mode) as container:
            for key, size in (5, 300), (2**64 - 1, 0), (5, 17):
                container.tasks[1].write_record(key, random.bytes(size))
        names.append(name)
    with sion.create("arrays.sion", chunksizes=[4096] * 3) as container:
        container.define_array("T", "f8", (9, 4), attributes={"units": "K", "_FillValue": "-1"})
        container.define_array("n", "i2", (5,))
        container.set_attribute("title", "of three tasks")
        for task in range(3):
            container.put_array("T", task % 2, [3 * task, 0], random.random((3, 4)), task=task)
            container.put_array("T", 7, [0, 0], random.random((3 + task, 4)), task=task)
            container.put_array("n", 1, [task], [task, 300], task=task)
    return [*names, "arrays.sion"]


@pytest.mark.parametrize("mode", ["r", "r,checksum", "r,checksum=open", "r,checksum,nonsense=1,sync=x", "w,r",
                                  "r,keyval=inline"])
def test_modes(written, mode, monkeypatch):
    for name in written:
        check_both(name, monkeypatch, mode)


def test_arrays_with_checksums(random, monkeypatch):
    with sion.create("a.sion", chunksizes=[4096] * 3, mode="checksum") as container:
        container.define_array("T", "f8", (9, 4))
        for task in range(3):
            container.put_array("T", 5, [3 * task, 0], random.random((3, 4)), task=task)
    good = open("a.sion", "rb").read()
    monkeypatch.setenv("SION_CHECKSUM", "1")
    for _ in range(40):
        at = int(random.integers(4096, len(good)))
        with open("a.sion", "wb") as file:
            file.write(good[:at] + bytes([good[at] ^ 1]) + good[at + 1:])
        check_both("a.sion", monkeypatch)


def put_index(data, trailer, new):
    """Other bytes in the index before this trailer, which has their checksum."""
    crc, _, length = struct.unpack_from("<Iqq", data, trailer + 12)
    index = next(at for at in range(trailer - length, 0, -1) if crc32c(data[at:at + length]) == crc)
    data[index:index + length] = new(data[index:index + length])
    struct.pack_into("<I", data, trailer + 12, crc32c(data[index:index + length]))
    struct.pack_into("<I", data, trailer + TRAILER - 4, crc32c(data[trailer:trailer + TRAILER - 4]))


@pytest.mark.parametrize("codec", [None, "zstd,shuffle"])
def test_an_index_that_is_wrong(codec, random, monkeypatch):
    """Its checksum is right, so all else decides whether it is believed."""
    with sion.create("a.sion", chunksizes=[4096] * 3, ranks=[2, 0, 1]) as container:
        try:
            container.define_array("T", "f8", (9, 40), codec=codec)
        except sion.Error as error:
            pytest.skip(str(error))  # there is no libzstd
        container.define_array("u", "i2", (6,))
        for task in range(3):
            container.put_array("T", 5, [3 * task, 0], random.random((3, 1)) + np.arange(40), task=task)
            container.put_array("u", 7, [2 * task], random.integers(0, 9, 2).astype("i2"), task=task)
    good = pathlib.Path("a.sion").read_bytes()
    check_both("a.sion", monkeypatch)

    def change(index):
        for _ in range(int(random.integers(1, 3))):
            at = int(random.integers(len(index)))
            index[at] = int(random.choice([0, 1, 2, 127, 128, 255, index[at] ^ 1, random.integers(256)]))
        return index

    trailers = [found.start() for found in re.finditer(re.escape(TRAILER_MAGIC), good)]
    of_all = next(at for at in trailers if good[at + 10] % 2 == 0)
    for which in random.choice(trailers, 400):
        data = bytearray(good)
        put_index(data, which, change)
        data[of_all] ^= which != of_all  # or else it replaces the one of the task
        pathlib.Path("a.sion").write_bytes(data)
        check_both("a.sion", monkeypatch)


def test_empty_chunks_may_be_anywhere(monkeypatch):
    for keyval in False, True:
        chunks = np.array([[64, 64], [0, 0], [64, 30], [0, 0]])
        write_tables("z.sion", chunks, keyval)
        assert check_both("z.sion", monkeypatch)[0][0][9] == [128, 94]


def write_tables(name, used, keyval):
    """A container with these bytes used, by chunk and task, of chunks of 64 bytes; each byte is 0."""
    rows, n = used.shape
    begin = -(-(1088 + 16 * n) // 64) * 64
    head = struct.pack("<4sI7iqq1024s", b"sion", 0, 1007, 6, 5, 64, n, 1, 1, (50 + keyval) << 32, 0, b"z")
    tail = struct.pack("<iq", rows, begin + rows * n * 64)
    tables = np.concatenate([[rows] * n, used.reshape(-1)]).astype("<i8").tobytes()
    meta1 = head + np.array([*range(n), *[64] * n], "<i8").tobytes() + tail
    pathlib.Path(name).write_bytes(meta1.ljust(begin + rows * n * 64, b"\0") + tables + bytes(4))


MERGED = "mpi/m03_cmerge.sion"


def members(tmp_path):
    """A merged container with a record of members."""
    program = pathlib.Path(os.environ.get("SION_BINDIR", ""), "test/tools/make_members")
    if not program.exists():
        pytest.skip("no make_members")
    (tmp_path / "m.sion").write_bytes((GOLDEN / MERGED).read_bytes())
    subprocess.run([program.absolute(), "m.sion"], cwd=tmp_path, check=True)
    return "m.sion"


def numbers_of(size, random):
    """A place and bytes to put there: values at limits, or random ones."""
    count = int(random.choice([1, 2, 4, 8]))
    value = int(random.choice([0, 1, 2, 7, 127, 255, -1, 2**31 - 1, 2**31, 2**62, 2**63 - 1, -2**63]))
    data = value.to_bytes(16, "little", signed=True)[:count]
    return int(random.integers(max(1, size - count))), data if random.integers(3) else random.bytes(count)


def damage(data, random):
    """Change some numbers, mostly in the tables, or cut the end off."""
    data = bytearray(data)
    if random.integers(8) == 0:
        del data[int(random.integers(len(data))):]
    for _ in range(int(random.integers(1, 4))):
        at, new = numbers_of(len(data) or 1, random)
        where = random.integers(4)
        if where == 0:
            at %= 1300
        elif where == 1:
            at = max(0, len(data) - 1 - at % 300)
        elif where == 2:
            at = 1076 + at % 100
        data[at:at + len(new)] = new[:max(0, len(data) - at)]
    return bytes(data)


def kinds(written, tmp_path):
    """Samples of all kinds that are small, and containers of our own."""
    samples = [GOLDEN / name for name in SAMPLES if not name.startswith("invalid") and
               (GOLDEN / name).stat().st_size < 1 << 16 and not re.search(r"\.\d{6}$", name)]
    return [*samples, *map(pathlib.Path, written), pathlib.Path(members(tmp_path))]


@pytest.mark.parametrize("part", range(4))
def test_damaged_containers(part, written, tmp_path, random, monkeypatch):
    files = kinds(written, tmp_path)
    random.random(part)
    modes = ["r", "r,checksum", "r", "r,checksum=open"]
    for number in range(int(os.environ.get("CHECK_DAMAGED", "60"))):
        file = files[int(random.integers(len(files)))]
        mode = modes[(number + part) % len(modes)]
        copy = pathlib.Path("c.sion")
        copy.write_bytes(damage(file.read_bytes(), random))
        for member in file.parent.glob(file.name + ".*"):
            if re.search(r"\.\d{6}$", member.name):
                pathlib.Path(f"c.sion{member.name[-7:]}").write_bytes(
                    damage(member.read_bytes(), random) if random.integers(2) else member.read_bytes())
        print(file, number)
        check_both("c.sion", monkeypatch, mode)
        for left in pathlib.Path(".").glob("c.sion*"):
            left.unlink()


def test_a_record_of_members(tmp_path, monkeypatch):
    assert len(check_both(members(tmp_path), monkeypatch)[0][2]) == 8


@pytest.mark.parametrize("mode", ["r", "r,generation=-1", "r,generation=all", "r,generation=4", "r,generation=9",
                                  "r,checksum=open"])
def test_generations(golden, tmp_path, monkeypatch, mode):
    monkeypatch.chdir(tmp_path)
    for name in "g01.sion", "g02.sion", "g03.sion", "g04.sion", "g05.sion", "g06.sion":
        data = bytearray((golden / "grown" / name).read_bytes())
        pathlib.Path("g.sion").write_bytes(data)
        check_both("g.sion", monkeypatch, mode)
        at = data.find(b"SIONGEN1")
        while at >= 0:
            data[at + 50] ^= 1
            at = data.find(b"SIONGEN1", at + 1)
        pathlib.Path("g.sion").write_bytes(data)
        check_both("g.sion", monkeypatch, mode)


@pytest.mark.parametrize("name, letters", [("g01.sion", b""), ("g03.sion", b""), ("sums.sion", b"4321")])
def test_restarts(golden, tmp_path, monkeypatch, name, letters):
    monkeypatch.chdir(tmp_path)
    if letters:
        with sion.create(name, mode="checksum,keep=3", chunksizes=[700, 600], fsblksize=512) as made:
            for letter in b"1234":
                for task in made.tasks:
                    task.write(bytes([letter]) * 300)
                made.publish()
    data = bytearray(pathlib.Path(name).read_bytes() if letters else (golden / "grown" / name).read_bytes())
    for letter in letters:  # newest first; the last one of them is gone
        if letter == ord("1"):
            break
        data[data.find(bytes([letter]) * 300) + 200] ^= 1
        pathlib.Path(name).write_bytes(data)
        for mode in "r", "r,generation=newest", "r,generation=latest,checksum", "r,generation=4,checksum":
            check_both(name, monkeypatch, mode)
    start, = struct.unpack_from("<q", data, 1088 + 16 * struct.unpack_from("<i", data, 24)[0] - 8)
    for at in start + 7, start + 23, data.find(b"SIONGEN1", start) + 20:
        other = bytearray(data)
        other[at] ^= 0xff
        pathlib.Path(name).write_bytes(other)
        for mode in "r", "r,generation=newest":
            check_both(name, monkeypatch, mode)
    at = data.rfind(struct.pack("<q", 300), start, start + 200)  # the last chunk has no bytes any more
    assert at > 0 or not letters
    data[max(at, 0):max(at, 0) + 8] = bytes(8)
    pathlib.Path(name).write_bytes(data)
    check_both(name, monkeypatch)


def test_without_a_library_it_reads(golden):
    program = ("import sys, sion\n"
               "with sion.open(sys.argv[1]) as c: print(len(c), c.meta.bytes, c.tasks[1].read(3))\n"
               "for name in 'cffi', '_cffi_backend': assert name not in sys.modules, name\n"
               "try: sion.create('x.sion', chunksizes=[1])\n"
               "except sion.Error as error: print(error)")
    environment = {**os.environ, "SION_LIBDIR": "/nowhere", "SION_PYTHON": "pure"}
    run = subprocess.run([sys.executable, "-c", program, golden / "serial/s04_multichunk.sion"], check=True,
                         capture_output=True, text=True, env=environment)
    lines = run.stdout.splitlines()
    assert lines[0].startswith("3 5585 b'") and "/nowhere/libsion.so.0 is not there" in lines[1]
    del environment["SION_PYTHON"]
    run = subprocess.run([sys.executable, "-c", "import sion, sys; print(len(sion.open(sys.argv[1])))",
                          golden / "serial/s04_multichunk.sion"], check=True, capture_output=True, text=True,
                         env=environment)
    assert run.stdout == "3\n" and "containers are read in Python" in run.stderr


def test_a_container_that_is_never_closed_says_nothing(golden):
    program = "import sion, sys; print(sion.open(sys.argv[1]).tasks[1].read(3))"
    for how in "", "pure":
        run = subprocess.run([sys.executable, "-c", program, golden / "serial/s04_multichunk.sion"], check=True,
                             capture_output=True, text=True, env={**os.environ, "SION_PYTHON": how})
        assert run.stdout.startswith("b'") and run.stderr == ""

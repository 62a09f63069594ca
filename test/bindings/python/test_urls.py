"""Containers that are read over the network: by ranges, and few of them."""

import errno
import functools
import http.server
import json
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import sion
from sion.pure import places
from sion.pure.crc32c import crc32c
from sion.pure.failures import system
from sion.pure.header import Header

fsspec = pytest.importorskip("fsspec")
GOLDEN = pathlib.Path(os.environ["GOLDEN"])

NGINX = """daemon off; worker_processes 1; pid {folder}/pid; error_log stderr; user root;
events {{ }}
http {{
  log_format counted "$request_method $status $body_bytes_sent";
  access_log {folder}/log counted;
  client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
  uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
  server {{ listen 127.0.0.1:{port}; root {root}; }}
}}
"""


class Server:
    """A server of the present folder, with what it was asked for."""

    def __init__(self, url, requests):
        self.url = url
        self.requests = requests  # a function: method and bytes of each request

    def count(self, since=0):
        """Requests, and bytes of their bodies."""
        found = self.requests()[since:]
        return len(found), sum(size for _, size in found)


@pytest.fixture
def server(tmp_path):
    """nginx in the folder of the test."""
    pytest.importorskip("aiohttp")
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if not nginx:
        pytest.skip("no nginx")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = tmp_path / "nginx"
    folder.mkdir()
    os.chmod(tmp_path, 0o755)
    (folder / "conf").write_text(NGINX.format(folder=folder, port=port, root=tmp_path))
    process = subprocess.Popen([nginx, "-c", folder / "conf", "-p", folder], stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)

        def requests():
            time.sleep(0.1)  # the log is written after the answer
            lines = (folder / "log").read_text().split("\n")[:-1]
            return [(line.split()[0], int(line.split()[2])) for line in lines]

        yield Server(f"http://127.0.0.1:{port}", requests)
    finally:
        process.terminate()
        process.wait(10)


def make_many(name, mode, sizes):
    """A container of many tasks, of which every 1000th has its number."""
    with sion.create(name, chunksizes=sizes, fsblksize=1, mode=mode) as container:
        for task in container.tasks[::1000]:
            task.write(b"%8d" % task.number)


def unequal(n):
    """Chunk sizes that differ, from 100 on."""
    return 100 + np.arange(n) * 7 % 31


@pytest.mark.parametrize("mode", ["checksum", "", "compress=zstd,checksum", "compress=zstd"])
@pytest.mark.parametrize("sizes", [lambda n: np.full(n, 100), unequal])
def test_one_task_of_a_million(server, mode, sizes):
    if (mode != "checksum" or sizes is unequal) and os.environ.get("SION_PYTHON") == "pure":
        pytest.skip("URLs are read in Python in any case")
    if "zstd" in mode:
        pytest.importorskip("zstandard")
    n = 10**6
    try:
        make_many("x.sion", mode, sizes(n))
    except sion.Error as error:
        pytest.skip(str(error))
    for task in 0, 1000, 10_000, 500_000, 734_000, 999_000:
        before = len(server.requests())
        with sion.open(f"{server.url}/x.sion") as container:
            assert len(container) == n and container.tasks[task].read() == b"%8d" % task
        requests, got = server.count(before)
        assert requests <= 6 and got <= 200_000, (task, requests, got)


def test_one_task_of_a_large_set(server):
    """Of file 0 the head and the task's entry of the mapping, and what is needed of the file that has it."""
    n = 400_000
    make_many("x.sion", "", unequal(n))
    tool = pathlib.Path(os.environ.get("SION_BINDIR", ""), "siondefrag")
    subprocess.run([tool, "--files=4", "x.sion", "y.sion"], check=True, stdout=subprocess.DEVNULL)
    for task in 0, 123_000, 220_000, 399_000:
        before = len(server.requests())
        with sion.open(f"{server.url}/y.sion") as container:
            assert len(container) == n and container.tasks[task].read() == b"%8d" % task
        requests, got = server.count(before)
        assert requests <= 12 and got <= 200_000, (task, requests, got)
    # Two tasks of a file change places in the mapping.
    data = bytearray(pathlib.Path("y.sion").read_bytes())
    mapping = data.index(b"".join(struct.pack(f"{ORDER}2i", 0, task) for task in range(9)))
    one, other = (slice(mapping + 8 * task, mapping + 8 * task + 8) for task in (1000, 5000))
    data[one], data[other] = data[other], data[one]
    pathlib.Path("y.sion").write_bytes(data)
    with sion.open(f"{server.url}/y.sion") as container:
        with pytest.raises(sion.Error, match="rank 5000 is not where the mapping says"):
            container.tasks[5000].read()
        assert container.tasks[6000].read() == b"%8d" % 6000


def test_sizes_that_differ_are_not_guessed(server):
    sizes = np.full(50_000, 8)
    sizes[[3, 40_000]] = 9, 7  # their sum is that of equal ones
    for mode in "checksum", "":
        make_many("x.sion", mode, sizes)
        for task in 2000, 25_000, 41_000, 49_000:
            before = len(server.requests())
            with sion.open(f"{server.url}/x.sion") as container:
                assert container.tasks[task].read() == b"%8d" % task
                assert container.tasks[task].rank == task
            assert server.count(before)[1] <= 200_000


PREFIX, RECORD = 52, 1076 - 32  # in META1, and the record of places there
ORDER = "<" if sys.byteorder == "little" else ">"


def places_of(sizes, name):
    """The end of the prefix, by doc/format.md."""
    step = len(sizes) // (min(100, (991 - len(name)) // 8) + 1) + 1
    starts = np.cumsum(sizes) - sizes
    some = starts[step::step]
    data = some.astype(ORDER + "i8").tobytes() + b"SIONPLC1" + \
        struct.pack(ORDER + "IIqi", 1, len(some), sizes.sum(), step)
    return data + struct.pack(ORDER + "I", crc32c(data))


@pytest.mark.parametrize("mode", ["", "checksum", "recover", "keep=2"])
@pytest.mark.parametrize("length", [6, 400, 1016])
def test_places_are_as_described(mode, length):
    name = "/".join(["f" * 100] * (length // 101) + ["x.sion"])
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    for n in 32767, 32768, 40_000:
        sizes = unequal(n)
        make_many(name, mode, sizes)
        stored = sizes + 128 if mode == "recover" else sizes
        wanted = places_of(stored, name) if n >= 32768 and len(name) < 984 else b""
        fixed = pathlib.Path(name).read_bytes()[:1076]
        assert fixed[PREFIX:] == name.encode().ljust(1024 - len(wanted), b"\0") + wanted


def test_places_that_are_wrong_are_not_used():
    """Whatever they say, the sizes count; and the checker of files says it."""
    sizes = unequal(40_000)
    make_many("x.sion", "", sizes)
    good = pathlib.Path("x.sion").read_bytes()
    tool = pathlib.Path(os.environ.get("SION_BINDIR", ""), "sionverify")
    assert subprocess.run([tool, "x.sion"], capture_output=True).returncode == 0
    step, first = struct.unpack_from(ORDER + "i", good, RECORD + 24)[0], RECORD - 800
    assert 50 * step < 20_000 < 51 * step
    for at, value, is_summed in [(first + 8 * 49, 7, True), (first + 8 * 49, 7, False), (RECORD + 16, 1, True),
                                 (RECORD + 8, 2, True), (first, -(1 << 63), True), (first + 792, 1 << 62, True),
                                 (RECORD, 0, True), (RECORD + 12, 99, True), (RECORD + 12, 1 << 30, True)]:
        bad = bytearray(good)
        size = 4 if at in (RECORD + 8, RECORD + 12) else 8
        old = int.from_bytes(good[at:at + size], sys.byteorder, signed=True)
        struct.pack_into(ORDER + ("q" if size == 8 else "i"), bad, at, value if abs(value) > 1000 else old + value)
        if is_summed:
            struct.pack_into(ORDER + "I", bad, RECORD + 28, crc32c(bad[first:RECORD + 28]))
        if bad != good:
            fsspec.filesystem("memory").pipe_file("/x.sion", bytes(bad))
            with sion.open("memory://x.sion") as container:
                for task in 1000, 20_000, 39_000:
                    assert container.tasks[task].read() == b"%8d" % task


def test_places_of_which_a_byte_has_changed_are_none():
    fixed = bytearray(1076)
    fixed[-len(places_of(unequal(40_000), "x")):] = places_of(unequal(40_000), "x")
    head = Header(ORDER, False, 1007, 5, 1, 40_000, 1, 1, 0, 0)
    assert len(places.decode(head, bytes(fixed)).at) == 102
    for at in range(1076 - 832, 1076):
        fixed[at] ^= 1
        assert places.decode(head, bytes(fixed)) is None
        fixed[at] ^= 1


@pytest.mark.parametrize("changed", [(15_999, 16_001), (15_999, 30_000), (15_000, 15_999)])
def test_sizes_that_change_under_the_places(changed):
    """Two sizes of which one got what the other has lost, between two places or not: the sizes count."""
    sizes = unequal(40_000)
    make_many("x.sion", "", sizes)
    data = bytearray(pathlib.Path("x.sion").read_bytes())
    for task, more in zip(changed, (1, -1)):
        struct.pack_into(ORDER + "q", data, 1076 + 8 * (len(sizes) + task), int(sizes[task]) + more)
    pathlib.Path("x.sion").write_bytes(data)
    fsspec.filesystem("memory").pipe_file("/x.sion", bytes(data))
    with sion.open("x.sion") as here, sion.open("memory://x.sion") as there:
        assert there.tasks[16_000].read() == here.tasks[16_000].read()
        assert there.tasks[14_000].read() == here.tasks[14_000].read()


def test_all_tables_when_they_are_asked_for(server):
    make_many("x.sion", "", np.full(50_000, 8))
    with sion.open("x.sion") as here, sion.open(f"{server.url}/x.sion") as there:
        assert there.tasks[1000].read() == b"%8d" % 1000
        for name, value in vars(here.meta).items():
            assert np.array_equal(getattr(there.meta, name), value), name
        assert there.tasks.read().data.tobytes() == here.tasks.read().data.tobytes()


@pytest.fixture
def array():
    """A container with an array of 1000 x 1000, in 16 blocks."""
    data = np.random.default_rng(3).random((1000, 1000))
    with sion.create("a.sion", chunksizes=[1 << 20] * 16) as container:
        container.define_array("T", "f8", data.shape, attributes={"units": "K", "dimensions": "y x"})
        for task in range(16):
            box = slice(250 * (task // 4), 250 * (task // 4) + 250), slice(250 * (task % 4), 250 * (task % 4) + 250)
            container.put_array("T", 0, [box[0].start, box[1].start], data[box], task=task)
    return data


@pytest.mark.parametrize("part", [np.s_[100:110, :], np.s_[300:400, 500:600], np.s_[200:300, 200:300]])
def test_a_hyperslab_reads_its_bytes(server, array, part):
    with sion.open(f"{server.url}/a.sion") as container:
        step = container.arrays["T"][0]
        before = len(server.requests())
        assert np.array_equal(step[part], array[part])
        assert server.count(before)[1] <= 0.012 * array.nbytes


def test_neighbours_are_merged(server):
    with sion.create("x.sion", chunksizes=[1000] * 500, fsblksize=1) as container:
        for task in container.tasks:
            task.write(b"x" * 900)
    with sion.open(f"{server.url}/x.sion") as container:
        before = len(server.requests())
        assert container.tasks.read().data.tobytes() == b"x" * 450_000
        assert server.count(before)[0] <= 2


@pytest.mark.parametrize("name", ["mpi/m01_multi.sion", "swapped/b04_multi.sion", "serial/s07_keyval.sion",
                                  "old/v2.sion", "invalid/i21_sv_beyond.sion", "invalid/i34_blocksize_gt_chunk.sion"])
@pytest.mark.parametrize("kind", ["http", "memory", "zip"])
def test_samples_of_all_kinds(request, kind, name):
    files = [GOLDEN / name, *GOLDEN.glob(f"{name}.[0-9]*")]
    base = pathlib.Path(name).name
    if kind == "http":
        for file in files:
            shutil.copy(file, file.name)
        url = f"{request.getfixturevalue('server').url}/{base}"
    elif kind == "memory":
        for file in files:
            fsspec.filesystem("memory").pipe_file(f"/{file.name}", file.read_bytes())
        url = f"memory://{base}"
    else:
        import zipfile

        with zipfile.ZipFile("x.zip", "w") as archive:
            for file in files:
                archive.write(file, file.name)
        url = f"zip://{base}::file://{os.getcwd()}/x.zip"
    compare(url, GOLDEN / name)


def compare(url, name):
    """The same streams and records, or the same failure."""
    import warnings

    found = []
    for one in url, name:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                container = sion.open(one)
            except sion.Error as error:
                found.append(error.code)
                continue
        with container:
            if container.meta.keyval:
                found.append([list(task.records()) for task in container.tasks])
            else:
                found.append([task.size and task.read() for task in container.tasks])
    assert found[0] == found[1]


def test_what_is_not_there():
    with pytest.raises(sion.Error, match="nothing.sion for reading") as failure:
        sion.open("memory://nothing.sion")
    assert failure.value.code == sion.Code.SYSTEM
    with pytest.raises(sion.Error, match="nosuchscheme"):
        sion.open("nosuchscheme://x.sion")


def reason_of(url):
    """Why a container cannot be opened; the text names its URL, or that of a file of its set."""
    with pytest.raises(sion.Error) as failure:
        sion.open(url).tasks[-1].read()
    found = re.fullmatch(r"cannot open (\S+) for reading: (.+)", str(failure.value))
    return found[1], found[2]


def test_the_reason_why_there_is_nothing():
    nothing = os.strerror(errno.ENOENT)
    assert reason_of("memory://nothing.sion") == ("memory://nothing.sion", nothing)
    fsspec.filesystem("memory").pipe_file("/set.sion", (GOLDEN / "mpi/m01_multi.sion").read_bytes())
    assert reason_of("memory://set.sion") == ("memory://set.sion.000001", nothing)
    unknown = FileNotFoundError("http://nohost/x.sion")
    unknown.__cause__ = socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    assert str(system("cannot open http://nohost/x.sion", unknown)).endswith(": Name or service not known")
    assert str(system("cannot open http://h/x.sion", TimeoutError())).endswith(": TimeoutError")


def test_the_reason_of_a_server(server):
    url = f"{server.url}/nothing.sion"
    assert reason_of(url)[0] == url and reason_of(url)[1].startswith("404, message='Not Found'")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # nobody listens there
        url = f"http://127.0.0.1:{free.getsockname()[1]}/x.sion"
        assert reason_of(url) == (url, os.strerror(errno.ECONNREFUSED))


def test_archives_and_servers_that_cannot_be_opened(tmp_path):
    """Their file systems fail before they are asked for a file."""
    (tmp_path / "bad.zip").write_text("no archive")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # nobody listens there
        for url, reason in [(f"zip://x.sion::file://{tmp_path}/no.zip", os.strerror(errno.ENOENT)),
                            (f"zip://x.sion::file://{tmp_path}/bad.zip", "File is not a zip file"),
                            (f"ftp://127.0.0.1:{free.getsockname()[1]}/x.sion", os.strerror(errno.ECONNREFUSED))]:
            assert reason_of(url) == (url, reason)
        run = subprocess.run([sys.executable, "-m", "sion", "ls", url], capture_output=True, text=True)
        assert (run.returncode, run.stdout, run.stderr) == (2, "", f"sion: cannot open {url} for reading: {reason}\n")


def test_a_server_without_ranges_is_refused(tmp_path):
    pytest.importorskip("aiohttp")
    with sion.create("x.sion", chunksizes=[1 << 18], fsblksize=512) as container:
        container.tasks[0].write(bytes(1 << 18))

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_words):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=tmp_path)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            with pytest.raises(sion.Error, match="does not serve ranges"):
                sion.open(f"http://127.0.0.1:{server.server_port}/x.sion").tasks[0].read()
        finally:
            server.shutdown()


def references(*options):
    """The references of a.sion, by sionarray."""
    tool = pathlib.Path(os.environ.get("SION_BINDIR", ""), "sionarray")
    return json.loads(subprocess.run([tool, "refs", *options, "a.sion"], check=True, capture_output=True).stdout)


def test_references_to_urls(server, array):
    zarr = pytest.importorskip("zarr")
    places = {place[0] for place in references("--url", f"{server.url}/")["refs"].values() if isinstance(place, list)}
    assert places == {f"{server.url}/a.sion"}
    store = fsspec.get_mapper("reference://", fo=references("--url", f"{server.url}/"), remote_protocol="http")
    assert np.array_equal(zarr.open(store, mode="r")["T"][300:400, 500:600], array[300:400, 500:600])


def test_relative_references_move(array, tmp_path, monkeypatch):
    zarr = pytest.importorskip("zarr")
    found = references("--relative")
    assert {place[0] for place in found["refs"].values() if isinstance(place, list)} == {"a.sion"}
    (tmp_path / "moved").mkdir()
    os.rename("a.sion", "moved/a.sion")
    monkeypatch.chdir(tmp_path / "moved")
    store = fsspec.get_mapper("reference://", fo=found, remote_protocol="file")
    assert np.array_equal(zarr.open(store, mode="r")["T"][:10], array[:10])


def test_packed_files_by_url():
    tool = pathlib.Path(os.environ.get("SION_BINDIR", ""), "sionmerge")
    os.mkdir("tree")
    pathlib.Path("tree/a").write_bytes(b"of a file")
    subprocess.run([tool, "--files", "tree", "p.sion"], check=True, stdout=subprocess.DEVNULL)
    fsspec.filesystem("memory").pipe_file("/p.sion", pathlib.Path("p.sion").read_bytes())
    with sion.open("p.sion") as here, sion.open("memory://p.sion") as there:
        assert list(there.files) == list(here.files)
        assert [file.read() for file in there.files.values() if file.type == "file"] == [b"of a file"]

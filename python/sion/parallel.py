"""Containers that the ranks of an MPI program write and read together."""

from __future__ import annotations

import functools
import os
import re
import threading
import warnings
from typing import TYPE_CHECKING, Any, Sequence

from . import _declarations
from ._declarations import ABSOLUTE_POS, CURRENT_RANK
from ._library import check, failure, ffi, lib, load, name_of, new_ffi, open_lock
from .arrays import ArrayWriter
from .device import memory_of
from .errors import Error
from .streams import Stream, _Records

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import ArrayLike


def _mpi_libraries() -> "set[str]":
    """The MPI libraries that this process has loaded."""
    with open("/proc/self/maps") as maps:
        return set(re.findall(r"/(libmpi[^/\s]*\.so[.\d]*)", maps.read()))


@functools.lru_cache(maxsize=None)
def _mpi() -> "tuple[Any, Any, Any]":
    """The declarations, libsion_mpi, and the module of mpi4py; both must use the same MPI."""
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise Error(f"sion.paropen needs mpi4py: {error}") from error
    before = _mpi_libraries()
    handle = "int" if MPI._sizeof(MPI.Comm) == ffi.sizeof("int") else "void *"
    mpi_ffi = new_ffi(_declarations.TYPES + f"typedef {handle} MPI_Comm;" + _declarations.MPI)
    mpi_lib = load(mpi_ffi, "libsion_mpi.so.0")
    others = _mpi_libraries() - before
    if others:
        raise Error(f"libsion_mpi was built with another MPI ({', '.join(sorted(others))}) than "
                    f"mpi4py ({', '.join(sorted(before))}): build both with the same MPI")
    return mpi_ffi, mpi_lib, MPI


class ParallelStream(Stream, ArrayWriter):
    """This rank's stream of a container that all ranks have opened with :func:`paropen`.

    Reads and writes do not depend on other ranks. Only the open, the close and the methods
    ``collective_...`` are collective.
    """

    def __init__(self, name: str, sid: int, close: Any, writing: bool, rank: int,
                 sizes: "tuple[int, int, int]") -> None:
        super().__init__(sid, threading.RLock(), writing)
        self.name = name
        self.rank = rank  #: of this process in the communicator
        self.chunksize, self.fsblksize, self.nfiles = sizes
        self._close = close
        self._index: "_Records | None" = None
        self._at = 0

    def __repr__(self) -> str:
        return f"<sion.ParallelStream of rank {self.rank} in {self.name!r}>"

    def __del__(self) -> None:
        # A close here would be a collective call at an arbitrary time.
        if getattr(self, "_sid", -1) >= 0:
            if self._writing:
                lib.sion_flush(self._sid)
            warnings.warn(f"{self!r} was never closed", ResourceWarning, source=self)

    def close(self) -> None:
        """Close the container. Collective over the ranks that opened it.

        :raises sion.Error: on all ranks, if data of any rank could not be written
        """
        if self.closed:
            return
        sid, self._sid = self._sid, -1
        try:
            with open_lock:
                check(self._close(sid) == 1)
        finally:
            super().close()

    def flush(self) -> None:
        """Pass the data that the library has buffered to the file. Local."""
        if self._sid >= 0:
            super().flush()

    def _seek_to(self, position: int) -> None:
        if position != self._at:
            check(lib.sion_seek(self._sid, CURRENT_RANK, ABSOLUTE_POS, position) == 1)

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer, across chunks; fewer bytes only at the end."""
        try:
            got = super().readinto(buffer)
        except Error:
            self._at = -1
            raise
        if got:
            self._at = self._position
        return got

    def _records(self) -> _Records:
        if self._index is None:
            with self._lock:
                self._index = self._scan()
        return self._index

    def put_array(self, name: str, step: int, offset: "Sequence[int]", data: "ArrayLike") -> None:
        """Write one block of an array into this rank's stream. Local.

        :param name: as defined by :meth:`define_array`, which all ranks call with equal arguments
        :param step: >= 0, the time step that the block belongs to
        :param offset: the block's first element in the array, an index for each dimension
        :param data: the block, without masked elements; its type is converted if the kind of number stays
            the same and, for integers, the elements fit
        :raises sion.Error: the block is not within the array's shape, or cannot be written
        :raises TypeError: it has another kind of number
        :raises ValueError: it has masked elements, or integers that do not fit
        """
        self._check_open()
        with self._lock:
            self._put_array(name, step, offset, data)

    def collective_write(self, data: Any) -> int:
        """Append one record, which is in one chunk, together with all ranks of the container.

        Collective: all ranks call it equally often. If the container was opened with the word
        ``collective``, some ranks write for the others.
        """
        self._require(self.writable(), "write")
        memory = memory_of(data)
        with self._lock:
            done = lib.sion_coll_fwrite(memory.pointer, 1, memory.nbytes, self._sid)
        check(done == memory.nbytes)
        return done

    def collective_read(self, size: int) -> bytes:
        """Read a record of ``size`` bytes together with all ranks of the container. Collective."""
        self._require(self.readable(), "read")
        data = bytearray(size)
        with self._lock:
            done = lib.sion_coll_fread(ffi.from_buffer(data), 1, size, self._sid)
        check(done == size)
        self._position += size
        self._at = self._position
        return bytes(data)


def paropen(name: "str | os.PathLike[str]", mode: str = "r", comm: "MPI.Comm | None" = None, *,
            chunksize: int = 0, nfiles: int = 1, fsblksize: int = -1, keyval: bool = False,
            local_comm: "MPI.Comm | None" = None) -> ParallelStream:
    """Open a container with one stream for each rank of an MPI communicator.

    Collective over comm. As many ranks must read a container as have written it. A single process
    reads any container with :func:`sion.open`, any number of ranks with :func:`paropen_shared`.

    :param mode: "r" or "w", and further words of sion(7), separated by commas ("w,collective")
    :param comm: the communicator of mpi4py; None: MPI.COMM_WORLD. Do not free it before the close.
    :param chunksize: when writing: bytes that this rank wants in a chunk
    :param nfiles: when writing: number of physical files; 0: one for each local_comm
    :param fsblksize: when writing: block size in bytes; -1: that of the file system
    :param keyval: when writing: write records with keys, not plain bytes
    :param local_comm: with nfiles=0: the ranks that share a physical file
    :raises sion.Error: on all ranks, if any rank fails
    """
    mpi_ffi, mpi_lib, mpi = _mpi()
    comm = mpi.COMM_WORLD if comm is None else comm
    words = [word.strip() for word in mode.split(",")]
    writing = bool({"w", "wb", "bw"} & set(words))
    if keyval:
        words.append("keyval=inline")
    handle = mpi_ffi.cast("MPI_Comm *", mpi._addressof(comm))
    local = mpi_ffi.cast("MPI_Comm *", mpi._addressof(comm if local_comm is None else local_comm))
    files, rank = mpi_ffi.new("int *", nfiles), mpi_ffi.new("int *", comm.Get_rank())
    chunk, block = mpi_ffi.new("sion_int64 *", chunksize), mpi_ffi.new("sion_int32 *", fsblksize)
    with open_lock:
        sid = mpi_lib.sion_paropen_mpi(name_of(name), ",".join(words).encode(), files, handle[0],
                                       local, chunk, block, rank, mpi_ffi.NULL, mpi_ffi.NULL)
    if sid < 0:
        raise failure()
    return ParallelStream(os.fsdecode(name), sid, mpi_lib.sion_parclose_mpi, writing, rank[0],
                          (chunk[0], block[0], files[0]))

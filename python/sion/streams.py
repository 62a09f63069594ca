"""Streams: a task of a container as a file object."""

from __future__ import annotations

import array
import io
import operator
import time
from typing import TYPE_CHECKING, Any, Callable, Iterator, NamedTuple

import numpy as np

from ._declarations import ABSOLUTE_POS, CURRENT_BLK, CURRENT_POS, KEYVAL_INLINE
from ._library import check, failure, ffi, lib
from .device import Memory, memory_of, on_device
from .errors import Code, Error
from .pure.states import has_writer, is_closed, is_old

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from .container import Container


class _Records:
    """An index of a task's records: all keys in order, and the sizes of each key's records."""

    def __init__(self) -> None:
        self.order = array.array("Q")
        self.sizes: "dict[int, array.array[int]]" = {}


class Facts(NamedTuple):
    """Properties that all streams of a container share."""

    keyval: bool
    big_endian: bool


def facts_of(sid: int) -> Facts:
    """Ask the library."""
    return Facts(lib.sion_get_keyval_mode(sid) == KEYVAL_INLINE,
                 lib.sion_get_file_endianness(sid) == 1)


def generation_of(sid: int) -> int:
    """The number of the generation that is shown; 1 if all is shown that there is."""
    number = ffi.new("sion_int64 *")
    check(lib.sion_get_generation(sid, number, ffi.NULL))
    return max(1, int(number[0]))


class Stream(io.RawIOBase):
    """The stream of one task: a raw file object or, in key-value containers, its records.

    A stream that is read can seek; writing appends. Wrap it in :class:`io.BufferedReader` or
    :class:`io.BufferedWriter` to read or write many small pieces.
    """

    def __init__(self, sid: int, lock: Any, writing: bool, facts: "Facts | None" = None) -> None:
        super().__init__()
        self._sid = sid
        self._lock = lock
        self._writing = writing
        self._position = 0
        self._keyval, self._big_endian = facts or facts_of(sid)

    # ---- methods that kinds of streams override; called with the lock held ----

    def _select(self) -> None:
        """Select this task in the library."""

    def _seek_to(self, position: int) -> None:
        """Select this task, at a byte of its stream."""
        raise NotImplementedError

    def _fetch(self, into: memoryview) -> None:
        """Read bytes that the stream has, from where it is."""
        if lib.sion_stream_read(self._sid, ffi.from_buffer(into), into.nbytes) < into.nbytes:
            raise failure()

    def _read_record(self, key: int, n: int, into: memoryview) -> None:
        """Read the nth record of a key."""
        self._select()
        check(lib.sion_seek_key(self._sid, key, n, 0))
        got = lib.sion_fread_key(ffi.from_buffer(into), key, 1, into.nbytes, self._sid)
        check(got == into.nbytes)

    def _check_open(self) -> None:
        if self.closed:
            raise ValueError("I/O operation on closed stream")

    def _map(self) -> "memoryview | None":
        """The stream's bytes, mapped from the file; None if they are not all in one chunk."""
        return None

    # ---- io ----

    def readable(self) -> bool:
        """Whether bytes can be read: the container is open for reading and has plain streams."""
        self._check_open()
        return not self._writing and not self._keyval

    def writable(self) -> bool:
        """Whether bytes can be written: the container was created and has plain streams."""
        self._check_open()
        return self._writing and not self._keyval

    def seekable(self) -> bool:
        """Whether the stream can seek; a stream that is written cannot."""
        return self.readable()

    def _require(self, is_possible: bool, what: str) -> None:
        if is_possible:
            return
        if self._keyval:
            raise io.UnsupportedOperation(f"{what}: a key-value container has records, not bytes")
        raise io.UnsupportedOperation(f"{what}: the container is open for "
                                      f"{'writing' if self._writing else 'reading'}")

    @property
    def size(self) -> int:
        """Bytes of the stream; while it is written, those written so far."""
        self._check_open()
        with self._lock:
            self._select()
            size = lib.sion_stream_size(self._sid)
            check(size >= 0)
        return size

    def tell(self) -> int:
        """The position in the stream, in bytes."""
        self._check_open()
        return self.size if self.writable() else self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a byte of the stream, which may be beyond its end, as in files."""
        self._require(self.seekable(), "seek")
        starts = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: None}
        if whence not in starts:
            raise ValueError(f"invalid whence ({whence}, should be 0, 1 or 2)")
        start = starts[whence]
        position = (self.size if start is None else start) + operator.index(offset)
        if position < 0:
            raise ValueError(f"negative seek position {position}")
        self._position = position
        return position

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer, or memory of a device, across chunks; fewer bytes only at the end."""
        self._require(self.readable(), "read")
        device = on_device(buffer, writable=True)
        if device is not None:
            return self._read_to_device(device)
        with memoryview(buffer).cast("B") as view:
            rest = max(0, self.size - self._position)
            if not rest or not view.nbytes:
                self._check_empty()
                return 0
            with self._lock:
                self._seek_to(self._position)
                got = min(view.nbytes, rest)
                self._fetch(view[:got])
            self._position += got
        return got

    def _read_to_device(self, memory: Memory) -> int:
        got = min(memory.nbytes, max(0, self.size - self._position))
        if not got:
            self._check_empty()
            return 0
        with self._lock:
            self._seek_to(self._position)
            if lib.sion_stream_read(self._sid, memory.pointer, got) < got:
                raise failure()
        self._position += got
        return got

    def _check_empty(self) -> None:
        """Fail if the stream has no bytes because its numbers are damaged."""
        if not self.size:
            with self._lock:
                self._seek_to(0)

    def read(self, size: "int | None" = -1) -> bytes:
        """Read ``size`` bytes, fewer only at the end of the stream; -1: all that are left."""
        self._require(self.readable(), "read")
        rest = max(0, self.size - self._position)
        wanted = rest if size is None or size < 0 else min(rest, size)
        buffer = bytearray(wanted)
        self.readinto(buffer)
        return bytes(buffer)

    def readall(self) -> bytes:
        """Read all bytes that are left."""
        return self.read(-1)

    def write(self, data: Any) -> int:
        """Append bytes, of the host or of a device, across chunks; returns their number."""
        self._require(self.writable(), "write")
        memory = memory_of(data)
        with self._lock:
            self._select()
            written = lib.sion_stream_write(self._sid, memory.pointer, memory.nbytes)
            if written < memory.nbytes:
                raise failure()
        return written

    def flush(self) -> None:
        """Pass the data that the library has buffered to the file."""
        if not self.closed and self._writing and self._sid >= 0:
            with self._lock:
                self._select()
                check(lib.sion_flush(self._sid))

    # ---- numpy ----

    def array(self, dtype: "DTypeLike", offset: int = 0, count: int = -1) -> "NDArray[Any]":
        """The stream as a numpy array of one dimension.

        If one chunk holds the whole stream, the array is the file itself, mapped into memory: it is
        no copy, it is read-only, and it stays valid after the close. Else it is a copy.

        :param dtype: type of the elements. A type without a byte order ("f8", not "<f8" or ">f8")
            gets the byte order of the users' data in the container.
        :param offset: byte of the stream at which the array begins
        :param count: number of elements; -1: all up to the end of the stream
        :raises ValueError: the bytes are no whole number of elements, or there are too few
        """
        self._require(self.readable(), "array")
        kind = np.dtype(dtype)
        if kind.hasobject:
            raise ValueError(f"{kind} contains references, which mean nothing in a file")
        if kind.isnative and not (isinstance(dtype, str) and dtype[:1] in ("<", ">")):
            kind = kind.newbyteorder(">" if self._big_endian else "<")
        rest = self.size - offset
        if offset < 0 or rest < 0:
            raise ValueError(f"offset {offset} is outside of the stream of {self.size} bytes")
        if count < 0:
            if kind.itemsize == 0 or rest % kind.itemsize:
                raise ValueError(f"{rest} bytes are no whole number of elements of {kind.itemsize}")
            count = rest // kind.itemsize
        if count * kind.itemsize > rest:
            raise ValueError(f"{count} elements of {kind.itemsize} bytes wanted, {rest} bytes left")
        mapped = self._map() if count else None
        if mapped is not None:
            return np.frombuffer(mapped, kind, count, offset)
        result = np.empty(count, kind)
        if count:
            self._read_at(offset, result.view(np.uint8))
        return result

    def _read_at(self, position: int, into: Any) -> None:
        before, self._position = self._position, position
        try:
            self.readinto(into)
        finally:
            self._position = before

    # ---- records ----

    def _require_records(self, writing: bool) -> None:
        self._check_open()
        if not self._keyval:
            raise io.UnsupportedOperation("the container has no key-value records")
        if writing != self._writing:
            raise io.UnsupportedOperation(
                f"the container is open for {'writing' if self._writing else 'reading'}")

    def _records(self) -> "_Records":
        """The index of the task's records, which is kept for later calls."""
        raise NotImplementedError

    def _scan(self) -> "_Records":
        """Build the index from all records; called with the lock held."""
        index = _Records()
        key, size = ffi.new("uint64_t *"), ffi.new("size_t *")
        self._select()
        check(lib.sion_key_full_scan(self._sid))
        check(lib.sion_fread_key_iterator_reset(self._sid))
        while lib.sion_fread_key_iterator_next(self._sid, key, size):
            index.order.append(key[0])
            index.sizes.setdefault(key[0], array.array("Q")).append(size[0])
        return index

    def keys(self) -> "list[int]":
        """The task's keys, in the order of their first records."""
        self._require_records(False)
        return list(self._records().sizes)

    def stat(self, key: int) -> "tuple[int, int]":
        """The number of a key's records, and the sum of their bytes.

        :raises KeyError: the task has no such key
        """
        self._require_records(False)
        sizes = self._records().sizes[key]
        return len(sizes), sum(sizes)

    def record(self, key: int, n: int = 0) -> bytes:
        """The nth record of a key, in the order of writing; negative numbers count from the last.

        :raises KeyError: the task has no such key
        :raises IndexError: the key has fewer records
        """
        self._require_records(False)
        sizes = self._records().sizes[key]
        if not -len(sizes) <= n < len(sizes):
            raise IndexError(f"record {n} of key {key}, which has {len(sizes)}")
        n %= len(sizes)
        data = bytearray(sizes[n])
        if data:  # when it reads an empty record, the library goes on to the next one
            with self._lock:
                self._read_record(key, n, memoryview(data))
        return bytes(data)

    def records(self) -> "Iterator[tuple[int, bytes]]":
        """All records with their keys, in the order of writing."""
        self._require_records(False)
        seen: "dict[int, int]" = {}
        for key in self._records().order:
            n = seen.get(key, 0)
            seen[key] = n + 1
            yield key, self.record(key, n)

    def write_record(self, key: int, data: Any) -> None:
        """Append one record; it may be longer than a chunk.

        :param key: 0 .. 2**64 - 1; a key may have any number of records
        :param data: bytes, or an object with a contiguous buffer or memory of a device
        """
        self._require_records(True)
        memory = memory_of(data)
        if not 0 <= key < 1 << 64:
            raise ValueError(f"key {key} does not fit into 64 bits")
        with self._lock:
            self._select()
            # The call returns 0 for an empty record and for a failure; only the former wrote a
            # head.
            before = lib.sion_get_bytes_written(self._sid)
            done = lib.sion_fwrite_key(memory.pointer, key, 1, memory.nbytes, self._sid)
            check(done == memory.nbytes and lib.sion_get_bytes_written(self._sid) > before)


class SelectedStream(Stream):
    """The stream of one task of several, which the library selects by a number."""

    def __init__(self, container: Any, number: int) -> None:
        self._container = container
        self._number = number
        super().__init__(container._sid, container._lock, container._writing, container._facts)

    def _check_open(self) -> None:
        super()._check_open()
        self._container._check_open()

    def flush(self) -> None:
        """Pass the data that the library has buffered to the file."""
        if not self._container.closed:
            super().flush()

    def _select(self) -> None:
        self._container._check_open()
        self._container._selected = self._number
        check(lib.sion_seek(self._sid, self._number, CURRENT_BLK, CURRENT_POS))
        self._container._at = None

    def _seek_to(self, position: int) -> None:
        # A task that continues where it stopped needs no seek, which would empty the buffer.
        self._container._check_open()
        if self._container._at != (self._number, position):
            self._container._selected = self._number
            check(lib.sion_seek(self._sid, self._number, ABSOLUTE_POS, position))

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer, across chunks; fewer bytes only at the end."""
        with self._lock:
            if not self.size:
                self._container._at = None  # the stream is selected to see whether it is damaged
            got = super().readinto(buffer)
            if got:
                self._container._at = (self._number, self._position)
        return got

    def _records(self) -> _Records:
        with self._lock:
            known = self._container._indices
            if self._number not in known:
                known[self._number] = self._scan()
            return known[self._number]


class Task(SelectedStream):
    """One task of a container: ``container.tasks[n]``. Each object has a position of its own."""

    _container: "Container"
    _place: int
    _generation: int
    _lost: int

    @property
    def _position(self) -> int:
        """A position is one of the generation that was shown then; each begins with byte 0.

        What is forgotten of all generations goes from the beginning of the stream.
        """
        if self._generation != self._container._generation:
            return 0
        return max(0, self._place + self._lost - self._container._lost_of(self._number))

    @_position.setter
    def _position(self, position: int) -> None:
        self._place, self._generation = position, self._container._generation
        self._lost = self._container._lost_of(self._number)

    def __repr__(self) -> str:
        state = "closed" if self.closed or self._container.closed else f"{self.size} bytes"
        return f"<sion.Task {self._number} of {self._container.name!r}, {state}>"

    def _map(self) -> "memoryview | None":
        return self._container._map_chunk(self._number) if self.chunks == 1 else None

    @property
    def number(self) -> int:
        """The number of the task in the container, from 0."""
        return self._number

    @property
    def rank(self) -> int:
        """The number that the writer stored with the task, usually its rank in the program."""
        return int(self._container._known.ranks[self._number])

    @property
    def size(self) -> int:
        """Bytes of the stream, including heads of records; while it is written, those so far."""
        self._check_open()
        if self._writing:
            return super().size
        return int(self._container._known.sizes[self._number])

    @property
    def chunks(self) -> int:
        """Number of chunks; a task without data has one."""
        if not self._writing:
            return int(self._container._known.chunks[self._number])
        chunk = ffi.new("int *")
        with self._lock:
            self._select()
            check(lib.sion_get_current_location(self._sid, chunk, ffi.NULL, ffi.NULL, ffi.NULL))
        return chunk[0] + 1

    @property
    def chunksize(self) -> int:
        """Size of each of its chunks in bytes."""
        return int(self._container._known.chunksizes[self._number])

    @property
    def chunk_bytes(self) -> "NDArray[np.int64]":
        """Bytes used in each of its chunks."""
        self._check_open()
        return self._container._chunk_bytes(self._number)

    def follow(self, until: "Callable[[], object] | None" = None, interval: float = 0.5) -> "Iterator[bytes]":
        """The bytes that are left, and then those that come, as often as the writer publishes.

        Of a container that keeps generations, all bytes of each newest one that :meth:`Container.refresh`
        goes on to; what came and went in between is not read. With ``generation=all``, those of all, one
        after the other; what is forgotten before it was read is left out.

        It ends when the writer has closed the container. When the program that writes has ended without a
        close, it raises :class:`sion.Error`: nobody has its lock any more. Of a program that has no lock, or
        one that is not seen from here, it does so a minute after the last state. Each time it refreshes the
        container, for all of its tasks.

        :param until: is called when nothing is left; it ends if that returns something true
        :param interval: seconds from one look at the container to the next
        """
        self._require(self.readable(), "follow")
        name, had_writer = self._container.name, False
        while True:
            is_last = is_closed(name)
            writes = has_writer(name)
            had_writer |= bool(writes)
            is_lost = writes is False and not is_last and (had_writer or is_old(name))
            self._container.refresh()
            data = self._read_what_stays()
            if data:
                yield data
            elif is_last or (until is not None and until()):
                return
            elif is_lost and not is_closed(name):
                raise Error(f"the program that wrote {name} has ended without a close: nothing more will come",
                            Code.NOT_CLOSED)
            else:
                time.sleep(interval)

    def _read_what_stays(self) -> bytes:
        """All that is left, but for what was forgotten while it was read, which may be zeros by then."""
        container, number = self._container, self._number
        with self._lock:
            while True:
                begin = container._lost_of(number) + self._position
                data = self.read()
                if not data or not container._sees_all:
                    return data
                container.refresh()
                data = data[max(0, container._lost_of(number) - begin):]
                if data:
                    return data

    @property
    def file(self) -> str:
        """Name of the physical file that contains the task."""
        return self._container.members[int(self._container._known.filenumbers[self._number])]

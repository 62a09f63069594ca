"""Arrays of a container, by this reader."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Callable, Sequence

import numpy as np

from .._array_reader import ARRAY_NEWEST, ArrayInfo, ArrayReader, Block
from ..device import Memory
from ..errors import Code, Error
from .contents import Contents, FarContents, open_contents
from .crc32c import crc32c
from .convert import convert, fill_value
from .damage import PieceError
from .failures import collected, damaged, warn
from .index import ArrayIndex, Bad, IndexArray, IndexBlock
from .records import (ALIGN, ATTRIBUTE, BLOCK, FIXED, INDEX, LONGEST, MAGIC, TRAILER, Header, Later, Trailer,
                      decode, decode_trailer, header_size, needed, resembles)
from .slab import Slab, read_box
from .unpack import Unpacker
from .words import parse
from .zipped import Zipped

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SHORT, _LONG = 512, 1 << 20  # bytes that are searched at a time
_PIECE = 1 << 22  # bytes that are read before they are converted


class Streams:
    """The streams of a container by the numbers of its tasks, as arrays count them."""

    def __init__(self, contents: Contents) -> None:
        self.contents = contents
        ranks = contents.ranks()
        n = len(ranks)
        self.tasks = np.arange(n)
        if n and ranks.min() == 0 and ranks.max() == n - 1 and len(np.unique(ranks)) == n:
            self.tasks[ranks] = np.arange(n)

    def is_damaged(self, task: int) -> bool:
        """Whether nothing can be read of it."""
        return self.contents.damage(int(self.tasks[task])) is not None

    def length(self, task: int) -> int:
        """Bytes of a stream."""
        return self.contents.row(int(self.tasks[task])).size

    def read(self, task: int, position: int, count: int) -> bytes:
        """Bytes of a stream, all of which it has."""
        data = bytearray(count)
        self.contents.stream(int(self.tasks[task])).read(position, memoryview(data))
        return bytes(data)

    def locate(self, task: int, position: int, count: int) -> "tuple[str, int] | None":
        """The file and the offset of some bytes; None: they are in several pieces."""
        number = int(self.tasks[task])
        source, extents = self.contents.place(number)
        parts = extents.parts(position, count)
        return (source.name, parts[0][0]) if len(parts) == 1 and not isinstance(source, Zipped) else None

    def locked(self) -> str:
        """Which tasks are damaged; empty: none is."""
        bad = [task for task in self.tasks.tolist() if self.contents.damage(task)] \
            if any(file.damages for file in self.contents.files) else []
        if not bad:
            return ""
        first = self.contents.damage(bad[0])
        assert first is not None
        others = len(bad) - 1
        return str(first[1].error(first[0])) + (f", nor of {others} other{'s' if others > 1 else ''}"
                                                if others else "")


class _Scanner:
    """Looks for records in a stream."""

    def __init__(self, streams: Streams, task: int) -> None:
        self.streams, self.task = streams, task
        self.position, self.length = 0, streams.length(task)
        self.damaged = 0

    def _at_hole(self) -> int:
        """Bytes of a hole at the position."""
        number = int(self.streams.tasks[self.task])
        source, extents = self.streams.contents.place(number)
        offset, count = extents.parts(self.position, self.length - self.position)[0]
        run, is_hole = source.run(offset, count)
        return run if is_hole else 0

    def next(self) -> "Header | None":
        """Go to the next header; None: there is none."""
        window = _SHORT
        while self.length - self.position >= ALIGN:
            hole = self._at_hole()
            if hole:
                self.position += hole
                continue
            left = min(window, self.length - self.position)
            data = self.streams.read(self.task, self.position, left)
            found = data.find(MAGIC)
            self.position += found if found >= 0 else left - len(MAGIC) + 1
            window = min(_LONG, 8 * window)
            if found < 0 or left - found < FIXED:
                continue
            data = data[found:]
            if needed(data) > len(data):
                data = self.streams.read(self.task, self.position,
                                         min(LONGEST, self.length - self.position))
            header = decode(data)
            if header:
                return header
            self.damaged += resembles(data)
            self.position += 1
        return None


class PureArrays(ArrayReader):
    """The arrays of a container, by its index or, without one, by the headers of blocks."""

    def __init__(self, name: str, mode: str, options: "dict[str, Any] | None",
                 contents: "Contents | None") -> None:
        self._name, self._options = name, options
        self._owns = contents is None or not _is_plain(contents)
        if contents is None or self._owns:
            with collected():  # the container's own open has warned
                contents = open_contents(name, replace(parse(mode), stored=False), merged=False,
                                         options=options)
        self._streams = Streams(contents)
        self._unpacker = Unpacker(name)
        self._confirmed: "set[int]" = set()
        self._is_settled = False
        self._renew()
        self._from_whole = self._load_whole()
        if not self._from_whole:
            self._load_tasks()
        self._finish()

    def close(self) -> None:
        """Free what it has."""
        if self._owns:
            self._streams.contents.close()

    # ---- the index ----

    def _renew(self) -> None:
        self._index = ArrayIndex()
        self._damaged, self._unknown, self._incomplete = 0, -1, -1

    def _trailer(self, task: int, end: int) -> "Trailer | None":
        """The trailer that ends at a byte of a stream."""
        if end < TRAILER:
            return None
        try:
            found = decode_trailer(self._streams.read(task, end - TRAILER, TRAILER))
        except Later:
            raise Error(f"{self._name}: the index of the arrays of task {task} is of a later version of the "
                        "format, which this version of Scion does not read", Code.VERSION) from None
        # Of several generations in a row, the headers tell where blocks are.
        return found if found and found.length <= end and found.start <= end and \
            found.generation in (0, end) else None

    def _trailers(self, task: int) -> "list[Trailer]":
        """Those of the indexes at the end of a stream, in the order in which they were written."""
        found: "list[Trailer]" = []
        end = self._streams.length(task)
        while end > 0:
            trailer = self._trailer(task, end)
            if trailer is None:
                return []
            found.append(trailer)
            end = trailer.before
        return found[::-1]

    def _parts(self, task: int, trailer: Trailer) -> bytes:
        """The bytes of an index, part by part."""
        scanner, data = _Scanner(self._streams, task), b""
        scanner.position = trailer.start
        while len(data) < trailer.length:
            header = scanner.next()
            if header is None:
                raise Bad
            at = scanner.position + header.size
            if header.kind != INDEX or header.step != len(data) or \
                    not 1 <= header.length <= min(trailer.length - len(data), scanner.length - at):
                raise Bad
            data += self._streams.read(task, at, header.length)
            scanner.position = at + header.length
        if crc32c(data) != trailer.crc:
            raise Bad
        return data

    def _length_for_blocks(self, task: int) -> int:
        """The blocks of a damaged task can be anywhere: they are not read."""
        return (1 << 63) - 1 if self._streams.is_damaged(task) else self._streams.length(task)

    def _decode(self, data: bytes, stream: int, trailer: Trailer) -> None:
        self._index.decode(data, stream, trailer, self._streams.contents.ntasks, self._length_for_blocks)

    def _load_whole(self) -> bool:
        """Use the index of all tasks, if there is one, and it is of these streams."""
        if self._streams.is_damaged(0):
            return False
        try:
            trailers = self._trailers(0)
        except PieceError as error:
            self._lock_out(0, error)
            return False
        if not trailers or not all(trailer.is_whole for trailer in trailers):
            return False
        try:
            for trailer in trailers:
                self._decode(self._parts(0, trailer), -1, trailer)
        except (Bad, PieceError) as error:
            self._renew()
            if isinstance(error, PieceError):
                self._lock_out(0, error)
            return False
        if self._has_others():
            self._renew()
            return False
        return True

    def _has_others(self) -> bool:
        """Whether a stream of which the index knows no block ends with an index."""
        contents = self._streams.contents
        if isinstance(contents, FarContents):  # that would be a request for each task
            return False
        for task in range(1, contents.ntasks):
            if task in self._index.tasks:
                continue
            if self._streams.is_damaged(task):
                self._unknown = max(self._unknown, task)
            elif self._has_trailer(task):
                return True
        return False

    def _has_trailer(self, task: int) -> bool:
        try:
            return self._trailer(task, self._streams.length(task)) is not None
        except PieceError as error:
            self._lock_out(task, error)
            return False

    def _lock_out(self, task: int, error: PieceError) -> None:
        """Bytes that say what blocks a task has differ from their checksum."""
        error.lock_out()
        self._unknown = max(self._unknown, task)

    def _load_tasks(self) -> None:
        """Use the index of each task, or the headers of its blocks if it has none."""
        tasks, texts = range(self._streams.contents.ntasks), []
        try:
            for task in tasks:
                texts += self._accepting(task, self._load_task)
        except Bad:  # a damaged index leaves what has been added incomplete
            self._renew()
            texts = [text for task in tasks for text in self._accepting(task, self._scan)]
        for name, data in texts:
            self._index.add_text(name, data)

    def _accepting(self, task: int, load: "Callable[[int], list[tuple[bytes, bytes]]]") \
            -> "list[tuple[bytes, bytes]]":
        try:
            return load(task)
        except PieceError as error:
            self._lock_out(task, error)
            return []

    def _load_task(self, task: int) -> "list[tuple[bytes, bytes]]":
        if self._streams.is_damaged(task):
            return self._scan(task)
        trailers = self._trailers(task)
        try:
            indexes = [self._parts(task, trailer) for trailer in trailers]
        except Bad:
            return self._scan(task)
        for trailer, data in zip(trailers, indexes):
            self._decode(data, task, trailer)
        return [] if trailers else self._scan(task)

    def _scan(self, task: int) -> "list[tuple[bytes, bytes]]":
        """All records of a stream whose bytes are all there; returns the attributes."""
        texts: "list[tuple[bytes, bytes]]" = []
        if self._streams.is_damaged(task):
            self._unknown = max(self._unknown, task)
            return texts
        scanner = _Scanner(self._streams, task)
        header = scanner.next()
        while header is not None:
            scanner.position = position = scanner.position + header.size
            if header.length <= scanner.length - position:
                scanner.position += header.length
                if header.kind == BLOCK:
                    self._index.add_header(task, header, position)
                elif header.kind == ATTRIBUTE:
                    texts.append((header.name, self._streams.read(task, position, header.length)))
            header = scanner.next()
        self._damaged += scanner.damaged
        if scanner.damaged:
            self._incomplete = task
        return texts

    def _finish(self) -> None:
        if self._unknown >= 0 or self._incomplete >= 0:
            for array in self._index.arrays.values():
                array.lacks_range = True
        self._index.finish()
        locked = self._streams.locked() if not isinstance(self._streams.contents, FarContents) else ""
        if locked:
            warn(locked)
        if self._damaged:
            one = self._damaged == 1
            warn(f"{self._name}: {self._damaged} header{'' if one else 's'} of records "
                 f"{'is' if one else 'are'} damaged, so their blocks are missing")

    def _load_again(self) -> None:
        """The index of all tasks is of other streams: use those of the tasks."""
        old = self._index, self._damaged, self._unknown, self._incomplete
        self._renew()
        try:
            self._load_tasks()
            self._finish()
        except Error:
            self._index, self._damaged, self._unknown, self._incomplete = old
            raise
        self._from_whole = False

    # ---- what there is ----

    def names(self) -> "list[str]":
        """Names in the order of definition."""
        return [array.name for array in self._index.arrays.values()]

    def info(self, name: str) -> "ArrayInfo | None":
        """An array; None: there is no such array."""
        array = self._index.arrays.get(name.encode())
        if array is None:
            return None
        plain = sum(_bytes_of(array, block) for block in array.blocks)
        return ArrayInfo(array.shape, array.dtype, len(array.blocks), array.steps, array.range, plain,
                         sum(block.stored for block in array.blocks), array.codec)

    def _texts(self, owner: "str | None") -> "dict[str, str]":
        if owner is None:
            return self._index.texts
        array = self._index.arrays.get(owner.encode())
        return array.texts if array else {}

    def attribute(self, owner: "str | None", key: str) -> "str | None":
        """A text that was stored with it; None: there is none."""
        return self._texts(owner).get(key)

    def keys(self, owner: "str | None") -> "list[str]":
        """The keys of its texts."""
        return list(self._texts(owner))

    def _find(self, name: str) -> IndexArray:
        array = self._index.arrays.get(name.encode())
        if array is None:
            raise Error(f"there is no array {name}", Code.ARGUMENT)
        return array

    # ---- blocks ----

    def _head_of(self, array: IndexArray, block: IndexBlock) -> "tuple[int, int]":
        """Where the header of a block is, and its bytes."""
        size = header_size(len(array.shape), len(array.name.encode()))
        return block.position - size, size

    def _confirm(self, array: IndexArray, block: IndexBlock) -> bool:
        """Whether the first block that is read of a stream has the header that the index says."""
        if not self._from_whole or block.task in self._confirmed:
            return True
        at, size = self._head_of(array, block)
        header = decode(self._streams.read(block.task, at, size)) if at >= 0 else None
        if header is None or header.size != size or \
                (header.kind, header.type, header.step, header.name, header.offset, header.count,
                 header.length, header.coding) != \
                (BLOCK, array.kind, block.step, array.name.encode(), block.offset, block.count,
                 block.stored, block.coding):
            return False
        self._confirmed.add(block.task)
        return True

    def blocks(self, name: str, step: int) -> "list[Block]":
        """The blocks of a step, or of all steps (ARRAY_NEWEST)."""
        if not self._is_settled:
            if any(not self._confirm(array, block) for array in self._index.arrays.values()
                   for block in array.blocks):
                self._load_again()
            if self._unknown >= 0:
                raise damaged(f"task {self._unknown} is damaged, and its blocks are not known")
            self._is_settled = True
        array = self._find(name)
        return [self._block(array, one) for one in array.at(step)]

    def _block(self, array: IndexArray, one: IndexBlock) -> Block:
        place = self._streams.locate(one.task, one.position, one.stored)
        file, position = place if place else (None, None)
        return Block(one.step, one.task, one.offset, one.count, file, None if one.coding.codec else position,
                     _bytes_of(array, one), "big" if one.task in self._index.big else "little", one.range,
                     one.coding.text, one.stored, position)

    # ---- reading ----

    def read(self, name: str, step: int, offset: "Sequence[int]", count: "Sequence[int]",
             into: "NDArray[Any] | Memory") -> None:
        """Read a part as the type of `into`."""
        if isinstance(into, Memory):
            raise TypeError("the reader in Python cannot read into memory of a device")
        if not self._read(self._find(name), step, tuple(offset), tuple(count), into):
            self._load_again()
            self._read(self._find(name), step, tuple(offset), tuple(count), into)

    def _read(self, array: IndexArray, step: int, offset: "tuple[int, ...]", count: "tuple[int, ...]",
              into: "NDArray[Any]") -> bool:
        """False: the index turns out to be of other streams."""
        into = into.reshape(count)
        if into.dtype == array.dtype or 0 in count:
            return 0 in count or self._read_slab(array, step, offset, count, into)
        # Converted a piece at a time: rows of the first dimension that has several.
        row = into.nbytes // max(1, count[0] if count else 1)
        rows = max(1, _PIECE // max(1, row)) if count else 1
        for first in range(0, count[0] if count else 1, rows):
            number = min(rows, count[0] - first) if count else 1
            box = ((offset[0] + first, *offset[1:]), (number, *count[1:])) if count else ((), ())
            part = np.empty(box[1], array.dtype)
            if not self._read_slab(array, step, *box, part):
                return False
            convert(array.name, part, box[0], into[first:first + number] if count else into)
        return True

    def _read_slab(self, array: IndexArray, step: int, offset: "tuple[int, ...]", count: "tuple[int, ...]",
                   into: "NDArray[Any]") -> bool:
        slab = Slab(offset, count)
        chosen = slab.choose(array.at(step))
        if self._unknown >= 0 or self._incomplete >= 0:
            self._check_known(array, step, slab, chosen)
        if not slab.is_covered:
            into[...] = fill_value(array.dtype, array.texts.get("_FillValue"))
        for block in reversed(chosen):  # hidden blocks first, so that the others overwrite them
            if not self._confirm(array, block):
                return False
        read_box(self._streams, array, chosen, slab, self._index.big, into, self._unpacker)
        return True

    def _check_known(self, array: IndexArray, step: int, slab: Slab, chosen: "list[IndexBlock]") -> None:
        """Blocks of a damaged task count less than those of higher tasks, whose elements are right."""
        if step != ARRAY_NEWEST and slab.is_covered and all(one.task > self._unknown for one in chosen):
            return
        task = self._unknown if self._unknown >= 0 else self._incomplete
        raise damaged(f"array {array.name}: task {task} is damaged, so blocks with elements of this part may "
                      "be missing")


def _bytes_of(array: IndexArray, block: IndexBlock) -> int:
    return int(np.prod(block.count, dtype=np.int64)) * array.dtype.itemsize


def _is_plain(contents: Contents) -> bool:
    """Whether a container's streams are those that arrays are in."""
    if contents.head.is_zipped != contents.unzips:
        return False
    return isinstance(contents, FarContents) or \
        (not contents._mode.compares and (contents.unzips or all(file.members is None for file in contents.files)))

"""A model of FTI-FF, from its tables and without the library: checkpoints of every layout, byte by byte.

model.py FOLDER makes FOLDER/<layout>/l1 to l4 with the files that a program of two ranks would leave
there and, next to each Rank file, the expected output of the tool: <file>.dump, and <file>.vars/ with the
variables. Bytes that releases of FTI leave undefined are 0x5a.

model.py --compare FOLDER LAYOUT compares the checkpoints of rank 0 that the library has written to FOLDER
with the model, byte by byte. Their times are not compared, undefined bytes are 0, and the checksum is the
one that FTI's reader accepts.
"""
import hashlib
import os
import struct
import sys

# By layout: place of the file block, formats of block and container records, number of padding
# bytes.
FRONT, END = 'front', 'end'
LAYOUTS = {
    'A': (FRONT, '<iq', '<iiiB3sQQqq16s'),
    'B': (FRONT, '<iq', '<iiiBBQQqq16s'),
    'C': (END, '<iq', '<iiiBBQQqq16s'),
    'D': (END, '<iq', '<iiBBQQqq16s'),
    'E': (END, '<ii', '<iiBBQQii16s'),
    'F': (END, '<iq', '<iiBBQQqq16s'),
}
FILE_BLOCK = {'A': 96, 'B': 90, 'C': 110, 'D': 110, 'E': 82, 'F': 106}
GARBAGE = b'\x5a'
TIME = 1637000000123456789

# Elements of the variables 1, 2 and 3 at each checkpoint of rank 0; None: not protected yet.
HISTORY = [(10, 5, None), (16, 5, 0), (12, 5, 4), (4, 0, 4), (4, 0, 0)]


def md5(*parts):
    return hashlib.md5(b''.join(parts)).digest()


def data_of(rank, var, n):
    return struct.pack('<%dI' % n, *[(var * 100000000 + k + rank * 1000000000) % 2**32 for k in range(n)])


def file_block(layout, checksum, ckptid, sizes, timestamp, undefined=GARBAGE):
    """sizes: ckptSize, metaSize, dataSize, fs, maxFs, ptFs."""
    ckpt, meta, data, fs, most, partner = sizes
    text = checksum.hex().encode() + b'\0'
    if layout in 'AB':
        covered = struct.pack('<5q', timestamp, ckpt, fs, partner, most)
        fields = struct.pack('<5q', ckpt, fs, most, partner, timestamp)
        pads = (undefined * 7, b'') if layout == 'A' else (b'', undefined)
    elif layout == 'E':
        low = struct.unpack('<i', struct.pack('<q', timestamp)[:4])[0]
        covered = struct.pack('<7i', low, ckpt, meta, data, fs, partner, most)
        fields = struct.pack('<8i', ckptid, ckpt, meta, data, fs, most, partner, low)
        pads = (b'', undefined)
    else:
        time = struct.pack('<q', timestamp)[:4 if layout == 'F' else 8]
        covered = time + struct.pack('<6q', ckpt, meta, data, fs, partner, most)
        fields = struct.pack('<i6q', ckptid, ckpt, meta, data, fs, most, partner) + time
        pads = (b'', undefined)
    block = text + md5(text, covered) + pads[0] + fields + pads[1]
    assert len(block) == FILE_BLOCK[layout]
    return block


class Container:
    def __init__(self, var, idx, number, dptr, size, undefined):
        self.var, self.idx, self.number, self.dptr, self.size = var, idx, number, dptr, size
        self.chunk, self.fptr, self.content = b'', 0, True
        self.hash = undefined * 16  # what it is before the container has any content


class Process:
    """Blocks of containers, which grow. by_fti: with the bytes that FTI leaves undefined, and its checksum."""

    def __init__(self, layout, rank, by_fti=True):
        self.layout, self.rank, self.blocks, self.by_fti = layout, rank, [], by_fti
        self.undefined = GARBAGE if by_fti else b'\0'

    def containers(self, var):
        return [c for block in self.blocks for c in block if c.var == var]

    def checkpoint(self, elements):
        new = []
        self.values = {}
        for idx, n in enumerate(elements):
            if n is None:
                continue
            var, number = idx + 1, 0
            left = self.values[var] = data_of(self.rank, var, n + (self.rank if n else 0))
            ended = False
            for c in self.containers(var):
                c.chunk, left = left[:c.size], left[c.size:]
                c.content, ended = not ended, ended or not left
                number += 1
            if left or number == 0:
                dptr = sum(c.size for c in self.containers(var))
                new.append(Container(var, idx, number, dptr, len(left), self.undefined))
                new[-1].chunk = left
        if new:
            self.blocks.append(new)
        for c in (c for block in self.blocks for c in block):
            if c.content:
                c.hash = md5(c.chunk)
            elif self.layout == 'A':
                c.hash = md5(b'')
            elif self.layout == 'B' or not self.by_fti:
                c.hash = self.undefined * 16
        self.place()

    def record_bytes(self, block):
        _, db, var = LAYOUTS[self.layout]
        return struct.calcsize(db) + len(block) * struct.calcsize(var)

    def dbsize(self, block):
        data = sum(c.size for c in block)
        return data + (self.record_bytes(block) if LAYOUTS[self.layout][0] == FRONT else 0)

    def place(self):
        front = LAYOUTS[self.layout][0] == FRONT
        at = FILE_BLOCK[self.layout] if front else 0
        for block in self.blocks:
            at += self.record_bytes(block) if front else 0
            for c in block:
                c.fptr, at = at, at + c.size
        self.data = 0 if front else at
        self.meta = FILE_BLOCK[self.layout] + sum(map(self.record_bytes, self.blocks))
        self.fs = at if front else at + self.meta

    def records(self, block, has_ckpt):
        _, db, var = LAYOUTS[self.layout]
        out = struct.pack(db, len(block), self.dbsize(block))
        for c in block:
            ids = (c.var, c.idx, c.number) if self.layout in 'ABC' else (c.var, c.number)
            flag = self.undefined * 3 if self.layout == 'A' else has_ckpt
            out += struct.pack(var, *ids, c.content, flag, c.dptr, c.fptr, len(c.chunk), c.size, c.hash)
        return out

    def checksum(self, body):
        every = [c for block in self.blocks for c in block]
        if self.layout == 'A':
            return md5(body)
        if self.layout == 'B':
            return md5(*[c.chunk for c in every])
        return md5(*[c.hash for c in every if c.content or self.by_fti])

    def file(self, ckptid, most=-1, partner=-1, has_ckpt=0, time=TIME):
        front = LAYOUTS[self.layout][0] == FRONT
        body, last = b'', 0
        for block in self.blocks:
            body += self.records(block, has_ckpt) if front else b''
            last = len(body)
            for c in block:
                body += c.chunk
                last = len(body) if c.chunk else last
                body += b'\0' * (c.size - len(c.chunk))
        if not front:
            body += b''.join(self.records(block, has_ckpt) for block in self.blocks)
        sizes = self.fs, self.meta, self.data, self.fs, most, partner
        block = file_block(self.layout, self.checksum(body), ckptid, sizes, time, self.undefined)
        if self.layout == 'B':  # what is unused at the end is not written
            body = body[:last]
        return block + body if front else body + block

    def dump(self):
        """A dump in the form of FTI's description, without memory addresses."""
        out = '------------------- DATASTRUCTURE BEGIN -------------------\n\n'
        for number, block in enumerate(self.blocks):
            out += ' DataBase-id: %d\n numvars: %d\n dbsize: %d\n [size metadata: %d]\n\n' % (
                number, len(block), self.dbsize(block), self.record_bytes(block))
            for i, c in enumerate(block):
                out += ' Var-id: %d\n id: %d\n' % (i, c.var)
                out += ' idx: %d\n' % c.idx if self.layout in 'ABC' else ''
                out += ' containerid: %d\n hascontent: %s\n dptr: %d\n fptr: %d\n' % (
                    c.number, 'true' if c.content else 'false', c.dptr, c.fptr)
                out += ' chunksize: %d\n containersize: %d\n [hash: %s]\n\n' % (
                    len(c.chunk), c.size, c.hash.hex())
        return out + '\n------------------- DATASTRUCTURE END ---------------------\n'


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as file:
        file.write(data)


def write_rank(path, process, data):
    write(path, data)
    write(path + '.dump', process.dump().encode())
    for var, value in process.values.items():
        write('%s.vars/var_%d.bin' % (path, var), value)


def encoded(layout, ckptid, rank, most, size):
    """Reed-Solomon bytes, which no reader decodes, and a file block, part of which is undefined."""
    rs = hashlib.shake_128(b'%d' % rank).digest(most)
    sizes = size, 0x5a5a5a5a, 0x5a5a5a5a, most, most, -1
    return rs + file_block(layout, md5(rs), ckptid, sizes, TIME)


def make(folder, layout):
    alone = Process(layout, 0)
    for ckptid, elements in enumerate(HISTORY, 1):
        alone.checkpoint(elements)
        write_rank('%s/l1/Ckpt%d-Rank0.fti' % (folder, ckptid), alone, alone.file(ckptid))
    if layout != 'A':
        write('%s/l4/dCPFile-Rank0.fti' % folder, alone.file(5, has_ckpt=1))
    ranks = [Process(layout, rank) for rank in (0, 1)]
    for process in ranks:
        process.checkpoint(HISTORY[1])
    if layout != 'A':
        for process in ranks:
            path = '%s/dcp/dCPFile-Rank%d.fti' % (folder, process.rank)
            write(path, process.file(4, has_ckpt=1))
    largest = max(process.fs for process in ranks) + (0 if layout in 'AB' else 8)
    for process in ranks:
        other = ranks[1 - process.rank]  # in a ring of two
        path = '%s/l2/Ckpt9-Rank%d.fti' % (folder, process.rank)
        write_rank(path, process, process.file(9, partner=other.fs))
        write('%s/l2/Ckpt9-Pcof%d.fti' % (folder, other.rank), process.file(9, partner=other.fs))
        path = '%s/l3/Ckpt8-Rank%d.fti' % (folder, process.rank)
        write_rank(path, process, process.file(8, most=largest))
        write('%s/l3/Ckpt8-RSed%d.fti' % (folder, process.rank),
              encoded(layout, 8, process.rank, largest, process.fs))


def time_of(layout, file):
    """The time of a written checkpoint, which is the last field of the file block."""
    end = {'A': 96, 'B': 89}.get(layout, len(file) - 1)
    return int.from_bytes(file[end - (4 if layout in 'EF' else 8):end], 'little')


def compare(folder, layout):
    process = Process(layout, 0, by_fti=False)
    for ckptid, elements in enumerate(HISTORY, 1):
        process.checkpoint(elements)
        path = '%s/Ckpt%d-Rank0.fti' % (folder, ckptid)
        with open(path, 'rb') as file:
            written = file.read()
        time = time_of(layout, written)
        if time == 0 or written != process.file(ckptid, time=time):
            sys.exit('%s differs from the model of layout %s' % (path, layout))


if sys.argv[1] == '--compare':
    compare(*sys.argv[2:])
else:
    for name in LAYOUTS:
        make(sys.argv[1] + '/' + name, name)

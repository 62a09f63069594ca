"""
What a container says by doc/format.md, read without the library: the streams of its tasks. Every rule that a
sound container keeps is checked, so that damage which the rules tell is never taken for data.
"""


class Unsound(Exception):
    """A number breaks a rule: no writer makes such a container, and a reader has to notice it."""


class BrokenRecords(Exception):
    """A stream of key-value records that does not end with one."""


RANKS = 1076  # in META1
PLAIN, RECORDS = 50 << 32, 51 << 32  # flag1


def need(is_kept, rule):
    if not is_kept:
        raise Unsound(rule)


class File:
    """One physical file. name: None, or the number that its name says."""

    def __init__(self, image, named):
        need(image[:4] == b"sion" and len(image) >= RANKS, "magic")
        self.image, self.swapped = image, bool((image[4] | image[7]) & 1)
        _, _, version, block, self.n, self.nfiles, self.number = (self.i32(8 + 4 * i) for i in range(7))
        need(version == 5 and block >= 1 and 1 <= self.n <= len(image) // 16 and self.nfiles >= 1, "numbers")
        need(self.nfiles == 1 or (0 <= self.number < self.nfiles and self.number == (named or 0)), "number")
        self.flag1 = self.i64(36) & ~0xffffffff
        need(self.flag1 in (PLAIN, RECORDS) and self.i64(44) == 0, "flags")
        end = RANKS + 16 * self.n
        need(len(image) >= end + 12, "tail")
        self.ranks = [self.i64(RANKS + 8 * t) for t in range(self.n)]
        self.sizes = [self.i64(RANKS + 8 * (self.n + t)) for t in range(self.n)]
        need(all(0 <= size < 1 << 40 for size in self.sizes), "sizes")
        self.begin, self.skip = -(-(end + 12) // block) * block, sum(self.sizes)
        self.read_tables(self.i32(end), self.i64(end + 4))

    def number_at(self, offset, size):
        need(0 <= offset <= len(self.image) - size, "offset")
        return int.from_bytes(self.image[offset:offset + size], "big" if self.swapped else "little", signed=True)

    def i32(self, offset):
        return self.number_at(offset, 4)

    def i64(self, offset):
        return self.number_at(offset, 8)

    def read_tables(self, rows, start):
        n, self.end = self.n, start + 8 * self.n * (1 + rows)
        need(rows >= 1 and start == self.begin + rows * self.skip and self.end <= len(self.image), "META2")
        self.counts = [self.i64(start + 8 * t) for t in range(n)]
        need(all(1 <= count <= rows for count in self.counts), "counts")
        self.used = [[self.i64(start + 8 * (n * (1 + b) + t)) for b in range(rows)] for t in range(n)]
        for t in range(n):
            need(all(used in (0, -1) for used in self.used[t][self.counts[t]:]), "length of no chunk")
            self.used[t] = self.used[t][:self.counts[t]]
            need(all(0 <= used <= self.sizes[t] for used in self.used[t]), "used bytes")
            full = self.flag1 == PLAIN or all(used == self.sizes[t] for used in self.used[t][:-1])
            need(full, "a chunk before the last one is not full")

    def stream(self, task):
        at = self.begin + sum(self.sizes[:task])
        return b"".join(self.image[at + b * self.skip:at + b * self.skip + used]
                        for b, used in enumerate(self.used[task]))

    def pairs(self):
        size = self.i32(self.end)
        need(self.nfiles <= size <= len(self.image), "size of the mapping")
        return [(self.i32(self.end + 4 + 8 * i), self.i32(self.end + 8 + 8 * i)) for i in range(size)]


class Container:
    """name: of file 0. images: of all files, by name."""

    def __init__(self, name, images):
        first = File(images[name], None)
        self.has_records = first.flag1 == RECORDS
        if first.nfiles == 1:
            self.streams = [first.stream(t) for t in range(first.n)]
            return
        names = [name] + ["%s.%06d" % (name, i) for i in range(1, first.nfiles)]
        need(all(member in images for member in names), "a file is missing")
        files = [File(images[member], i) for i, member in enumerate(names)]
        for member in files:
            need((member.nfiles, member.flag1) == (first.nfiles, first.flag1), "files of two sets")
        self.streams = self.map(first, files)

    @staticmethod
    def map(first, files):
        """Each pair names another task, which says that it has this rank, and no task is left over."""
        pairs = first.pairs()
        for rank, (f, t) in enumerate(pairs):
            need(0 <= f < len(files) and 0 <= t < files[f].n, "pair")
            need(files[f].ranks[t] == rank, "pair and global rank")
        need(len(pairs) == sum(member.n for member in files), "a task that no pair names")
        return [files[f].stream(t) for f, t in pairs]

    def records(self, task):
        """(key, value) of each record of a task."""
        stream, at, found = self.streams[task], 0, []
        while at < len(stream):
            key, length = (int.from_bytes(stream[at + i:at + i + 8], "little") for i in (0, 8))
            at += 16 + length
            if at > len(stream):
                raise BrokenRecords
            found.append((key, stream[at - length:at]))
        return found

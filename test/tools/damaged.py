"""
Containers of which one number is damaged, each read by several programs. A read that succeeds without a
warning has to deliver the data of the undamaged container. Or nobody can tell: the damaged container is, by
each rule of doc/format.md, a sound one that a writer may have made, with other lengths or without records.
damaged_model.py decides that without the library, and says which bytes that container has; readers have to
deliver these. Programs that read the bytes of key-value streams without their keys are not asked whether
the records are whole; those that read records are. With checksums, everything has to be noticed.

    damaged.py BUILDDIR SAMPLES SCRATCH short|full [checksum]
"""
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from damaged_model import BrokenRecords, Container, Unsound

build, golden, scratch, length = sys.argv[1:5]
with_checksums = sys.argv[5:] == ["checksum"]
STEP = 37 if length == "short" else 1  # of the damaged files, this one in so many is read
PREFIX = 52
RANKS = 1076  # in META1
WARNINGS = [b" warning: ", b"SION_ERROR_WARN"]  # of tools, and of the library
WARNED = -1  # in place of the status of a program that has noticed the damage


class Field:
    def __init__(self, name, offset, size):
        self.name, self.offset, self.size = name, offset, size


def number(image, offset, size, swapped):
    return int.from_bytes(image[offset:offset + size], "big" if swapped else "little")


def fields_of_meta1(image, swapped):
    ntasks = number(image, 24, 4, swapped)
    names = ["magic", "endianness", "version", "patch level", "format version", "fsblksize", "ntasks",
             "nfiles", "filenumber"]
    fields = [Field(name, 4 * i, 4) for i, name in enumerate(names)]
    fields += [Field("flag1", 36, 8), Field("flag2", 44, 8), Field("prefix", PREFIX, 4)]
    for t in range(ntasks):
        fields.append(Field("globalranks[%d]" % t, RANKS + 8 * t, 8))
    for t in range(ntasks):
        fields.append(Field("chunksizes[%d]" % t, RANKS + 8 * (ntasks + t), 8))
    end = RANKS + 16 * ntasks
    fields += [Field("maxchunks", end, 4), Field("start_of_varheader", end + 4, 8)]
    return fields, ntasks, end


def fields_of_meta2(image, swapped, ntasks, end):
    maxchunks, start = number(image, end, 4, swapped), number(image, end + 4, 8, swapped)
    fields = [Field("counts[%d]" % t, start + 8 * t, 8) for t in range(ntasks)]
    for chunk in range(maxchunks):
        for t in range(ntasks):
            fields.append(Field("used[%d] of task %d" % (chunk, t),
                                start + 8 * (ntasks * (1 + chunk) + t), 8))
    return fields, start + 8 * ntasks * (1 + maxchunks)


def fields_of_mapping(image, swapped, at):
    if number(image, 28, 4, swapped) < 2 or number(image, 32, 4, swapped) > 0:
        return []
    fields = [Field("mapping size", at, 4)]
    for pair in range(number(image, at, 4, swapped)):
        fields.append(Field("file of rank %d" % pair, at + 4 + 8 * pair, 4))
        fields.append(Field("place of rank %d" % pair, at + 8 + 8 * pair, 4))
    return fields


def is_swapped(image):
    return number(image, 24, 4, False) > 1 << 20  # tasks


def fields_of(image):
    swapped = is_swapped(image)
    fields, ntasks, end = fields_of_meta1(image, swapped)
    more, at = fields_of_meta2(image, swapped, ntasks, end)
    return fields + more + fields_of_mapping(image, swapped, at)


def changed_by(old, difference):
    number_then = (int.from_bytes(old, "little") + difference) % (1 << 8 * len(old))
    return number_then.to_bytes(len(old), "little")


def damages(old):
    """The names of damages, and what they make of the bytes."""
    low = bytes([old[0] ^ 1]) + old[1:]
    middle = old[:len(old) // 2] + bytes([old[len(old) // 2] ^ 8]) + old[len(old) // 2 + 1:]
    high = old[:-1] + bytes([old[-1] ^ 0x80])
    made = [("lowest bit", low), ("a bit in the middle", middle), ("highest bit", high),
            ("0", bytes(len(old))), ("-1", b"\xff" * len(old)),
            ("maximum", b"\xff" * (len(old) - 1) + b"\x7f"), ("swapped", old[::-1]),
            ("one less", changed_by(old, -1)), ("one more", changed_by(old, 1))]
    seen = {old}
    for name, new in made:
        if new not in seen:
            seen.add(new)
            yield name, new


class Sample:
    """A container, the files of which are damaged, and how it is read."""

    def __init__(self, path, ntasks, mode="rb"):
        self.ntasks, self.mode = ntasks, mode
        self.name = os.path.basename(path)
        folder = os.path.dirname(path)
        files = [f for f in os.listdir(folder) if f == self.name or f[:-7] == self.name]
        self.images = {}
        for f in sorted(files):
            with open(os.path.join(folder, f), "rb") as file:
                self.images[f] = file.read()

    def place(self, folder, changed=None, image=None):
        os.makedirs(folder)
        for f, original in self.images.items():
            with open(os.path.join(folder, f), "wb") as out:
                out.write(image if f == changed else original)


def run(program, *arguments):
    done = subprocess.run([os.path.join(build, program), *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=30, check=False)
    return WARNED if any(word in done.stderr for word in WARNINGS) else done.returncode, done.stdout


def dump(_, name, __):
    """Two numbers of what siondump says; other fields are as they are in the file."""
    status, out = run("siondump", "-a", name)
    numbers = re.findall(rb"(?:number of tasks|datasize in file[^:]*): *(\d+)", out)
    return status, b" ".join(numbers)


def split(_, name, folder):
    parts = folder + "/parts"
    os.mkdir(parts)
    status, _ = run("sionsplit", name, parts + "/p")
    out = b""
    for part in sorted(os.listdir(parts)):
        with open(os.path.join(parts, part), "rb") as file:
            out += part.encode() + b":" + file.read()
    return status, out


def defrag(_, name, folder):
    status, _ = run("siondefrag", name, folder + "/new")
    return run("test/tools/tasks", "read", folder + "/new", "rb") if status == 0 else (status, b"")


def verify(sample, name, _):
    status, out = run("sionverify", "--json", *(["-c"] if "checksum" in sample.mode else []), name)
    return status, b" ".join(re.findall(rb'"(?:tasks|bytes)": (\d+)', out))


def serial(sample, name, _):
    return run("test/tools/tasks", "read", name, sample.mode)


def ranks(sample, name, _):
    return run("test/tools/tasks", "rank", name, sample.mode, str(sample.ntasks))


def keys(_, name, __):
    return run("test/tools/tasks", "keys", name, "rb")


# Programs that compare checksums, and those that do not.
READERS = [verify, serial, ranks] + ([] if with_checksums else [dump, split, defrag, keys])


# ---- what the model reads ----


def as_numbers(model):
    return b"%d %d" % (len(model.streams), sum(len(stream) for stream in model.streams))


def as_streams(model):
    return b"".join(b"task %d\n" % t + stream for t, stream in enumerate(model.streams))


def as_records(model):
    if not model.has_records:
        return b"no records\n"
    return b"".join(b"task %d\n" % t + b"".join(b"%d %d:" % (key, len(value)) + value
                                                 for key, value in model.records(t))
                    for t in range(len(model.streams)))


def check_records(model):
    if model.has_records:
        as_records(model)


def as_parts(model):
    if not model.has_records:
        return b"".join(b"p%05d:" % t + stream for t, stream in enumerate(model.streams))
    parts = {}
    for t in range(len(model.streams)):
        for key, value in model.records(t):
            name = b"p%05d_%012d" % (t, key)
            parts[name] = parts.get(name, b"") + value
    return b"".join(name + b":" + parts[name] for name in sorted(parts))


def expect(reader, model):
    """What a reader delivers of a sound container."""
    if reader in (verify, defrag):
        check_records(model)
    makers = {verify: as_numbers, dump: as_numbers, split: as_parts, keys: as_records}
    return makers.get(reader, as_streams)(model)


def delivers(reader, model, out):
    """Whether what the reader has delivered is what the damaged container has, which nobody can tell
    from one that was written so."""
    try:
        return out == expect(reader, model)
    except BrokenRecords:
        return False


def load(sample, changed=None, image=None):
    try:
        return Container(sample.name, {**sample.images, **({changed: image} if changed else {})})
    except Unsound:
        return None


def read_all(sample, folder):
    results = []
    for reader in READERS:
        status, out = reader(sample, os.path.join(folder, sample.name), folder)
        results.append((status, out.replace(folder.encode(), b"")))
    return results


def bytes_of_data(image):
    """Bytes in use: the first and the last one of each chunk of a file with the tables in `image`."""
    swapped = is_swapped(image)
    ntasks, block = number(image, 24, 4, swapped), number(image, 20, 4, swapped)
    end = RANKS + 16 * ntasks
    sizes = [number(image, RANKS + 8 * (ntasks + t), 8, swapped) for t in range(ntasks)]
    offset = -(-(end + 12) // block) * block
    tables = number(image, end + 4, 8, swapped)
    for chunk in range(number(image, end, 4, swapped)):
        for t in range(ntasks):
            used = number(image, tables + 8 * (ntasks * (1 + chunk) + t), 8, swapped)
            if number(image, tables + 8 * t, 8, swapped) > chunk and used > 1:
                yield Field("first byte of chunk %d of task %d" % (chunk, t), offset, 1)
                yield Field("last byte of chunk %d of task %d" % (chunk, t), offset + used - 1, 1)
            offset += sizes[t]


def cases(sample):
    for f, original in sample.images.items():
        fields = fields_of(original)
        if with_checksums:
            fields += bytes_of_data(original)
        for field in fields:
            old = original[field.offset:field.offset + field.size]
            for damage, new in damages(old):
                image = bytearray(original)
                image[field.offset:field.offset + field.size] = new
                yield "%s: %s: %s" % (f, field.name, damage), f, bytes(image)


def judge(job):
    """The readers that take the damaged container for a good one, and deliver something else; and how many
    deliver what nobody can tell from good data."""
    sample, case, changed, image, folder, good = job
    sample.place(folder, changed, image)
    results = zip(READERS, read_all(sample, folder), good)
    other = [(reader, out) for reader, (status, out), (_, expected) in results
             if status == 0 and out != expected]
    model = None if with_checksums or not other else load(sample, changed, image)
    wrong = [reader.__name__ for reader, out in other if not model or not delivers(reader, model, out)]
    shutil.rmtree(folder)
    return case, wrong, len(other) - len(wrong)


def check_undamaged(sample, good):
    if any(status != 0 for status, _ in good):
        sys.exit("the undamaged %s is not read: %s" % (sample.name, [s for s, _ in good]))
    if with_checksums:
        return
    model = load(sample)
    for reader, (_, out) in zip(READERS, good):
        if not model or not delivers(reader, model, out):
            sys.exit("%s: the model and %s do not agree" % (sample.name, reader.__name__))


def read_damaged(sample, number_of_sample):
    """The number of files, of wrong reads, and of those that nobody can notice."""
    folder = "%s/%d" % (scratch, number_of_sample)
    sample.place(folder)
    good = read_all(sample, folder)
    shutil.rmtree(folder)
    check_undamaged(sample, good)
    jobs = [(sample, *case, "%s.%d" % (folder, i), good)
            for i, case in enumerate(cases(sample)) if i % STEP == 0]
    wrong_reads = unnoticed = 0
    with ThreadPoolExecutor(2) as pool:
        for case, wrong, n in pool.map(judge, jobs):
            if wrong:
                print("# %s: %s" % (case, " ".join(wrong)))
            wrong_reads += len(wrong)
            unnoticed += n
    return len(jobs), wrong_reads, unnoticed


def main():
    if with_checksums:
        path = os.path.join(scratch, "sum.sion")
        if run("test/tools/tasks", "write", path, "wb,checksum")[0] != 0:
            sys.exit("cannot write " + path)
        samples = [Sample(path, 3, "rb,checksum")]
    else:
        names = [("mpi/m01_multi", 8), ("serial/s04_multichunk", 3), ("serial/s07_keyval", 3)]
        samples = [Sample("%s/%s.sion" % (golden, name), n) for name, n in names]
    counts = [read_damaged(sample, i) for i, sample in enumerate(samples)]
    files, wrong, unnoticed = (sum(column) for column in zip(*counts))
    print("# %d damaged files, %d programs: %d wrong reads; %d reads of what cannot be told from a sound one" %
          (files, len(READERS), wrong, unnoticed))
    is_short_of = length == "full" and files < (300 if with_checksums else 1200)
    sys.exit(wrong > 0 or is_short_of)


main()

"""What compression costs in HDF5: the same data as those of bench/compress, by h5py.

    python3 compress_hdf5.py FILE NAME [ROUNDS]

NAME is the fourth argument of bench/compress, which has left the data in NAME.field, NAME.particles and
NAME.log. Prints the same columns: kind of data, mode, ratio, and the median of MB of writing and of reading
for a second of processor time. Chunks and records have 1 MiB. FILE should be in memory (/dev/shm).
"""

import os
import statistics
import sys
import time

try:
    import h5py
    import numpy as np
except ImportError as error:
    print(f"compress_hdf5: skipped: {error} (Debian: python3-h5py)", file=sys.stderr)
    sys.exit(77)

KINDS = {"field": "f8", "particles": "f4", "log": "u1"}
MODES = {"plain": {}, "gzip=1": {"compression": "gzip", "compression_opts": 1},
         "gzip=1,shuffle": {"compression": "gzip", "compression_opts": 1, "shuffle": True}}
RECORD = 1 << 20


def write(name, data, options):
    """Processor time of a file with one data set."""
    begin, step = time.process_time(), RECORD // data.itemsize
    with h5py.File(name, "w") as file:
        dataset = file.create_dataset("x", data.shape, data.dtype, chunks=(step,), **options)
        for at in range(0, len(data), step):
            dataset[at:at + step] = data[at:at + step]
    return time.process_time() - begin


def read(name, data):
    """The same of reading it."""
    begin, step = time.process_time(), RECORD // data.itemsize
    record = np.empty(step, data.dtype)
    with h5py.File(name, "r") as file:
        for at in range(0, len(data), step):
            file["x"].read_direct(record, np.s_[at:at + step])
            if record[at % 4093 % step] != data[at + at % 4093 % step]:
                sys.exit("compress_hdf5: other data")
    return time.process_time() - begin


def main():
    """All kinds of data in all modes."""
    target, prefix, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 5
    print("data,mode,ratio,write,read")
    for kind, dtype in KINDS.items():
        data = np.fromfile(f"{prefix}.{kind}", dtype)
        for mode, options in MODES.items():
            if kind == "log" and "shuffle" in options:
                continue
            times = []
            for _ in range(rounds):
                if os.path.exists(target):
                    os.unlink(target)
                times.append((write(target, data, options), read(target, data)))
            size = 512 * os.stat(target).st_blocks
            speeds = [data.nbytes / 1e6 / statistics.median(one) for one in zip(*times)]
            print(f'{kind},"{mode}",{data.nbytes / size:.2f},{speeds[0]:.0f},{speeds[1]:.0f}', flush=True)
    os.unlink(target)


if __name__ == "__main__":
    main()

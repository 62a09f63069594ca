#!/usr/bin/env python3
"""Seconds and memory of an open and a close of many ranks, from parts that were measured.

    bench/model.py [--files=N|node] PARTS GROWTH [MACHINES]

PARTS is what "mpiexec -n 4 bench/parts FILE" prints: the messages and the calls on files of each rank.
GROWTH is what "bench/growth FILE" prints: processor time, memory and file traffic of the first rank, which
is real, by the number of ranks, which are made up. MACHINES (bench/machines.txt) has network and file system.
bench/run.sh --model runs all. Containers have one file, or N, or one for each node of a machine.

What is assumed: a collective takes ceil(log2 ranks) steps, a reduction to all twice as many. The first rank
receives the messages of a gather, and sends those of a scatter, at its node's bandwidth; where messages have
unequal sizes, each one costs it work, too. Its processor time, its calls and its bytes come one after the
other. All ranks together open files and examine names at the rates of the file system. A file per task is
created, or opened, at these rates, and its close is one call. Nothing overlaps. From 2^19 ranks
on the counts are those of the steps "of many"; what each rank then reads itself, its neighbours do at the same time.
In a set, the first rank does for its file what it does for one of as many ranks, and for the others what it does more
in the set that was measured; collectives of a file take as long as those of all, but for the bytes of a gather.
"""

import csv
import math
import os
import sys

STEPS = ("open", "close", "open for reading")
OWN = {"open": "create", "close": "", "open for reading": "open"}  # of a file per task
RANKS = (10**5, 10**6, 10**7)
MANY = 1 << 19  # ranks that do the steps "of many"
MICRO, GIGA, MIB = 1e-6, 1e9, 1 << 20


class Wrong(Exception):
    pass


def read_machines(path):
    with open(path, encoding="utf-8") as lines:
        rows = [line.split() for line in lines if line.strip()]
    heads = [row for row in rows if row[0] == "#name"]
    if not heads:
        raise Wrong(f"{path} has no line that begins with #name")
    names = heads[-1][1:]
    machines = {}
    for row in rows:
        if not row[0].startswith("#"):
            if len(row) != len(names) + 1:
                raise Wrong(f"{path}: {row[0]} has {len(row) - 1} numbers, not {len(names)}")
            machines[row[0]] = dict(zip(names, map(float, row[1:])))
    return machines


def read_parts(path):
    """{(step, rank): {part: (count, bytes)}}"""
    parts = {}
    with open(path, encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            of_rank = parts.setdefault((row["step"], row["rank"]), {})
            of_rank[row["part"]] = int(row["count"]), int(row["bytes"])
    return parts


def read_growth(path):
    """{(step, files): [(ranks, seconds, bytes of memory, calls, bytes in files)]}"""
    growth = {}
    with open(path, encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            who, _, step = row["operation"].partition(": ")
            if who == "first task":
                numbers = (int(row["tasks"]), float(row["milliseconds"]) / 1e3, int(row["kibibytes"]) * 1024,
                           int(row["calls"]), int(row["bytes"]))
                growth.setdefault((step, int(row["files"])), []).append(numbers)
    for step in STEPS:
        if len(growth.get((step, 1), [])) < 2:
            raise Wrong(f"{path} has not two lines of \"first task: {step}\"")
    return {key: sorted(rows) for key, rows in growth.items()}


def at(rows, ranks):
    """The row of so many ranks, on the line through the two next ones."""
    for low, high in zip(rows, rows[1:]):
        if ranks <= high[0]:
            break
    share = (ranks - low[0]) / (high[0] - low[0])
    return tuple(a + share * (b - a) for a, b in zip(low[1:], high[1:]))


def of_first(step, growth, ranks, files):
    """What the first rank does: for its own file, and for a set of all ranks."""
    own = at(growth[step, 1], ranks / files)
    measured = max((number for of, number in growth if of == step), default=1)
    if files == 1 or measured == 1 or len(growth[step, measured]) < 2:
        return own
    whole, alone = at(growth[step, measured], ranks), at(growth[step, 1], ranks / measured)
    return tuple(a + max(b - c, 0) for a, b, c in zip(own, whole, alone))


def files_of(wanted, ranks, machine):
    files = math.ceil(ranks / machine["node"]) if wanted == "node" else int(wanted)
    if not 1 <= files <= ranks:
        raise Wrong(f"{wanted} files for {ranks} ranks")
    return files


def messages(parts, ranks, machine):
    """Seconds of all collectives, and of the messages of one rank."""
    latency, bandwidth = machine["latency"] * MICRO, machine["bandwidth"] * GIGA
    steps = math.ceil(math.log2(ranks))
    seconds = 0.0
    for part, (count, size) in parts.items():
        if part in ("bcast", "allreduce", "exscan"):
            seconds += (2 if part == "allreduce" else 1) * steps * (count * latency + size / bandwidth)
        elif part in ("gather", "scatter", "gatherv", "scatterv", "split"):
            size = size or 8 * count  # a split has a color and a key
            seconds += count * steps * latency + ranks * size / bandwidth
            if part.endswith("v"):
                seconds += count * ranks * machine["message"] * MICRO
        elif part == "message":
            seconds += count * latency + size / bandwidth
    return seconds


def others(parts, ranks, machine):
    """Seconds in which the file system serves all ranks but the first."""
    calls = {part: count for part, (count, _) in parts.items()}
    seconds = calls.get("create", 0) * ranks / machine["create"]
    seconds += calls.get("open file", 0) * ranks / machine["open"]
    seconds += calls.get("read", 0) * machine["call"] * MICRO
    return seconds + calls.get("examine", 0) * ranks / machine["examine"]


def container(step, parts, growth, ranks, machine, wanted):
    files = files_of(wanted, ranks, machine)
    processor, memory, calls, size = of_first(step, growth, ranks, files)
    own = calls * machine["call"] * MICRO + size / (machine["client"] * GIGA)
    kind = "" if files == 1 else " by node" if wanted == "node" else " in files"
    counted = step + kind + (" of many" if ranks >= MANY else "")
    if (counted, "first") not in parts and (counted, "other") not in parts and files > 1:
        raise Wrong(f"nothing is counted of \"{counted}\"")
    created = (files - 1) / machine["create"] if step == "open" else 0
    return {
        "messages": messages(parts.get((counted, "first"), {}), ranks, machine),
        "rank 0": processor + own,
        "file system": created + others(parts.get((counted, "other"), {}), ranks, machine),
        "memory": memory,
    }


def own_files(step, ranks, machine):
    rate = OWN[step]
    return ranks / machine[rate] if rate else machine["call"] * MICRO


def table(parts, growth, machines, wanted):
    print("| machine | ranks | step | messages s | rank 0 s | file system s | container s | file per task s |"
          " rank 0 MiB |\n|---|---|---|---|---|---|---|---|---|")
    for name, machine in machines.items():
        for ranks in RANKS:
            for step in STEPS:
                cost = container(step, parts, growth, ranks, machine, wanted)
                seconds = [cost["messages"], cost["rank 0"], cost["file system"]]
                cells = [f"{s:.3g}" for s in [*seconds, sum(seconds), own_files(step, ranks, machine)]]
                print(f"| {name} | 1e{round(math.log10(ranks))} | {step} | {' | '.join(cells)} |"
                      f" {cost['memory'] / MIB:.0f} |")


def main(arguments):
    wanted = "1"
    if arguments and arguments[0].startswith("--files="):
        wanted = arguments.pop(0).partition("=")[2]
    if len(arguments) not in (2, 3):
        print(__doc__, end="")
        return 0 if arguments == ["--help"] else 1
    machines = arguments[2] if len(arguments) == 3 else os.path.join(os.path.dirname(__file__), "machines.txt")
    try:
        table(read_parts(arguments[0]), read_growth(arguments[1]), read_machines(machines), wanted)
    except (OSError, ValueError, KeyError, Wrong) as error:
        print(f"model.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

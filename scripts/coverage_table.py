"""Prints a table of the lines and branches that ran, by folder, from a JSON report of gcovr.

    coverage_table.py REPORT MISSED

MISSED becomes a list of the branches that never ran: how many of how many, the place, the line.
"""

import collections
import json
import os
import sys


class Count:
    """Lines and branches: how many there are, and how many ran."""

    def __init__(self):
        self.lines = self.lines_run = self.branches = self.branches_run = 0

    def add(self, line):
        branches = line.get("branches", [])
        self.lines += 1
        self.lines_run += line["count"] > 0
        self.branches += len(branches)
        self.branches_run += sum(branch["count"] > 0 for branch in branches)

    def __str__(self):
        return (f"{self.lines:6d} {percent(self.lines_run, self.lines)}"
                f" {self.branches:6d} {percent(self.branches_run, self.branches)}")


def percent(part, whole):
    return f"{100 * part / whole:6.1f} %" if whole else "       -"


def missed(name, line, text):
    """One line of the list, or nothing."""
    branches = line.get("branches", [])
    never = sum(branch["count"] == 0 for branch in branches)
    return f"{never} of {len(branches)}  {name}:{line['line_number']}: {text.strip()}\n" if never else ""


def main():
    report, list_name = sys.argv[1:]
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folders = collections.defaultdict(Count)
    with open(report) as source, open(list_name, "w") as output:
        for file in sorted(json.load(source)["files"], key=lambda file: file["file"]):
            name = file["file"]
            with open(os.path.join(root, name)) as text:
                texts = text.read().split("\n")
            for line in file["lines"]:
                if line.get("gcovr/noncode"):
                    continue
                for key in ("/".join(name.split("/")[:2]), "src"):
                    folders[key].add(line)
                output.write(missed(name, line, texts[line["line_number"] - 1]))
    print(f"{'folder':14s}  lines      ran  branches  ran")
    for name in sorted(folders, key=lambda name: (name == "src", name)):
        print(f"{name:14s} {folders[name]}")


main()

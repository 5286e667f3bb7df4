#!/usr/bin/env python3
"""coverage.py FOLDER: the table of layers from gcovr's summary, and the least covered functions, from gcov's own JSON."""

import collections
import glob
import gzip
import json
import os
import subprocess
import sys
import tempfile

LISTED = 40  # functions listed
WATCHED = ("controller/operator/", "controller/ledger/", "controller/cli/", "controller/export/", "controller/recorder/")


def layers(folder):
    total = collections.defaultdict(lambda: [0, 0, 0, 0])
    with open(f"{folder}/summary.json", encoding="utf-8") as file:
        for one in json.load(file)["files"]:
            row = total[one["filename"].split("/")[1]]
            for i, key in enumerate(("line_covered", "line_total", "branch_covered", "branch_total")):
                row[i] += one[key]
    print(f"{'layer':<22} {'lines':>8} {'branches':>9}")
    for name, (lines, all_lines, branches, all_branches) in sorted(total.items()):
        print(f"{name:<22} {100 * lines / max(all_lines, 1):7.1f}% {100 * branches / max(all_branches, 1):8.1f}%")


def functions(folder):
    """(share of blocks reached, blocks, file:line, name) of each function, merged over the programs that hold it."""
    found = {}
    with tempfile.TemporaryDirectory() as scratch:
        data = [os.path.abspath(p) for p in glob.glob(f"{folder}/obj/controller/**/*.gcda", recursive=True)]
        for path in data:
            subprocess.run(["gcov", "-j", path], cwd=scratch, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            for name in glob.glob(f"{scratch}/*.gcov.json.gz"):
                with gzip.open(name, "rt", encoding="utf-8") as file:
                    for source in json.load(file)["files"]:
                        if source["file"].startswith(WATCHED):
                            for f in source["functions"]:
                                found[f"{source['file']}:{f['start_line']}", f["name"]] = (f["blocks_executed"], f["blocks"])
                os.unlink(name)
    return sorted((reached / max(blocks, 1), -blocks, where, name) for (where, name), (reached, blocks) in found.items())


def main():
    folder = sys.argv[1]
    layers(folder)
    print(f"\nthe {LISTED} least covered functions of {', '.join(WATCHED)}:")
    for share, blocks, where, name in functions(folder)[:LISTED]:
        print(f"{100 * share:5.0f}% of {-blocks:3} blocks  {where}  {name}")


main()

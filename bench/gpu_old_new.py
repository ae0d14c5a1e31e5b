#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the GPU benchmarks of two builds, run in turns in one call.

usage: gpu_old_new.py OLD.txt NEW.txt OLD_COMMIT NEW_COMMIT DEVICE     (a file: outputs of the programs, "# turn N" before
each turn and "## PROGRAM" before each program)

Prints rows of results/gpu-old-new.csv: medians over the turns of what each program reports, and their ratio new / old.
"""

import collections
import csv
import datetime
import re
import statistics
import sys

LINE = re.compile(r"^(\w[\w-]*): .*?: ([\d.]+) ms \(median")
KMEANS = re.compile(r"^\s*(\d+ x \d+, K\s+\d+,\s+\d+ blobs,\s+\d+ iterations):\s+([\d.]+) ms")


def rows_of(program, lines):
    """(case, milliseconds) of one program's output."""
    header = None
    for line in lines:
        if "median_s" in line:
            header = next(csv.reader([line]))
        elif header and line.count(",") >= len(header) - 1:
            row = dict(zip(header, next(csv.reader([line]))))
            stage = row.get("stage", "whole")
            if stage == "whole":
                yield f"{row['case']} {row.get('method') or 'whole'}", 1000 * float(row["median_s"])
        elif found := LINE.match(line) or KMEANS.match(line):
            yield re.sub(r"\s+", " ", found.group(1)), float(found.group(2))


def read(path):
    times, program, lines = collections.defaultdict(list), None, []

    def finish():
        for case, value in rows_of(program, lines):
            times[program, case].append(value)

    for line in open(path):
        if line.startswith("#"):
            finish()
            lines = []
            program = line[3:].strip() if line.startswith("##") else None
        else:
            lines.append(line.rstrip("\n"))
    finish()
    return times


def main():
    old_path, new_path, old, new, device = sys.argv[1:]
    before, after = read(old_path), read(new_path)
    if not before:
        sys.exit(f"{old_path}: no figures")
    out = csv.writer(sys.stdout, lineterminator="\n")
    for key, values in before.items():
        if key not in after:
            sys.exit(f"{new_path}: {' '.join(key)} is missing")
        a, b = statistics.median(values), statistics.median(after[key])
        today = datetime.date.today().isoformat()
        out.writerow([today, new, device, old, new, *key, len(values), f"{a:.4g}", f"{b:.4g}", f"{b / a:.3f}"])


main()

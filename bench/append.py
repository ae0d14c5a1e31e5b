#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Appends the output of a benchmark program, a CSV with header on standard input, to bench/results/CASE.csv.

    bin/bench_layout_gpu --commit $(git rev-parse --short HEAD) | bench/append.py layout-gpu device=cuda

Words NAME=VALUE fill columns that the program does not print; `date` is today and `commit` that of the working tree
unless the program or a word says otherwise. Lines that begin with # are left out.
"""

import csv
import datetime
import sys
from pathlib import Path

from processes import commit_in_words
from rows import append_results

RESULTS = Path(__file__).resolve().parent / "results"


def main(case, *words):
    about = {"date": str(datetime.date.today()), "commit": commit_in_words()}
    lines = [line for line in sys.stdin.read().splitlines() if line and not line.startswith("#")]
    rows = [about | row | dict(word.split("=", 1) for word in words) for row in csv.DictReader(lines)]
    if not rows:
        sys.exit("append: no row came")
    append_results(RESULTS / f"{case}.csv", rows, columns=list(rows[0]))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])

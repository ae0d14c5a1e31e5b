#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of docs/technologies.md for the technologies of the latest run, with the marks of bench/figures.py, which then
writes its figures:

    bench/technologies/table.py && bench/figures.py

Only Python's own library is used here.
"""

import csv
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
RESULTS, PAGE = ROOT / "bench" / "results" / "technologies.csv", ROOT / "docs" / "technologies.md"
PLACE = re.compile(r"(<!-- begin of the table -->\n).*?(<!-- end of the table -->\n)", re.DOTALL)
WORKLOADS = {"kmeans-4": "k-means, K = 4", "kmeans-128": "K = 128", "waves": "FitzHugh-Nagumo", "solve": "tridiagonal"}
AGREEMENT = {"equal": "=", "ties": "ties", "float32 sums": "sums", "rounding": "~", "no worse": "<="}


def latest_run():
    """Rows by technology and workload: of each technology's last day and commit, as in figures.py."""
    with open(RESULTS, newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["status"] == "done"]
    found = {}
    for row in rows:
        found.setdefault(row["technology"], {})[row["workload"]] = row
    return found


def cells(here):
    """A technology's cells and marks: nanoseconds, share of the roof, lines, agreement."""
    text, marks = [], []
    for name in WORKLOADS:
        row = here.get(name)
        if not row:
            text.append("")
            marks.append("")
            continue
        columns = ["ns .3g", "share .0%"] + (["lines .0f"] if row["lines"] else [])
        text.append(f"0 ns, 0%{', 0 lines' if row['lines'] else ''} {AGREEMENT[row['agreement']]}")
        marks.append("; ".join(f"workload={name} median:{column}" for column in columns))
    return text, marks


def table():
    rows = {name: here for name, here in latest_run().items() if name != "triad"}
    marks = ["<!-- figures: technologies.csv status=done"]
    body = ["| technology | " + " | ".join(WORKLOADS.values()) + " |", "|---" * (len(WORKLOADS) + 1) + "|"]
    for name, here in rows.items():
        text, mark = cells(here)
        marks.append("| " + " | ".join([f'"technology={name}"', *mark]) + " |")
        body.append("| " + " | ".join([name, *text]) + " |")
    return "\n".join([*marks, "-->", *body, ""])


def main():
    if not RESULTS.exists():
        sys.exit("table: there are no rows yet; ./dev bench technologies measures them")
    made = table()
    PAGE.write_text(PLACE.sub(lambda match: match[1] + made + match[2], PAGE.read_text()))


if __name__ == "__main__":
    main()

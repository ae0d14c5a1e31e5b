#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of docs/lab/technologies.md for the technologies of the latest run, with the marks of bench/figures.py,
which then writes its figures:

    bench/technologies/table.py && bench/figures.py

Only Python's own library is used here.
"""

import csv
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
RESULTS, PAGE = ROOT / "bench" / "results" / "technologies.csv", ROOT / "docs" / "lab" / "technologies.md"
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


def cell(row, with_share):
    """Nanoseconds, share of the roof, lines, agreement; figures.py writes the numbers."""
    if not row:
        return ""
    parts = ["0 ns"] + ["0%"] * with_share + ["0 lines"] * bool(row["lines"])
    return f"{', '.join(parts)} {AGREEMENT[row['agreement']]}"


def marks(workload, with_share):
    columns = ["ns .3g"] + ["share .0%"] * with_share + ["lines .0f"]
    return "; ".join(f"workload={workload} median:{column}" for column in columns)


def table():
    shares = {name: name != "kmeans-128" for name in WORKLOADS}  # that one is bound by arithmetic
    head = ["<!-- figures: technologies.csv status=done"]
    head.append("|* | " + " | ".join(marks(name, share) for name, share in shares.items()) + " |")
    body = ["| technology | " + " | ".join(WORKLOADS.values()) + " |", "|---" * (len(WORKLOADS) + 1) + "|"]
    for name, here in latest_run().items():
        if name != "triad":
            head.append(f'| "technology={name}" |')
            body.append(f"| {name} | " + " | ".join(cell(here.get(w), share) for w, share in shares.items()) + " |")
    return "\n".join([*head, "-->", *body, ""])


def main():
    if not RESULTS.exists():
        sys.exit("table: there are no rows yet; ./dev bench technologies measures them")
    made = table()
    PAGE.write_text(PLACE.sub(lambda match: match[1] + made + match[2], PAGE.read_text()))


if __name__ == "__main__":
    main()

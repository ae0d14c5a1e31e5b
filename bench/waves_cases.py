# SPDX-License-Identifier: Apache-2.0
"""The case of waves for run.py: the figures of Lewellen (The Antimatroid, 2015-16), made again and checked."""

import csv

from processes import run_measured
from rows import BUSY


def rows_of(bench, *words):
    """What bench_waves prints, and the fraction of the cores that other programs used meanwhile."""
    log = bench.work / "waves" / "rows.csv"
    measured = run_measured([bench.dunlin.parent / "bench_waves", *words], log)
    with open(log, newline="") as file:
        found = list(csv.DictReader(file))
    about = {"system": "dunlin", "version": bench.version, "status": "done"}
    return [(about | {"stage": f"figure {row['figure']}: {row['quantity']}"}, row) for row in found], measured.others


def numbers(bench, folder):
    """Numbers beside what was published and what must come out."""
    for about, found in rows_of(bench, folder)[0]:
        row = about | {key: found[key] for key in ("published", "expected", "got")}
        if found["agrees"] != "yes":
            row |= {"status": "failed", "note": f"{found['got']} instead of {found['expected']}"}
        yield row


def times(bench, folder):
    """Seconds, not beside other programs."""
    rows, others = rows_of(bench, folder, 1 << (16 if bench.quick else 24))
    if others > BUSY and not (bench.quick or bench.keep_busy):
        print(f"  other programs took {others:.0%} of the cores: no times")
        return
    for about, found in rows:
        yield about | {"median_s": float(found["got"]), "others": others}


def waves(bench):
    """The 14 figures of FitzHugh-Nagumo waves as CSV and pictures, and their numbers beside what was published"""
    folder = bench.work / "waves"
    folder.mkdir(exist_ok=True)
    rows = [*numbers(bench, folder), *times(bench, folder)]
    print(f"  figures: {folder}/figure-01.svg to figure-14.svg, and .csv")
    return rows


CASES = {"waves": waves}

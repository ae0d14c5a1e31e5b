# SPDX-License-Identifier: Apache-2.0
"""Rows of results: times systems in turns, evaluates maps, compares with targets, and appends to files.

A row is a dictionary with some of COLUMNS. Only Python's own library is used here.
"""

import csv
import statistics

from processes import Failed
from systems import force_errors, true_scores

COLUMNS = (
    "date commit machine others case system version blas threads rows columns runs status stage "
    "median_s min_s max_s speedup target met kl label_accuracy normalized_stress "
    "force_error_median force_error_p99 mass_error recall rate peak_mib note"
).split()
BUSY = 0.05  # other programs' share of the cores above which a timing is not worth keeping


def spread(values):
    return {"median_s": statistics.median(values), "min_s": min(values), "max_s": max(values)}


def take_turns(bench, systems):
    """Runs every system `bench.runs` times, alternating. Returns samples or, if a system failed, the reason."""
    samples = {name: [] for name in systems}
    for turn in range(bench.runs):
        for name, work in systems.items():
            if isinstance(samples[name], str):
                continue
            try:
                samples[name].append(work())
                print(f"  run {turn + 1} of {bench.runs}: {name} {samples[name][-1].seconds.get('whole', 0):.2f} s")
            except (Failed, KeyError, ValueError, OSError) as reason:
                samples[name] = f"{type(reason).__name__}: {reason}"
                print(f"  {name} failed: {samples[name]}")
    return samples


def judged(bench, sample, points, labels):
    """Scores, or a note with the reason why there are none."""
    try:
        return true_scores(bench, sample, points, labels) | force_errors(bench, sample)
    except (Failed, KeyError, ValueError, OSError) as reason:
        return {"status": "failed", "note": f"not judged: {reason}"}


def rows_of(samples, stages, shared, scores):
    """One row per stage; `stages` maps a row's name to the stages of the report whose sum it is."""
    first = samples[0]
    common = {"version": first.version, "blas": first.blas, "runs": len(samples), "status": "done", "note": first.note}
    common |= (
        {"peak_mib": round(max(s.peak_mib for s in samples)), "others": max(s.others for s in samples)}
        | shared
        | scores
    )
    for stage, parts in stages.items():
        yield common | {"stage": stage} | spread([sum(s.seconds.get(p, 0) for p in parts) for s in samples])


def add_speedups(rows, samples, theirs, ours_stages, theirs_stages, targets):
    """For Dunlin's rows: median over turns of the ratio peer / Dunlin, and whether the target is met."""
    for row in rows:
        stage = row["stage"]
        if stage not in theirs_stages:
            continue
        pairs = zip(samples["dunlin"], samples[theirs], strict=True)

        def total(sample, parts):
            return sum(sample.seconds.get(p, 0) for p in parts)

        ratios = [total(t, theirs_stages[stage]) / max(total(o, ours_stages[stage]), 1e-9) for o, t in pairs]
        row["speedup"] = statistics.median(ratios)
        if stage in targets:
            row["target"] = targets[stage]
            row["met"] = "yes" if row["speedup"] >= targets[stage] else "no"


def compare(bench, systems, stages, targets, shared, judge):
    """The rows of a case: Dunlin first, with its speed-up over the peer."""
    samples = take_turns(bench, systems)
    rows = []
    for name in systems:
        if isinstance(samples[name], str):
            rows.append(shared | {"system": name, "status": "failed", "note": samples[name]})
            continue
        scores = judge(samples[name][-1])
        rows += rows_of(samples[name], stages[name], shared | {"system": name}, scores)
    peers = [name for name in systems if name != "dunlin"]
    if peers and not any(isinstance(samples[name], str) for name in ("dunlin", peers[0])):
        ours = [row for row in rows if row["system"] == "dunlin"]
        add_speedups(ours, samples, peers[0], stages["dunlin"], stages[peers[0]], targets)
    return rows


def in_cell(value):
    if isinstance(value, float):
        return f"{value:.5g}"
    return "" if value is None else str(value).replace("\n", " ")


def append_results(path, rows, columns=COLUMNS):
    """Adds rows to a CSV in the order of its columns; columns of `columns` and of the rows that it lacks are added to all
    of its rows."""
    old, head = [], []
    if path.exists():
        with open(path, newline="") as file:
            table = csv.DictReader(file)
            old, head = list(table), list(table.fieldnames)
    for name in (*columns, *(name for row in rows for name in row)):
        if name not in head:
            head.append(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="") as file:
        table = csv.DictWriter(file, head, lineterminator="\n")
        table.writeheader()
        table.writerows(old)
        table.writerows({key: in_cell(value) for key, value in row.items()} for row in rows)


def show(rows):
    columns = "system rows stage median_s min_s max_s rate speedup target met recall kl normalized_stress".split()
    columns += "force_error_median force_error_p99 published expected got".split()
    columns = [c for c in columns if any(in_cell(row.get(c)) for row in rows)]
    table = [columns] + [[in_cell(row.get(c)) for c in columns] for row in rows]
    widths = [max(len(line[c]) for line in table) for c in range(len(columns))]
    for line in table:
        print("  " + "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))
    for row in rows:
        if row["status"] != "done":
            print(f"  FAILED {row['system']}: {row['note']}")

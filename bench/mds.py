# SPDX-License-Identifier: Apache-2.0
"""The cases of multidimensional scaling for run.py: what Glimmer's figures 3 to 9 show, by Dunlin's methods.

A row's `stage` is the data set, its seconds are of start and iterations, its normalized_stress the median over runs,
each with a seed of its own. Plots and signals are written to the work folder's `mds`.
"""

import array
import csv
import json
import math
import random
import statistics
import struct
from pathlib import Path

import packages
import plot
from processes import output_of, with_suffix
from rows import rows_of, take_turns
from systems import run_dunlin

METHODS = {
    "glimmer": ["--method", "glimmer"],
    "gpu-sf": ["--method", "gpu-sf"],
    "hybrid": ["--method", "hybrid"],
    "landmark": ["--method", "landmark"],
    "stochastic": ["--method", "stochastic"],
    "classical": ["--method", "classical"],
    "smacof": ["--method", "smacof", "--iterations", "40", "--start", "random"],
    "dunlin": [],
}
MOST_ROWS = {"stochastic": 2000, "smacof": 15000}  # n iterations of n items; all pairs
PUBLISHED = {  # stress and seconds of the draft's figure 9; its documents are not public
    "cancer": {"glimmer": (0.026, 1.11), "hybrid": (0.076, 0.43), "landmark": (0.1, 0.048)},
    "shuttle_big": {"glimmer": (0.005, 10.41), "hybrid": (0.030, 44.23), "landmark": (0.020, 44.89)},
    "grid 10000": {"glimmer": (0, 2.84), "hybrid": (0.124, 5.53), "landmark": (0, 1.79)},
}


# Data


def write_npy(path, rows, columns):
    """rows: an iterable of sequences of `columns` numbers each."""
    values = array.array("f")
    for row in rows:
        values.extend(row)
    shape = (len(values) // columns, columns)
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (63 - (len(head) + 10) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + values.tobytes())
    return shape


def grid(count, noise):
    """About `count` points of a flat square in 8-D; noise: up to this much in a third coordinate."""
    side, draw = round(math.sqrt(count)), random.Random(1)
    for i in range(side * side):
        third = noise * draw.random() if noise else 0
        yield (i % side / side, 0, i // side / side, 0, third, 0, 0, 0)


def swiss_roll():
    """33 x 33 points of Bronstein's."""
    for a in range(33):
        for b in range(33):
            angle, radius = 2.5 * math.pi * b / 33, 0.51 * (1 / (2.75 * math.pi) + 0.75 * b / 33)
            yield a / 33, radius * math.cos(angle), radius * math.sin(angle)


def made(bench, name, rows, columns):
    path = bench.work / "mds" / f"{name}.npy"
    path.parent.mkdir(exist_ok=True)
    if not path.exists():
        write_npy(path, rows(), columns)
    return path


def made_grid(bench, count, noise):
    name = f"grid-{count}" + ("-noise" if noise else "")
    return made(bench, name, lambda: grid(count, noise), 8), []


def grid_counts(bench):
    return (1000, 2000, 5000) if bench.quick else (1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000)


def document_sets(bench):
    """Includes the sets from apt only if apt has an index."""
    cosine = ["--metric", "cosine"]
    sets = {"BBC": (Path(bench.data) / "points" / "bbc" / "bbc.mtx.xz", [*cosine, "--transpose"])}
    try:
        found = packages.make(bench.work / "mds")
    except packages.NoIndex as reason:
        print(f"  skipped: {reason}")
        return sets
    return sets | {f"package {name}": (path, cosine) for name, path in found.items()}


def data_sets(bench):
    """Name: file and flags."""
    points, minmax = Path(bench.data) / "points", ["--normalize", "minmax"]
    sets = {
        "cancer": (points / "breast-cancer" / "breast_cancer_original_683x9.csv", [*minmax, "--labels", "Class"]),
        "swissroll": (made(bench, "swissroll", swiss_roll, 3), []),
        "grid 1000": made_grid(bench, 1000, 0),
        "grid 1000, noise": made_grid(bench, 1000, 0.01),
    }
    if bench.quick:
        return sets
    return sets | {
        "grid 10000": made_grid(bench, 10000, 0),
        "grid 10000, noise": made_grid(bench, 10000, 0.01),
        "shuttle_small": (points / "shuttle" / "shuttle_test_14500x9.csv.xz", minmax),
        "shuttle_big": (points / "shuttle" / "shuttle_train_43500x9.csv.xz", minmax),
    } | document_sets(bench)


# Rows


def rows_in(bench, file, words):
    words = [*words, "--method", "landmark", "--scores", "none"]
    facts = run_dunlin(bench, "mds", file, bench.stem("mds", "shape"), *words).facts
    return facts["input"]["rows"], facts["input"]["cols"]


def runner(bench, file, method, words):
    seed = iter(range(1, 1000))

    def work():
        sample = run_dunlin(bench, "mds", file, bench.stem("mds", method), *words, *METHODS[method],
                                  "--seed", next(seed))  # fmt: skip
        sample.seconds["whole"] = sample.seconds.get("start", 0) + sample.seconds["optimize"]  # no start: landmark
        return sample

    return work


def trust(bench, file, words, sample):
    """For documents, whose stress is not informative: trustworthiness of a map."""
    if "cosine" not in words:
        return ""
    report = with_suffix(sample.stem, ".score.json")
    output_of([bench.dunlin, "score", with_suffix(sample.stem, ".npy"), "--of", file, *words, "--no-kl",
                     "--quiet", "--report", report])  # fmt: skip
    found = json.loads(report.read_text())["quality"]["trustworthiness"]
    return f"; trustworthiness {found:.3f}"


def measured(bench, name, file, words):
    """One row per method that supports this number of items."""
    rows, columns = rows_in(bench, file, words)
    systems = {m: runner(bench, file, m, words) for m in METHODS if rows <= MOST_ROWS.get(m, rows)}
    print(f"  {name}, {rows} x {columns}")
    for method, samples in take_turns(bench, systems).items():
        shared = {"system": method, "rows": rows, "columns": columns}
        if isinstance(samples, str):
            yield shared | {"stage": name, "status": "failed", "note": samples}
            continue
        found = [s.facts["quality"]["normalized_stress"] for s in samples]
        shared |= {"normalized_stress": statistics.median(found), "least_stress": min(found), "most_stress": max(found)}
        if method in PUBLISHED.get(name, {}):
            shared["published"], shared["published_s"] = PUBLISHED[name][method]
        scores = {"note": f"stress {min(found):.3g} to {max(found):.3g}{trust(bench, file, words, samples[-1])}"}
        yield from rows_of(samples, {name: ("whole",)}, shared, scores)


def series(rows, x, y):
    found = {}
    for row in rows:
        if row["status"] == "done":
            found.setdefault(row["system"], []).append((row[x], row[y]))
    return found


def mds_table(bench):
    """Glimmer's figures 6 and 9: eight methods, nine data sets, seconds and stress"""
    rows = [row for name, (file, words) in data_sets(bench).items() for row in measured(bench, name, file, words)]
    plot.write(bench.work / "mds" / "figure-6.svg", "Stress and time of all data sets",
               ("normalized_stress", "seconds"),
               series(rows, "normalized_stress", "median_s"), lines=False)  # fmt: skip
    return rows


def mds_grids(bench):
    """Glimmer's figure 8: seconds for grids of 1,000 to 200,000 points"""
    rows = []
    for count in grid_counts(bench):
        rows += measured(bench, f"grid {count}", *made_grid(bench, count, 0))
    plot.write(bench.work / "mds" / "figure-8.svg", "Grids in 8-D", ("points", "seconds"),
               series(rows, "rows", "median_s"))  # fmt: skip
    return rows


def table_of(bench, what, name, file, words):
    """The output of bench_mds_forces as CSV."""
    labels = words[words.index("--labels") + 1 :] if "--labels" in words else []
    text = output_of([bench.dunlin.parent / "bench_mds_forces", what, file, *labels])
    (bench.work / "mds" / f"{what}-{name.replace(' ', '-')}.csv").write_text(text + "\n")
    return list(csv.DictReader(text.splitlines()))


def signal_sets(bench):
    shown = ("cancer", "grid 1000", "grid 10000")
    return {name: about for name, about in data_sets(bench).items() if name in shown}


def mds_signal(bench):
    """Glimmer's figures 3 and 4: speed, filtered speed and stress in every iteration of gpu-sf"""
    rows = []
    for name, (file, words) in signal_sets(bench).items():
        table = table_of(bench, "signal", name, file, words)

        def line(column, table=table):
            return [(int(r["iteration"]), float(r[column])) for r in table if r[column]]

        stem = bench.work / "mds" / f"figure-%s-{name.replace(' ', '-')}.svg"
        for figure, columns in (("3", ("velocity", "normalized_stress")), ("4", ("velocity", "filtered"))):
            plot.write(Path(str(stem) % figure), f"gpu-sf, {name}", ("iteration", "value"),
                       {column: line(column) for column in columns}, log=(False, True))  # fmt: skip
        last = float(table[-1]["normalized_stress"])
        rows.append({"system": "gpu-sf", "stage": name, "status": "done", "runs": 1, "normalized_stress": last,
                     "note": f"{len(table)} iterations"})  # fmt: skip
    return rows


def mds_stages(bench):
    """Glimmer's figure 5: seconds of an iteration of gpu-sf, by stage"""
    rows, lines = [], {}
    for name, (file, words) in signal_sets(bench).items():
        items = rows_in(bench, file, words)[0]
        for row in table_of(bench, "stages", name, file, words):
            seconds = float(row["seconds"])
            lines.setdefault(row["stage"], []).append((items, seconds))
            rows.append({"system": "gpu-sf", "stage": f"{name}: {row['stage']}", "status": "done", "runs": 1,
                         "rows": items, "median_s": seconds, "note": f"share {row['share']}"})  # fmt: skip
    plot.write(bench.work / "mds" / "figure-5.svg", "An iteration of gpu-sf, by stage",
               ("points", "seconds"), lines)  # fmt: skip
    return rows


CASES = {"mds-table": mds_table, "mds-grids": mds_grids, "mds-signal": mds_signal, "mds-stages": mds_stages}

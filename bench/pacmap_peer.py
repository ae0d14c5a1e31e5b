#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PaCMAP beside the package pacmap (PyPI), from Python arrays.

    pacmap_peer.py quality [CASE...] [--seeds N] [--save]   digits, pbmc68k, mammoth, shuttle, mnist5000: shape of the maps
    pacmap_peer.py time [--runs N] [--save]                 digits, mnist60k: seconds from array to map, on two threads

quality: both run with seeds 1 to N on the same points. kept: share of the 10 nearest neighbors in the data that are among the
10 nearest in the map; triplets: share of 100,000 random triplets whose first point has the same nearer one in the map;
correlation: rank correlation of the distances of 1,000 points with those in the first map of pacmap, which is left out there.
"""

import argparse
import csv
import datetime
import statistics
import subprocess
import sys
import time

import numpy as np
from umap_learn import ROOT, cases, mnist, neighbors_of, shared

CASES = ("digits", "pbmc68k", "mammoth", "shuttle", "mnist5000")


def triplets(X, Y):
    rng = np.random.default_rng(0)
    a, b, c = rng.integers(len(X), size=(3, 100000))

    def nearer(Z):
        return ((Z[a] - Z[b]) ** 2).sum(1) < ((Z[a] - Z[c]) ** 2).sum(1)

    valid = (a != b) & (a != c) & (b != c)
    return float((nearer(X.astype(np.float64)) == nearer(Y.astype(np.float64)))[valid].mean())


def shape_of(X, Y, near_data, reference):
    import dunlin
    from scipy.spatial.distance import pdist
    from scipy.stats import spearmanr

    Y = np.asarray(Y, np.float32)
    some = np.random.default_rng(0).choice(len(Y), min(len(Y), 1000), replace=False)
    distances = pdist(Y[some])
    row = {
        "radius": float(np.sqrt(((Y - Y.mean(0)) ** 2).sum(1).mean())),
        "nearest": float(np.median(dunlin.neighbors(Y, 1).distances)),
        "kept": shared(near_data, neighbors_of(Y, 10)),
        "triplets": triplets(X, Y),
        "spearman": np.nan if reference is None else float(spearmanr(distances, reference).statistic),
    }
    return row, distances


def quality(seeds, names):
    import dunlin
    import pacmap

    rows = []
    for name in names or CASES:
        X, _ = cases()[name]()
        near_data = neighbors_of(X, 10)
        reference, found = None, {"pacmap": [], "dunlin": []}
        for seed in range(1, seeds + 1):
            Y = pacmap.PaCMAP(n_neighbors=10, random_state=seed).fit_transform(X.copy())
            row, distances = shape_of(X, Y, near_data, reference)
            reference = distances if reference is None else reference
            found["pacmap"].append(row)
        for seed in range(1, seeds + 1):
            found["dunlin"].append(shape_of(X, dunlin.pacmap(X, seed=seed).embedding, near_data, reference)[0])
        for system, all_rows in found.items():
            row = {"kind": "quality", "case": name, "system": system, "runs": seeds}
            for key in all_rows[0]:
                values = [each[key] for each in all_rows]
                row |= {key: float(np.nanmedian(values)), f"least_{key}": float(np.nanmin(values))}
                row[f"most_{key}"] = float(np.nanmax(values))
            rows.append(row)
            print(row, flush=True)
    return rows


def timed(runs):
    import dunlin
    import pacmap

    rows = []
    pacmap.PaCMAP(random_state=1).fit_transform(mnist(2000)[0])  # compiles
    for name in ("digits", "mnist60k"):
        X, _ = cases()[name]()
        seconds = {"dunlin": [], "pacmap": []}
        for run in range(runs):
            calls = {"dunlin": lambda: dunlin.pacmap(X, n_jobs=2), "pacmap": lambda: pacmap.PaCMAP().fit_transform(X.copy())}
            for system, call in calls.items():
                if run > 0 and name == "mnist60k" and system != "dunlin":
                    continue  # a minute each
                begin = time.perf_counter()
                call()
                seconds[system].append(time.perf_counter() - begin)
        for system, values in seconds.items():
            row = {"kind": "time", "case": name, "system": system, "runs": len(values)}
            rows.append(row | {"seconds": statistics.median(values), "min_s": min(values), "max_s": max(values)})
            print(rows[-1], flush=True)
    return rows


def save(rows):
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    path = ROOT / "bench/results/pacmap.csv"
    columns = ["date", "commit", "kind", "case", "system", "runs"]
    for key in ("radius", "nearest", "kept", "triplets", "spearman"):
        columns += [key, f"least_{key}", f"most_{key}"]
    columns += ["seconds", "min_s", "max_s"]
    new = not path.exists()
    with open(path, "a", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        if new:
            writer.writeheader()
        for row in rows:
            values = {key: f"{value:.4g}" if isinstance(value, float) else value for key, value in row.items()}
            writer.writerow({"date": datetime.date.today().isoformat(), "commit": commit, **values})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["quality", "time"])
    parser.add_argument("case", nargs="*", help="of quality; default: all")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--save", action="store_true")
    given = parser.parse_args()
    rows = quality(given.seeds, given.case) if given.what == "quality" else timed(given.runs)
    if given.save:
        save(rows)


if __name__ == "__main__":
    sys.exit(main())

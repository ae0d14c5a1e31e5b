#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""UMAP beside umap-learn (PyPI), from Python arrays.

    umap_learn.py quality [CASE...] [--start pca|spectral|own] [--seeds N] [--save]
                                                            digits, pbmc68k, mammoth, shuttle, mnist5000: shape of the maps
    umap_learn.py time [--runs N] [--save]                  digits, mnist60k: seconds from array to map, on two threads

quality: Dunlin's start, by PCA or spectral, is given to both, and umap-learn runs with several seeds, each from this start with noise of 1e-4 of
its own, since its samples differ. One run of Dunlin has no chance in it; its five runs here begin from the same start with
the same noise. With --start own each program makes its spectral start, by N seeds. Spearman: rank correlation of the distances of 1,000 points with those in the first map of umap-learn.
"""

import argparse
import csv
import datetime
import gzip
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("DUNLIN_DATA", ROOT.parent / "shared" / "data")) / "points"


def idx(path, header):
    return np.frombuffer(gzip.open(path).read(), np.uint8, offset=header)


def mnist(n):
    images = idx(DATA / "mnist/train-images-idx3-ubyte.gz", 16).reshape(-1, 784)[:n].astype(np.float32)
    return images, idx(DATA / "mnist/train-labels-idx1-ubyte.gz", 8)[:n].astype(int)


def values_of(path):
    import dunlin

    return np.ascontiguousarray(dunlin.read(path).values, np.float32)


def cases():
    return {
        "digits": lambda: (values_of(ROOT / "examples/digits.csv.gz"), None),
        "pbmc68k": lambda: (values_of(DATA / "pbmc68k/pbmc68k_reduced_pca_700x50.csv.xz"), None),
        "mammoth": lambda: (values_of(DATA / "mammoth/mammoth_data.csv.xz")[::4], None),
        "shuttle": lambda: (values_of(DATA / "shuttle/shuttle_test_14500x9.csv.xz"), None),
        "mnist5000": lambda: mnist(5000),
        "mnist60k": lambda: mnist(60000),
    }


def neighbors_of(Y, k):
    import dunlin

    return dunlin.neighbors(np.asarray(Y, np.float32), k).indices


def shared(a, b):
    return float(np.mean([len(np.intersect1d(x, y)) for x, y in zip(a, b)])) / a.shape[1]


def shape_of(Y, near_data, reference):
    import dunlin
    from scipy.spatial.distance import pdist
    from scipy.stats import spearmanr

    Y = np.asarray(Y, np.float32)
    near = neighbors_of(Y, 15)
    some = np.random.default_rng(0).choice(len(Y), min(len(Y), 1000), replace=False)
    row = {
        "radius": float(np.sqrt(((Y - Y.mean(0)) ** 2).sum(1).mean())),
        "nearest": float(np.median(dunlin.neighbors(Y, 1).distances)),
        "kept": shared(near_data, near),
        "shared": np.nan,
        "spearman": np.nan,
    }
    if reference is not None:
        row["shared"] = shared(near, reference[0])
        row["spearman"] = float(spearmanr(pdist(Y[some]), reference[1]).statistic)
    return row, (near, pdist(Y[some]))


def noisy(start, seed):
    return start + np.random.default_rng(seed).normal(scale=1e-3, size=start.shape).astype(np.float32)


def quality(seeds, names, how):
    import dunlin
    import umap

    rows = []
    for name, load in cases().items():
        if name == "mnist60k" or (names and name not in names):
            continue
        X, _ = load()
        knn = dunlin.neighbors(X, 14)
        near_data = neighbors_of(X, 15)
        own = how == "own"
        start = None if own else np.asarray(dunlin.umap(X, knn=knn, init=how, n_epochs=0).embedding)
        whole = np.concatenate([np.arange(len(X))[:, None], knn.indices], 1), np.concatenate(
            [np.zeros((len(X), 1), np.float32), knn.distances], 1
        )
        reference, found = None, {"umap-learn": [], "dunlin": []}
        for seed in range(seeds):
            init = "spectral" if own else noisy(start, seed)
            model = umap.UMAP(n_neighbors=15, precomputed_knn=(*whole, None), init=init, random_state=seed, n_epochs=500)
            row, measured = shape_of(model.fit_transform(X), near_data, reference)
            reference = reference or measured
            found["umap-learn"].append(row)
        for seed in range(seeds):
            given = {"init": "spectral", "seed": seed} if own else {"init": noisy(start, seed)}
            found["dunlin"].append(shape_of(dunlin.umap(X, knn=knn, **given).embedding, near_data, reference)[0])
        for system, all_rows in found.items():
            median = {key: float(np.nanmedian([row[key] for row in all_rows])) for key in all_rows[0]}
            least = {f"least_{key}": float(np.nanmin([row[key] for row in all_rows])) for key in ("shared", "spearman")}
            kind = "quality" if how == "pca" else f"quality-{how}"
            rows.append({"kind": kind, "case": name, "system": system, "runs": seeds, **median, **least})
            print(rows[-1], flush=True)
    return rows


def timed(runs):
    import dunlin
    import umap

    rows = []
    some = mnist(5000)[0]  # enough for its approximate search; compiles
    umap.UMAP(n_epochs=5, n_jobs=2).fit_transform(some)
    umap.UMAP(n_epochs=5, random_state=1).fit_transform(some)
    for name in ("digits", "mnist60k"):
        X, _ = cases()[name]()
        seconds = {"dunlin": [], "umap-learn": [], "umap-learn seeded": []}
        for run in range(runs):
            calls = {
                "dunlin": lambda: dunlin.umap(X, n_jobs=2),
                "umap-learn": lambda: umap.UMAP(n_jobs=2).fit_transform(X),
                "umap-learn seeded": lambda: umap.UMAP(random_state=1).fit_transform(X),
            }
            for system, call in calls.items():
                if run > 0 and name == "mnist60k" and system != "dunlin":
                    continue  # minutes each
                begin = time.perf_counter()
                call()
                seconds[system].append(time.perf_counter() - begin)
        for system, values in seconds.items():
            rows.append(
                {
                    "kind": "time",
                    "case": name,
                    "system": system,
                    "runs": len(values),
                    "seconds": statistics.median(values),
                    "min_s": min(values),
                    "max_s": max(values),
                }
            )
            print(rows[-1], flush=True)
    return rows


def save(rows):
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    path = ROOT / "bench/results/umap.csv"
    columns = ["date", "commit", "kind", "case", "system", "runs", "radius", "nearest", "kept", "shared", "spearman"]
    columns += ["least_shared", "least_spearman", "seconds", "min_s", "max_s"]
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
    parser.add_argument("--start", choices=["pca", "spectral", "own"], default="pca", help="of quality")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--save", action="store_true")
    given = parser.parse_args()
    rows = quality(given.seeds, given.case, given.start) if given.what == "quality" else timed(given.runs)
    if given.save:
        save(rows)


if __name__ == "__main__":
    sys.exit(main())

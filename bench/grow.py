#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Maps that grow: --grow from a map of some of the rows, beside a fresh map of all.

    grow.py [tsne|umap|pacmap] [CASE...] [--save]    digits, mnist4000, gaussians, few-gaussians, roll

ratio: new rows per old row. cost: KL, cross entropy or loss of the grown map over that of a fresh one, less 1; other: the same
of a map from a random start in place of the grown one. moved: median distance of an old point in the grown map from its place in the old
one, after the best rotation and shift, per span of the old map; moved_fresh: the same of a fresh map.
"""

import argparse
import csv
import datetime
import subprocess
import sys

import numpy as np

from transform_peer import digits, made, roll
from umap_learn import ROOT, mnist

COLUMNS = ["date", "commit", "case", "method", "ratio", "iterations", "cost", "other", "moved", "moved_fresh"]
COSTS = {"tsne": "kl", "umap": "cross_entropy", "pacmap": "loss"}
CASES = {
    "digits": lambda: digits()[0][np.random.default_rng(1).permutation(1797)],
    "mnist4000": lambda: mnist(4000)[0],
    "gaussians": lambda: made(20, 3000, 30)[0],
    "few-gaussians": lambda: made(10, 1500, 5)[0],
    "roll": lambda: roll(2000)[0],
}


def moved(old, new):
    a, b = old - old.mean(0), new[: len(old)] - new[: len(old)].mean(0)
    u, _, v = np.linalg.svd(b.T @ a)
    return float(np.median(np.linalg.norm(b @ u @ v - a, axis=1)) / np.ptp(old, axis=0).max())


def measured(method, X, ratio):
    import dunlin

    function, cost = getattr(dunlin, method), COSTS[method]
    old = function(X[: round(len(X) / (1 + ratio))])
    fresh, grown, other = function(X), function(X, grow=old), function(X, init="random", seed=2)
    return {
        "method": method,
        "ratio": ratio,
        "iterations": grown.n_iter,
        "cost": getattr(grown, cost) / getattr(fresh, cost) - 1,
        "other": getattr(other, cost) / getattr(fresh, cost) - 1,
        "moved": moved(old.embedding, grown.embedding),
        "moved_fresh": moved(old.embedding, fresh.embedding),
    }


def save(rows):
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    path = ROOT / "bench/results/grow.csv"
    new = not path.exists()
    with open(path, "a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if new:
            writer.writeheader()
        for row in rows:
            values = {key: f"{value:.4g}" if isinstance(value, float) else value for key, value in row.items()}
            writer.writerow({"date": datetime.date.today().isoformat(), "commit": commit, **values})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", help="methods and cases; default: all")
    parser.add_argument("--save", action="store_true")
    given = parser.parse_args()
    rows = []
    for method in [name for name in COSTS if name in given.what] or COSTS:
        for name in [case for case in CASES if case in given.what] or CASES:
            X = CASES[name]()
            for ratio in (0.05, 0.25, 1.0):
                rows.append({"case": name, **measured(method, X, ratio)})
                print(rows[-1], flush=True)
    if given.save:
        save(rows)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""New points in maps by t-SNE, UMAP and PaCMAP, beside openTSNE, umap-learn and pacmap (PyPI).

    transform_peer.py [tsne|umap|pacmap] [CASE...] [--alone] [--untimed] [--save]
                                                    digits, mnist6000, gaussians, gaussian, roll, shuttle, pbmc68k

Every 11th row is new. openTSNE places in the map of Dunlin, umap-learn and pacmap in their own. kept: share of the 15 nearest
points in the data that are among the 15 nearest in the map, of new rows, with its standard error, and of the map's own points;
labels: share of rows whose label is that of most of the 10 nearest points of the map. cpu_s: processor seconds of the call,
left out with --untimed. --alone: of Dunlin alone. above: kept less that of the best of openTSNE's settings in the same map, row
by row, with its standard error.
"""

import argparse
import csv
import datetime
import subprocess
import sys
import time
import warnings

import numpy as np

from umap_learn import DATA, ROOT, mnist, values_of

COLUMNS = ["date", "commit", "case", "method", "system", "new", "kept", "kept_se", "kept_own", "labels", "labels_own", "cpu_s"]
COLUMNS += ["above", "above_se"]


def made(columns, rows, clusters):
    generator = np.random.default_rng(7)
    centers, of = 4 * generator.normal(size=(clusters, columns)), generator.integers(0, clusters, rows)
    return (centers[of] + generator.normal(size=(rows, columns))).astype(np.float32), of


def roll(rows):
    generator = np.random.default_rng(7)
    turn, height = 1.5 * np.pi * (1 + 2 * generator.random(rows)), 21 * generator.random(rows)
    return np.stack([turn * np.cos(turn), height, turn * np.sin(turn)], 1).astype(np.float32), None


def digits():
    import dunlin

    read = dunlin.read(ROOT / "examples/digits.csv.gz")
    return np.ascontiguousarray(read.values, np.float32), np.unique(read.labels, return_inverse=True)[1]


CASES = {
    "digits": digits,
    "mnist6000": lambda: mnist(6000),
    "gaussians": lambda: made(20, 4000, 30),
    "gaussian": lambda: (made(10, 3000, 1)[0], None),
    "roll": lambda: roll(3000),
    "shuttle": lambda: (values_of(DATA / "shuttle/shuttle_test_14500x9.csv.xz"), None),
    "pbmc68k": lambda: (values_of(DATA / "pbmc68k/pbmc68k_reduced_pca_700x50.csv.xz"), None),
}


def shares(near_data, near_map):
    return np.array([len(np.intersect1d(a, b)) / len(a) for a, b in zip(near_data, near_map)])


def votes(near, labels):
    return np.array([np.bincount(labels[row]).argmax() for row in near])


def judged(X, new, y, map, places, seconds):
    """The scores of places of new rows in a map of the others, and what each row keeps."""
    import dunlin

    old, map, places = X[~new], np.asarray(map, np.float32), np.asarray(places, np.float32)
    each = shares(dunlin.neighbors(old, 15, queries=X[new]).indices, dunlin.neighbors(map, 15, queries=places).indices)
    row = {
        "new": int(new.sum()),
        "kept": float(each.mean()),
        "kept_se": float(each.std() / np.sqrt(len(each))),
        "kept_own": float(shares(dunlin.neighbors(old, 15).indices, dunlin.neighbors(map, 15).indices).mean()),
    }
    if seconds is not None:
        row["cpu_s"] = seconds
    if y is not None:
        row["labels"] = float(np.mean(votes(dunlin.neighbors(map, 10, queries=places).indices, y[~new]) == y[new]))
        row["labels_own"] = float(np.mean(votes(dunlin.neighbors(map, 10).indices, y[~new]) == y[~new]))
    return row, each


def compare(rows, kept):
    """Sets above of Dunlin's rows. kept: of each system, what each new point keeps."""
    best = max((name for name in kept if name.startswith("openTSNE")), key=lambda name: kept[name].mean(), default=None)
    for row in rows:
        if best is not None and row["system"].startswith("dunlin"):
            each = kept[row["system"]] - kept[best]
            row["above"] = round(float(each.mean()), 6) + 0.0  # rounding is no difference, and -0 is 0
            row["above_se"] = float(each.std() / np.sqrt(len(each)))


def timed(call):
    begin = time.process_time()
    return call(), time.process_time() - begin


def ours(method, X, new):
    import dunlin

    map = getattr(dunlin, method)(X[~new])
    for affinity in ("joint", "own", "best"):
        placed, seconds = timed(lambda: dunlin.transform(X[new], X[~new], map, affinity=affinity))
        yield f"dunlin {affinity}", map, placed, seconds


def opentsne(X, new):
    """openTSNE's placing in Dunlin's map, with its defaults and other perplexities and exaggerations."""
    import dunlin
    import openTSNE

    map = np.asarray(dunlin.tsne(X[~new]), np.float64)
    affinities = openTSNE.affinity.PerplexityBasedNN(X[~new], perplexity=30, random_state=1)
    for perplexity, exaggeration in ((5, 1.5), (5, 1), (15, 1), (30, 1), (30, 1.5)):

        def place():
            embedding = openTSNE.TSNEEmbedding(map.copy(), affinities, random_state=1)
            part = embedding.prepare_partial(X[new], initialization="median", k=25, perplexity=perplexity)
            part.optimize(250, learning_rate=0.1, exaggeration=exaggeration, momentum=0.8, inplace=True)
            return np.array(part)

        places, seconds = timed(place)
        yield f"openTSNE {perplexity} {exaggeration}", map, places, seconds


def umap_learn(X, new):
    import umap

    model = umap.UMAP(random_state=1)
    map = model.fit_transform(X[~new])
    yield "umap-learn", map, *timed(lambda: model.transform(X[new]))


def pacmap(X, new):
    import pacmap

    model = pacmap.PaCMAP(random_state=1)
    map = model.fit_transform(X[~new])
    yield "pacmap", map, *timed(lambda: model.transform(X[new], basis=X[~new].copy()))


PEERS = {"tsne": opentsne, "umap": umap_learn, "pacmap": pacmap}


def save(rows):
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    path = ROOT / "bench/results/transform.csv"
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
    parser.add_argument("--alone", action="store_true", help="without the other programs")
    parser.add_argument("--untimed", action="store_true", help="without seconds, for a busy machine")
    parser.add_argument("--save", action="store_true")
    given = parser.parse_args()
    warnings.filterwarnings("ignore")
    methods = [name for name in PEERS if name in given.what] or list(PEERS)
    names = [name for name in CASES if name in given.what] or list(CASES)
    rows = []
    for name in names:
        X, y = CASES[name]()
        new = np.arange(len(X)) % 11 == 0
        for method in methods:
            kept, of_method = {}, []
            for runs in [ours(method, X, new)] + ([] if given.alone else [PEERS[method](X, new)]):
                for system, map, places, seconds in runs:
                    row, kept[system] = judged(X, new, y, map, places, None if given.untimed else seconds)
                    of_method.append({"case": name, "method": method, "system": system, **row})
            compare(of_method, kept)
            rows += of_method
            print(*of_method, sep="\n", flush=True)
    if given.save:
        save(rows)


if __name__ == "__main__":
    sys.exit(main())

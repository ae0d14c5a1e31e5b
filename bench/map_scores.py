#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scores, with standard errors, of maps by Dunlin and its peers (PyPI) of six data sets.

    map_scores.py [CASE...] [--systems NAME,...] [--dunlin COMMAND] [--work DIR] [--threads N] [--commit NAME] [--save]

CASE: digits, coil20, pbmc68k, mammoth, shuttle, mnist10k (the six without names), mnist70k. Every system has its defaults and seed 1, and the points as they are in
the file (float32, Euclidean). One evaluator scores all maps of a set in one pass: `dunlin score`, with 2,000 sampled rows beyond
5,000; distance_correlation is sampled beyond 1,000 points, triplets always. Maps are kept in the work folder and not
made again. PaCMAP of Dunlin joins where the command has it. Needs numpy, scikit-learn, openTSNE,
umap-learn and pacmap for the systems that are named.
"""

import argparse
import csv
import datetime
import gzip
import json
import lzma
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("DUNLIN_DATA", ROOT.parent / "shared" / "data")) / "points"
SCORES = (
    "trustworthiness",
    "continuity",
    "preservation_15",
    "rnx_auc",
    "density_correlation",
    "distance_correlation",
    "triplets",
    "label_accuracy",
    "centroid_correlation",
    "centroid_triplets",
)
COLUMNS = ["date", "commit", "case", "rows", "columns", "system", "version"]
COLUMNS += [column for score in SCORES for column in (score, f"{score}_se")]


def idx(*paths, header):
    return np.concatenate([np.frombuffer(gzip.open(DATA / path).read(), np.uint8, offset=header) for path in paths])


def table(path, labels):
    """Numbers of a CSV file with a header, and its last column as labels if there are some."""
    opener = lzma.open if path.suffix == ".xz" else gzip.open
    with opener(path, "rt") as file:
        rows = list(csv.reader(file))[1:]
    end = -1 if labels else None
    return np.array([row[:end] for row in rows], np.float32), [row[-1] for row in rows] if labels else None


def images(stems, side):
    values = idx(*(f"{stem}-images-idx3-ubyte.gz" for stem in stems), header=16).reshape(-1, side * side)
    return values.astype(np.float32), [str(label) for label in idx(*(f"{stem}-labels-idx1-ubyte.gz" for stem in stems), header=8)]


CASES = {
    "digits": lambda: table(ROOT / "examples/digits.csv.gz", True),
    "coil20": lambda: images(["coil20/coil20"], 32),
    "pbmc68k": lambda: table(DATA / "pbmc68k/pbmc68k_reduced_pca_700x50.csv.xz", True),
    "mammoth": lambda: table(DATA / "mammoth/mammoth_data.csv.xz", False),
    "shuttle": lambda: table(DATA / "shuttle/shuttle_test_14500x9.csv.xz", True),
    "mnist10k": lambda: images(["mnist/t10k"], 28),
    "mnist70k": lambda: images(["mnist/train", "mnist/t10k"], 28),
}


def by_dunlin(method):
    def place(points, out, given):
        command = [given.dunlin, method, str(points), "-o", str(out), "--scores", "none", "--quiet", "--threads", str(given.threads)]
        subprocess.run(command, check=True)

    return place


def by_peer(model):
    def place(points, out, given):
        np.save(out, np.asarray(model(np.load(points), given.threads), np.float32))

    return place


def opentsne(X, threads):
    import openTSNE

    return openTSNE.TSNE(n_jobs=threads, random_state=1).fit(X)


def umap_learn(X, threads):
    import umap

    return umap.UMAP(random_state=1, n_jobs=1).fit_transform(X)


def pacmap(X, threads):
    import pacmap

    return pacmap.PaCMAP(random_state=1).fit_transform(X)


def pca(X, threads):
    from sklearn.decomposition import PCA

    return PCA(2, svd_solver="full").fit_transform(X)


SYSTEMS = {
    "dunlin tsne": by_dunlin("tsne"),
    "openTSNE": by_peer(opentsne),
    "dunlin umap": by_dunlin("umap"),
    "umap-learn": by_peer(umap_learn),
    "dunlin pacmap": by_dunlin("pacmap"),
    "pacmap": by_peer(pacmap),
    "pca": by_peer(pca),
}
PACKAGES = {"openTSNE": "openTSNE", "umap-learn": "umap-learn", "pacmap": "pacmap", "pca": "scikit-learn"}


def version_of(system, given):
    if system.startswith("dunlin"):
        return subprocess.run([given.dunlin, "--version"], check=True, capture_output=True, text=True).stdout.split()[-1]
    import importlib.metadata

    return importlib.metadata.version(PACKAGES[system])


def scored(maps, points, labels, given):
    """The scores of each map: one pass of `dunlin score`."""
    report = given.work / "report.json"
    command = [given.dunlin, "score", *map(str, maps), "--of", str(points), "--no-kl", "--quiet"]
    command += ["--exact-rows", "5000", "--sample", "2000", "--threads", str(given.threads), "--report", str(report)]
    command += ["--labels", str(labels)] if labels else []
    subprocess.run(command, check=True)
    quality = json.loads(report.read_text())["quality"]
    return quality.get("maps", [quality])


def rows_of(case, systems, given):
    points, labels = given.work / f"{case}.npy", given.work / f"{case}.labels.csv"
    values, names = CASES[case]()
    if not points.exists():
        np.save(points, values)
    if names:
        labels.write_text("label\n" + "\n".join(names) + "\n")
    maps = []
    for system in systems:
        maps.append(given.work / f"{case}.{system.replace(' ', '-')}.npy")
        if not maps[-1].exists():
            print(f"{case}: {system}", flush=True)
            SYSTEMS[system](points, maps[-1], given)
    head = {"date": datetime.date.today().isoformat(), "commit": given.commit, "case": case}
    head |= {"rows": values.shape[0], "columns": values.shape[1]}
    found = scored(maps, points, labels if names else None, given)
    for system, scores in zip(systems, found):
        kept = {key: f"{scores[key]:.6g}" for key in COLUMNS if scores.get(key) is not None}
        yield head | {"system": system, "version": version_of(system, given)} | kept


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--systems", help="default: all but dunlin pacmap where the command lacks it")
    parser.add_argument("--dunlin", default=str(ROOT / "build/cpu/dunlin"))
    parser.add_argument("--work", type=Path, default=ROOT / "build/bench/map_scores")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--save", action="store_true", help="append the rows to results/map-scores.csv")
    given = parser.parse_args()
    for case in given.cases:
        if case not in CASES:
            parser.error(f"{case} is no case; they are {', '.join(CASES)}")
    systems = given.systems.split(",") if given.systems else list(SYSTEMS)
    for system in systems:
        if system not in SYSTEMS:
            parser.error(f"{system} is no system; they are {', '.join(SYSTEMS)}")
    if not given.systems and subprocess.run([given.dunlin, "pacmap", "--help"], capture_output=True).returncode != 0:
        systems.remove("dunlin pacmap")
    given.work.mkdir(parents=True, exist_ok=True)
    file = ROOT / "bench/results/map-scores.csv"
    for case in given.cases or list(CASES)[:6]:
        rows = list(rows_of(case, systems, given))
        out = [sys.stdout]
        is_new = not file.exists()
        if given.save:
            out.append(open(file, "a", newline=""))
        for target in out:
            writer = csv.DictWriter(target, COLUMNS, lineterminator="\n")
            if target is not sys.stdout and is_new:
                writer.writeheader()
            writer.writerows(rows)
            target.flush()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Edit distances beside rapidfuzz, DTW beside dtaidistance, k-medoids beside the package kmedoids; both alternate, the
medians of ROUNDS are printed.

    bench/sequence_peers.py DUNLIN [ROUNDS]      needs pip install rapidfuzz dtaidistance kmedoids numpy

The command's times are of its report: `read` holds the distances of all pairs of strings and tracks.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np

dunlin, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
folder = Path(tempfile.mkdtemp())
rng = np.random.default_rng(1)


def run(*arguments):
    """The report of the command."""
    report = folder / "report.json"
    subprocess.run([dunlin, *map(str, arguments), "--quiet", "--report", report, "-o", folder / "o.csv"], check=True)
    return json.loads(report.read_text())


def beside(title, ours, theirs, peer):
    """Times of both, alternating; each returns (seconds, value), and the values are shown."""
    a, b = [], []
    for _ in range(rounds):
        a.append(ours())
        b.append(theirs())
    mine, other = median(t for t, _ in a), median(t for t, _ in b)
    print(f"{title}: dunlin {mine:.3f} s, {peer} {other:.3f} s, {other / mine:.2f} times; {a[0][1]} and {b[0][1]}", flush=True)


def timed(work):
    begin = time.perf_counter()
    value = work()
    return time.perf_counter() - begin, value


def strings(n, least, most, letters):
    """Strings of which every tenth is new and the others are altered copies of earlier ones."""
    made = []
    for i in range(n):
        length = int(rng.integers(least, most + 1))
        text = list(rng.choice(list(letters), length))
        if i % 10 and made:
            text = list(made[int(rng.integers(len(made)))])
            for _ in range(max(1, len(text) // 8)):
                text[int(rng.integers(len(text)))] = rng.choice(list(letters))
        made.append("".join(text))
    return made


def edit(title, texts):
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    file = folder / "strings.txt"
    file.write_text("\n".join(texts) + "\n")

    def ours():
        report = run("kmedoids", file, "--metric", "edit", "--clusters", 1, "--iterations", 0, "--pairs", "all", "--start", "random")
        return report["seconds"]["read"], f"inertia {report['quality']['inertia']:.0f}"

    def theirs():
        seconds, matrix = timed(lambda: cdist(texts, texts, scorer=Levenshtein.distance, workers=-1, dtype=np.float32))
        return seconds, f"sum {matrix.sum():.0f}"

    beside(title, ours, theirs, "rapidfuzz")


def dtw(title, n, length):
    from dtaidistance import dtw as peer

    series = np.cumsum(rng.normal(size=(n, length)), 1)
    file = folder / "series.csv"
    with file.open("w") as out:
        out.write("id,value\n")
        for i, row in enumerate(series):
            out.writelines(f"{i},{value!r}\n" for value in row.tolist())

    def ours():
        report = run("kmedoids", file, "--metric", "dtw", "--cost", "square", "--clusters", 1, "--pairs", "all")
        return report["seconds"]["read"], f"inertia {report['quality']['inertia']:.3f}"

    def theirs():
        seconds, matrix = timed(lambda: peer.distance_matrix_fast(list(series), parallel=True))
        return seconds, f"inertia {matrix.sum(0).min():.3f}"

    beside(title, ours, theirs, "dtaidistance")


def medoids(title, n, clusters):
    import kmedoids as peer

    points = np.concatenate([rng.normal(size=(n // 20, 10)) + 3 * rng.normal(size=10) for _ in range(20)]).astype(np.float32)
    matrix = np.sqrt(np.maximum(0, ((points[:, None] - points[None]) ** 2).sum(-1))) if n <= 2000 else None
    if matrix is None:
        squares = (points.astype(float) ** 2).sum(1)
        matrix = np.sqrt(np.maximum(0, squares[:, None] + squares[None] - 2 * points.astype(float) @ points.T.astype(float)))
    matrix = ((matrix + matrix.T) / 2).astype(np.float32)
    np.fill_diagonal(matrix, 0)
    file = folder / "matrix.npy"
    np.save(file, matrix)
    seed = iter(range(1000))

    def ours():
        report = run("kmedoids", file, "--clusters", clusters, "--start", "random", "--seed", next(seed))
        seconds = report["seconds"]
        return seconds["start"] + seconds["optimize"], f"inertia {report['quality']['inertia']:.1f}"

    def theirs():
        seconds, result = timed(lambda: peer.fasterpam(matrix, clusters, init="random", random_state=next(seed)))
        return seconds, f"inertia {result.loss:.1f}"

    beside(title, ours, theirs, "kmedoids")


edit("10,000 strings of 4 to 14", strings(10000, 4, 14, "abcdefghijklmnopqrstuvwxyz"))
edit("5,000 strings of 20 to 60", strings(5000, 20, 60, "abcdefghijklmnopqrstuvwxyz"))
edit("1,000 strings of 800 to 1,200, ACGT", strings(1000, 800, 1200, "ACGT"))
dtw("200 series of 500, DTW", 200, 500)
dtw("1,000 series of 100, DTW", 1000, 100)
medoids("k-medoids, 5,000 items, 20 clusters", 5000, 20)
medoids("k-medoids, 10,000 items, 100 clusters", 10000, 100)

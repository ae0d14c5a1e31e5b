# SPDX-License-Identifier: Apache-2.0
"""The cases of t-SNE and of exact neighbors for run.py: MNIST beside the peers, and how the time grows."""

import math

from processes import Failed, output_of, with_suffix
from rows import compare, judged, rows_of
from systems import ITERATIONS, dunlin_map, force_errors, peer_run, run_dunlin


def against_map_peer(bench, case, peer, rows, stages, target):
    points = bench.input("mnist-pca50", rows)
    file = with_suffix(points, ".npy")
    ours, theirs = bench.stem(case, "dunlin"), bench.stem(case, peer)
    systems = {
        "dunlin": lambda: dunlin_map(bench, file, ours, outputs=(".npy", ".png")),  # whole commands draw, too
        peer: lambda: peer_run(bench, peer, file, theirs, ITERATIONS),
    }
    own = {name: (name,) for name in ("whole", "neighbors", "loop", "process")}

    def judge(sample):
        return judged(bench, sample, file, with_suffix(points, ".labels.npy"))

    shared = {"rows": rows, "columns": 50}
    return compare(bench, systems, {"dunlin": stages, peer: own}, {"whole": target, "process": target}, shared, judge)


def mnist10k(bench):
    """MNIST's first 10,000 rows, 50 principal components, beside scikit-learn: at least 12 times faster"""
    stages = {
        "whole": ("whole",),
        "neighbors": ("neighbors",),
        "loop": ("affinities", "start", "optimize"),
        "process": ("process",),
    }
    return against_map_peer(bench, "mnist10k", "sklearn", 2000 if bench.quick else 10000, stages, 12)


def mnist70k(bench):
    """MNIST, 70,000 rows, 50 principal components, beside openTSNE's FFT: at least 3 times faster, aim 5"""
    stages = {
        "whole": ("whole",),
        "neighbors": ("neighbors", "affinities"),
        "loop": ("optimize",),
        "process": ("process",),
    }
    return against_map_peer(bench, "mnist70k", "opentsne", 10000 if bench.quick else 70000, stages, 3)


def end_to_end(bench):
    """MNIST, 70,000 x 784, from the file of images to the picture, exact neighbors: aim 40 s"""
    rows = 5000 if bench.quick else 70000
    points = bench.input("mnist", rows)
    stem = bench.stem("end-to-end", "dunlin")
    images, labels = with_suffix(points, "-idx3-ubyte.gz"), with_suffix(points, ".labels.npy")

    def work():
        return dunlin_map(
            bench, images, stem, "--neighbors", "exact", "--labels", labels, outputs=(".npy", ".csv", ".png")
        )

    names = ("process", "read", "neighbors", "affinities", "start", "optimize", "score", "write")

    def judge(sample):
        return judged(bench, sample, images, labels)

    stages = {"dunlin": {name: (name,) for name in names}}
    rows_found = compare(bench, {"dunlin": work}, stages, {}, {"rows": rows, "columns": 784}, judge)
    for row in rows_found:
        if row.get("stage") == "process":
            row |= {"target": 40, "met": "yes" if row["median_s"] <= 40 else "no"}
    return rows_found


def knn60k(bench):
    """Exact neighbors of MNIST's 60,000 training images, k = 90, beside FAISS's flat index: at least 2 times faster"""
    rows, k = (10000 if bench.quick else 60000), 90
    points = bench.input("mnist", rows)
    file = with_suffix(points, ".npy")
    ours, theirs = bench.stem("knn60k", "dunlin"), bench.stem("knn60k", "faiss")

    def search():
        sample = run_dunlin(bench, "neighbors", file, ours, "-k", k, "--method", "exact", outputs=(".npz",))
        sample.seconds["whole"] = sample.seconds["neighbors"]
        return sample

    systems = {"dunlin": search, "faiss": lambda: peer_run(bench, "faiss", file, theirs, k)}
    names = {name: (name,) for name in ("neighbors", "process")}
    found = compare(bench, systems, {"dunlin": names, "faiss": names}, {"neighbors": 2},
                    {"rows": rows, "columns": 784}, lambda sample: {})  # fmt: skip
    if all(row["status"] == "done" for row in found):
        same = output_of(bench.script("agree.py", with_suffix(ours, ".npz"), with_suffix(theirs, ".npy")))
        found[0]["note"] = f"share of neighbors in common with FAISS: {float(same):.6f}"
    return found


def made_map(bench, rows):
    """One run on generated points, cached for two cases."""
    if rows not in bench.memo:
        points = with_suffix(bench.input("made", rows), ".npy")
        bench.memo[rows] = dunlin_map(bench, points, bench.stem("made", f"dunlin-{rows}"))
    return bench.memo[rows]


def made_rows(bench, rows):
    try:
        sample = made_map(bench, rows)
        iterations = sample.facts["iterations"]
        sample.seconds["iteration"] = sample.seconds["optimize"] / iterations
        scores = {"kl": sample.facts["quality"]["kl"]} | force_errors(bench, sample)
    except (Failed, KeyError, ValueError, OSError) as reason:
        return [{"system": "dunlin", "rows": rows, "columns": 50, "status": "failed", "note": str(reason)}]
    names = ("process", "neighbors", "affinities", "optimize", "iteration")
    shared = {"system": "dunlin", "rows": rows, "columns": 50}
    found = list(rows_of([sample], {name: (name,) for name in names}, shared, scores))
    input_mib = rows * 50 * 4 / 2**20
    found[0]["note"] += f"; {iterations} iterations; input {input_mib:.0f} MiB"
    return found


def million(bench):
    """A million generated points x 50 (blobs, sheet, branches, haze, outliers): seconds per iteration, peak memory"""
    rows = 50000 if bench.quick else 1000000
    found = made_rows(bench, rows)
    if found[0]["status"] == "done":
        limit = 4096 + rows * 50 * 4 / 2**20
        found[0] |= {"met": "yes" if found[0]["peak_mib"] <= limit else "no"}
        found[0]["note"] += f"; target is memory under {limit:.0f} MiB"
    return found


def growth(bench):
    """Seconds per iteration at 10,000, 100,000 and a million generated points: should grow as n log n"""
    sizes = (2000, 10000, 50000) if bench.quick else (10000, 100000, 1000000)
    found, before = [], None
    for rows in sizes:
        row = made_rows(bench, rows)[-1]
        if row["status"] == "done" and before and before["status"] == "done":

            def cost(r):
                return r["rows"] * math.log(r["rows"])

            grew = row["median_s"] / before["median_s"]
            row["note"] += f"; {grew:.1f} times the last, n log n would be {cost(row) / cost(before):.1f}"
        found.append(row)
        before = row
    return found


CASES = {
    "mnist10k": mnist10k,
    "mnist70k": mnist70k,
    "end-to-end": end_to_end,
    "knn60k": knn60k,
    "million": million,
    "growth": growth,
}

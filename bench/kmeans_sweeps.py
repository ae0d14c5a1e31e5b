# SPDX-License-Identifier: Apache-2.0
"""The sweeps of k-means by CUDAfy, and the table of Distributed k-Means Clustering (Lewellen, The Antimatroid, 2015-16).

usage: kmeans_sweeps.py BENCH_KMEANS FOLDER RUNS THREADS [most points of a sweep]

Two clusters at -0.25 and 0.25 in every column: 10 to 10^7 points in 2 columns, 2 to 128 columns of 10^5 points, 2 to 128
clusters of 10^5 points; ten iterations from given centroids, medians of RUNS, of fewer where three seconds are over
(`runs` is the least of them). The table: 10^7 x 2 points, 4 clusters, 100 iterations. Systems: Dunlin's plain loops, its threads, its GPU
where there is one (points in its memory), and scikit-learn, whose whole `fit` is divided by the iterations it made. Writes
kmeans-sweeps.csv, microseconds an iteration, and a plot of times and one of speed-ups for each sweep.
"""

import csv
import json
import statistics
import subprocess
import sys
from pathlib import Path

import kmeans_peer
import plot

SYSTEMS = {"sequential": "sequential", "dunlin": "threads", "cuda": "GPU", "sklearn": "scikit-learn"}
VARIES = {"points": "rows", "columns": "columns", "clusters": "clusters"}


def configurations(most):
    """(sweep, rows, columns, clusters, iterations)"""
    yield from (("points", rows, 2, 2, 10) for rows in (10**power for power in range(1, 8)) if rows <= most)
    rows = min(most, 100_000)
    yield from (("columns", rows, 2**power, 2, 10) for power in range(1, 8))
    yield from (("clusters", rows, 2, 2**power, 10) for power in range(1, 8))
    yield ("table", min(most, 10_000_000), 2, 4, 100)


def measure(program, folder, rows, columns, clusters, iterations, runs, threads):
    """Median microseconds per iteration by system, and the minimum number of runs."""
    stem = folder / "sweep"
    kmeans_peer.make("pair", rows, columns, clusters, stem)
    words = [f"{stem}.npy", f"{stem}.start.npy", iterations, runs, threads]
    ours = subprocess.run([str(w) for w in (program, *words)], capture_output=True, text=True, check=True)
    facts = json.loads(ours.stdout) | {"sklearn": kmeans_peer.sklearn_runs(*words)}
    for file in words[:2]:
        Path(file).unlink()
    here = {name: facts[name]["seconds"] for name in SYSTEMS if name in facts}
    times = {name: 1e6 * statistics.median(seconds) / iterations for name, seconds in here.items()}
    return times, min(map(len, here.values()))


def with_speedups(row, times):
    for other in ("sequential", "sklearn"):
        for name in times:
            if name != other and other in times:
                row[f"{name}_over_{other}"] = round(times[other] / times[name], 3)
    return row


def draw(folder, rows):
    for sweep, column in VARIES.items():
        here = [row for row in rows if row["sweep"] == sweep]
        times = {label: [(row[column], row[name]) for row in here if name in row] for name, label in SYSTEMS.items()}
        plot.write(folder / f"kmeans-{sweep}-times.svg", f"k-means: microseconds an iteration by {sweep}",
                   (sweep, "microseconds"), {k: v for k, v in times.items() if v})  # fmt: skip
        ratios = {}
        for name in ("dunlin", "cuda"):
            for other in ("sequential", "sklearn"):
                key = f"{name}_over_{other}"
                points = [(row[column], row[key]) for row in here if key in row]
                if points:
                    ratios[f"{SYSTEMS[name]} / {SYSTEMS[other]}"] = points
        plot.write(folder / f"kmeans-{sweep}-speedups.svg", f"k-means: speed-ups by {sweep}",
                   (sweep, "times as fast"), ratios)  # fmt: skip


def main(program, folder, runs, threads, most="10000000"):
    folder, runs = Path(folder), int(runs)
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for sweep, points, columns, clusters, iterations in configurations(int(most)):
        wanted = 1 if sweep == "table" else runs
        times, done = measure(program, folder, points, columns, clusters, iterations, wanted, int(threads))
        row = {"sweep": sweep, "rows": points, "columns": columns, "clusters": clusters, "runs": done}
        rows.append(with_speedups(row | {name: round(t, 2) for name, t in times.items()}, times))
        print(*(f"{key} {value}" for key, value in rows[-1].items()), flush=True)
    draw(folder, rows)
    names = list(dict.fromkeys(key for row in rows for key in row))
    with open(folder / "kmeans-sweeps.csv", "w", newline="") as file:
        out = csv.DictWriter(file, names)
        out.writeheader()
        out.writerows(rows)


if __name__ == "__main__":
    main(*sys.argv[1:])

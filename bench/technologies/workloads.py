# SPDX-License-Identifier: Apache-2.0
"""What the Python programs of this folder share: inputs, clock, output; the words and lines are those of workloads.hpp."""

import sys
import time
from pathlib import Path

import numpy as np

A, GAMMA, EPSILON, DX, DT = 0.01, 2.0, 0.01, 0.5, 0.1
R, K = DT / (DX * DX), DT * EPSILON


def missing(reason):
    print("missing", reason)
    sys.exit(0)


def measure(work, make, runs, seconds):
    """work(*make()), with the clock around `work` alone; the first call, which may compile, is not counted."""
    total, done = 0.0, 0
    while done < runs and (done < 2 or total < seconds):
        given = make()
        begin = time.perf_counter()
        result = work(*given)
        passed = time.perf_counter() - begin
        print(f"seconds {passed:.9f}")
        total, done = total + (passed if done else 0), done + 1
    return result


def main(kmeans=None, waves=None, solve=None, take=np.asarray, give=np.asarray):
    """kmeans(points, centroids, iterations) -> labels, centroids; waves(v, w, steps) -> v, w; solve(lower, diagonal, upper,
    right) -> x. `take` makes an array of the technology from NumPy's, and `give` the reverse."""
    workload, folder, runs, seconds = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
    limits = runs, seconds
    _, clusters, steps = map(int, (folder / "sizes").read_text().split())

    def read(name, kind=np.float64):
        return np.fromfile(folder / name, kind)

    def write(name, values, kind):
        np.ascontiguousarray(give(values), kind).tofile(folder / f"out-{name}")

    if workload == "kmeans" and kmeans:
        points = take(read("points.f32", np.float32).reshape(-1, 2))
        start = read("start.f32", np.float32).reshape(clusters, 2)
        labels, centroids = measure(kmeans, lambda: (points, take(start.copy()), steps), *limits)
        write("labels.i32", labels, np.int32)
        write("centroids.f64", centroids, np.float64)
    elif workload == "waves" and waves:
        v, w = measure(waves, lambda: (take(read("v.f64")), take(read("w.f64")), steps), *limits)
        write("v.f64", v, np.float64)
        write("w.f64", w, np.float64)
    elif workload == "solve" and solve:
        names = ("lower.f64", "diagonal.f64", "upper.f64", "right.f64")
        write("x.f64", measure(solve, lambda: [take(read(name)) for name in names], *limits), np.float64)
    else:
        missing("it has no form of this workload")

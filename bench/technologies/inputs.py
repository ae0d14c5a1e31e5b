# SPDX-License-Identifier: Apache-2.0
"""The inputs of a workload, which all technologies read, and the results that check.py compares theirs with.

usage: inputs.py kmeans N CLUSTERS ITERATIONS FOLDER
       inputs.py waves N STEPS FOLDER
       inputs.py solve N FOLDER

Numbers are hashes of their place, so they are the same everywhere. Files without a header: .f32, .f64, .i32.
"""

import sys
from pathlib import Path

import numpy as np

A, GAMMA, EPSILON, DX, DT = 0.01, 2.0, 0.01, 0.5, 0.1
R, K = DT / (DX * DX), DT * EPSILON
CHUNK = 1 << 16


def uniform(stream, count):
    """Numbers in [0, 1) with 24 bits: number i is a hash of (stream, i), by the finalizer of SplitMix64."""
    z = np.arange(count, dtype=np.uint64) + np.uint64(stream << 40)
    z *= np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        z = (z ^ (z >> np.uint64(shift))) * np.uint64(factor)
    z ^= z >> np.uint64(31)
    return (z >> np.uint64(40)).astype(np.float64) / 2**24


def nearest(points, centroids):
    """The label of every point, in double."""
    squares = (centroids**2).sum(1)
    labels = [(squares - 2 * points[b : b + CHUNK].astype(np.float64) @ centroids.T).argmin(1)
              for b in range(0, len(points), CHUNK)]  # fmt: skip
    return np.concatenate(labels).astype(np.int32)


def means_of(points, labels, clusters):
    counts = np.bincount(labels, minlength=clusters)
    columns = [np.bincount(labels, points[:, c].astype(np.float64), clusters) / counts for c in (0, 1)]
    return np.stack(columns, axis=1)


def kmeans(n, clusters, iterations, folder):
    """Points without clusters, so that labels change in every iteration, and the first points as centroids"""
    points = uniform(1, 2 * n).astype(np.float32).reshape(n, 2)
    centroids = points[:clusters].astype(np.float64)
    points.tofile(folder / "points.f32")
    points[:clusters].tofile(folder / "start.f32")
    np.save(folder / "points.npy", points)
    np.save(folder / "start.npy", points[:clusters])
    for _ in range(iterations):
        before, labels = centroids, nearest(points, centroids)
        centroids = means_of(points, labels, clusters)
    before.tofile(folder / "last-centroids.f64")
    labels.tofile(folder / "last-labels.i32")
    centroids.tofile(folder / "next-centroids.f64")
    nearest(points, centroids).tofile(folder / "next-labels.i32")
    (folder / "sizes").write_text(f"{n} {clusters} {iterations}\n")


def waves(n, steps, folder):
    """v is noise in [0, 1), so every node has work to do; w is 0"""
    v, w = uniform(2, n), np.zeros(n)
    v.tofile(folder / "v.f64")
    w.tofile(folder / "w.f64")
    np.save(folder / "v.npy", v)
    for _ in range(steps):
        left, right = np.concatenate((v[1:2], v[:-1])), np.concatenate((v[1:], v[-2:-1]))
        change = R * ((left - 2 * v) + right) + DT * (v * (1 - v) * (v - A) - w)
        v, w = v + change, w + K * (v - GAMMA * w)
    v.tofile(folder / "next-v.f64")
    w.tofile(folder / "next-w.f64")
    (folder / "sizes").write_text(f"{n} 0 {steps}\n")


def solve(n, folder):
    """Each row's diagonal is more than the sum of the others"""
    lower, upper = -0.25 - 0.5 * uniform(3, n), -0.25 - 0.5 * uniform(4, n)
    lower[0] = upper[-1] = 0
    lower.tofile(folder / "lower.f64")
    upper.tofile(folder / "upper.f64")
    (1.75 + uniform(5, n)).tofile(folder / "diagonal.f64")
    (2 * uniform(6, n) - 1).tofile(folder / "right.f64")
    (folder / "sizes").write_text(f"{n} 0 0\n")


if __name__ == "__main__":
    workload, *sizes, place = sys.argv[1:]
    Path(place).mkdir(parents=True, exist_ok=True)
    {"kmeans": kmeans, "waves": waves, "solve": solve}[workload](*map(int, sizes), Path(place))

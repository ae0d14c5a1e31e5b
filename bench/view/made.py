# SPDX-License-Identifier: Apache-2.0
"""Inputs of bench/viewer_gpu.py: maps, points and graphs by a seed. Needs NumPy; run as a program:

    bench/view/made.py FOLDER map|points|lattice|long COUNT
"""

import sys
from pathlib import Path

import numpy as np

BLOBS = 40


def write_map(folder, count):
    """Points of 40 Gaussian blobs of several widths in the plane, and the blob of each."""
    rng = np.random.default_rng(1)
    of = rng.integers(0, BLOBS, count, dtype=np.int32)
    centers, widths = rng.normal(0, 1, (BLOBS, 2)), rng.uniform(0.03, 0.12, BLOBS)
    places = (centers[of] + rng.normal(size=(count, 2)) * widths[of, None]).astype(np.float32)
    np.save(folder / f"map-{count}.npy", places)
    np.save(folder / f"labels-{count}.npy", of)


def write_points(folder, count, columns=10, clusters=100):
    rng = np.random.default_rng(2)
    centers = rng.normal(0, 5, (clusters, columns)).astype(np.float32)
    points = rng.standard_normal((count, columns), dtype=np.float32)
    points += centers[rng.integers(0, clusters, count)]
    np.save(folder / f"points-{count}.npy", points)


def write_graph(path, count, ends):
    """A sparse matrix as scipy.sparse.save_npz writes it, without needing SciPy: ends of edges, n x 2."""
    low, high = ends.min(axis=1), ends.max(axis=1)
    order = np.lexsort((high, low))
    low, high = low[order], high[order]
    fresh = np.ones(len(low), bool)
    fresh[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    fresh &= low != high
    low, high = low[fresh], high[fresh]
    np.savez(path, data=np.ones(len(low), np.float32), indices=high.astype(np.int32), shape=np.array([count, count]), format=np.array("csr"),
             indptr=np.searchsorted(low, np.arange(count + 1)).astype(np.int32))


def write_lattice(folder, count):
    """A square lattice with 70% of its edges: 1.4 of them per vertex, as in road networks."""
    side = round(count ** 0.5)
    rng, at = np.random.default_rng(3), np.arange(side * side).reshape(side, side)
    ends = np.concatenate([np.stack([at[:, :-1].ravel(), at[:, 1:].ravel()], 1), np.stack([at[:-1].ravel(), at[1:].ravel()], 1)])
    write_graph(folder / f"lattice-{count}.npz", side * side, ends[rng.random(len(ends)) < 0.7])


def write_long(folder, count):
    """As many edges between points of a square of side 1: their mean length is 0.264 sides, 290 of 1,100 pixels. A
    fifth as many vertices."""
    rng, vertices = np.random.default_rng(4), max(count // 5, 10)
    side = round(vertices ** 0.5)
    vertices = side * side
    places = (np.stack(np.meshgrid(np.arange(side), np.arange(side)), -1).reshape(-1, 2) + rng.uniform(0.1, 0.9, (vertices, 2))) / side
    ends = np.empty((0, 2), np.int64)
    while len(ends) < count:
        start = rng.integers(0, vertices, count)
        # The length of a Gaussian step has the mean 1.2533 sigma; steps that leave the square are drawn again, hence shorter ones are kept
        to = places[start] + rng.normal(0, 0.264 * 1.16 / 1.2533, (count, 2))
        inside = ((to >= 0) & (to < 1)).all(axis=1)
        cell = (to[inside] * side).astype(np.int64)
        ends = np.concatenate([ends, np.stack([start[inside], cell[:, 1] * side + cell[:, 0]], 1)])
    ends = ends[:count]
    np.save(folder / f"long-{count}.npy", places.astype(np.float32))
    write_graph(folder / f"long-{count}.npz", vertices, ends)
    steps = places[ends[:, 0]] - places[ends[:, 1]]
    print(f"mean length of {len(ends)} edges: {1100 * np.hypot(steps[:, 0], steps[:, 1]).mean():.0f} of 1,100 pixels", file=sys.stderr)


if __name__ == "__main__":
    {"map": write_map, "points": write_points, "lattice": write_lattice, "long": write_long}[sys.argv[2]](Path(sys.argv[1]), int(sys.argv[3]))

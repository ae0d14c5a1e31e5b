# SPDX-License-Identifier: Apache-2.0
"""Fraction of the true neighbors in lists, one evaluator for all systems; run by run.py inside its virtual environment.

usage: recall.py POINTS.npy FOUND     (a CSR graph as SciPy writes it, .npz; an n x k table of ids, .npy)

500 rows, evenly spread, are compared with all in double. A neighbor counts as found if it is no farther than the
k-th of the true ones: of rows that are equally far any will do.
"""

import sys
from pathlib import Path

import numpy as np

SAMPLED = 500
AT_ONCE = 25


def lists(file, rows):
    found = np.load(file)
    return found if Path(file).suffix == ".npy" else found["indices"].reshape(rows, -1)


def squares(points, row, others):
    return ((points[others].astype(np.float64) - points[row]) ** 2).sum(axis=1)


def main(points_file, found_file):
    points = np.load(points_file)
    found = lists(found_file, len(points))
    k = found.shape[1]
    centered = points - points.mean(axis=0, dtype=np.float64)
    lengths = (centered**2).sum(axis=1)
    sample = np.linspace(0, len(points) - 1, SAMPLED, dtype=np.int64)
    held = 0
    for begin in range(0, SAMPLED, AT_ONCE):
        rows = sample[begin : begin + AT_ONCE]
        apart = lengths - 2 * (centered[rows] @ centered.T)
        apart[np.arange(len(rows)), rows] = np.inf
        for row, others in zip(rows, np.argpartition(apart, k, axis=1)[:, :k], strict=True):
            held += (squares(points, row, found[row]) <= squares(points, row, others).max() * (1 + 1e-9)).sum()
    print(held / (SAMPLED * k))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])

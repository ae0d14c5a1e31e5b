# SPDX-License-Identifier: Apache-2.0
"""Whether the result of a technology is right.

usage: check.py kmeans|waves|solve FOLDER [last|next|inner]

Prints JSON: `agreement` in a word, `differ`, the number of values that differ from the reference of inputs.py, and `error`:
kmeans: the most by which a point is nearer to the centroid of the reference's label than to that of its own (squared; points
    lie in the unit square). `last`: labels are of the last assignment; `next`: of one more, to the centroids returned.
waves: the largest difference, in units of the rounding (2^-52) of the largest value. `inner`: without the nodes that the ends have
    reached, for a technology whose ends lie elsewhere.
solve: the backward error |Ax - b| / (|A| |x| + |b|), largest norms, in the same units.
The agreement is `equal`, `ties` (labels differ only where float32 cannot tell two distances apart), `float32 sums` (the
centroids have the rounding of sums in float32), `rounding`, or `wrong`.
"""

import json
import sys
from pathlib import Path

import numpy as np

TIE = 16 * 2.0**-24  # sixteen roundings of a squared distance below 1 in float32
FLOAT32_SUMS = 1e-3  # a sum of up to 10^7 numbers loses about as many digits as it has steps
UNIT = 2.0**-52
SOLVED = 8.0  # units, for a method without pivots on a dominant system


def kmeans(folder, which):
    n, clusters, _ = map(int, (folder / "sizes").read_text().split())
    points = np.fromfile(folder / "points.f32", np.float32).reshape(n, 2)
    labels = np.fromfile(folder / "out-labels.i32", np.int32)
    wanted = np.fromfile(folder / f"{which}-labels.i32", np.int32)
    centroids = np.fromfile(folder / f"{which}-centroids.f64").reshape(clusters, 2)
    found = np.fromfile(folder / "out-centroids.f64").reshape(clusters, 2)
    if labels.shape != wanted.shape or labels.min() < 0 or labels.max() >= clusters:
        return {"agreement": "wrong", "differ": len(wanted), "error": float("inf")}
    move = np.abs(found - np.fromfile(folder / "next-centroids.f64").reshape(clusters, 2)).max()
    other = np.flatnonzero(labels != wanted)

    def squared(of):
        return ((points[other].astype(np.float64) - centroids[of[other]]) ** 2).sum(1)

    excess = float((squared(labels) - squared(wanted)).max()) if len(other) else 0.0
    # Centroids that are off by `move` in each coordinate change a squared distance by at most 4 move
    right = move <= FLOAT32_SUMS and excess <= TIE + 8 * move
    word = "equal" if len(other) == 0 else "ties" if max(excess, move) <= TIE else "float32 sums"
    return {"agreement": word if right else "wrong", "differ": len(other), "error": excess, "move": float(move)}


def waves(folder, which):
    _, _, steps = map(int, (folder / "sizes").read_text().split())
    differ, errors = 0, []
    for name in ("v", "w"):
        found, wanted = (np.fromfile(folder / f"{kind}-{name}.f64") for kind in ("out", "next"))
        if found.shape != wanted.shape:
            return {"agreement": "wrong", "differ": wanted.size, "error": float("inf")}
        if which == "inner":
            found, wanted = (values[steps : len(values) - steps] for values in (found, wanted))
        differ += int((found.view(np.int64) != wanted.view(np.int64)).sum())
        errors.append(np.abs(found - wanted).max() / (UNIT * np.abs(wanted).max()))
    error = float(np.max(errors))  # NaN if one is
    word = "equal" if differ == 0 else "rounding" if error <= 4 * steps else "wrong"
    return {"agreement": word, "differ": differ, "error": error}


def solve(folder, _):
    names = ("lower", "diagonal", "upper", "right", "out-x")
    lower, diagonal, upper, right, x = (np.fromfile(folder / f"{name}.f64") for name in names)
    padded = np.concatenate(([0.0], x, [0.0])).astype(np.longdouble)
    left = lower * padded[:-2] + diagonal * padded[1:-1] + upper * padded[2:] - right
    norm = (np.abs(lower) + np.abs(diagonal) + np.abs(upper)).max()
    error = float(np.abs(left).max() / (norm * np.abs(x).max() + np.abs(right).max())) / UNIT
    return {"agreement": "rounding" if error <= SOLVED else "wrong", "differ": "", "error": error}


if __name__ == "__main__":
    workload, place, *more = sys.argv[1:]
    print(json.dumps({"kmeans": kmeans, "waves": waves, "solve": solve}[workload](Path(place), *(more or ["last"]))))

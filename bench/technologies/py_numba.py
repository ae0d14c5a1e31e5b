# SPDX-License-Identifier: Apache-2.0
"""Numba: plain loops of Python, compiled at the first call, with all threads where the loop is parallel."""

import sys

import numba
import numpy as np
from numba import njit, prange
from workloads import A, DT, GAMMA, K, R, main

print("threads", 1 if sys.argv[1] == "solve" else numba.get_num_threads())


# begin kmeans
@njit(parallel=True, cache=True)
def assign(points, centroids, labels, sums):
    for t in prange(sums.shape[0]):
        sums[t] = 0
        for i in range(len(points) * t // len(sums), len(points) * (t + 1) // len(sums)):
            best, label = np.float32(3e38), 0
            for c in range(len(centroids)):
                dx = points[i, 0] - centroids[c, 0]
                dy = points[i, 1] - centroids[c, 1]
                squared = dx * dx + dy * dy
                if squared < best:
                    best, label = squared, c
            labels[i] = label
            sums[t, label, 0] += points[i, 0]
            sums[t, label, 1] += points[i, 1]
            sums[t, label, 2] += 1


def kmeans(points, centroids, iterations):
    labels = np.empty(len(points), np.int32)
    sums = np.empty((numba.get_num_threads(), len(centroids), 3))
    for _ in range(iterations):
        assign(points, centroids, labels, sums)
        total = sums.sum(0)
        centroids = (total[:, :2] / total[:, 2:]).astype(np.float32)
    return labels, centroids
# end kmeans


# begin waves
@njit(parallel=True, cache=True)
def step(v, w, next_v, next_w):
    last = len(v) - 1
    for i in prange(len(v)):
        left = v[i - 1] if i > 0 else v[1]
        right = v[i + 1] if i < last else v[last - 1]
        next_v[i] = v[i] + (R * ((left - 2 * v[i]) + right) + DT * (v[i] * (1 - v[i]) * (v[i] - A) - w[i]))
        next_w[i] = w[i] + K * (v[i] - GAMMA * w[i])


def waves(v, w, steps):
    next_v, next_w = np.empty_like(v), np.empty_like(w)
    for _ in range(steps):
        step(v, w, next_v, next_w)
        v, next_v, w, next_w = next_v, v, next_w, w
    return v, w
# end waves


# begin solve
@njit(cache=True)
def solve(lower, diagonal, upper, right):
    x, ratio = np.empty_like(right), np.empty_like(right)
    ratio[0], x[0] = upper[0] / diagonal[0], right[0] / diagonal[0]
    for i in range(1, len(x)):
        pivot = 1 / (diagonal[i] - lower[i] * ratio[i - 1])
        ratio[i] = upper[i] * pivot
        x[i] = (right[i] - lower[i] * x[i - 1]) * pivot
    for i in range(len(x) - 2, -1, -1):
        x[i] -= ratio[i] * x[i + 1]
    return x
# end solve


main(kmeans, waves, solve)

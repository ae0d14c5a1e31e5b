# SPDX-License-Identifier: Apache-2.0
"""PyTorch on the processor: tensors, or with TORCH_COMPILE=1 loops fused by torch.compile (Inductor writes C++)."""

import os

import torch
from workloads import A, DT, GAMMA, K, R, main, missing

print("threads", torch.get_num_threads())
COMPILED = os.environ.get("TORCH_COMPILE") == "1"


def maybe_compiled(function):
    return torch.compile(function, dynamic=False) if COMPILED else function


# begin kmeans
def nearest(part, centroids, squares):
    return (squares - 2 * part @ centroids.T).argmin(1)


nearest = maybe_compiled(nearest)


def kmeans(points, centroids, iterations):
    labels, piece = torch.empty(len(points), dtype=torch.int64), 1 << 16
    for _ in range(iterations):
        squares = (centroids**2).sum(1)
        for begin in range(0, len(points), piece):
            labels[begin : begin + piece] = nearest(points[begin : begin + piece], centroids, squares)
        counts = torch.bincount(labels, minlength=len(centroids))
        sums = [torch.bincount(labels, points[:, c].double(), len(centroids)) for c in (0, 1)]
        centroids = (torch.stack(sums) / counts).T.float()
    return labels, centroids
# end kmeans


# begin waves
def step(v, w):
    left, right = torch.cat((v[1:2], v[:-1])), torch.cat((v[1:], v[-2:-1]))
    change = R * ((left - 2 * v) + right) + DT * (v * (1 - v) * (v - A) - w)
    return v + change, w + K * (v - GAMMA * w)


step = maybe_compiled(step)


def waves(v, w, steps):
    for _ in range(steps):
        v, w = step(v, w)
    return v, w
# end waves


# begin solve
def solve(lower, diagonal, upper, right):
    """Cyclic reduction: the odd rows lose their neighbors and are half a system; the even ones follow from them"""
    n = len(right)
    if n == 1:
        return right / diagonal
    if n % 2:  # a row that stands alone
        pad = torch.zeros(1, dtype=right.dtype)
        lower, upper, right = (torch.cat((x, pad)) for x in (lower, upper, right))
        return solve(lower, torch.cat((diagonal, pad + 1)), upper, right)[:n]
    before = lower[1::2] / diagonal[::2]
    after = torch.zeros_like(before)
    after[:-1] = upper[1:-1:2] / diagonal[2::2]
    rest = diagonal[1::2] - before * upper[::2], torch.zeros_like(before), right[1::2] - before * right[::2]
    half = [-before * lower[::2], *rest]
    half[1][:-1] -= after[:-1] * lower[2::2]
    half[2][:-1] = -after[:-1] * upper[2::2]
    half[3][:-1] -= after[:-1] * right[2::2]
    x = torch.empty_like(right)
    x[1::2] = solve(*half)
    known = right[::2] - upper[::2] * x[1::2]
    known[1:] -= lower[2::2] * x[1:-1:2]
    x[::2] = known / diagonal[::2]
    return x
# end solve


if COMPILED:
    def solve(*_):
        missing("its solve is the one of torch: sizes change from level to level")


main(kmeans, waves, solve, torch.from_numpy, lambda tensor: tensor.numpy())

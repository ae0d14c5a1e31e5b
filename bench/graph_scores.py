# SPDX-License-Identifier: Apache-2.0
"""The scores of a drawing by their definitions, in double precision, pair by pair: what docs/lab/scores.md compares
with. Usage: graph_scores.py GRAPH.mtx[.xz] MAP.csv. Needs NumPy and SciPy; memory for all pairs of vertices."""

import lzma
import sys

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.csgraph import shortest_path
from scipy.spatial import cKDTree


def read_graph(path):
    text = (lzma.open if path.endswith(".xz") else open)(path, "rt").read()
    rows = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("%")]
    n, pairs = int(rows[0][0]), np.array([[int(row[0]), int(row[1])] for row in rows[1:]])
    pairs -= 0 if (pairs == 0).any() else 1  # some files of the collection count from 0
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    matrix = sparse.csr_matrix((np.ones(len(pairs)), pairs.T), shape=(n, n))
    return ((matrix + matrix.T) != 0).tocsr()


def scaled_stress(graph, y):
    paths = shortest_path(graph, unweighted=True)
    i, j = np.nonzero(np.isfinite(paths) & (paths > 0))
    d = paths[i, j]
    r = np.sqrt(((y[i] - y[j]) ** 2).sum(1))
    s = (r / d).sum() / ((r / d) ** 2).sum()
    return ((s * r - d) ** 2 / d**2).mean()


def neighborhood_preservation(graph, y):
    tree, shares = cKDTree(y), []
    for v in range(len(y)):
        mine = set(graph.indices[graph.indptr[v] : graph.indptr[v + 1]])
        if not mine:
            continue
        near = np.atleast_1d(tree.query(y[v], len(mine) + 1)[1])
        near = [u for u in near if u != v][: len(mine)]
        both = len(mine.intersection(near))
        shares.append(both / (2 * len(mine) - both))
    return np.mean(shares)


def edges_of(graph):
    i, j = sparse.triu(graph, 1).nonzero()
    return np.stack([i, j], 1)


def edge_length_cv(graph, y):
    e = edges_of(graph)
    length = np.sqrt(((y[e[:, 0]] - y[e[:, 1]]) ** 2).sum(1))
    return length.std() / length.mean()


def crossings(graph, y):
    e = edges_of(graph)
    a, b = y[e[:, 0]], y[e[:, 1]]

    def side(p, q, r):
        return np.sign((q[..., 0] - p[..., 0]) * (r[..., 1] - p[..., 1]) - (q[..., 1] - p[..., 1]) * (r[..., 0] - p[..., 0]))

    count = 0
    for k in range(len(e)):
        c, d = a[k + 1 :], b[k + 1 :]
        free = ~np.isin(e[k + 1 :], e[k]).any(1)
        boxes = (np.maximum(np.minimum(a[k], b[k]), np.minimum(c, d)) <= np.minimum(np.maximum(a[k], b[k]), np.maximum(c, d))).all(1)
        meet = (side(a[k], b[k], c) * side(a[k], b[k], d) <= 0) & (side(c, d, a[k]) * side(c, d, b[k]) <= 0)
        count += int((free & boxes & meet).sum())
    return count


def min_angle(graph, y):
    shares = []
    for v in range(len(y)):
        ends = graph.indices[graph.indptr[v] : graph.indptr[v + 1]]
        if len(ends) < 2:
            continue
        angle = np.sort(np.arctan2(*(y[ends] - y[v]).T[::-1]))
        gaps = np.append(np.diff(angle), angle[0] + 2 * np.pi - angle[-1])
        shares.append(gaps.min() * len(ends) / (2 * np.pi))
    return np.mean(shares)


if __name__ == "__main__":
    graph = read_graph(sys.argv[1])
    y = np.loadtxt(sys.argv[2], delimiter=",", skiprows=1, usecols=(-2, -1)).astype(np.float32).astype(float)
    for score in (scaled_stress, neighborhood_preservation, edge_length_cv, crossings, min_angle):
        print(f"{score.__name__:27}{score(graph, y):.7f}")

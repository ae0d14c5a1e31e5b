# SPDX-License-Identifier: Apache-2.0
"""What is given in place of a search: the nearest of given neighbors; a matrix of distances where points are expected."""

import numpy as np

from . import _device, _intake
from ._anndata import representation
from ._errors import InputError
from ._run import say


def nearest(graph, chosen, method, name="knn", is_chosen=True):
    """The nearest of the given neighbors (offsets, targets, weights), as many as the option k says (None: all).

    UMAP counts the point itself. PaCMAP chooses its near pairs among all that are given. Fewer than k are an error, unless
    k is a default (is_chosen False), which yields: it leaves ``chosen``, where PaCMAP's becomes the fewest.
    """
    k = chosen.get("k")
    itself = 1 if method == "umap" else 0
    offsets, targets, weights = graph
    counts = np.diff(offsets)
    wanted = 0 if k is None else min(k - itself, len(counts) - 1)
    if wanted < 1:
        return graph
    if counts.min() < wanted:
        if not is_chosen:
            del chosen["k"]
            if method == "pacmap":
                chosen["k"] = max(1, int(counts.min()))
            return graph
        row = int(counts.argmin())
        raise InputError(
            f"n_neighbors is {k}{', the point itself counted' if itself else ''}, but {name} has {counts[row]} neighbors of "
            f"point {row}; give n_neighbors={counts[row] + itself}, or more neighbors",
            option="n_neighbors",
            row=row,
        )
    if method == "pacmap" or counts.max() == wanted:
        return graph
    rows = np.repeat(np.arange(len(counts)), counts)
    by_distance = np.lexsort((weights, rows))  # stable: of equal distances the first
    kept = by_distance[np.arange(len(rows)) - offsets[rows] < wanted]
    return np.arange(len(counts) + 1, dtype=np.int64) * wanted, targets[kept], weights[kept]


_FEWEST = 4  # rows: a smaller square table of points may look like distances by chance
_REMEDY = {
    "neighbors": "for the neighbors by these distances take dunlin.KNeighborsTransformer(metric='precomputed')",
    "tsne": "for a map of these distances take dunlin.TSNE(metric='precomputed', init='random')",
    "umap": "for a map of these distances take dunlin.UMAP(metric='precomputed', init='random')",
    "pacmap": "for a map of these distances take dunlin.mds(dissimilarities=X)",
    "clusters": "for clusters of these distances take dunlin.kmedoids(dissimilarities=X)",
    "TSNE": "give metric='precomputed' for a map of these distances",
    "UMAP": "give metric='precomputed' for a map of these distances",
    "PaCMAP": "for a map of these distances take dunlin.mds(dissimilarities=X)",
    "KNeighborsTransformer": "give metric='precomputed' for the neighbors by these distances",
}


def say_if_distances(X, function):
    """Says that the rows of what looks like a matrix of distances are taken as points."""
    X = representation(X, None)
    if looks_like_distances(X):
        remedy = _REMEDY.get(function, _REMEDY["clusters"])
        say(
            "X looks like a matrix of distances (square, symmetric, zeros on its diagonal); its rows are points here: "
            f"{remedy}"
        )


def looks_like_distances(X):
    """Whether X is square and symmetric, with zeros on its diagonal and nothing below zero, but not zero throughout."""
    if isinstance(X, (list, tuple)):
        X = np.asarray(X)
    shape = getattr(X, "shape", ())
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] < _FEWEST or _device.is_on_gpu(X):
        return False
    if _intake.is_sparse(X):
        matrix = X.tocsr()
        return bool(
            matrix.nnz
            and not np.any(matrix.diagonal())
            and matrix.data.min() >= 0
            and matrix.data.max() > 0
            and abs(matrix - matrix.T).max() <= 1e-5 * matrix.data.max()
        )
    array = X.values if isinstance(X, _intake.Points) and X.shift is None else _intake.dense(X)
    if np.any(np.diagonal(array)) or not np.min(array) >= 0:
        return False
    largest = np.max(array)
    return bool(largest > 0 and np.isfinite(largest) and np.allclose(array, array.T, rtol=0, atol=1e-5 * largest))

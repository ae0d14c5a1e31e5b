# SPDX-License-Identifier: Apache-2.0
"""What is given in place of a search: fewer neighbors than a default; a matrix of distances where points are expected."""

import numpy as np

from . import _cells, _device, _intake, _sparse
from ._run import say


def yield_to_lists(chosen, graph, method):
    """Takes a default number of neighbors out of ``chosen`` where fewer are given (offsets, targets, weights). UMAP counts
    the point itself; PaCMAP's becomes the fewest, since its pairs are chosen among all that are given."""
    counts = np.diff(graph[0])
    wanted = chosen["k"] - 1 if method == "umap" else chosen["k"]
    if len(counts) and counts.min() < min(wanted, len(counts) - 1):
        del chosen["k"]
        if method == "pacmap":
            chosen["k"] = max(1, int(counts.min()))


FEWEST = 4  # rows: a smaller square table of points may look like distances by chance
_REMEDY = {
    "neighbors": "for the neighbors by these distances take dunlin.KNeighborsTransformer(metric='precomputed')",
    "tsne": "for a map of these distances take dunlin.TSNE(metric='precomputed', init='random')",
    "umap": "for a map of these distances take dunlin.UMAP(metric='precomputed', init='random')",
    "pacmap": "for a map of these distances take dunlin.mds(dissimilarities=X)",
    "clusters": "for clusters of these distances take dunlin.kmedoids(dissimilarities=X)",
    "items": "for a map or clusters of these distances give them as dissimilarities=X",
    "TSNE": "give metric='precomputed' for a map of these distances",
    "UMAP": "give metric='precomputed' for a map of these distances",
    "PaCMAP": "for a map of these distances take dunlin.mds(dissimilarities=X)",
    "KNeighborsTransformer": "give metric='precomputed' for the neighbors by these distances",
}


def say_if_distances(X, function):
    """Says that the rows of what looks like a matrix of distances are taken as points."""
    shape = getattr(X, "shape", None)  # before what lies in a file is loaded
    if shape is not None and (len(shape) != 2 or shape[0] != shape[1]):
        return
    X = _cells.in_memory(X)
    if looks_like_distances(X):
        say_distances(function)


def say_distances(function):
    remedy = _REMEDY.get(function, _REMEDY["clusters"])
    say(
        "X looks like a matrix of distances (square, symmetric, zeros on its diagonal); its rows are points here: "
        f"{remedy}"
    )


def looks_like_distances(X):
    """Whether X is square and symmetric, with zeros on its diagonal (or nothing) and nothing below zero, but not zero throughout."""
    if isinstance(X, (list, tuple)):
        X = np.asarray(X)
    shape = getattr(X, "shape", ())
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] < FEWEST or _device.is_on_gpu(X):
        return False
    if _sparse.is_sparse(X):
        matrix = _sparse.rows_of(X, "X")
        return bool(
            matrix.nnz
            and not np.any(matrix.diagonal())
            and matrix.data.min() >= 0
            and matrix.data.max() > 0
            and abs(matrix - matrix.T).max() <= 1e-5 * matrix.data.max()
        )
    array = X.values if isinstance(X, _intake.Points) and X.shift is None else _intake.dense(X)
    array = _cells.with_diagonal(array, "X") if np.isnan(np.diagonal(array)).all() else array
    if np.any(np.diagonal(array)) or not np.min(array) >= 0:
        return False
    largest = np.max(array)
    return bool(largest > 0 and np.isfinite(largest) and np.allclose(array, array.T, rtol=0, atol=1e-5 * largest))

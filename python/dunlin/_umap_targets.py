# SPDX-License-Identifier: Apache-2.0
"""UMAP's memberships changed by numbers given as y: McInnes, Healy and Melville 2018, as in umap-learn."""

import numpy as np
from scipy.sparse import csr_matrix, diags

from . import _umap_graph, _umap_metrics
from ._errors import InputError, UnsupportedError
from ._shared import search

_LEAST = 1e-8  # of a membership that an edge of only one of two graphs has in the other
_MOST_OF_TARGETS = 1e-4


def checked(metric, y, n):
    """y as numbers of shape (n, d)."""
    if callable(metric) or metric in ("count", "string", "hierarchical_categorical"):
        raise UnsupportedError(
            f"target_metric is {metric!r}; the library has 'categorical', 'ordinal' and metrics of numbers, such as 'l2'",
            option="target_metric",
        )
    if metric != "ordinal":
        _umap_metrics.check(metric, None)
    try:
        values = np.asarray(y, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"y holds words; target_metric={metric!r} is of numbers", option="y") from None
    values = values.reshape(-1, 1) if values.ndim == 1 else values
    if values.ndim != 2 or len(values) != n:
        raise InputError(f"y has the shape {np.shape(y)} and X has {n} rows; both must have as many", option="y")
    if not np.isfinite(values).all():
        raise InputError("y has NaN or infinity", option="y")
    return values


def joined(graph, y, metric, params, weight, k, run):
    """The memberships ``graph`` changed by the numbers y: of these the memberships of each point's own neighbors."""
    if metric == "ordinal":
        return reset(_shrunk_by_order(graph, y[:, 0], weight))
    native = _umap_metrics.native(metric, params)
    k = min(k, len(y)) - 1
    if native is None:
        lists = _umap_graph.nearest_of_pairs(_umap_metrics.between(metric, params), y, k)
    else:
        (_, targets, distances), _ = search(y, k, run, native)
        lists = np.arange(len(y) + 1, dtype=np.int64) * (len(targets) // len(y)), targets, distances
    offsets, targets, weights = _umap_graph.directed(lists, len(y), 1.0, run)
    return reset(intersection(graph, csr_matrix((weights, targets, offsets), shape=graph.shape), weight))


def intersection(left, right, weight):
    """The fuzzy intersection of two graphs on the union of their edges, the right one with this weight: l t^(w / (1 - w))
    below one half, else l^((1 - w) / w) t."""
    left, right = csr_matrix(left, dtype=np.float64), csr_matrix(right, dtype=np.float64)
    union = ((left != 0) + (right != 0)).tocoo()
    absent_left = max(left.data.min(initial=1) / 2, _LEAST)
    absent_right = min(max(right.data.min(initial=1) / 2, _LEAST), _MOST_OF_TARGETS)
    l, t = (np.asarray(graph[union.row, union.col]).reshape(-1) for graph in (left, right))
    l, t = np.where(l > 0, l, absent_left), np.where(t > 0, t, absent_right)
    data = l * t ** (weight / (1 - weight)) if weight < 0.5 else l ** ((1 - weight) / weight) * t
    return csr_matrix((data, (union.row, union.col)), shape=left.shape)


def reset(graph):
    """Rows scaled so that their largest membership is 1, then the union of both ends."""
    most = np.asarray(graph.max(axis=1).todense()).reshape(-1)
    graph = csr_matrix(diags(1 / np.where(most > 0, most, 1)) @ graph)
    back = graph.T.tocsr()
    graph = csr_matrix(graph + back - graph.multiply(back), dtype=np.float32)
    graph.data = np.clip(graph.data, 0, 1)
    graph.eliminate_zeros()
    graph.sort_indices()
    return graph


def _shrunk_by_order(graph, y, weight):
    """Memberships times exp(-s |y_i - y_j| / h), h half the range of y, s = 2.5 / (1 - weight)."""
    graph = csr_matrix(graph, dtype=np.float64, copy=True).tocoo()
    half = np.ptp(y) / 2
    apart = np.abs(y[graph.row] - y[graph.col]) / (half if half > 0 else 1)
    strength = 2.5 / (1 - weight) if weight < 1 else 1e12
    return csr_matrix((graph.data * np.exp(-strength * apart), (graph.row, graph.col)), shape=graph.shape)

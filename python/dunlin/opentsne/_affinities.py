# SPDX-License-Identifier: Apache-2.0
"""What affinities share: neighbors of points and of new points, rows of Gaussians."""

import copy

import numpy as np
from scipy.sparse import csr_matrix, issparse

from .. import _cells, _groups, _intake, _match
from .._embedding import len_of
from .._errors import InputError
from .._given import say_if_distances
from .._options import translating
from .._owned import owned
from .._shared import native_metric, neighbors_elsewhere, search
from .._run import Run
from . import _checks


class Affinities:
    """Base class. ``P``: the affinities; ``knn_index``: what was given as such; ``n_samples``."""

    P = knn_index = knn_graph = _searched = None
    _names = None  # of the rows, where these are not those of the points

    @property
    def n_samples(self):
        return self.P.shape[0]

    def to_new(self, data, return_distances=False):
        """Affinities of new points to those of this object: (m, n), each row sums to 1."""
        raise NotImplementedError("affinities of new points: this class does not have them")

    def _in_columns(self, data):
        """New points with their columns in the order of those of the points, where both have names; of distances to the
        points in the order of their rows."""
        points, metric, *_ = self._searched
        names = _match.ids_of(points) if metric == "precomputed" else _match.columns_of(points)
        return data if names is None else _match.in_order_of(data, names, "data", "the points of the map")

    def _keep(self, data, chosen):
        """Keeps what to_new() needs. The data may be what the caller has."""
        if data is None:
            self._names = _names_of_index(self.knn_index)
            return
        run = Run({"n_jobs": chosen["n_jobs"], "seed": _checks.seed(chosen["random_state"])})
        self._searched = owned(data, data), chosen["metric"], chosen["metric_params"], chosen["method"], run

    def _rows(self):
        """The Rows of the points, or None."""
        if self._searched is not None:
            return _match.rows_of(self._searched[0], "data")
        return None if self._names is None else _match.Rows("affinities", self.n_samples, self._names)

    def _in_order_of(self, X):
        """The same affinities with their rows in the order of those of X, where both have names."""
        n, of, own = self.n_samples, _match.rows_of(X), self._rows()
        if of.count != n:
            raise InputError(f"affinities are of {n} rows and X has {of.count}; both must have the same", option="affinities")
        if own is None or own.ids is None:
            return self
        rows = _match.match_rows(of, _match.Rows("affinities", n, own.ids), False).rows
        if rows is None:
            return self
        moved = copy.copy(self)
        moved.P, moved.knn_index = csr_matrix(self.P[rows][:, rows]), None
        if self.knn_graph is not None:
            moved.knn_graph = _moved(self.knn_graph, rows)
        if self._searched is None:
            moved._names = of.ids
        else:
            points, metric, *more = self._searched
            points = points[rows] if _match.is_anndata(points) else _match.take_rows(points, rows)
            points = _match.take_columns(points, rows) if metric == "precomputed" else points
            moved._searched = points, metric, *more
        return moved

    def _near_new(self, data, k):
        """(indices, distances) of the nearest points of each row of ``data``."""
        if self._searched is None:
            raise InputError("affinities of new points need data, and these were made from a knn_index", option="data")
        points, metric, metric_params, method, run = self._searched
        native = native_metric(metric, metric_params)
        n = len_of(points)
        data = self._in_columns(data)
        data = np.atleast_2d(_intake.dense(data, "data"))
        if metric == "precomputed":
            if data.ndim != 2 or data.shape[1] != n:
                raise InputError(
                    f"data has the shape {data.shape}; distances to the points have a column for each of {n}", option="data"
                )
            _require_distances(data)
            near = np.argsort(data, axis=1, kind="stable")[:, :k]
            return near, np.take_along_axis(data, near, 1)
        if native is None:
            message = f"metric {metric!r} is not one of the library's; affinities of new points need one that is"
            raise InputError(message, option="metric")
        with translating(_groups.NEIGHBORS):
            offsets, targets, weights = search(points, k, run, native, _checks.SEARCHES[method], queries=data)[0]
        m = len(offsets) - 1
        return targets.reshape(m, -1), weights.reshape(m, -1)


def _moved(graph, rows):
    """A graph of neighbors with its rows in another order; each list keeps its own."""
    new_row = np.empty(len(rows), np.int32)
    new_row[rows] = np.arange(len(rows), dtype=np.int32)
    taken = graph[rows]
    return csr_matrix((taken.data, new_row[taken.indices], taken.indptr), shape=graph.shape)


def _rows(near, values, n, distances, return_distances):
    """values as a matrix whose rows sum to 1."""
    values = values / values.sum(1, keepdims=True)
    m, k = near.shape
    P = csr_matrix((values.ravel(), near.ravel(), np.arange(0, m * k + 1, k)), shape=(m, n))
    return (P, near, distances) if return_distances else P


def _gaussians(distances, perplexity):
    """Each row's Gaussian of the entropy log(perplexity), by bisection; uniform where there is none."""
    return _gaussians_and_precisions(distances, perplexity)[0]


def _scales(distances, perplexities, mixture):
    """Rows of several perplexities: the sum of the Gaussians times the roots of their precisions, or their mean."""
    total, parts = 0.0, [_gaussians_and_precisions(distances, perplexity) for perplexity in perplexities]
    if not mixture:
        for p, _ in parts:
            total = total + p / p.sum(1, keepdims=True)
        return total
    least = distances.astype(np.float64).min(1, keepdims=True) ** 2
    logs = [0.5 * np.log(precision) - precision * least for _, precision in parts]
    largest = np.max(logs, axis=0)
    for (p, _), log in zip(parts, logs):
        total = total + np.exp(log - largest) * p
    return total


def _gaussians_and_precisions(distances, perplexity):
    """exp(-b (d^2 - least d^2)) of each row, and b."""
    squares = distances.astype(np.float64) ** 2
    squares -= squares.min(1, keepdims=True)
    scale = squares.mean(1, keepdims=True)
    scale = np.where(scale > 0, scale, 1)
    squares /= scale
    low, high = np.full((2, len(squares), 1), [[[-40.0]], [[40.0]]])
    for _ in range(60):
        middle = (low + high) / 2
        p = np.exp(-np.exp(middle) * squares)
        total = p.sum(1, keepdims=True)
        entropy = np.log(total) + np.exp(middle) * (p * squares).sum(1, keepdims=True) / total
        above = entropy > np.log(perplexity)
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return p, np.exp(middle) / scale


def _require_one(data, knn_index):
    if (data is None) == (knn_index is None):
        raise InputError("give either data or knn_index", option="data")


def _points(data, metric):
    """Points as they were given; distances with their columns in the order of the rows."""
    if metric == "precomputed":
        return _match.in_own_order(data, "data")
    say_if_distances(data, "TSNE")
    return data


def _count(data):
    """The number of points."""
    try:
        return data.shape[0] if hasattr(data, "shape") else len(data)
    except TypeError:
        raise InputError(f"data is {data!r}; it must be a matrix of points", option="data") from None


def _of_index(knn_index):
    """A graph of (indices, distances), a matrix, a NeighborsResult, or an index of openTSNE, which is built."""
    if hasattr(knn_index, "build"):
        knn_index = knn_index.build()
    if _match.is_indexed(knn_index):
        knn_index = csr_matrix(_intake.dense(_match.in_own_order(knn_index, "knn_index"), "knn_index"))
    offsets, targets, weights = _intake.without_self(_intake.csr_of(knn_index, name="knn_index"))
    n = len(offsets) - 1
    if targets.size and not 0 <= targets.min() <= targets.max() < n:
        wrong = targets.min() if targets.min() < 0 else targets.max()
        raise InputError(f"knn_index has the neighbor {wrong}; rows are numbered from 0 to {n - 1}", option="knn_index")
    if not np.isfinite(weights).all():
        raise InputError("knn_index has distances that are NaN or infinite; give finite ones", option="knn_index")
    return np.array(offsets), np.array(targets), np.array(weights)


def _names_of_index(knn_index):
    ids = _match.ids_of(knn_index)
    return None if isinstance(ids, range) else ids


def _nearest(graph, k, least=0, name="k_neighbors", of="knn_index"):
    """The k nearest of each point of a graph of neighbors, of a shorter list all. Raises InputError where a list is
    shorter than ``least``."""
    offsets, targets, weights = graph
    counts = np.diff(offsets)
    fewest = int(counts.min()) if len(counts) else 0
    if fewest < least:
        raise InputError(
            f"{of} has {fewest} neighbors of row {int(np.argmin(counts))}, and {name} asks for {least:g}; give more "
            f"neighbors, or a smaller {name}",
            option=of,
        )
    rows = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((weights, rows))  # stable
    kept = order[np.arange(len(order)) - np.repeat(offsets[:-1], counts) < k]
    starts = np.concatenate([[0], np.cumsum(np.minimum(counts, k))]).astype(np.int64)
    return starts, np.ascontiguousarray(targets[kept], np.int32), np.ascontiguousarray(weights[kept], np.float32)


def _neighbors_wanted(k, n, name):
    """k as a whole number that is less than the number of points."""
    k = _checks.whole(k, name, 1)
    if k >= n:
        raise InputError(f"{name} is {k}; it must be less than the number of points, {n}", option=name)
    return k


def _require_distances(values):
    if not np.isfinite(values).all():
        raise InputError("data holds NaN or infinity; distances are finite", option="data")
    if values.size and values.min() < 0:
        raise InputError(f"data holds {values.min():g}; distances are at least 0", option="data")


def _neighbors(data, k, method, metric, metric_params, n_jobs, random_state, verbose, knn_kwargs):
    """(offsets, targets, weights) of the k nearest of each point."""
    if knn_kwargs is not None:
        raise InputError("knn_kwargs are of openTSNE's indices; the library's search takes none", option="knn_kwargs")
    run = Run({"n_jobs": n_jobs, "seed": _checks.seed(random_state)}, 1 if verbose else 0)
    kind = _checks.neighbor_search(method)
    if metric == "precomputed":
        shape = getattr(data, "shape", None) or np.shape(data)
        if len(shape) != 2 or shape[0] != shape[1]:
            raise InputError(f"data has the shape {tuple(shape)}; distances are a square matrix", option="data")
        if issparse(data):
            _require_distances(data.tocsr().data)
            return _nearest(_intake.without_self(_intake.csr_of(data, name="data")), k)
        distances = _intake.dense(data, "data")
        _require_distances(distances)
        return neighbors_elsewhere(distances, k, metric)
    native = native_metric(metric, metric_params)
    if native is None:
        _checks.metric(metric)
        data = data if issparse(data) else _cells.require_finite(_intake.dense(data, "data"), "data")
        return neighbors_elsewhere(data, k, metric, metric_params, n_jobs)
    with translating(_groups.NEIGHBORS):
        return search(data, k, run, native, kind)[0]


def _search_of(method, metric, metric_params, n_jobs, random_state, verbose, knn_kwargs):
    """What a search reads, by name."""
    _checks.neighbor_search(method)
    return {
        "method": method,
        "metric": metric,
        "metric_params": metric_params,
        "n_jobs": n_jobs,
        "random_state": random_state,
        "verbose": verbose,
        "knn_kwargs": knn_kwargs,
    }


def _begun(data, knn_index, chosen):
    """(points, None, their number), or (None, graph of the neighbors that are given, its number of rows)."""
    if knn_index is None:
        data = _points(data, chosen["metric"])
        return data, None, _count(data)
    graph = _of_index(knn_index)
    return None, graph, len(graph[0]) - 1


def _nearest_or_given(data, k, name, knn_index, chosen):
    """(points, graph of the k nearest neighbors) of points, or of neighbors that are given."""
    _require_one(data, knn_index)
    data, graph, n = _begun(data, knn_index, chosen)
    k = _neighbors_wanted(k, n, name)
    if graph is not None:
        return data, _nearest(graph, k, k, name)
    graph = _neighbors(data, k, **chosen)
    return data, _nearest(graph, k, k, name, "data") if issparse(data) else graph

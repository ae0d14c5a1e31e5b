# SPDX-License-Identifier: Apache-2.0
"""What affinities share: neighbors of points and of new points, rows of Gaussians."""

import numpy as np
from scipy.sparse import csr_matrix, issparse

from .. import _groups, _intake, _match
from .._embedding import len_of
from .._errors import InputError
from .._options import translating
from .._owned import owned
from .._shared import native_metric, neighbors_elsewhere, search, search_elsewhere, seed_of
from .._run import Run


class Affinities:
    """Base class. ``P``: the affinities; ``knn_index``: what was given as such; ``n_samples``."""

    P = knn_index = _searched = None

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

    def _rows(self):
        """The Rows of the points, or None."""
        return None if self._searched is None else _match.rows_of(self._searched[0], "data")

    def _near_new(self, data, k):
        """(indices, distances) of the nearest points of each row of ``data``."""
        if self._searched is None:
            raise InputError("affinities of new points need data, and these were made from a knn_index", option="data")
        points, metric, metric_params, method, run = self._searched
        native = native_metric(metric, metric_params)
        k = max(1, min(len_of(points), int(k)))
        data = self._in_columns(data)
        data = np.atleast_2d(_intake.dense(data, "data"))
        if metric == "precomputed":
            near = np.argsort(data, axis=1, kind="stable")[:, :k]
            return near, np.take_along_axis(data, near, 1)
        if native is None:
            message = f"metric {metric!r} is not one of the library's; affinities of new points need one that is"
            raise InputError(message, option="metric")
        kind = {"auto": "auto", "exact": "exact", "approx": "approximate"}.get(method, "approximate")
        with translating(_groups.NEIGHBORS):
            offsets, targets, weights = search(points, k, run, native, kind, queries=data)[0]
        m = len(offsets) - 1
        return targets.reshape(m, -1), weights.reshape(m, -1)


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


def _of_index(knn_index):
    """A graph of (indices, distances), a matrix, a NeighborsResult, or an index of openTSNE, which is built."""
    if hasattr(knn_index, "build"):
        knn_index = knn_index.build()
    return _intake.without_self(_intake.csr_of(knn_index, name="knn_index"))


def _neighbors(data, k, method, metric, metric_params, n_jobs, random_state, verbose, knn_kwargs, knn_index):
    _require_one(data, knn_index)
    if knn_kwargs is not None:
        raise InputError("knn_kwargs are of openTSNE's indices; the library's search takes none", option="knn_kwargs")
    if knn_index is not None:
        return _of_index(knn_index)
    run = Run({"n_jobs": n_jobs, "seed": seed_of(random_state)}, 1 if verbose else 0)
    if not isinstance(method, str):
        raise InputError(
            "method is an index of openTSNE; give 'auto', 'exact' or 'approx', or knn_index=(indices, distances)",
            option="method",
        )
    if metric == "precomputed":
        if issparse(data):
            return _intake.without_self(_intake.csr_of(data, name="data"))
        return neighbors_elsewhere(_intake.dense(data, "data"), k, metric)
    native = native_metric(metric, metric_params)
    if native is None:
        return search_elsewhere(data, k, metric, metric_params, n_jobs)
    kind = {"auto": "auto", "exact": "exact", "approx": "approximate"}.get(method, "approximate")
    with translating(_groups.NEIGHBORS):
        return search(data, k, run, native, kind)[0]


def _searched(data, metric, metric_params, method, n_jobs, random_state):
    """What to_new() needs; the data may be what the caller has."""
    return owned(data, data), metric, metric_params, method, Run({"n_jobs": n_jobs, "seed": seed_of(random_state)})

# SPDX-License-Identifier: Apache-2.0
"""Clusters of new points, and soft memberships, with hdbscan's functions."""

import numpy as np
from scipy.sparse import csr_matrix

from .. import _density_clusters, _intake
from .._errors import InputError
from .._run import say
from .._shared import search
from ._model import HDBSCAN, run_of
from ._trees import lambda_of

_ENTRIES = 2**22  # of a block of distances or memberships
_SMALL = 1e-8  # added to lambdas that divide, as in hdbscan


def approximate_predict(clusterer, points_to_predict, return_connecting_points=False):
    """(labels, probabilities) of new points in the clusters of labels_, and with return_connecting_points the fitted point at
    which each joins the tree. A row that was fitted has its own."""
    if not _is_ours(clusterer):
        return _theirs("approximate_predict")(clusterer, points_to_predict, return_connecting_points)
    queries = _queries(clusterer, points_to_predict)
    if len(clusterer._fitted["tree"]["parent"]) <= 1:
        _warn_without_clusters("noise")
    run, (rows, narrow) = run_of(clusterer), _narrowed(clusterer, queries)
    tree, options = clusterer._fitted["tree"], clusterer._options(len(rows), clusterer._native())
    labels, strengths = _density_clusters.predicted(clusterer._fitted, tree, rows, narrow, options, run)
    labels, strengths = np.where(labels < 0, -1, labels).astype(np.int32), np.nan_to_num(strengths)
    if not return_connecting_points:
        return labels, strengths
    return labels, strengths, clusterer._finite[_joins(clusterer, rows, narrow)[0]].astype(np.int32)


def approximate_predict_scores(clusterer, points_to_predict):
    """Outlier scores (GLOSH) of new points, from 0 to 1."""
    if not _is_ours(clusterer):
        return _theirs("approximate_predict_scores")(clusterer, points_to_predict)
    queries = _queries(clusterer, points_to_predict)
    tree = clusterer._fitted["tree"]
    if len(tree["parent"]) <= 1:
        _warn_without_clusters("outliers")
        return np.ones(len(queries))
    joined, level = _joins(clusterer, *_narrowed(clusterer, queries))
    least = np.array(tree["death"], np.float64)  # in the group and below
    for group in range(len(least) - 1, 0, -1):
        above = tree["parent"][group]
        least[above] = min(least[above], least[group])
    mine, most = lambda_of(level), lambda_of(least)[tree["home"][joined]]
    with np.errstate(invalid="ignore"):
        scores = np.where(np.isinf(most), 1.0, (most - mine) / most)
    return np.where((most == 0) | np.isinf(mine), 0.0, np.clip(scores, 0, 1))


def membership_vector(clusterer, points_to_predict):
    """(m, n_clusters): how much each new point belongs to each cluster; the sum of a row is the probability that it belongs to
    one."""
    if not _is_ours(clusterer):
        return _theirs("membership_vector")(clusterer, points_to_predict)
    queries, tree = _queries(clusterer, points_to_predict), clusterer._fitted["tree"]
    chosen = tree["layers"][0]
    joined, level = _joins(clusterer, *_narrowed(clusterer, queries))
    height = _Heights(tree, chosen)
    found = np.zeros((len(queries), len(chosen)))
    if not len(chosen):
        return found
    centers = _Centers(clusterer)
    step = max(1, _ENTRIES // max(len(chosen), 1))
    for begin in range(0, len(queries), step):
        part = slice(begin, begin + step)
        home, mine = tree["home"][joined[part]], _bounded(lambda_of(level[part]))
        heights, most = height.of(home, mine), height.most[home][:, None]
        by_tree = _softmax(most / np.where(most - heights <= 0, _SMALL, most - heights))
        found[part] = _scaled(np.sqrt(centers.shares(queries[part])) * by_tree**2, height.in_some(heights, mine, _SMALL))
    return found


def all_points_membership_vectors(clusterer, top=None):
    """(n, n_clusters): how much each fitted point belongs to each cluster; the sum of a row is the probability that it belongs to
    one.

    top : int, optional
        A CSR matrix of the ``top`` largest of each row. None: an array, or such a matrix if that takes more than half of the
        free memory.
    """
    if not _is_ours(clusterer):
        return _theirs("all_points_membership_vectors")(clusterer)
    _require_predictions(clusterer)
    tree, finite, n = clusterer._fitted["tree"], clusterer._finite, len(clusterer.labels_)
    chosen = tree["layers"][0]
    if not len(chosen):
        return np.zeros(n)
    top = _number_kept(n, len(chosen)) if top is None else int(top)
    height, centers, parts = _Heights(tree, chosen), _Centers(clusterer), []
    dense = np.zeros((n, len(chosen))) if top == 0 else None
    step = max(1, _ENTRIES // len(chosen))
    for begin in range(0, len(finite), step):
        rows = finite[begin : begin + step]
        home, mine = tree["home"][begin : begin + step], _bounded(lambda_of(tree["leaves_at"][begin : begin + step]))
        heights = height.of(home, mine)
        by_tree = _softmax(np.exp(-(height.most[home][:, None] + _SMALL) / np.maximum(heights, 1e-300)))
        shares = _scaled(centers.shares(clusterer._raw_data[rows]) * by_tree, height.in_some(heights, mine, 0))
        if dense is not None:
            dense[rows] = shares
        else:
            parts.append(_largest(shares, min(top, len(chosen))))
    return dense if dense is not None else _stacked(parts, finite, n, len(chosen))


def exemplars(tree):
    """Of each cluster the numbers of the points that leave its leaves last."""
    home, leaves_at = tree["home"], np.asarray(tree["leaves_at"])
    is_leaf = tree["end"] == np.arange(1, len(tree["end"]) + 1)
    last = np.full(len(is_leaf), np.inf)
    np.minimum.at(last, home, leaves_at)
    stays = np.flatnonzero(is_leaf[home] & (leaves_at == last[home]))
    of = home[stays]
    return [stays[(of >= group) & (of < tree["end"][group])] for group in tree["layers"][0]]


class _Heights:
    """Lambdas at which points, of a group and a lambda of their own, are in one group with clusters."""

    def __init__(self, tree, chosen):
        birth, end, parent = _bounded(lambda_of(tree["birth"])), tree["end"], tree["parent"]
        self.most = _bounded(lambda_of(tree["death"]))  # of each group
        self._of_chosen = self.most[chosen]
        self._split = np.full((len(parent), len(chosen)), np.nan)  # NaN: the cluster is in the group, or the group in it
        for column, cluster in enumerate(chosen):
            path = [int(cluster)]
            while parent[path[-1]] >= 0:
                path.append(int(parent[path[-1]]))
            for above, below in zip(path[:0:-1], path[-2::-1]):
                self._split[above : end[above], column] = birth[below]
            self._split[path, column] = np.nan
            self._split[cluster : end[cluster], column] = np.nan

    def of(self, home, mine):
        split = self._split[home]
        return np.where(np.isnan(split), mine[:, None], split)

    def in_some(self, heights, mine, small):
        """The probability that a point is in some cluster."""
        nearest = heights.argmax(axis=1)
        most = np.maximum(self._of_chosen[nearest], mine) + small
        return np.divide(heights.max(axis=1), most, out=np.ones(len(mine)), where=most > 0)


class _Centers:
    """Shares of clusters by the distance to the nearest of their exemplars."""

    def __init__(self, clusterer):
        each = clusterer.exemplars_
        self._points, self._pairs = np.concatenate(each), clusterer._pairs
        self._begin = np.concatenate([[0], np.cumsum([len(rows) for rows in each])[:-1]]).astype(int)

    def shares(self, rows):
        found, step = [], max(1, _ENTRIES // max(len(self._points), 1))
        for begin in range(0, len(rows), step):
            distances = self._pairs(rows[begin : begin + step], self._points)
            found.append(np.minimum.reduceat(distances, self._begin, axis=1))
        nearest = np.concatenate(found) if found else np.zeros((0, len(self._begin)))
        at = nearest <= 0
        with np.errstate(divide="ignore"):
            weights = np.where(at.any(axis=1, keepdims=True), at.astype(float), 1 / np.where(at, 1, nearest))
        return weights / weights.sum(axis=1, keepdims=True)


def _bounded(values):
    """Lambdas of points at distance 0 as large numbers, whose quotients are numbers."""
    return np.minimum(values, 1e150)


def _softmax(values):
    values = np.exp(values - values.max(axis=1, keepdims=True))
    return values / values.sum(axis=1, keepdims=True)


def _scaled(shares, total):
    sums = shares.sum(axis=1, keepdims=True)
    return np.divide(shares, sums, out=np.zeros_like(shares), where=sums > 0) * total[:, None]


def _number_kept(n, clusters):
    """0: all fit into memory; else how many of each row do."""
    available = _intake._available_memory()
    if available is None or n * clusters * 8 <= available // 2:
        return 0
    kept = max(1, available // 2 // (12 * n))
    say(f"memberships of {n} points in {clusters} clusters take {n * clusters * 8} bytes; the {kept} largest of each row are kept")
    return kept


def _largest(shares, count):
    columns = np.argsort(-shares, axis=1, kind="stable")[:, :count]
    return columns, np.take_along_axis(shares, columns, 1)


def _stacked(parts, finite, n, clusters):
    columns, values = (np.concatenate(each) for each in zip(*parts))
    counts = np.zeros(n, np.int64)
    counts[finite] = columns.shape[1]
    offsets = np.concatenate([[0], np.cumsum(counts)])
    found = csr_matrix((values.reshape(-1), columns.reshape(-1), offsets), shape=(n, clusters))
    found.sort_indices()
    return found


def _joins(clusterer, rows, queries):
    """(the fitted point at which each query joins the tree, the level): the least mutual reachability among its 2 k nearest,
    ties to the lower number; a query at a fitted point leaves with it."""
    options, fitted = clusterer._options(len(rows)), clusterer._fitted
    tree, core = fitted["tree"], np.asarray(fitted["core_distances"])
    k = min(2 * options["min_samples"], len(rows))
    (_, targets, distances), _ = search(rows, k, run_of(clusterer), clusterer._native(), "exact", queries=queries)
    targets, distances = targets.reshape(len(queries), k), distances.reshape(len(queries), k).astype(np.float64)
    others = options["min_samples"] - 1
    own = distances[:, others - 1 : others] if others else np.zeros((len(queries), 1))
    reach = np.maximum(np.maximum(distances / options["alpha"], core[targets]), own)
    reach[:, 1:][distances[:, :1].repeat(k - 1, 1) == 0] = np.inf  # of equal rows the first
    order = np.lexsort((targets, reach), axis=1)[:, 0]
    joined = targets[np.arange(len(queries)), order]
    level = np.maximum(reach[np.arange(len(queries)), order], tree["leaves_at"][joined])
    return joined, np.where(distances[:, 0] == 0, tree["leaves_at"][joined], level)


def _narrowed(clusterer, queries):
    """The fitted rows that take part and the queries as the library reads them."""
    run, metric, rows = run_of(clusterer), clusterer._native(), clusterer._raw_data[clusterer._finite]
    return _density_clusters.narrowed(rows, run, metric), _density_clusters.narrowed(queries, run, metric, like=rows)


def _is_ours(clusterer):
    return isinstance(clusterer, HDBSCAN)


def _theirs(name):
    """hdbscan's function, for its models."""
    import hdbscan.prediction

    return getattr(hdbscan.prediction, name)


def _require_predictions(clusterer):
    if not getattr(clusterer, "_can_predict", False):
        raise InputError("there are no data for predictions; give prediction_data=True, or call generate_prediction_data()", option="clusterer")


def _queries(clusterer, points):
    _require_predictions(clusterer)
    points = _intake.dense(points, "points_to_predict")
    columns = clusterer._raw_data.shape[1]
    if points.ndim != 2 or points.shape[1] != columns:
        raise InputError(f"the new points have the shape {points.shape}; those that were fitted have {columns} columns", option="points_to_predict")
    return points


def _warn_without_clusters(kind):
    import warnings

    warnings.warn(f"Clusterer does not have any defined clusters: all new points are {kind}", UserWarning, stacklevel=3)

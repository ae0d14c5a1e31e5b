# SPDX-License-Identifier: Apache-2.0
"""Affinities with openTSNE's names. Each has ``P``, a symmetric SciPy CSR matrix whose entries sum to 1."""

import warnings

import numpy as np
from scipy.sparse import csr_matrix, issparse

from .. import _groups, _intake, _match
from .._embedding import len_of
from .._errors import InputError
from .._neighbors import affinities
from .._options import translating
from .._owned import owned
from .._shared import native_metric, search, search_elsewhere, seed_of
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
        distances = np.array(_intake.dense(data, "data"), np.float64)
        np.fill_diagonal(distances, np.inf)
        near = np.argsort(distances, axis=1, kind="stable")[:, :k]
        return _intake.csr_of((near, np.take_along_axis(distances, near, 1)))
    native = native_metric(metric, metric_params)
    if native is None:
        return search_elsewhere(data, k, metric, metric_params, n_jobs)
    kind = {"auto": "auto", "exact": "exact", "approx": "approximate"}.get(method, "approximate")
    with translating(_groups.NEIGHBORS):
        return search(data, k, run, native, kind)[0]


class PerplexityBasedNN(Affinities):
    """Gaussian affinities of the nearest neighbors (van der Maaten and Hinton 2008).

    Parameters
    ----------
    data : array, optional
        Points, or distances with metric='precomputed'.
    perplexity : float, default 30
        Reduced with a warning where it is too large for the number of points.
    method : {'auto', 'exact', 'approx'}, default 'auto'
    metric, metric_params, n_jobs, random_state, verbose
    symmetrize : bool, default True
    k_neighbors : int or 'auto'
        Default: 3 * perplexity.
    knn_kwargs : None
        Of openTSNE's indices.
    knn_index : (indices, distances), sparse matrix, NeighborsResult or index of openTSNE, optional
        Neighbors in place of a search.
    """

    def __init__(
        self,
        data=None,
        perplexity=30,
        method="auto",
        metric="euclidean",
        metric_params=None,
        symmetrize=True,
        n_jobs=1,
        random_state=None,
        verbose=False,
        k_neighbors="auto",
        knn_kwargs=None,
        knn_index=None,
    ):
        _require_one(data, knn_index)
        if isinstance(perplexity, (list, tuple, np.ndarray)):
            raise InputError(f"perplexity is {perplexity!r}; Multiscale takes several", option="perplexity")
        graph = None
        if knn_index is not None:
            graph = _of_index(knn_index)
            n = len(graph[0]) - 1
        else:
            n = data.shape[0] if hasattr(data, "shape") else len(data)
        effective = _effective(perplexity, n)
        if graph is None:
            k = max(1, min(n - 1, int(3 * effective) if k_neighbors == "auto" else int(k_neighbors)))
            graph = _neighbors(
                data, k, method, metric, metric_params, n_jobs, random_state, verbose, knn_kwargs, knn_index
            )
        self.n_jobs, self.knn_index, self.knn_graph = n_jobs, knn_index, _intake.scipy_csr(graph)
        self.symmetrize = symmetrize
        if data is not None:
            self._searched = _searched(data, metric, metric_params, method, n_jobs, random_state)
        self._set(graph, perplexity, effective)

    def to_new(self, data, perplexity=None, return_distances=False, k_neighbors="auto"):
        """Affinities of new points to those of this object: (m, n), each row sums to 1; with ``return_distances`` also
        the neighbors and their distances. ``perplexity``: default that of this object."""
        n = self.n_samples
        perplexity = self.effective_perplexity_ if perplexity is None else perplexity
        if perplexity <= 0:
            raise InputError(f"perplexity is {perplexity}; it must be above 0", option="perplexity")
        perplexity = min(perplexity, n / 3)
        k = max(1, min(n, int(3 * perplexity) if k_neighbors == "auto" else int(k_neighbors)))
        near, distances = self._near_new(data, k)
        return _rows(near, _gaussians(distances, max(1.0, min(perplexity, near.shape[1]))), n, distances, return_distances)

    def _set(self, graph, perplexity, effective):
        self.perplexity, self.effective_perplexity_ = perplexity, effective
        fewest = int(np.diff(graph[0]).min())
        if effective > fewest:
            # Of fewer neighbors than the perplexity no Gaussian has the entropy
            warnings.warn(f"Perplexity {effective:g} is that of the {fewest} neighbors that are given", stacklevel=4)
        within = max(1.0, min(effective, fewest))
        if self.symmetrize:
            with translating(_groups.TSNE):
                P = affinities(graph, within, n_jobs=self.n_jobs)
        else:
            P = _directed(graph, [within], False)
        self.P = csr_matrix(P, dtype=np.float64)
        self.P /= self.P.sum()

    def set_perplexity(self, new_perplexity):
        """The affinities of another perplexity, of the 3 * perplexity nearest of the neighbors that there are."""
        fewest = int(np.diff(self.knn_graph.indptr).min())
        if new_perplexity > fewest:
            raise RuntimeError(f"perplexity is {new_perplexity}, and {fewest} neighbors were searched: search again")
        graph = _nearest_of(self.knn_graph, min(fewest, int(3 * new_perplexity)), new_perplexity)
        self._set(graph, new_perplexity, new_perplexity)


def _effective(perplexity, n):
    if perplexity <= 0:
        raise InputError(f"perplexity is {perplexity}; it must be above 0", option="perplexity")
    if n - 1 >= 3 * perplexity:
        return perplexity
    reduced = (n - 1) / 3
    warnings.warn(f"Perplexity value {perplexity} is too high. Using perplexity {reduced:.2f} instead", stacklevel=4)
    return reduced


def _searched(data, metric, metric_params, method, n_jobs, random_state):
    """What to_new() needs; the data may be what the caller has."""
    return owned(data, data), metric, metric_params, method, Run({"n_jobs": n_jobs, "seed": seed_of(random_state)})


class MultiscaleMixture(Affinities):
    """Affinities by one density of Gaussians of several perplexities.

    Parameters
    ----------
    data : array, optional
        Points, or distances with metric='precomputed'.
    perplexities : float or sequence of floats
        Those that are too large for the number of points become the largest that is not, once.
    method, metric, metric_params, n_jobs, random_state, verbose, knn_kwargs, knn_index
        As of PerplexityBasedNN.
    symmetrize : bool, default True
    """

    _kind = "mixture"

    def __init__(
        self,
        data=None,
        perplexities=None,
        method="auto",
        metric="euclidean",
        metric_params=None,
        symmetrize=True,
        n_jobs=1,
        random_state=None,
        verbose=False,
        knn_kwargs=None,
        knn_index=None,
    ):
        if perplexities is None:
            raise InputError("perplexities must be given", option="perplexities")
        _require_one(data, knn_index)
        graph = None if knn_index is None else _of_index(knn_index)
        n = len_of(data) if graph is None else len(graph[0]) - 1
        effective = self.check_perplexities(perplexities, n)
        if graph is None:
            k = max(1, min(n - 1, int(3 * max(effective))))
            graph = _neighbors(
                data, k, method, metric, metric_params, n_jobs, random_state, verbose, knn_kwargs, knn_index
            )
        self.n_jobs, self.knn_index, self.symmetrize = n_jobs, knn_index, symmetrize
        self.knn_graph = _intake.scipy_csr(graph)
        if data is not None:
            self._searched = _searched(data, metric, metric_params, method, n_jobs, random_state)
        self._set(graph, perplexities, effective)

    def check_perplexities(self, perplexities, n_samples):
        """Ascending; those above (n_samples - 1) / 3 become this, once."""
        usable = []
        for perplexity in sorted(np.atleast_1d(perplexities).tolist()):
            if perplexity <= 0:
                raise InputError(f"perplexity is {perplexity}; it must be above 0", option="perplexities")
            reduced = (n_samples - 1) / 3
            if perplexity <= reduced:
                usable.append(perplexity)
                continue
            warnings.warn(f"Perplexity value {perplexity} is too high. {reduced:.2f} is the largest", stacklevel=4)
            if reduced not in usable:
                usable.append(reduced)
        return usable

    def _set(self, graph, perplexities, effective):
        self.perplexities, self.effective_perplexities_ = perplexities, effective
        fewest = int(np.diff(graph[0]).min())
        within = [max(1.0, min(perplexity, fewest)) for perplexity in effective]
        if self.symmetrize:
            P = csr_matrix(affinities(graph, within, kind=self._kind, n_jobs=self.n_jobs), dtype=np.float64)
        else:
            P = _directed(graph, within, self._kind == "mixture")
        self.P = P / P.sum()

    def set_perplexities(self, new_perplexities):
        """The affinities of other perplexities, of the nearest of the neighbors that there are."""
        effective = self.check_perplexities(new_perplexities, self.n_samples)
        k = min(self.n_samples - 1, int(3 * max(effective)))
        self._set(_nearest_of(self.knn_graph, k, max(effective)), new_perplexities, effective)

    def to_new(self, data, perplexities=None, return_distances=False):
        """Affinities of new points to those of this object: (m, n), each row sums to 1; with ``return_distances`` also
        the neighbors and their distances. ``perplexities``: default those of this object."""
        n = self.n_samples
        effective = self.check_perplexities(self.perplexities if perplexities is None else perplexities, n)
        near, distances = self._near_new(data, max(1, min(n - 1, int(3 * max(effective)))))
        within = [max(1.0, min(perplexity, near.shape[1])) for perplexity in effective]
        return _rows(near, _scales(distances, within, self._kind == "mixture"), n, distances, return_distances)


class Multiscale(MultiscaleMixture):
    """The mean of the affinities of several perplexities. Parameters are those of MultiscaleMixture."""

    _kind = "gaussian"


def _directed(graph, perplexities, mixture):
    """The rows p_j|i of a graph of neighbors, not made symmetric."""
    offsets, targets, distances = graph
    values = np.empty(len(targets))
    for i in range(len(offsets) - 1):
        row = slice(offsets[i], offsets[i + 1])
        p = _scales(np.asarray(distances[row])[None], perplexities, mixture)[0]
        values[row] = p / p.sum()
    return csr_matrix(_intake.scipy_csr((offsets, targets, values)))


def _nearest_of(knn_graph, k, perplexity):
    """The k nearest of each point, whose lists ascend."""
    offsets, targets, weights = knn_graph.indptr, knn_graph.indices, knn_graph.data
    fewest = int(np.diff(offsets).min())
    if k > fewest:
        raise RuntimeError(f"perplexity is {perplexity}, and {fewest} neighbors were searched: search again")
    place = np.arange(len(targets)) - np.repeat(offsets[:-1], np.diff(offsets))
    kept = place < k  # the nearest come first
    starts = np.arange(0, kept.sum() + 1, k, dtype=np.int64)
    return starts, targets[kept].astype(np.int32), weights[kept].astype(np.float32)


class Uniform(Affinities):
    """The same affinity for each of the nearest neighbors.

    Parameters
    ----------
    data : array, optional
    k_neighbors : int, default 30
    method, metric, metric_params, n_jobs, random_state, verbose, knn_kwargs, knn_index
        As of PerplexityBasedNN.
    symmetrize : {'max', 'mean', True}, default 'max'
    """

    def __init__(
        self,
        data=None,
        k_neighbors=30,
        method="auto",
        metric="euclidean",
        metric_params=None,
        symmetrize="max",
        n_jobs=1,
        random_state=None,
        verbose=False,
        knn_kwargs=None,
        knn_index=None,
    ):
        graph = _neighbors(
            data, k_neighbors, method, metric, metric_params, n_jobs, random_state, verbose, knn_kwargs, knn_index
        )
        self.knn_index, self.k_neighbors = knn_index, k_neighbors
        if data is not None:
            self._searched = _searched(data, metric, metric_params, method, n_jobs, random_state)
        P = _intake.scipy_csr((graph[0], graph[1], np.ones(len(graph[1]))))
        self.P = _symmetric(P, symmetrize)

    def to_new(self, data, k_neighbors=None, return_distances=False):
        """Affinities of new points to those of this object: 1 / k to each of the k nearest."""
        near, distances = self._near_new(data, self.k_neighbors if k_neighbors is None else k_neighbors)
        return _rows(near, np.ones(near.shape), self.n_samples, distances, return_distances)


class FixedSigmaNN(Affinities):
    """Gaussian affinities of one width.

    Parameters
    ----------
    data : array, optional
    sigma : float
    k : int, default 30
    method, metric, metric_params, n_jobs, random_state, verbose, knn_kwargs, knn_index
        As of PerplexityBasedNN.
    symmetrize : bool, default True
    """

    def __init__(
        self,
        data=None,
        sigma=None,
        k=30,
        method="auto",
        metric="euclidean",
        metric_params=None,
        symmetrize=True,
        n_jobs=1,
        random_state=None,
        verbose=False,
        knn_kwargs=None,
        knn_index=None,
    ):
        if sigma is None:
            raise InputError("sigma must be given", option="sigma")
        graph = _neighbors(
            data, k, method, metric, metric_params, n_jobs, random_state, verbose, knn_kwargs, knn_index
        )
        self.knn_index = knn_index
        values = np.exp(-(graph[2].astype(np.float64) ** 2) / (2 * sigma**2))
        P = _intake.scipy_csr((graph[0], graph[1], values))
        sums = np.asarray(P.sum(1)).reshape(-1)
        P.data /= np.repeat(np.where(sums > 0, sums, 1), np.diff(P.indptr))
        self.sigma, self.k, self.P = sigma, k, _symmetric(P, "mean" if symmetrize else False)
        if data is not None:
            self._searched = _searched(data, metric, metric_params, method, n_jobs, random_state)

    def to_new(self, data, k=None, sigma=None, return_distances=False):
        """Affinities of new points to those of this object: (m, n), each row sums to 1."""
        near, distances = self._near_new(data, self.k if k is None else k)
        sigma = self.sigma if sigma is None else sigma
        squares = distances.astype(np.float64) ** 2
        squares -= squares.min(1, keepdims=True)  # the same after the division by the sum
        return _rows(near, np.exp(-squares / (2 * sigma**2)), self.n_samples, distances, return_distances)


class PrecomputedAffinities(Affinities):
    """Affinities that are given.

    Parameters
    ----------
    affinities : sparse or dense matrix
        Symmetric, at least 0.
    normalize : bool, default True
        Divide by their sum. The library takes affinities that sum to 1.
    """

    def __init__(self, affinities, normalize=True):
        if not issparse(affinities) and np.ndim(affinities) != 2:
            raise InputError("affinities must be a matrix, or an object with P", option="affinities")
        P = csr_matrix(affinities if issparse(affinities) else _intake.dense(affinities, "affinities"), dtype=np.float64)
        if P.shape[0] != P.shape[1]:
            raise InputError(f"affinities have the shape {P.shape}; they must be square", option="affinities")
        self.P = P / P.sum() if normalize else P


def _symmetric(P, how):
    if how not in ("max", "mean", True, False, None):
        raise InputError(f"symmetrize is {how!r}; it must be 'max', 'mean' or False", option="symmetrize")
    if how == "max":
        P = P.maximum(P.T)
    elif how:
        P = (P + P.T) / 2
    return csr_matrix(P / P.sum())

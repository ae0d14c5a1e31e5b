# SPDX-License-Identifier: Apache-2.0
"""KNeighborsTransformer with scikit-learn's interface."""

import warnings

import numpy as np
import sklearn.neighbors
from numbers import Real
from scipy.sparse import csr_matrix, issparse
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from . import _device, _intake, _offsets
from ._errors import PerformanceWarning
from ._given import say_if_distances
from ._owned import owned
from ._shared import given, in_fitted_order, named_rows, native_metric, offsets_among, run_of, search, validate_data


class KNeighborsTransformer(sklearn.neighbors.KNeighborsTransformer):
    """sklearn.neighbors.KNeighborsTransformer, whose neighbors are found by the library.

    ``fit_transform(X)`` and ``transform(X)`` search by the library for the metrics that it has (euclidean, manhattan,
    cosine, correlation, and minkowski with p 1 or 2). Other metrics, and ``transform`` of or among sparse rows, are
    scikit-learn's.

    Parameters
    ----------
    mode, n_neighbors, algorithm, leaf_size, metric, p, metric_params, n_jobs
        As in scikit-learn; ``algorithm`` and ``leaf_size`` are for what scikit-learn does.
    recall : float, optional
        Share of the true neighbors to find at least, by approximate search. None: as the library chooses by size.
    exact : bool, default False
        Search exactly at any size.
    device, memory
        As in dunlin.neighbors.
    """

    _parameter_constraints = {
        **sklearn.neighbors.KNeighborsTransformer._parameter_constraints,
        "recall": [None, Interval(Real, 0, 1, closed="right")],
        "exact": ["boolean"],
        "device": [str],
        "memory": [None, str, Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        mode="distance",
        n_neighbors=5,
        algorithm="auto",
        leaf_size=30,
        metric="minkowski",
        p=2,
        metric_params=None,
        n_jobs=None,
        recall=None,
        exact=False,
        device="auto",
        memory=None,
    ):
        super().__init__(
            mode=mode,
            n_neighbors=n_neighbors,
            algorithm=algorithm,
            leaf_size=leaf_size,
            metric=metric,
            p=p,
            metric_params=metric_params,
            n_jobs=n_jobs,
        )
        self.recall = recall
        self.exact = exact
        self.device = device
        self.memory = memory

    def fit(self, X, y=None):
        """Keeps the points, for transform(): a copy, unless the array is read-only."""
        points = given(named_rows(X, self.metric)[0])
        super().fit(owned(points, X), y)
        is_native = native_metric(self.metric, self.metric_params, self.p) is not None
        self._offsets = None if is_native else offsets_among(self._fit_X, self.metric)
        self._fit_X = _offsets.less(self._fit_X, self._offsets)
        return self

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        """The neighbors by scikit-learn."""
        offsets = getattr(self, "_offsets", None)
        if X is not None and offsets is not None:
            X = X.toarray() if issparse(X) else X
            X = _offsets.less(X if hasattr(X, "iloc") else np.asarray(X), offsets)
        return super().kneighbors(X, n_neighbors, return_distance)

    def fit_transform(self, X, y=None):
        """The graph of neighbors of X: CSR, n_neighbors + 1 entries a row in mode 'distance', the row itself first."""
        X = given(named_rows(X, self.metric)[0])
        on_gpu = _device.stays(X, run_of(self))
        of_caller, X = X, _intake.dense(X) if _device.is_on_gpu(X) else X  # scikit-learn's fit keeps the points
        self.fit(X)
        metric = native_metric(self.metric, self.metric_params, self.p)
        n = self.n_samples_fit_
        if metric is not None:
            say_if_distances(X, "KNeighborsTransformer")
        wanted = self.n_neighbors
        if metric is None or wanted >= n:
            if metric is None and self.metric != "precomputed":
                warnings.warn(
                    f"metric {self.metric!r} is not one of the library's; neighbors are found by scikit-learn",
                    PerformanceWarning,
                    stacklevel=2,
                )
            return super().transform(X)
        add = self.mode == "distance"
        own = wanted if add else wanted - 1
        X = validate_data(self, X, accept_sparse="csr", reset=False, dtype=[np.float64, np.float32], order="C")
        dtype = np.float64
        if own == 0:
            graph = (None, np.zeros((n, 0), np.int32), np.zeros((n, 0), np.float32))
        else:
            method = "exact" if self.exact else "auto"
            points = of_caller if on_gpu else X
            (_, targets, weights), values = search(points, own, run_of(self), metric, method, self.recall)
            self.search_recall_ = values["recall"]
            graph = (None, targets.reshape(n, own), weights.reshape(n, own))
        indices = np.column_stack([np.arange(n, dtype=np.int32), graph[1]])
        distances = np.column_stack([np.zeros(n, np.float32), graph[2]])
        data = distances.astype(dtype).reshape(-1) if add else np.ones(indices.size, dtype)
        offsets = np.arange(0, indices.size + 1, indices.shape[1])
        return csr_matrix((data, indices.reshape(-1), offsets), shape=(n, n))

    def transform(self, X):
        """The graph of neighbors of X among the fitted points: CSR, n_neighbors + 1 entries a row in mode 'distance'."""
        check_is_fitted(self)
        X = given(in_fitted_order(self, X))
        metric = native_metric(self.metric, self.metric_params, self.p)
        add = self.mode == "distance"
        wanted = self.n_neighbors + add
        if metric is None or wanted > self.n_samples_fit_ or issparse(X) or issparse(self._fit_X):
            return super().transform(X)
        X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32], order="C")
        method = "exact" if self.exact else "auto"
        (offsets, targets, weights), _ = search(self._fit_X, wanted, run_of(self), metric, method, self.recall, queries=X)
        if add and X.dtype == np.float64 and metric in ("euclidean", "manhattan"):
            data = _distances(X, self._fit_X, targets.reshape(len(X), wanted), metric).reshape(-1)
        else:
            data = weights.astype(np.float64) if add else np.ones(targets.size)
        return csr_matrix((data, targets, offsets), shape=(len(X), self.n_samples_fit_))


def _distances(X, points, targets, metric):
    """Distances of rows of X to their targets among the points in float64, which scikit-learn has for such rows."""
    distances = np.empty(targets.shape)
    step = max(1, 2**22 // max(1, targets.shape[1] * X.shape[1]))
    for begin in range(0, len(X), step):
        rows = slice(begin, begin + step)
        differences = X[rows, None, :] - points[targets[rows]]
        if metric == "manhattan":
            distances[rows] = np.abs(differences).sum(axis=2)
        else:
            distances[rows] = np.sqrt(np.einsum("ijk,ijk->ij", differences, differences))
    return distances

# SPDX-License-Identifier: Apache-2.0
"""Affinities without perplexities: equal ones, Gaussians of one width, given ones."""

import numpy as np
from scipy.sparse import csr_matrix, issparse

from .. import _intake
from .._errors import InputError
from ._affinities import Affinities, _neighbors, _rows, _searched


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

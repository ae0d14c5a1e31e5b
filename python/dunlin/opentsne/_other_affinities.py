# SPDX-License-Identifier: Apache-2.0
"""Affinities without perplexities: equal ones, Gaussians of one width, given ones."""

import numpy as np
from scipy.sparse import csr_matrix, issparse

from .. import _intake, _match
from .._errors import InputError
from . import _checks
from ._affinities import Affinities, _nearest_or_given, _neighbors_wanted, _rows, _search_of


class Uniform(Affinities):
    """The same affinity for each of the nearest neighbors.

    Parameters
    ----------
    data : array, optional
    k_neighbors : int, default 30
        Of a knn_index with more the nearest; fewer are an error.
    method, metric, metric_params, n_jobs, random_state, verbose, knn_kwargs, knn_index
        As of PerplexityBasedNN.
    symmetrize : {'max', 'mean', 'none', True, False}, default 'max'
        True: 'max', as in openTSNE.
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
        _require_way(symmetrize)
        chosen = _search_of(method, metric, metric_params, n_jobs, random_state, verbose, knn_kwargs)
        data, graph = _nearest_or_given(data, k_neighbors, "k_neighbors", knn_index, chosen)
        self.knn_index, self.k_neighbors = knn_index, int(k_neighbors)
        self._keep(data, chosen)
        P = _intake.scipy_csr((graph[0], graph[1], np.ones(len(graph[1]))))
        self.P = _symmetric(P, symmetrize)

    def to_new(self, data, k_neighbors=None, return_distances=False):
        """Affinities of new points to those of this object: 1 / k to each of the k nearest."""
        k = self.k_neighbors if k_neighbors is None else _neighbors_wanted(k_neighbors, self.n_samples + 1, "k_neighbors")
        near, distances = self._near_new(data, k)
        return _rows(near, np.ones(near.shape), self.n_samples, distances, return_distances)


class FixedSigmaNN(Affinities):
    """Gaussian affinities of one width.

    Parameters
    ----------
    data : array, optional
    sigma : float
        Above 0.
    k : int, default 30
        Of a knn_index with more the nearest; fewer are an error.
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
        sigma = _checks.number(sigma, "sigma", above=0)
        chosen = _search_of(method, metric, metric_params, n_jobs, random_state, verbose, knn_kwargs)
        data, graph = _nearest_or_given(data, k, "k", knn_index, chosen)
        self.knn_index = knn_index
        values = np.exp(-(graph[2].astype(np.float64) ** 2) / (2 * sigma**2))
        P = _intake.scipy_csr((graph[0], graph[1], values))
        sums = np.asarray(P.sum(1)).reshape(-1)
        P.data /= np.repeat(np.where(sums > 0, sums, 1), np.diff(P.indptr))
        self.sigma, self.k, self.P = sigma, int(k), _symmetric(P, "mean" if symmetrize else False)
        self._keep(data, chosen)

    def to_new(self, data, k=None, sigma=None, return_distances=False):
        """Affinities of new points to those of this object: (m, n), each row sums to 1."""
        sigma = self.sigma if sigma is None else _checks.number(sigma, "sigma", above=0)
        k = self.k if k is None else _neighbors_wanted(k, self.n_samples + 1, "k")
        near, distances = self._near_new(data, k)
        squares = distances.astype(np.float64) ** 2
        squares -= squares.min(1, keepdims=True)  # the same after the division by the sum
        return _rows(near, np.exp(-squares / (2 * sigma**2)), self.n_samples, distances, return_distances)


class PrecomputedAffinities(Affinities):
    """Affinities that are given.

    Parameters
    ----------
    affinities : sparse or dense matrix, or table with the same names on rows and columns
        Symmetric, at least 0. Columns of a table are put in the order of the rows.
    normalize : bool, default True
        Divide by their sum. The library takes affinities that sum to 1.
    """

    def __init__(self, affinities, normalize=True):
        if not issparse(affinities) and np.ndim(affinities) != 2:
            raise InputError("affinities must be a matrix, or an object with P", option="affinities")
        names = _match.ids_of(affinities)
        affinities = _match.in_own_order(affinities, "affinities")
        matrix = affinities if issparse(affinities) else _intake.dense(affinities, "affinities")
        P = csr_matrix(matrix, dtype=np.float64, copy=True)
        _require_affinities(P)
        self.P = P / P.sum() if normalize else P
        self._names = None if isinstance(names, range) else names


def _require_affinities(P):
    if P.shape[0] != P.shape[1]:
        raise InputError(f"affinities have the shape {P.shape}; they must be square", option="affinities")
    if not np.isfinite(P.data).all():
        raise InputError("affinities hold NaN or infinity; give finite numbers", option="affinities")
    if not P.nnz or P.data.max() <= 0:
        raise InputError("affinities have no number above 0", option="affinities")
    if P.data.min() < 0:
        raise InputError(f"affinities hold {P.data.min():g}; they must be at least 0", option="affinities")
    difference = abs(P - P.T).tocoo()
    if difference.nnz and difference.data.max() > 1e-5 * P.data.max():
        row, column = (int(axis[np.argmax(difference.data)]) for axis in (difference.row, difference.col))
        raise InputError(
            f"affinities are not symmetric: row {row} has {P[row, column]:g} for column {column}, counted from 0, and row "
            f"{column} {P[column, row]:g} for {row}; give (P + P.T) / 2",
            option="affinities",
        )


def _require_way(symmetrize):
    if symmetrize not in ("max", "mean", "none", True, False, None):
        raise InputError(f"symmetrize is {symmetrize!r}; it must be 'max', 'mean' or False", option="symmetrize")


def _symmetric(P, how):
    if how == "max" or how is True:  # openTSNE's True
        P = P.maximum(P.T)
    elif how and how != "none":
        P = (P + P.T) / 2
    return csr_matrix(P / P.sum())

# SPDX-License-Identifier: Apache-2.0
"""Affinities with openTSNE's names. Each has ``P``, a symmetric SciPy CSR matrix whose entries sum to 1."""

import warnings

import numpy as np
from scipy.sparse import csr_matrix, issparse

from .. import _groups, _intake, _maps
from .._errors import InputError
from .._options import translating
from .._shared import native_metric, search, search_elsewhere, seed_of
from .._run import Run


def _neighbors(data, k, method, metric, metric_params, n_jobs, random_state, verbose, knn_index):
    if knn_index is not None:
        graph = _intake.without_self(_intake.csr_of(knn_index, name="knn_index"))
        return graph
    run = Run({"n_jobs": n_jobs, "seed": seed_of(random_state)}, 1 if verbose else 0)
    if not isinstance(method, str):
        raise InputError(
            "method is an index of openTSNE; give 'auto', 'exact' or 'approx', or knn_index=(indices, distances)",
            option="method",
        )
    if metric == "precomputed":
        if issparse(data):
            return _intake.without_self(_intake.csr_of(data, name="data"))
        distances = np.array(data, np.float64)
        np.fill_diagonal(distances, np.inf)
        near = np.argsort(distances, axis=1, kind="stable")[:, :k]
        return _intake.csr_of((near, np.take_along_axis(distances, near, 1)))
    native = native_metric(metric, metric_params)
    if native is None:
        return search_elsewhere(data, k, metric, metric_params, n_jobs)
    kind = {"auto": "auto", "exact": "exact", "approx": "approximate"}.get(method, "approximate")
    with translating(_groups.NEIGHBORS):
        return search(data, k, run, native, kind)[0]


class PerplexityBasedNN:
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
        Only True.
    k_neighbors : int or 'auto'
        Default: 3 * perplexity.
    knn_index : (indices, distances), sparse matrix or NeighborsResult, optional
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
        knn_index=None,
    ):
        if data is None and knn_index is None:
            raise InputError("give data or knn_index", option="data")
        if not symmetrize:
            raise InputError("symmetrize is False; the library's affinities are symmetric", option="symmetrize")
        n = None
        if data is not None:
            n = data.shape[0] if hasattr(data, "shape") else len(data)
        elif hasattr(knn_index, "indices"):
            n = knn_index.shape[0] if issparse(knn_index) else len(knn_index.indices)
        else:
            n = len(knn_index[0])
        if perplexity <= 0:
            raise InputError(f"perplexity is {perplexity}; it must be above 0", option="perplexity")
        if n - 1 < 3 * perplexity:
            reduced = (n - 1) / 3
            warnings.warn(
                f"Perplexity value {perplexity} is too high. Using perplexity {reduced:.2f} instead", stacklevel=2
            )
            perplexity = reduced
        k = max(1, min(n - 1, int(3 * perplexity) if k_neighbors == "auto" else int(k_neighbors)))
        graph = _neighbors(data, k, method, metric, metric_params, n_jobs, random_state, verbose, knn_index)
        self.perplexity, self.perplexity_, self.n_jobs = perplexity, perplexity, n_jobs
        self.knn_graph = _intake.scipy_csr(graph)
        with translating(_groups.TSNE):
            self.P = _maps.affinities(graph, max(1.0, perplexity), n_jobs=n_jobs)


class Uniform:
    """The same affinity for each of the nearest neighbors.

    Parameters
    ----------
    data : array, optional
    k_neighbors : int, default 30
    method, metric, metric_params, n_jobs, random_state, verbose, knn_index
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
        knn_index=None,
    ):
        graph = _neighbors(data, k_neighbors, method, metric, metric_params, n_jobs, random_state, verbose, knn_index)
        P = _intake.scipy_csr((graph[0], graph[1], np.ones(len(graph[1]))))
        self.P = _symmetric(P, symmetrize)


class FixedSigmaNN:
    """Gaussian affinities of one width.

    Parameters
    ----------
    data : array, optional
    sigma : float
    k : int, default 30
    method, metric, metric_params, n_jobs, random_state, verbose, knn_index
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
        knn_index=None,
    ):
        if sigma is None:
            raise InputError("sigma must be given", option="sigma")
        graph = _neighbors(data, k, method, metric, metric_params, n_jobs, random_state, verbose, knn_index)
        values = np.exp(-(graph[2].astype(np.float64) ** 2) / (2 * sigma**2))
        P = _intake.scipy_csr((graph[0], graph[1], values))
        sums = np.asarray(P.sum(1)).reshape(-1)
        P.data /= np.repeat(np.where(sums > 0, sums, 1), np.diff(P.indptr))
        self.sigma, self.P = sigma, _symmetric(P, "mean" if symmetrize else False)


class PrecomputedAffinities:
    """Affinities that are given.

    Parameters
    ----------
    affinities : sparse or dense matrix
        Symmetric, at least 0.
    normalize : bool, default True
        Divide by their sum. The library takes affinities that sum to 1.
    """

    def __init__(self, affinities, normalize=True):
        P = csr_matrix(affinities, dtype=np.float64)
        if P.shape[0] != P.shape[1]:
            raise InputError(f"affinities have the shape {P.shape}; they must be square", option="affinities")
        self.P = P / P.sum() if normalize else P


def _symmetric(P, how):
    if how == "max":
        P = P.maximum(P.T)
    elif how:
        P = (P + P.T) / 2
    return csr_matrix(P / P.sum())

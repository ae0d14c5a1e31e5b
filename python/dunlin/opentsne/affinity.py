# SPDX-License-Identifier: Apache-2.0
"""Affinities with openTSNE's names. Each has ``P``, a symmetric SciPy CSR matrix whose entries sum to 1."""

import warnings

import numpy as np
from scipy.sparse import csr_matrix

from .. import _groups, _intake
from .._errors import InputError
from .._neighbors import affinities
from .._options import translating
from . import _checks
from ._affinities import (
    Affinities,
    _begun,
    _gaussians,
    _nearest,
    _neighbors,
    _neighbors_wanted,
    _require_one,
    _rows,
    _scales,
    _search_of,
)
from ._other_affinities import FixedSigmaNN, PrecomputedAffinities, Uniform, _symmetric  # noqa: F401

__all__ = [
    "Affinities",
    "FixedSigmaNN",
    "Multiscale",
    "MultiscaleMixture",
    "PerplexityBasedNN",
    "PrecomputedAffinities",
    "Uniform",
]


class PerplexityBasedNN(Affinities):
    """Gaussian affinities of the nearest neighbors (van der Maaten and Hinton 2008).

    Parameters
    ----------
    data : array, optional
        Points, or distances with metric='precomputed', whose columns are put in the order of the rows by name.
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
        Neighbors in place of a search: of more than ``k_neighbors`` the nearest; fewer than that, or by default than the
        perplexity, are an error.
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
        if isinstance(perplexity, (list, tuple, np.ndarray)) and np.ndim(perplexity):
            raise InputError(f"perplexity is {perplexity!r}; Multiscale takes several", option="perplexity")
        chosen = _search_of(method, metric, metric_params, n_jobs, random_state, verbose, knn_kwargs)
        data, graph, n = _begun(data, knn_index, chosen)
        effective = _effective(perplexity, n)
        default = isinstance(k_neighbors, str) and k_neighbors == "auto"
        k = max(1, min(n - 1, int(3 * effective))) if default else _neighbors_wanted(k_neighbors, n, "k_neighbors")
        if graph is None:
            graph = _neighbors(data, k, **chosen)
        else:
            graph = _nearest(graph, k, *((effective, "perplexity") if default else (k, "k_neighbors")))
        self.n_jobs, self.knn_index, self.knn_graph = n_jobs, knn_index, _intake.scipy_csr(graph)
        self.symmetrize = symmetrize
        self._keep(data, chosen)
        self._set(graph, perplexity, effective)

    def to_new(self, data, perplexity=None, return_distances=False, k_neighbors="auto"):
        """Affinities of new points to those of this object: (m, n), each row sums to 1; with ``return_distances`` also
        the neighbors and their distances. ``perplexity``: default that of this object."""
        n = self.n_samples
        perplexity = self.effective_perplexity_ if perplexity is None else perplexity
        perplexity = min(_checks.number(perplexity, "perplexity", above=0), n / 3)
        default = isinstance(k_neighbors, str) and k_neighbors == "auto"
        k = max(1, min(n, int(3 * perplexity))) if default else _neighbors_wanted(k_neighbors, n + 1, "k_neighbors")
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
        _checks.number(new_perplexity, "new_perplexity", above=0)
        fewest = int(np.diff(self.knn_graph.indptr).min())
        if new_perplexity > fewest:
            raise RuntimeError(f"perplexity is {new_perplexity}, and {fewest} neighbors were searched: search again")
        graph = _nearest_of(self.knn_graph, max(1, min(fewest, int(3 * new_perplexity))), new_perplexity)
        self._set(graph, new_perplexity, new_perplexity)


def _effective(perplexity, n):
    _checks.number(perplexity, "perplexity", above=0)
    if n - 1 >= 3 * perplexity:
        return perplexity
    reduced = (n - 1) / 3
    warnings.warn(f"Perplexity value {perplexity} is too high. Using perplexity {reduced:.2f} instead", stacklevel=4)
    return reduced


class MultiscaleMixture(Affinities):
    """Affinities by one density of Gaussians of several perplexities.

    Parameters
    ----------
    data : array, optional
        Points, or distances with metric='precomputed', whose columns are put in the order of the rows by name.
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
        chosen = _search_of(method, metric, metric_params, n_jobs, random_state, verbose, knn_kwargs)
        data, graph, n = _begun(data, knn_index, chosen)
        effective = self.check_perplexities(perplexities, n)
        k = max(1, min(n - 1, int(3 * max(effective))))
        if graph is None:
            graph = _neighbors(data, k, **chosen)
        else:
            graph = _nearest(graph, k, max(effective), "perplexities")
        self.n_jobs, self.knn_index, self.symmetrize = n_jobs, knn_index, symmetrize
        self.knn_graph = _intake.scipy_csr(graph)
        self._keep(data, chosen)
        self._set(graph, perplexities, effective)

    def check_perplexities(self, perplexities, n_samples):
        """Ascending; those above (n_samples - 1) / 3 become this, once."""
        usable = []
        for perplexity in sorted(np.atleast_1d(_checks.perplexities(perplexities, "perplexities")).tolist()):
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
    """The k nearest of each point."""
    fewest = int(np.diff(knn_graph.indptr).min())
    if k > fewest:
        raise RuntimeError(f"perplexity is {perplexity}, and {fewest} neighbors were searched: search again")
    return _nearest((knn_graph.indptr, knn_graph.indices, knn_graph.data), k)



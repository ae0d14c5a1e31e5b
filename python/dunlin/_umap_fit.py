# SPDX-License-Identifier: Apache-2.0
"""How UMAP is fitted: neighbors of any metric, cut and given ones, equal rows, starts, targets."""

import math
import warnings

import numpy as np
from scipy.sparse import issparse

from . import _cells, _device, _intake, _match, _methods, _umap_graph, _umap_metrics, _umap_targets
from ._errors import InputError, InputWarning, PerformanceWarning, UnsupportedError
from ._estimators_embedding import NeighborEmbedding
from ._options import translating
from ._owned import owned
from ._run import CHECKPOINT, say
from ._shared import run_of, search, seed_of, start_of

FARTHEST_PLACE = 1e9  # as of given places in the library (forces/places.hpp)
MOST_DIMENSIONS = 64


class UmapFit(NeighborEmbedding):
    """fit() of UMAP. What it leaves beside the public attributes:

    _made : dict
        points, options, lists (of neighbors, if they were found or given here), labels, target: what graph_ is made of.
    _index, _inverse : array or None
        With unique: the rows that differ, and for each row its place among these.
    _rows_of_map : array or None
        The rows of the map among which new points are placed; None: all.
    """

    _fewest_rows = 1

    def fit(self, X, y=None, ensure_all_finite=True, *, knn_graph=None):
        """Fits the map.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), or (n, n) with metric='precomputed'
        y : array of shape (n,), optional
            See target_metric.
        ensure_all_finite : bool or 'allow-nan', default True
            Anything else than True is taken only if X is finite.
        knn_graph : sparse matrix or (indices, distances), optional
            The neighbors of each point with their distances, in place of a search: of more than ``n_neighbors`` the
            nearest.
        """
        self.fit_transform(X, y, ensure_all_finite, knn_graph=knn_graph)
        return self

    def fit_transform(self, X, y=None, ensure_all_finite=True, *, knn_graph=None):
        """Fits the map and returns it; with transform_mode='graph' the memberships, with output_dens also the radii."""
        if ensure_all_finite is not True:
            _require_finite(X)
        self._fit(X, y, knn_graph)
        if self.transform_mode == "graph":
            return self.graph_
        return (self.embedding_, self.rad_orig_, self.rad_emb_) if self.output_dens else self.embedding_

    def _check(self, X):
        self._require_known()
        if self.metric == "precomputed" and isinstance(self.init, str) and self.init == "pca":
            raise UnsupportedError('init="pca" needs points; with metric="precomputed" take another', option="init")
        super()._check(X)
        if self.unique and (self.metric == "precomputed" or self._precomputed()[0] is not None):
            raise ValueError("unique is of rows of points; leave it out with metric='precomputed' and precomputed_knn")

    def _map(self, X, y, of, knn_graph, in_place, given):
        self._forget()
        if X.shape[0] == 1:
            self._keep_one_row()
            return
        if y is not None and self.target_metric != "categorical":
            in_place = False
        # Equal rows
        if self.unique:
            self._index, self._inverse = _umap_graph.distinct_rows(_device.host(X) if _device.is_on_gpu(X) else X)
            self._unique_inverse_ = self._inverse
            X, of, in_place = X[self._index], None, False
            y = None if y is None else np.asarray(y)[self._index]
        self._n_neighbors = self._neighbors_among(X.shape[0])
        # The map, or only its graph
        if self.transform_mode == "graph":
            self._make_lists(X, y, of, knn_graph, given)
        else:
            super()._map(X, y, of, knn_graph, in_place, given)
            if self.output_dens:
                self._keep_radii()
            self._leave_out_disconnected()
            if self._inverse is not None:
                self.embedding_ = self.embedding_[self._inverse]

    def _forget(self):
        for name in ("_graph", "_scales", "_unique_inverse_", "embedding_", "embedding_list_", "_fitted", "rad_orig_", "rad_emb_"):
            self.__dict__.pop(name, None)
        self._index = self._inverse = self._rows_of_map = None
        self._lists_here, self._edges_removed, self._recall_here, self._target = None, 0, None, None
        self._points_here, self._labels_here, self._snapshots = None, None, {}

    def _keep_one_row(self):
        self._n_neighbors, self._made = 1, None
        self.embedding_ = np.zeros((1, int(self.n_components)), np.float32)
        if self.output_dens:
            self.rad_orig_ = self.rad_emb_ = np.full(1, np.nan, np.float32)

    def _neighbors_among(self, n):
        if self.n_neighbors < n:
            return self.n_neighbors
        less = max(n - 1, 2)
        if n > 1:
            say(f"n_neighbors is {self.n_neighbors} and there are {n} rows; it becomes {less}")
        return less

    def _precomputed(self):
        """(indices, distances) of precomputed_knn, or (None, None)."""
        given = self.precomputed_knn
        return (None, None) if given is None or len(given) < 2 or given[1] is None else (given[0], given[1])

    def _limit(self):
        """The distance from which on there are no neighbors."""
        limit = self.disconnection_distance
        return _umap_metrics.FARTHEST.get(_umap_metrics.plain_name(self.metric), np.inf) if limit is None else float(limit)

    def _lists(self, X, knn_graph, of, chosen, run):
        k, self._points_here = self._n_neighbors - 1, X
        indices, distances = self._usable_precomputed(X.shape[0])
        if knn_graph is not None:
            lists = super()._lists(X, knn_graph, of, chosen, run)
        elif indices is not None:
            lists = _umap_graph.precomputed(indices, distances, k)
        elif self.metric == "precomputed":
            lists = _umap_graph.nearest_given(X, k)
        elif self._native_metric() is None:
            self._say_elsewhere()
            lists = _umap_graph.nearest_of_pairs(_umap_metrics.between(self.metric, self._metric_parameters()), X, k)
        elif np.isinf(self._limit()) and self.transform_mode == "embedding" and not self.output_dens:
            return super()._lists(X, None, of, chosen, run)
        else:
            lists = self._search_here(X, k, run)
        self._lists_here, self._edges_removed = _umap_graph.cut_at(lists, self._limit())
        if self._edges_removed:
            chosen.pop("k", None)  # of uneven lists the library reads all
        return self._lists_here

    def _search_here(self, X, k, run):
        method = self._search()
        (_, targets, weights), values = search(X, k, run, self._native_metric(), method, self.recall)
        self._recall_here = values["recall"]
        n = X.shape[0]
        return np.arange(n + 1, dtype=np.int64) * (len(targets) // n), targets, weights

    def _usable_precomputed(self, n):
        """precomputed_knn where it has enough neighbors of as many points, else (None, None), with a warning."""
        indices, distances = self._precomputed()
        if indices is None:
            return None, None
        shape = np.shape(indices)
        if shape != np.shape(distances) or len(shape) != 2:
            raise ValueError(f"precomputed_knn has arrays of the shapes {shape} and {np.shape(distances)}; both must be (n, k)")
        if shape[1] < self._n_neighbors or shape[0] != n:
            warnings.warn(
                f"precomputed_knn has the shape {shape}, and there are {n} rows with {self._n_neighbors} neighbors; it is "
                "ignored, and neighbors are searched",
                InputWarning,
                stacklevel=6,
            )
            return None, None
        return indices, distances

    def _say_elsewhere(self):
        warnings.warn(
            f"metric {self.metric!r} is not one of the library's; distances of all pairs are compared",
            PerformanceWarning,
            stacklevel=6,
        )

    def _start(self, n, of, seed):
        if isinstance(self.init, str):
            return None
        start = start_of(self.init, n if self._inverse is None else len(self._inverse), self.n_components, of)
        start = _cells.require_finite(start, "init")
        return _in_box(start if self._index is None else start[self._index], seed)

    def _word_of_start(self):
        return "spectral" if self.init == "tswspectral" else self.init

    def _stand_in(self, distances):
        """Of the distances of all pairs their classical scaling, by which unconnected parts of a spectral start are arranged."""
        n = distances.shape[0]
        if issparse(distances) and distances.nnz >= 0.99 * n * (n - 1):  # all pairs but those at distance 0
            distances = distances.toarray()
        if issparse(distances) or n < 4 or not np.isfinite(distances).all() or not np.allclose(distances, distances.T):
            return super()._stand_in(distances)
        from ._scaling import mds

        dim = int(min(max(self.n_components, 2), 3))
        scaled = mds(dissimilarities=distances, method="classical", n_components=dim, n_jobs=self.n_jobs, device="cpu")
        return np.ascontiguousarray(scaled.embedding, np.float32)

    def _run_of_fit(self, seed):
        run = super()._run_of_fit(seed)
        if self.n_epochs is not None and np.ndim(self.n_epochs) > 0:
            wanted = {int(epoch) for epoch in self.n_epochs}
            run.callbacks = [*run.callbacks, self._taking(wanted)]
            run.every = max(1, math.gcd(*wanted))
        return run

    def _taking(self, wanted):
        def take(iteration, error, embedding):
            if iteration in wanted:
                self._snapshots[iteration] = np.array(embedding)

        return take

    def _embed(self, points, knn, start, chosen, run, labels):
        self._labels_here = labels
        if self._target is not None and self.densmap:
            raise UnsupportedError("densmap is of labels alone: take target_metric='categorical'", option="target_metric")
        if self._target is None:
            return super()._embed(points, knn, start, chosen, run, labels)
        # The start of the graph without targets; then the descent of the graph with them
        begin = super()._embed(points, knn, start, chosen | {"iterations": 0}, run_of(self, run.seed), None)
        if self._lists_here is None:
            self._lists_here = self._search_here(self._points_here, self._n_neighbors - 1, run_of(self, run.seed))
        self._graph = self._graph_of(self._lists_here, chosen, None, self._target)
        edges = _intake.csr_of(self._graph, name="memberships")
        of_stages = ("start", "metric", "neighbors", "recall", "k", "mix", "local_connectivity")
        chosen = {name: value for name, value in chosen.items() if name not in of_stages}
        return _methods.embed(self._method, None, edges, None, begin.embedding, chosen, self._preset, run)

    def _labels(self, chosen, y, n, of):
        """Classes, which the library reads; other targets change the graph in _embed."""
        if y is None or self.target_weight == 0:
            return None
        if self.target_metric != "categorical":
            self._target = _umap_targets.checked(self.target_metric, y, n)
            return None
        chosen["labels_weight"] = self.target_weight
        codes = _methods.known_labels(_match.labels(y, of, "y"), n)
        if np.asarray(y).dtype.kind == "f" and len(np.unique(codes)) > n / 2:
            say("more than half of the numbers in y differ, and each is a class; target_metric='l2' takes them as numbers")
        return codes

    def _keep(self, result, seed):
        super()._keep(result, seed)
        self.cross_entropy_, self.cross_entropy_se_ = result.cross_entropy, result.cross_entropy_se
        self.a_, self.b_ = result.options.get("a"), result.options.get("b")
        if self._recall_here is not None:
            self.search_recall_ = self._recall_here
        if self.n_epochs is not None and np.ndim(self.n_epochs) > 0:
            self._snapshots[result.n_iter] = result.embedding
            maps = [self._snapshots[epoch] for epoch in sorted(self._snapshots)]
            self.embedding_list_ = maps if self._inverse is None else [each[self._inverse] for each in maps]

    def _keep_points(self, X, chosen, knn, *given):
        lists, native = self._lists_here, self._native_metric()
        if native is not None:
            chosen = chosen | {"metric": native, "neighbors": self._search()}
            chosen |= {} if self.recall is None else {"recall": self.recall}
        knn = None if self._edges_removed else knn if lists is None else lists
        super()._keep_points(X, chosen, knn, *given)
        points = self._fitted[0] if self._fitted[0] is not None else owned(X, *given)
        self._made = {
            "points": points,
            "options": {name: chosen[name] for name in ("mix", "local_connectivity", "labels_weight") if name in chosen},
            "lists": lists,
            "labels": self._labels_here,
            "target": self._target,
        }
        self._points_here = self._lists_here = self._labels_here = None

    def _make_lists(self, X, y, of, knn_graph, given):
        """transform_mode='graph': the neighbors alone."""
        self.seed_ = seed_of(self.random_state)
        run, chosen = self._run_of_fit(self.seed_), self._options(X.shape[0])
        with translating(self._method.group, CHECKPOINT):
            knn = self._lists(X, knn_graph, of, chosen, run)
            self._labels_here = self._labels(chosen, y, X.shape[0], of)
        self._keep_points(X, chosen, knn, *given)

    def _keep_radii(self):
        """Sets rad_orig_ and rad_emb_: local radii by the neighbors in the data, and anew by those in the map."""
        made, run = self._made, run_of(self, self.seed_)
        of_map, _ = search(np.ascontiguousarray(self.embedding_), self._n_neighbors - 1, run, "euclidean")
        n = self.embedding_.shape[0]
        lists = np.arange(n + 1, dtype=np.int64) * (len(of_map[1]) // n), of_map[1], of_map[2]
        self.rad_orig_ = _umap_graph.log_radii(self._neighbor_lists(), made["labels"], made["options"], 2, run)
        self.rad_emb_ = _umap_graph.log_radii(lists, None, made["options"], 1, run)
        if self._inverse is not None:
            self.rad_orig_, self.rad_emb_ = self.rad_orig_[self._inverse], self.rad_emb_[self._inverse]

    def _leave_out_disconnected(self):
        """Points without neighbors have the place NaN, and new points are placed among the others."""
        rows = None if self._index is None else np.asarray(self._index)
        if self._edges_removed:
            alone = np.asarray(self.graph_.sum(axis=1)).reshape(-1) == 0
            if alone.any():
                self._say_disconnected(int(alone.sum()))
                self.embedding_ = np.array(self.embedding_)
                self.embedding_[alone] = np.nan
                near = np.flatnonzero(~alone)
                rows = near if rows is None else rows[near]
                points, chosen, _ = self._fitted
                self._fitted = (None if points is None else points[near], chosen, None)
        self._rows_of_map = rows

    def _say_disconnected(self, count):
        n = self.embedding_.shape[0]
        begin = "A few of your vertices" if count <= 0.1 * n else "A large number of your vertices"
        say(
            f"{begin} have no neighbor: {count} of {n} are at least disconnection_distance {self._limit():g} from all others "
            f"({self._edges_removed} edges were left out), and their places are NaN"
        )


def _require_finite(X):
    data = X.data if issparse(X) else _intake.dense(X, "X", missing=True)
    if np.asarray(data).dtype.kind == "f" and not np.isfinite(data).all():
        raise UnsupportedError("X has NaN or infinity, of which the library has no distances", option="X")


def _in_box(start, seed):
    """A given start, each axis from 0 to 10, as in umap-learn; where rows are equal, with noise of a thousandth of the mean
    distance to the nearest row."""
    start = np.array(start, np.float64)
    far = np.argwhere(np.abs(start) > FARTHEST_PLACE)
    if len(far):
        row, axis = far[0]
        raise InputError(f"init has {start[row, axis]:g} in row {row}; places are at most {FARTHEST_PLACE:g} in size", option="init")
    if len(np.unique(start, axis=0)) < len(start):
        from scipy.spatial import cKDTree

        nearest = cKDTree(start).query(start, k=2)[0][:, 1].mean()
        start += np.random.RandomState(seed % 2**32).normal(scale=0.001 * nearest, size=start.shape)
    low, extent = start.min(axis=0), np.ptp(start, axis=0)
    return (10 * (start - low) / np.where(extent > 0, extent, 1)).astype(np.float32)

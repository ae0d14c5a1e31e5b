# SPDX-License-Identifier: Apache-2.0
"""What a fitted UMAP does: new points, more points, and umap-learn's attributes, made when they are first read."""

import inspect

import numpy as np
from scipy.sparse import csr_matrix, issparse, vstack
from sklearn.utils.validation import check_is_fitted

from . import _core, _device, _intake, _match, _methods, _umap_graph, _umap_metrics, _umap_targets
from ._errors import UnsupportedError
from ._estimators_placing import PlacesNewPoints, _Ready
from ._groups import INVERSE, PLACE
from ._options import translating
from ._run import CHECKPOINT, RUN, finished
from ._shared import run_of, search, validate_data

_OF_LAWS = ("method", "min_dist", "spread", "a", "b", "negatives", "repulsion_strength")  # read with given memberships


class UmapMethods(PlacesNewPoints):
    def __setstate__(self, state):
        """Pickles of 0.1.0 have fewer parameters, and of what a fit leaves only what places new points."""
        super().__setstate__(state)
        for name, parameter in inspect.signature(type(self)).parameters.items():
            self.__dict__.setdefault(name, parameter.default)
        if "_fitted" in self.__dict__ and "_made" not in self.__dict__:
            points, chosen, _ = self._fitted
            self._n_neighbors = chosen.get("k", self.n_neighbors)
            self._index = self._inverse = self._rows_of_map = None
            self._edges_removed, self._recall_here = 0, None
            self._made = {"points": points, "options": chosen, "lists": None, "labels": None, "target": None}

    def transform(self, X, ensure_all_finite=True, affinity="joint"):
        """The places of new points in the map, which stays as it is (dunlin.transform).

        The fitted X itself has the places of ``embedding_``. Of other points a place depends on no other row. For
        metrics that the library lacks, edges are those of the new points alone (affinity 'own'), and a point without any
        neighbor has the place NaN.

        Parameters
        ----------
        X : array of shape (m, d), or (m, n) with metric='precomputed': distances to the fitted points
        ensure_all_finite : bool or 'allow-nan', default True
            As for fit.
        affinity : {"joint", "own", "best"}
            Edges of a new point: from both ends, from the new point alone, or for each point the one of the two whose place
            keeps more of its 15 nearest points.

        Returns
        -------
        array of shape (m, n_components), float32; with transform_mode='graph' a CSR matrix of memberships
        """
        check_is_fitted(self, "_n_neighbors")
        if self._made is None:
            raise ValueError("one row was fitted; transform() needs a map of more")
        if self.densmap and not self._is_fitted_data(X):
            raise UnsupportedError("densmap is set, and new points are placed only in maps without densities", option="densmap")
        if ensure_all_finite is not True:
            from ._umap_fit import _require_finite

            _require_finite(X)
        if self._is_fitted_data(X):
            return self.graph_ if self.transform_mode == "graph" else self.embedding_
        has_distances = self.metric == "precomputed" or self._native_metric() is None
        if self.transform_mode == "embedding" and not has_distances:
            return self._transform(X, affinity)
        run = run_of(self, self.seed_, verbose=1 if self._has_progress_bar() else 0)
        memberships = self._memberships_of(X, run)
        if self.transform_mode == "graph":
            offsets, targets, weights = memberships
            return csr_matrix((weights, targets, offsets), shape=(len(offsets) - 1, self._made["points"].shape[0]))
        return self._placed_by(memberships, run)

    def inverse_transform(self, X):
        """Rows of data for places in the map (dunlin.inverse): a row depends on no other place, and far from the points of the
        map it is a mean of what lies around.

        Parameters
        ----------
        X : array of shape (m, n_components)

        Returns
        -------
        array of shape (m, n_features)
        """
        check_is_fitted(self, "_n_neighbors")
        if self._made is None or self.transform_mode == "graph":
            raise ValueError("inverse_transform() needs a map of more than one row")
        points = self._made["points"]
        if issparse(points):
            raise ValueError("inverse_transform() is of dense X; its rows are mixtures of those of X")
        if self._native_metric() != "euclidean":
            raise UnsupportedError(f"metric is {self.metric!r}; inverse_transform() is of 'euclidean' alone", option="metric")
        from ._inverse import of_points

        own = ("k", "min_dist", "spread", "a", "b", "local_connectivity")
        chosen = {name: value for name, value in self._options(self._count()).items() if name in own}
        lists, places = self._neighbor_lists(), self.embedding_ if self._index is None else self.embedding_[self._index]
        known = np.isfinite(places).all(axis=1)
        if not known.all():  # points without neighbors
            points, places, lists = points[known], places[known], None
        elif self._edges_removed:
            chosen.pop("k", None)  # uneven lists are read whole
        run = run_of(self, self.seed_, verbose=1 if self._has_progress_bar() else 0)
        with translating(INVERSE, RUN):
            return of_points(X, points, np.ascontiguousarray(places), lists, chosen, run).rows

    def update(self, X, ensure_all_finite=True):
        """Adds points to the map. Known ones keep their places and new ones have those of transform; with n_epochs all move
        from there."""
        check_is_fitted(self, "_n_neighbors")
        if self.metric == "precomputed":
            raise ValueError("update() has no distances to new points with metric='precomputed'")
        if self._made is None or self._made["labels"] is not None or self._made["target"] is not None:
            raise ValueError("update() is of maps of more than one row that were fitted without y")
        if self._native_metric() is None or self.unique or self.densmap or self.transform_mode == "graph":
            raise UnsupportedError(
                "update() is of maps by a metric of the library, without unique, densmap and transform_mode", option="metric"
            )
        new = validate_data(self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32])
        known, places = self._made["points"], np.array(self.embedding_)
        n, points = len(places), _stacked(known, new)
        if self.n_epochs is None or np.ndim(self.n_epochs) or self.n_epochs == 0:
            self._continue_with(points, np.concatenate([places, self.transform(X)]).astype(places.dtype), None)
            return
        # All points go on from the map
        run, chosen = run_of(self, self.seed_), self._options(len(places) + new.shape[0])
        chosen["metric"], chosen["neighbors"] = self._native_metric(), self._search()
        with translating(self._method.group, CHECKPOINT):
            given = _intake.points(points, run, metric=chosen["metric"])
            some = np.full((n + new.shape[0], places.shape[1]), np.nan, np.float32)
            some[:n] = places
            result = _methods.embed(
                self._method, given, None, None, None, chosen, self._preset, run, some=some, how="grow"
            )
        self._continue_with(points, result.embedding, result)

    def _continue_with(self, points, places, result):
        options, kept, _ = self._made["options"], self._fitted[1], self._fitted[2]
        self._forget()
        self.embedding_, self._fitted, self._ready = places, (points, kept, None), _Ready()
        self._made = {"points": points, "options": options, "lists": None, "labels": None, "target": None}
        if result is not None:
            self._keep(result, self.seed_)

    def _resume(self, points, places):
        """Sets what transform and update read, of a map by a metric of the library that was made before."""
        n = points.shape[0]
        self._forget()
        self._n_neighbors, self.seed_, self.n_features_in_ = self._neighbors_among(n), 1, points.shape[1]
        chosen = self._options(n) | {"metric": self._native_metric(), "neighbors": self._search()}
        self.embedding_ = places
        self._keep_points(points, chosen, None, points)

    def _places(self):
        rows = self._rows_of_map
        return self.embedding_ if rows is None else np.ascontiguousarray(self.embedding_[rows])

    def _is_fitted_data(self, X):
        """Whether X is what was fitted, row by row."""
        points = self._made["points"]
        if _device.is_on_gpu(X) or _device.is_on_gpu(points) or _match.is_file(X) or _match.is_anndata(X):
            return False
        if hasattr(X, "shape") and tuple(X.shape) != (self._count(), points.shape[1]):
            return False
        points = points if self._inverse is None else points[self._inverse]
        if issparse(X) or issparse(points):
            both = issparse(X) and issparse(points)
            return bool(both and X.nnz == points.nnz and (csr_matrix(X) != csr_matrix(points)).nnz == 0)
        try:
            X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        except ValueError:
            return False  # said by what follows
        return bool(np.array_equal(X, points))

    def _count(self):
        return len(self._inverse) if self._inverse is not None else self._made["points"].shape[0]

    def _memberships_of(self, X, run):
        """(offsets, targets, weights) of new points among those that were fitted, from their own side."""
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32])
        points, k, native = self._made["points"], self._n_neighbors, self._native_metric()
        if self.metric == "precomputed":
            lists = _umap_graph.nearest_given(X, k, of_queries=True)
        elif native is not None:
            graph, _ = search(points, k, run, native, self._search(), self.recall, queries=X)
            lists = graph
        else:
            between = _umap_metrics.between(self.metric, self._metric_parameters())
            lists = _umap_graph.nearest_of_pairs(between, points, k, X)
        lists, _ = _umap_graph.cut_at(lists, self._limit())
        return _umap_graph.of_queries(lists, points.shape[0], self.local_connectivity, run)

    def _placed_by(self, memberships, run):
        """Places of new points by their memberships; NaN for those without."""
        offsets, targets, weights = memberships
        map = self.embedding_ if self._index is None else self.embedding_[self._index]
        counts = np.diff(offsets)
        if self._edges_removed:  # points that have no place are no neighbors
            kept = np.isfinite(map[targets]).all(axis=1)
            counts = np.bincount(np.repeat(np.arange(len(counts)), counts)[kept], minlength=len(counts))
            targets, weights = targets[kept], weights[kept]
            map = np.nan_to_num(map)
        near = counts > 0
        places = np.full((len(counts), map.shape[1]), np.nan, np.float32)
        if not near.any():
            return places
        graph = (np.concatenate([[0], np.cumsum(counts[near])]).astype(np.int64), targets, weights)
        chosen = {name: value for name, value in self._fitted[1].items() if name in _OF_LAWS}
        with translating(PLACE, RUN):
            map = np.ascontiguousarray(map, np.float32)
            values = finished(_core.place_affinities(map, graph, None, chosen, run.core(), run.callback()), dict)
        places[near] = values["embedding"]
        return places

    # What umap-learn's classes have and others read

    @property
    def graph_(self):
        """Symmetric memberships of the fitted points, CSR."""
        check_is_fitted(self, "_n_neighbors")
        if self._made is None:
            raise AttributeError("one row has no graph_")
        if "_graph" not in self.__dict__:
            made = self._made
            self._graph = self._graph_of(self._neighbor_lists(), made["options"], made["labels"], made["target"])
        return self._graph

    @graph_.setter
    def graph_(self, graph):
        self._graph = graph

    def _graph_of(self, lists, options, labels, target):
        run = run_of(self, self.seed_ if hasattr(self, "seed_") else 1)
        own = {name: options[name] for name in ("mix", "local_connectivity", "labels_weight") if name in options}
        with translating(self._method.group):
            graph = finished(_core.memberships(lists, labels, own, run.on_cpu(), None), _intake.scipy_csr)
        if target is None:
            return graph
        k = self._n_neighbors if self.target_n_neighbors == -1 else self.target_n_neighbors
        how = self.target_metric, self.target_metric_kwds, self.target_weight
        return _umap_targets.joined(graph, target, *how, k, run)

    def _neighbor_lists(self):
        if self._made["lists"] is None:
            self._made["lists"] = self._search_here(self._made["points"], self._n_neighbors - 1, run_of(self, self.seed_))
        return self._made["lists"]

    def _local_scales(self):
        """(rho, sigma) of each fitted point, as the library has them for placing."""
        if "_scales" not in self.__dict__:
            run = run_of(self, self.seed_)
            with translating(PLACE, RUN):
                self._scales = _umap_graph.local_scales(self._neighbor_lists(), self._n_neighbors, self.local_connectivity, run)
        return self._scales

    _rhos = property(lambda self: np.ascontiguousarray(self._local_scales()[:, 0]))
    _sigmas = property(lambda self: np.ascontiguousarray(self._local_scales()[:, 1]))
    _a = property(lambda self: self.a_ if getattr(self, "a_", None) is not None else self._curve()[0])
    _b = property(lambda self: self.b_ if getattr(self, "b_", None) is not None else self._curve()[1])
    _knn_indices = property(lambda self: _umap_graph.as_arrays(self._neighbor_lists(), self._n_neighbors)[0])
    _knn_dists = property(lambda self: _umap_graph.as_arrays(self._neighbor_lists(), self._n_neighbors)[1])
    _supervised = property(lambda self: self._made["labels"] is not None or self._made["target"] is not None)
    _sparse_data = property(lambda self: issparse(self._made["points"]))
    _small_data = property(lambda self: self._made["points"].shape[0] < 4096 and not self.force_approximation_algorithm)
    _initial_alpha = property(lambda self: self.learning_rate)
    _metric_kwds = property(lambda self: self._metric_parameters() or {})

    def _curve(self):
        return (self.a, self.b) if self.a is not None else _core.curve(self.min_dist, self.spread)

    @property
    def _raw_data(self):
        points = self._made["points"]
        points = points if self._inverse is None else points[self._inverse]
        if issparse(points):
            return csr_matrix(points, dtype=np.float32)
        return np.ascontiguousarray(_device.host(points) if _device.is_on_gpu(points) else points, np.float32)

    @property
    def _input_hash(self):
        import joblib

        return joblib.hash(self._raw_data)

    @property
    def _n_features_out(self):
        return self.graph_.shape[1] if self.transform_mode == "graph" else self.embedding_.shape[1]


def _stacked(known, new):
    if issparse(known) or issparse(new):
        return vstack([csr_matrix(known), csr_matrix(new)]).tocsr()
    return np.concatenate([known, new])

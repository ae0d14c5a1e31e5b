# SPDX-License-Identifier: Apache-2.0
"""What the estimators of neighbor embeddings share: TSNE, UMAP, PaCMAP."""

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_non_negative

from . import _embedding, _intake
from ._options import translating
from ._shared import native_metric, neighbors_elsewhere, run_of, seed_of, start_of, validated


class NeighborEmbedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base class. A subclass has the parameters n_components, metric, metric_params, init, neighbors, recall,
    random_state, n_jobs, device, memory, verbose, callbacks and callbacks_every_iters, and
    _method
        the _embedding.Method, and _preset, whose constants it begins with;
    _options(n)
        the library's options;
    _neighbors_of(chosen, n)
        the number of neighbors that another program is to find;
    _keep(result, seed)
        sets the attributes.
    """

    _method = _preset = None

    def fit(self, X, y=None, *, knn_graph=None):
        """Fits the map.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), or (n, n) with metric='precomputed'
        y : array of shape (n,), optional
            Read by UMAP with a target_weight above 0; the others ignore it.
        knn_graph : sparse matrix or (indices, distances), optional
            The neighbors of each point with their distances, in place of a search.
        """
        self.fit_transform(X, y, knn_graph=knn_graph)
        return self

    def fit_transform(self, X, y=None, *, knn_graph=None):
        """Fits the map and returns it."""
        self._validate_params()
        metric = self._native_metric()
        in_place = self.n_components != 1 and metric is not None
        X = validated(
            self, X, in_place, ensure_min_samples=2, accept_sparse=["csr", "csc", "coo"], dtype=[np.float64, np.float32]
        )
        n = X.shape[0]
        self._check(X)
        seed = seed_of(self.random_state)
        run = run_of(
            self,
            seed,
            verbose=1 if self._has_progress_bar() else 0,
            callbacks=self.callbacks,
            callbacks_every_iters=self.callbacks_every_iters,
        )
        chosen = self._options(n)
        with translating(self._method.group):
            if knn_graph is not None:
                knn = _intake.without_self(_intake.csr_of(knn_graph, n, "knn_graph"))
            elif metric is None:
                k = self._neighbors_of(chosen, n)
                knn = neighbors_elsewhere(X, k, self.metric, self.metric_params, self.n_jobs)
            else:
                knn, chosen["metric"], chosen["neighbors"] = None, metric, self._search()
                if self.recall is not None:
                    chosen["recall"] = self.recall
            start = start_of(self.init, n, self.n_components)
            chosen["start"] = "pca" if start is not None else self.init
            if self.metric == "precomputed":
                points = _intake.Points(np.zeros((n, 1), np.float32))
            else:
                sparse = chosen.get("neighbors") != "approximate"
                points = _intake.points(X, run, metric=metric or "euclidean", in_place=in_place, sparse=sparse)
            labels = self._labels(chosen, y, n)
            self._announce(chosen, n)
            try:
                result = _embedding.embed(self._method, points, None, knn, start, chosen, self._preset, run, labels)
            except BaseException as error:
                if getattr(error, "partial", None) is not None:
                    self._keep(error.partial, seed)
                raise
        self._keep(result, seed)
        self._keep_points(X, chosen, knn_graph)
        return self.embedding_

    def _keep_points(self, X, chosen, knn):
        """Keeps what transform() needs; of methods that have one."""

    def _native_metric(self):
        return native_metric(self.metric, self.metric_params)

    def _has_progress_bar(self):
        return bool(self.verbose)

    def _search(self):
        return self.neighbors

    def _labels(self, chosen, y, n):
        """The labels that the method reads."""

    def _announce(self, chosen, n):
        pass

    def _check(self, X):
        if self.metric != "precomputed":
            return
        if isinstance(self.init, str) and self.init == "pca":
            raise ValueError('init="pca" needs points; with metric="precomputed" take init="random" or an array')
        if X.shape[0] != X.shape[1]:
            raise ValueError("X should be a square distance matrix")
        name = type(self).__name__
        check_non_negative(X, f"{name}.fit(). With metric='precomputed', X should contain positive distances.")

    @property
    def _n_features_out(self):
        return self.embedding_.shape[1]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags

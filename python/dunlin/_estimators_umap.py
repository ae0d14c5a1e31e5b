# SPDX-License-Identifier: Apache-2.0
"""UMAP with scikit-learn's interface and umap-learn's parameters."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_non_negative

from . import _groups, _intake, _umap
from ._options import translating
from ._shared import native_metric, neighbors_elsewhere, run_of, seed_of, start_of, validated


class UMAP(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """UMAP with the parameters of umap-learn.

    Parameters
    ----------
    n_neighbors : int, default 15
        Neighbors of a point, the point itself counted.
    n_components : int, default 2
        1, 2 or 3.
    metric, metric_params
        As in scikit-learn; 'precomputed' for distances of all pairs.
    n_epochs : int, default 500
        Iterations.
    learning_rate : float, default 1.0
        Falls to 0 in the last fifth.
    init : {'pca', 'random'} or array of shape (n, n_components), default 'pca'
        An array is taken as it is; the others are scaled so that the largest coordinate is 10.
    min_dist, spread : float, default 0.1 and 1.0
        Least distance of neighbors, and scale of the map.
    set_op_mix_ratio, local_connectivity, repulsion_strength : float, default 1.0
        As in umap-learn.
    negative_sample_rate : float, default 5
        A strength: nothing is sampled.
    a, b : float, optional
        The curve 1 / (1 + a d^2b), in place of min_dist and spread.
    random_state : int, RandomState or None
        The same int gives the same map, for any n_jobs.
    n_jobs : int, optional
        CPU threads.
    neighbors : {'auto', 'exact', 'approximate'}, default 'auto'
        How neighbors are found.
    recall : float, optional
        Share of the true neighbors that an approximate search is to find.
    method : {'auto', 'exact', 'tree', 'grid'}, default 'auto'
        How repulsion is summed.
    device : str, default 'auto'
        'auto', 'cpu', 'cuda' or 'cuda:N'.
    memory : int or str, optional
        Most bytes to use, such as '4GB'.
    verbose : int, default 0
        1: a progress bar.
    callbacks, callbacks_every_iters
        ``callback(iteration, error, embedding)``; a true value ends the run.

    Attributes
    ----------
    embedding_ : array of shape (n, n_components), float32; of points on a GPU an array of their package there
    cross_entropy_, cross_entropy_se_ : float
        Cross entropy per point of mean degree and its standard error (0: exact).
    a_, b_, n_iter_, seed_, device_, stopped_, search_recall_
        As used.
    n_features_in_, feature_names_in_
    """

    _parameter_constraints = {
        "n_neighbors": [Interval(Integral, 2, None, closed="left")],
        "n_components": [Interval(Integral, 1, 3, closed="both")],
        "metric": [str, callable],
        "metric_params": [dict, None],
        "n_epochs": [Interval(Integral, 0, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "init": [StrOptions({"pca", "random"}), np.ndarray],
        "min_dist": [Interval(Real, 0, None, closed="left")],
        "spread": [Interval(Real, 0, None, closed="neither")],
        "set_op_mix_ratio": [Interval(Real, 0, 1, closed="both")],
        "local_connectivity": [Interval(Real, 0, None, closed="left")],
        "repulsion_strength": [Interval(Real, 0, None, closed="left")],
        "negative_sample_rate": [Interval(Real, 0, None, closed="left")],
        "a": [None, Interval(Real, 0, None, closed="neither")],
        "b": [None, Interval(Real, 0, None, closed="neither")],
        "random_state": ["random_state"],
        "n_jobs": [None, Integral],
        "neighbors": [StrOptions({"auto", "exact", "approximate"})],
        "recall": [None, Interval(Real, 0, 1, closed="right")],
        "method": [StrOptions({"auto", "exact", "tree", "grid"})],
        "device": [str],
        "memory": [None, str, Interval(Real, 0, None, closed="left")],
        "verbose": ["verbose"],
        "callbacks": "no_validation",
        "callbacks_every_iters": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_neighbors=15,
        n_components=2,
        *,
        metric="euclidean",
        metric_params=None,
        n_epochs=500,
        learning_rate=1.0,
        init="pca",
        min_dist=0.1,
        spread=1.0,
        set_op_mix_ratio=1.0,
        local_connectivity=1.0,
        repulsion_strength=1.0,
        negative_sample_rate=5,
        a=None,
        b=None,
        random_state=None,
        n_jobs=None,
        neighbors="auto",
        recall=None,
        method="auto",
        device="auto",
        memory=None,
        verbose=0,
        callbacks=None,
        callbacks_every_iters=50,
    ):
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params
        self.n_epochs = n_epochs
        self.learning_rate = learning_rate
        self.init = init
        self.min_dist = min_dist
        self.spread = spread
        self.set_op_mix_ratio = set_op_mix_ratio
        self.local_connectivity = local_connectivity
        self.repulsion_strength = repulsion_strength
        self.negative_sample_rate = negative_sample_rate
        self.a = a
        self.b = b
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.neighbors = neighbors
        self.recall = recall
        self.method = method
        self.device = device
        self.memory = memory
        self.verbose = verbose
        self.callbacks = callbacks
        self.callbacks_every_iters = callbacks_every_iters

    def fit(self, X, y=None, *, knn_graph=None):
        """Fits the map.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), or (n, n) with metric='precomputed'
        y : ignored
        knn_graph : sparse matrix or (indices, distances), optional
            The neighbors of each point with their distances, in place of a search.
        """
        self.fit_transform(X, knn_graph=knn_graph)
        return self

    def fit_transform(self, X, y=None, *, knn_graph=None):
        """Fits the map and returns it."""
        self._validate_params()
        metric = native_metric(self.metric, self.metric_params)
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
            verbose=1 if self.verbose else 0,
            callbacks=self.callbacks,
            callbacks_every_iters=self.callbacks_every_iters,
        )
        chosen = self._options()
        with translating(_groups.UMAP):
            if knn_graph is not None:
                knn = _intake.without_self(_intake.csr_of(knn_graph, n, "knn_graph"))
            elif metric is None:
                k = max(1, min(n, self.n_neighbors) - 1)
                knn = neighbors_elsewhere(X, k, self.metric, self.metric_params, self.n_jobs)
            else:
                knn, chosen["metric"], chosen["neighbors"] = None, metric, self.neighbors
                if self.recall is not None:
                    chosen["recall"] = self.recall
            start = start_of(self.init, n, self.n_components)
            chosen["start"] = "pca" if start is not None else self.init
            if self.metric == "precomputed":
                points = _intake.Points(np.zeros((n, 1), np.float32))
            else:
                sparse = chosen.get("neighbors") != "approximate"
                points = _intake.points(X, run, metric=metric or "euclidean", in_place=in_place, sparse=sparse)
            try:
                result = _umap.embed(points, None, knn, start, chosen, run)
            except BaseException as error:
                if getattr(error, "partial", None) is not None:
                    self._keep(error.partial, seed)
                raise
        self._keep(result, seed)
        return self.embedding_

    def _keep(self, result, seed):
        self.embedding_ = result.embedding
        self.cross_entropy_, self.cross_entropy_se_ = result.cross_entropy, result.cross_entropy_se
        self.a_, self.b_ = result.options.get("a"), result.options.get("b")
        self.n_iter_, self.seed_, self.device_, self.stopped_ = result.n_iter, seed, result.device, result.stopped
        self.search_recall_ = result.recall

    def _check(self, X):
        if self.metric != "precomputed":
            return
        if isinstance(self.init, str) and self.init == "pca":
            raise ValueError('init="pca" needs points; with metric="precomputed" take init="random" or an array')
        if X.shape[0] != X.shape[1]:
            raise ValueError("X should be a square distance matrix")
        check_non_negative(X, "UMAP.fit(). With metric='precomputed', X should contain positive distances.")

    def _options(self):
        chosen = {
            "k": self.n_neighbors,
            "dim": self.n_components,
            "iterations": self.n_epochs,
            "learning_rate": self.learning_rate,
            "min_dist": self.min_dist,
            "spread": self.spread,
            "mix": self.set_op_mix_ratio,
            "local_connectivity": self.local_connectivity,
            "repulsion_strength": self.repulsion_strength,
            "negatives": self.negative_sample_rate,
            "repulsion": self.method,
        }
        return chosen | {name: value for name, value in (("a", self.a), ("b", self.b)) if value is not None}

    @property
    def _n_features_out(self):
        return self.embedding_.shape[1]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags

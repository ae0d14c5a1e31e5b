# SPDX-License-Identifier: Apache-2.0
"""Neighbor embeddings with scikit-learn's interface: what they share, and PaCMAP with the parameters of pacmap."""

import inspect
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_non_negative

from . import _intake, _match, _methods
from ._errors import UnsupportedError
from ._estimators_placing import PlacesNewPoints
from ._given import say_if_distances, yield_to_lists
from ._options import translating
from ._run import CHECKPOINT
from ._shared import (
    CHECKPOINT_CONSTRAINTS,
    named_rows,
    native_metric,
    neighbors_elsewhere,
    run_of,
    seed_of,
    start_of,
    validated,
)


_MOST_COLUMNS = 100  # of points that pacmap does not reduce first
# Parameters that all have: their constraints and their lines in a docstring
POSITIVE = Interval(Integral, 1, None, closed="left")
AT_LEAST_0 = Interval(Real, 0, None, closed="left")
ABOVE_0 = Interval(Real, 0, None, closed="neither")
COMMON = {
    "metric_params": [dict, None],
    "init": [StrOptions({"pca", "random", "spectral"}), "array-like"],
    "random_state": ["random_state"],
    "n_jobs": [None, Integral],
    "neighbors": [StrOptions({"auto", "exact", "approximate"})],
    "recall": [None, Interval(Real, 0, 1, closed="right")],
    "device": [str],
    "memory": [None, str, AT_LEAST_0],
    "verbose": ["verbose"],
    "callbacks": "no_validation",
    "callbacks_every_iters": [POSITIVE],
    **CHECKPOINT_CONSTRAINTS,
}
PLAIN = {
    "n_components": [Interval(Integral, 1, 64, closed="both")],
    "method": [StrOptions({"auto", "exact", "tree", "grid", "drawn"})],
}
_RUN_LINES = """random_state : int, RandomState or None
    The same int gives the same map, for any n_jobs.
n_jobs : int, optional
    CPU threads.
neighbors : {'auto', 'exact', 'approximate'}, default 'auto'
    How neighbors are found.
recall : float, optional
    Share of the true neighbors that an approximate search is to find.
method : {'auto', 'exact', 'tree', 'grid', 'drawn'}, default 'auto'
    How repulsion is summed.
device : str, default 'auto'
    'auto', 'cpu', 'cuda' or 'cuda:N'.
memory : int or str, optional
    Most bytes to use, such as '4GB'.
verbose : int, default 0
    1: a progress bar.
callbacks, callbacks_every_iters
    ``callback(iteration, error, embedding)``; a true value ends the run.
checkpoint, checkpoint_every, resume
    As in dunlin.tsne. A run is resumed with the same random_state, which must be an int."""


def documented(estimator):
    """Decorator of a class: puts the lines of the parameters that all have in place of {run}."""
    estimator.__doc__ = inspect.cleandoc(estimator.__doc__).replace("{run}", _RUN_LINES)
    return estimator


class NeighborEmbedding(PlacesNewPoints, BaseEstimator):
    """Base class. A subclass has the parameters n_components, metric, metric_params, init, neighbors, recall,
    random_state, n_jobs, device, memory, verbose, callbacks, callbacks_every_iters, checkpoint, checkpoint_every and
    resume, and
    _method
        the _methods.Method, and _preset, whose constants it begins with;
    _options(n)
        the library's options;
    _neighbors_of(chosen, n)
        the number of neighbors that another program is to find;
    _place_options(chosen)
        the library's options of placing;
    _keep(result, seed)
        also sets the attributes of its costs.
    """

    _method = _preset = None
    _fewest_rows = 2

    def _set(self, given):
        """Sets the parameters of __init__ from its locals()."""
        for name, value in given.items():
            if name not in ("self", "__class__"):
                setattr(self, name, value)

    def fit(self, X, y=None, *, knn_graph=None):
        """Fits the map.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), or (n, n) with metric='precomputed'
        y : array of shape (n,), optional
            Read by UMAP with a target_weight above 0; the others ignore it.
        knn_graph : sparse matrix or (indices, distances), optional
            The neighbors of each point with their distances, in place of a search: of more than ``n_neighbors`` the
            nearest.
        """
        self.fit_transform(X, y, knn_graph=knn_graph)
        return self

    def fit_transform(self, X, y=None, *, knn_graph=None):
        """Fits the map and returns it."""
        self._fit(X, y, knn_graph)
        return self.embedding_

    def _fit(self, X, y, knn_graph):
        self._validate_params()
        X, of = named_rows(X, self.metric)
        in_place = self.n_components != 1 and self._native_metric() is not None
        given = (X, *(knn_graph if isinstance(knn_graph, tuple) else (knn_graph,)))
        X = validated(
            self,
            X,
            in_place,
            ensure_min_samples=self._fewest_rows,
            accept_sparse=["csr", "csc", "coo"],
            dtype=[np.float64, np.float32],
        )
        self._check(X)
        self._map(X, y, of, knn_graph, in_place, given)

    def _map(self, X, y, of, knn_graph, in_place, given):
        """Maps checked points; ``given``: what X and knn_graph were made of."""
        n, metric, seed = X.shape[0], self._native_metric(), seed_of(self.random_state)
        run, chosen = self._run_of_fit(seed), self._options(n)
        with translating(self._method.group, CHECKPOINT):
            knn = self._lists(X, knn_graph, of, chosen, run)
            start = self._start(n, of, seed)
            chosen["start"] = "pca" if start is not None else self._word_of_start()
            if self.metric == "precomputed":
                points = _intake.Points(self._stand_in(X))
            else:
                sparse = chosen.get("neighbors") != "approximate"
                points = _intake.points(X, run, metric=metric or "euclidean", in_place=in_place, sparse=sparse)
            if knn is None:
                say_if_distances(X, type(self).__name__)
            labels = self._labels(chosen, y, n, of)
            self._announce(chosen, n)
            try:
                result = self._embed(points, knn, start, chosen, run, labels)
            except BaseException as error:
                if getattr(error, "partial", None) is not None:
                    self._keep(error.partial, seed)
                raise
        self._keep(result, seed)
        self._keep_points(X, chosen, None if knn_graph is None else knn, *given)

    def _run_of_fit(self, seed):
        return run_of(
            self,
            seed,
            verbose=1 if self._has_progress_bar() else 0,
            callbacks=self.callbacks,
            callbacks_every_iters=self.callbacks_every_iters,
            checkpoints=True,
        )

    def _lists(self, X, knn_graph, of, chosen, run):
        """The neighbors that are given or found here, as (offsets, targets, weights); None: the library searches, as
        ``chosen`` then says."""
        metric = self._native_metric()
        if knn_graph is not None:
            knn_graph = _match.graph(knn_graph, of, "knn_graph")
            knn = _intake.without_self(_intake.csr_of(knn_graph, X.shape[0], "knn_graph"))
            self._read_nearest(knn, chosen)
            return knn
        if metric is None:
            k = self._neighbors_of(chosen, X.shape[0])
            return neighbors_elsewhere(X, k, self.metric, self.metric_params, self.n_jobs)
        chosen["metric"], chosen["neighbors"] = metric, self._search()
        if self.recall is not None:
            chosen["recall"] = self.recall
        return None

    def _start(self, n, of, seed):
        """The start map that is given, or None."""
        return start_of(self.init, n, self.n_components, of)

    def _word_of_start(self):
        return self.init

    def _stand_in(self, distances):
        """Rows for the points of given distances, whose neighbors are given."""
        return np.zeros((distances.shape[0], 1), np.float32)

    def _embed(self, points, knn, start, chosen, run, labels):
        return _methods.embed(self._method, points, None, knn, start, chosen, self._preset, run, labels)

    def _keep(self, result, seed):
        self.embedding_, self.search_recall_ = result.embedding, result.recall
        self.n_iter_, self.seed_, self.device_, self.stopped_ = result.n_iter, seed, result.device, result.stopped

    def _read_nearest(self, knn, chosen):
        """Of given neighbors the library reads the nearest n_neighbors; a default takes fewer, too, and None all."""
        chosen.pop("k", None)
        if self.n_neighbors is not None:
            chosen["k"] = self.n_neighbors
            if self.n_neighbors == inspect.signature(type(self)).parameters["n_neighbors"].default:
                yield_to_lists(chosen, knn, self._method.name)

    def _native_metric(self):
        return native_metric(self.metric, self.metric_params)

    def _has_progress_bar(self):
        return bool(self.verbose)

    def _search(self):
        return self.neighbors

    def _labels(self, chosen, y, n, of):
        """The labels that the method reads, matched with the rows ``of``."""

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
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags


@documented
class PaCMAP(NeighborEmbedding):
    """PaCMAP with the parameters of pacmap.

    Parameters
    ----------
    n_components : int, default 2
        1 to 64. Above 3 further pairs are drawn, 20 a point and iteration.
    n_neighbors : int, default 10
        Near pairs of a point, the point itself not counted.
    MN_ratio : float, default 0.5
        Mid-near pairs of a point over its near pairs.
    FP_ratio : float, default 2.0
        Further pairs of a point over its near pairs: a strength, none is drawn.
    metric, metric_params
        As in scikit-learn, one of the library's metrics.
    distance : {'euclidean', 'manhattan', 'angular'}, optional
        pacmap's name of metric, in place of it; angular is cosine.
    lr : float, default 1.0
        Learning rate of Adam.
    num_iters : tuple of three int, default (100, 100, 250)
        Iterations of the three phases; an int is that of the third after 100 and 100.
    apply_pca : bool, default False
        Reduce points of more than 100 columns to 100 principal components first, which pacmap does by default.
    pair_neighbors, pair_MN, pair_FP, intermediate
        UnsupportedError where they are set.
    save_tree, knn_backend
        No effect.
    init : {'pca', 'random', 'spectral'} or array of shape (n, n_components), default 'pca'
        An array is taken as it is; the others are scaled to a standard deviation of 0.01.
    {run}

    Attributes
    ----------
    embedding_ : array of shape (n, n_components), float32; of points on a GPU an array of their package there
    loss_, loss_se_ : float
        Loss per point and its standard error (0: exact).
    n_iter_, seed_, device_, stopped_, search_recall_
        As used.
    placed_ : PlacedResult
        Of the last call of ``transform``.
    n_features_in_, feature_names_in_
    """

    _method = _methods.METHODS["pacmap"]
    _parameter_constraints = {
        **COMMON,
        **PLAIN,
        "n_neighbors": [POSITIVE],
        "MN_ratio": [AT_LEAST_0],
        "FP_ratio": [AT_LEAST_0],
        "metric": [str],
        "lr": [ABOVE_0],
        "num_iters": [Interval(Integral, 0, None, closed="left"), "array-like"],
        "distance": [None, StrOptions({"euclidean", "manhattan", "angular"})],
        "apply_pca": ["boolean"],
        **dict.fromkeys(("pair_neighbors", "pair_MN", "pair_FP", "intermediate", "save_tree", "knn_backend"), "no_validation"),
    }

    def __init__(
        self,
        n_components=2,
        n_neighbors=10,
        MN_ratio=0.5,
        FP_ratio=2.0,
        *,
        metric="euclidean",
        metric_params=None,
        lr=1.0,
        num_iters=(100, 100, 250),
        init="pca",
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
        checkpoint=None,
        checkpoint_every=60.0,
        resume=False,
        distance=None,
        apply_pca=False,
        pair_neighbors=None,
        pair_MN=None,
        pair_FP=None,
        intermediate=False,
        save_tree=False,
        knn_backend=None,
    ):
        self._set(locals())

    def _native_metric(self):
        if self.distance is None:
            return super()._native_metric()
        return "cosine" if self.distance == "angular" else self.distance

    def _check(self, X):
        for name in ("pair_neighbors", "pair_MN", "pair_FP", "intermediate"):
            if getattr(self, name) is not None and getattr(self, name) is not False:
                raise UnsupportedError(f"{name} is set, which pacmap reads and the library does not", option=name)
        self._columns = X.shape[1]
        if self._native_metric() is None:
            raise ValueError(
                f"metric is {self.metric!r}; mid-near pairs need distances of any two points: take 'euclidean', "
                "'manhattan', 'cosine' or 'correlation'"
            )

    def _options(self, n):
        return {
            "k": self.n_neighbors,
            "dim": self.n_components,
            "mid_near": round(self.n_neighbors * self.MN_ratio),
            "further": float(self.n_neighbors * self.FP_ratio),
            "iterations": _methods.as_text((100, 100, self.num_iters) if isinstance(self.num_iters, Integral) else self.num_iters),
            **({"pca": _MOST_COLUMNS} if self.apply_pca and self._columns > _MOST_COLUMNS else {}),
            "learning_rate": self.lr,
            "repulsion": self.method,
        }

    def _place_options(self, chosen):
        return {"method": "pacmap", "k": chosen["k"], "further": chosen["further"]} | (
            {"pca": chosen["pca"]} if "pca" in chosen else {}
        )

    def _keep(self, result, seed):
        super()._keep(result, seed)
        self.loss_, self.loss_se_ = result.loss, result.loss_se


def __getattr__(name):
    if name == "UMAP":  # of pickles that were made when the class was here
        from ._estimators_umap import UMAP

        return UMAP
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

# SPDX-License-Identifier: Apache-2.0
"""PaCMAP with scikit-learn's interface and pacmap's parameters."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from . import _pacmap
from ._estimators_embedding import NeighborEmbedding


class PaCMAP(NeighborEmbedding):
    """PaCMAP with the parameters of pacmap.

    Parameters
    ----------
    n_components : int, default 2
        1, 2 or 3.
    n_neighbors : int, default 10
        Near pairs of a point, the point itself not counted.
    MN_ratio : float, default 0.5
        Mid-near pairs of a point over its near pairs.
    FP_ratio : float, default 2.0
        Further pairs of a point over its near pairs: a strength, none is drawn.
    metric, metric_params
        As in scikit-learn, one of the library's metrics; pacmap calls it ``distance``.
    lr : float, default 1.0
        Learning rate of Adam.
    num_iters : tuple of three int, default (100, 100, 250)
        Iterations of the three phases.
    init : {'pca', 'random', 'spectral'} or array of shape (n, n_components), default 'pca'
        An array is taken as it is; the others are scaled to a standard deviation of 0.01.
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
    loss_, loss_se_ : float
        Loss per point and its standard error (0: exact).
    n_iter_, seed_, device_, stopped_, search_recall_
        As used.
    n_features_in_, feature_names_in_
    """

    _method = _pacmap.METHOD
    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, 3, closed="both")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "MN_ratio": [Interval(Real, 0, None, closed="left")],
        "FP_ratio": [Interval(Real, 0, None, closed="left")],
        "metric": [str],
        "metric_params": [dict, None],
        "lr": [Interval(Real, 0, None, closed="neither")],
        "num_iters": ["array-like"],
        "init": [StrOptions({"pca", "random", "spectral"}), np.ndarray],
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
    ):
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.MN_ratio = MN_ratio
        self.FP_ratio = FP_ratio
        self.metric = metric
        self.metric_params = metric_params
        self.lr = lr
        self.num_iters = num_iters
        self.init = init
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

    def _check(self, X):
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
            "iterations": _pacmap.as_text(self.num_iters),
            "learning_rate": self.lr,
            "repulsion": self.method,
        }

    def _keep(self, result, seed):
        self.embedding_ = result.embedding
        self.loss_, self.loss_se_ = result.loss, result.loss_se
        self.n_iter_, self.seed_, self.device_, self.stopped_ = result.n_iter, seed, result.device, result.stopped
        self.search_recall_ = result.recall

# SPDX-License-Identifier: Apache-2.0
"""UMAP with scikit-learn's interface and umap-learn's parameters."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from . import _embedding, _umap
from ._estimators_embedding import NeighborEmbedding


class UMAP(NeighborEmbedding):
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
    init : {'pca', 'random', 'spectral'} or array of shape (n, n_components), default 'pca'
        An array is taken as it is; the others are scaled so that the largest coordinate is 10.
    min_dist, spread : float, default 0.1 and 1.0
        Least distance of neighbors, and scale of the map.
    set_op_mix_ratio, local_connectivity, repulsion_strength : float, default 1.0
        As in umap-learn.
    negative_sample_rate : float, default 5
        A strength: nothing is sampled.
    target_weight : float, default 0.5
        With y given to fit: weight of its classes, from 0 (y is ignored) to 1 (no edge joins different classes). Values
        of -1, NaN and None are unknown.
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

    _method = _umap.METHOD
    _parameter_constraints = {
        "n_neighbors": [Interval(Integral, 2, None, closed="left")],
        "n_components": [Interval(Integral, 1, 3, closed="both")],
        "metric": [str, callable],
        "metric_params": [dict, None],
        "n_epochs": [Interval(Integral, 0, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "init": [StrOptions({"pca", "random", "spectral"}), np.ndarray],
        "min_dist": [Interval(Real, 0, None, closed="left")],
        "spread": [Interval(Real, 0, None, closed="neither")],
        "set_op_mix_ratio": [Interval(Real, 0, 1, closed="both")],
        "local_connectivity": [Interval(Real, 0, None, closed="left")],
        "repulsion_strength": [Interval(Real, 0, None, closed="left")],
        "negative_sample_rate": [Interval(Real, 0, None, closed="left")],
        "target_weight": [Interval(Real, 0, 1, closed="both")],
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
        target_weight=0.5,
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
        self.target_weight = target_weight
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

    def _keep(self, result, seed):
        self.embedding_ = result.embedding
        self.cross_entropy_, self.cross_entropy_se_ = result.cross_entropy, result.cross_entropy_se
        self.a_, self.b_ = result.options.get("a"), result.options.get("b")
        self.n_iter_, self.seed_, self.device_, self.stopped_ = result.n_iter, seed, result.device, result.stopped
        self.search_recall_ = result.recall

    def _labels(self, chosen, y, n):
        if y is None or self.target_weight == 0:
            return None
        chosen["labels_weight"] = self.target_weight
        return _embedding.known_labels(y, n)

    def _neighbors_of(self, chosen, n):
        return max(1, min(n, self.n_neighbors) - 1)

    def _options(self, n):
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

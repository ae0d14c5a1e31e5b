# SPDX-License-Identifier: Apache-2.0
"""UMAP with scikit-learn's interface and the parameters of umap-learn."""

from numbers import Integral, Real

from sklearn.utils._param_validation import Interval

from . import _match, _methods
from ._estimators_embedding import ABOVE_0, AT_LEAST_0, COMMON, PLAIN, NeighborEmbedding, documented


@documented
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
        of -1 and missing ones (NaN, None, pandas.NA, a mask) are unknown.
    a, b : float, optional
        The curve 1 / (1 + a d^2b), in place of min_dist and spread.
    {run}

    Attributes
    ----------
    embedding_ : array of shape (n, n_components), float32; of points on a GPU an array of their package there
    cross_entropy_, cross_entropy_se_ : float
        Cross entropy per point of mean degree and its standard error (0: exact).
    a_, b_, n_iter_, seed_, device_, stopped_, search_recall_
        As used.
    placed_ : PlacedResult
        Of the last call of ``transform``.
    n_features_in_, feature_names_in_
    """

    _method = _methods.METHODS["umap"]
    _parameter_constraints = {
        **COMMON,
        **PLAIN,
        "n_neighbors": [Interval(Integral, 2, None, closed="left")],
        "metric": [str, callable],
        "n_epochs": [Interval(Integral, 0, None, closed="left")],
        "learning_rate": [ABOVE_0],
        "min_dist": [AT_LEAST_0],
        "spread": [ABOVE_0],
        "set_op_mix_ratio": [Interval(Real, 0, 1, closed="both")],
        "local_connectivity": [AT_LEAST_0],
        "repulsion_strength": [AT_LEAST_0],
        "negative_sample_rate": [AT_LEAST_0],
        "target_weight": [Interval(Real, 0, 1, closed="both")],
        "a": [None, ABOVE_0],
        "b": [None, ABOVE_0],
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
        checkpoint=None,
        checkpoint_every=60.0,
        resume=False,
    ):
        self._set(locals())

    def _place_options(self, chosen):
        own = ("k", "min_dist", "spread", "a", "b", "mix", "local_connectivity", "repulsion_strength", "negatives")
        return {"method": "umap"} | {name: chosen[name] for name in own if name in chosen}

    def _keep(self, result, seed):
        super()._keep(result, seed)
        self.cross_entropy_, self.cross_entropy_se_ = result.cross_entropy, result.cross_entropy_se
        self.a_, self.b_ = result.options.get("a"), result.options.get("b")

    def _labels(self, chosen, y, n, of):
        if y is None or self.target_weight == 0:
            return None
        chosen["labels_weight"] = self.target_weight
        return _methods.known_labels(_match.labels(y, of, "y"), n)

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

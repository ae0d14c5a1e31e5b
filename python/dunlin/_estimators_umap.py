# SPDX-License-Identifier: Apache-2.0
"""UMAP with scikit-learn's interface and the parameters of umap-learn."""

import logging
from numbers import Integral, Real

import numpy as np
from sklearn.utils._param_validation import Interval, Options, StrOptions

from . import _methods, _umap_metrics
from ._errors import UnsupportedError
from ._estimators_embedding import ABOVE_0, AT_LEAST_0, COMMON, PLAIN, NeighborEmbedding, documented
from ._umap_fit import MOST_DIMENSIONS, UmapFit
from ._umap_methods import UmapMethods

_log = logging.getLogger("dunlin")
_SHARE = Interval(Real, 0, 1, closed="both")
_MINUS_1 = Options(Integral, {-1})
# Parameters of umap-learn that have nothing to change here, with its defaults
_WITHOUT_EFFECT = {
    "low_memory": True,
    "transform_queue_size": 4.0,
    "angular_rp_forest": False,
    "transform_seed": 42,
}


@documented
class UMAP(UmapMethods, UmapFit, NeighborEmbedding):
    """UMAP with the parameters of umap-learn, also by position, and its defaults.

    Parameters
    ----------
    n_neighbors : int, default 15
        Neighbors of a point, the point itself counted. If there are no more rows: one less than these, with a warning.
    n_components : int, default 2
        1 to 64. Above 3 the points that repel each other are drawn, 32 a point and iteration.
    metric, metric_kwds
        A metric of umap-learn or scikit-learn, or a function; 'precomputed' for distances of all pairs, dense, or sparse
        with those of neighbors. Of metrics that the library lacks, distances of all pairs are compared.
    output_metric, output_metric_kwds
        Only 'euclidean' and 'l2'.
    n_epochs : int or list of int, optional
        Iterations; None: 500 up to 10,000 rows, else 200, and 200 more with densmap. A list: ``embedding_list_`` has the map at each of them.
    learning_rate : float, default 1.0
        Falls to 0 in the last fifth.
    init : {'spectral', 'pca', 'random', 'tswspectral'} or array of shape (n, n_components), default 'spectral'
        tswspectral is spectral. An array is scaled to 0..10 on each axis, as in umap-learn, with noise where rows are equal;
        the others so that the largest coordinate is 10.
    min_dist, spread : float, default 0.1 and 1.0
        Least distance of neighbors, and scale of the map.
    n_jobs : int, default -1
        CPU threads; -1: all. A random_state does not make it 1.
    set_op_mix_ratio, local_connectivity, repulsion_strength : float, default 1.0
        As in umap-learn.
    negative_sample_rate : float, default 5
        A strength: nothing is sampled.
    a, b : float, optional
        The curve 1 / (1 + a d^2b), in place of min_dist and spread.
    target_n_neighbors, target_metric, target_metric_kwds, target_weight
        With y given to fit: how its distances and their weight change the memberships. target_metric: 'categorical' (values
        of -1 and missing ones, as NaN, None, pandas.NA, a mask, are unknown), 'ordinal', or a metric of numbers, such as
        'l1' or 'l2'. target_weight, default 0.5: from 0 (y is ignored) to 1.
    transform_mode : {'embedding', 'graph'}, default 'embedding'
        graph: fit_transform and transform return memberships, and there is no map.
    force_approximation_algorithm : bool, default False
        True: an approximate search at any size.
    tqdm_kwds : dict, optional
        With disable=True there is no bar; the rest has no effect.
    unique : bool, default False
        Embed equal rows once; ``_unique_inverse_`` has the place of each row among the different ones.
    densmap : bool, default False
        densMAP: local densities of the data are kept. On a CPU, with 200 iterations more by default; there is no transform.
    dens_lambda, dens_frac, dens_var_shift : float, default 2.0, 0.3 and 0.1
        Strength of the densities, share of the iterations in which they act, and what is added to the variance of the radii.
    output_dens : bool, default False
        fit_transform returns (embedding_, rad_orig_, rad_emb_), also without densmap.
    disconnection_distance : float, optional
        Neighbors at least so far are none, and a point without neighbors has the place NaN. None: 1 for jaccard, dice and
        hellinger, 2 for cosine and correlation, else infinity.
    precomputed_knn : (indices, distances) or (indices, distances, index)
        Neighbors of each point, itself first; the index is not read.
    low_memory, transform_queue_size, angular_rp_forest, transform_seed
        Without effect.
    metric_params
        scikit-learn's name of metric_kwds.
    {run}

    Attributes
    ----------
    embedding_ : array of shape (n, n_components), float32; of points on a GPU an array of their package there
    graph_ : CSR matrix of memberships; made when it is first read
    embedding_list_ : list of arrays, if n_epochs is a list
    rad_orig_, rad_emb_ : array of shape (n,), if output_dens
        Logarithms of the local radii in the data, of squared distances, and in the map, as in umap-learn of plain ones.
    cross_entropy_, cross_entropy_se_ : float
        Cross entropy per point of mean degree and its standard error (0: exact).
    a_, b_, n_iter_, seed_, device_, stopped_, search_recall_
        As used.
    placed_ : PlacedResult
        Of the last call of ``transform`` that placed points.
    n_features_in_, feature_names_in_
    """

    _method = _methods.METHODS["umap"]
    _parameter_constraints = {
        **COMMON,
        **PLAIN,
        "n_neighbors": [Interval(Integral, 2, None, closed="left")],
        "n_components": [Interval(Real, 1, None, closed="left")],
        "metric": [str, callable],
        "metric_kwds": [dict, None],
        "output_metric": [str, callable],
        "output_metric_kwds": [dict, None],
        "n_epochs": [Interval(Integral, 0, None, closed="left"), "array-like", None],
        "learning_rate": [ABOVE_0],
        "init": [StrOptions({"pca", "random", "spectral", "tswspectral"}), "array-like"],
        "min_dist": [AT_LEAST_0],
        "spread": [ABOVE_0],
        "n_jobs": [None, Interval(Integral, 1, None, closed="left"), _MINUS_1],
        "set_op_mix_ratio": [_SHARE],
        "local_connectivity": [AT_LEAST_0],
        "repulsion_strength": [AT_LEAST_0],
        "negative_sample_rate": [AT_LEAST_0],
        "a": [None, ABOVE_0],
        "b": [None, ABOVE_0],
        "target_n_neighbors": [Interval(Integral, 2, None, closed="left"), _MINUS_1],
        "target_metric": [str, callable],
        "target_metric_kwds": [dict, None],
        "target_weight": [_SHARE],
        "transform_mode": [StrOptions({"embedding", "graph"})],
        "force_approximation_algorithm": ["boolean"],
        "tqdm_kwds": [dict, None],
        "unique": ["boolean"],
        "densmap": ["boolean"],
        "dens_lambda": [AT_LEAST_0],
        "dens_frac": [_SHARE],
        "dens_var_shift": [AT_LEAST_0],
        "output_dens": ["boolean"],
        "disconnection_distance": [None, Real],
        "precomputed_knn": [tuple, list, None],
        **dict.fromkeys(_WITHOUT_EFFECT, "no_validation"),
    }

    def __init__(
        self,
        n_neighbors=15,
        n_components=2,
        metric="euclidean",
        metric_kwds=None,
        output_metric="euclidean",
        output_metric_kwds=None,
        n_epochs=None,
        learning_rate=1.0,
        init="spectral",
        min_dist=0.1,
        spread=1.0,
        low_memory=True,
        n_jobs=-1,
        set_op_mix_ratio=1.0,
        local_connectivity=1.0,
        repulsion_strength=1.0,
        negative_sample_rate=5,
        transform_queue_size=4.0,
        a=None,
        b=None,
        random_state=None,
        angular_rp_forest=False,
        target_n_neighbors=-1,
        target_metric="categorical",
        target_metric_kwds=None,
        target_weight=0.5,
        transform_seed=42,
        transform_mode="embedding",
        force_approximation_algorithm=False,
        verbose=False,
        tqdm_kwds=None,
        unique=False,
        densmap=False,
        dens_lambda=2.0,
        dens_frac=0.3,
        dens_var_shift=0.1,
        output_dens=False,
        disconnection_distance=None,
        precomputed_knn=(None, None, None),
        *,
        metric_params=None,
        neighbors="auto",
        recall=None,
        method="auto",
        device="auto",
        memory=None,
        callbacks=None,
        callbacks_every_iters=50,
        checkpoint=None,
        checkpoint_every=60.0,
        resume=False,
    ):
        self._set(locals())

    def _require_known(self):
        """Raises UnsupportedError for what umap-learn has and the library has not, ValueError for what neither has."""
        if self.n_components % 1:
            raise ValueError(f"n_components is {self.n_components}; it must be a whole number")
        if self.n_components > MOST_DIMENSIONS:
            raise UnsupportedError(
                f"n_components is {self.n_components}; the library makes maps of 1 to {MOST_DIMENSIONS} dimensions", option="n_components"
            )
        if self.output_metric not in ("euclidean", "l2"):
            raise UnsupportedError(
                f"output_metric is {self.output_metric!r}; maps of the library are 'euclidean'", option="output_metric"
            )
        _umap_metrics.check(self.metric, self._metric_parameters())
        for name, usual in _WITHOUT_EFFECT.items():
            if getattr(self, name) != usual:
                _log.info("UMAP: %s has no effect", name)

    def _metric_parameters(self):
        return self.metric_kwds if self.metric_kwds is not None else self.metric_params

    def _native_metric(self):
        return _umap_metrics.native(self.metric, self._metric_parameters())

    def _has_progress_bar(self):
        return bool(self.verbose) and not (self.tqdm_kwds or {}).get("disable", False)

    def _search(self):
        approximate = self.force_approximation_algorithm and self.neighbors == "auto"
        return "approximate" if approximate else self.neighbors

    def _place_options(self, chosen):
        own = ("min_dist", "spread", "a", "b", "mix", "local_connectivity", "repulsion_strength", "negatives")
        k = chosen.get("k", self._n_neighbors)
        return {"method": "umap", "k": k} | {name: chosen[name] for name in own if name in chosen}

    def _neighbors_of(self, chosen, n):
        return max(1, self._n_neighbors - 1)

    def _epochs(self, n):
        if self.n_epochs is None:
            return (500 if n <= 10_000 else 200) + (200 if self.densmap else 0)
        return self.n_epochs if np.ndim(self.n_epochs) == 0 else max(self.n_epochs)

    def _options(self, n):
        chosen = {
            "k": self._n_neighbors,
            "dim": int(self.n_components),
            "iterations": int(self._epochs(n)),
            "learning_rate": self.learning_rate,
            "min_dist": self.min_dist,
            "spread": self.spread,
            "mix": self.set_op_mix_ratio,
            "local_connectivity": self.local_connectivity,
            "repulsion_strength": self.repulsion_strength,
            "negatives": self.negative_sample_rate,
            "repulsion": self.method,
        }
        if self.densmap:
            chosen |= {"densmap": True}
            chosen |= {name: getattr(self, name) for name in ("dens_lambda", "dens_frac", "dens_var_shift")}
        return chosen | {name: value for name, value in (("a", self.a), ("b", self.b)) if value is not None}

# SPDX-License-Identifier: Apache-2.0
"""HDBSCAN with scikit-learn's interface."""

import warnings
from numbers import Real

import numpy as np
import sklearn.cluster
from scipy.sparse import csgraph, issparse
from sklearn.cluster._hdbscan._tree import HIERARCHY_dtype
from sklearn.cluster._hdbscan.hdbscan import FAST_METRICS, remap_single_linkage_tree
from sklearn.metrics import DistanceMetric, pairwise_distances
from sklearn.neighbors import BallTree, KDTree
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import _allclose_dense_sparse, check_is_fitted

from . import _core, _density_clusters, _groups, _offsets
from ._group_tree import GroupTree
from ._options import translating
from ._owned import owned
from ._run import finished
from ._shared import named_rows, native_metric, offsets_among, run_of, validate_data

_TREES = {"kd_tree": (KDTree, "KDTree"), "ball_tree": (BallTree, "BallTree")}


class HDBSCAN(sklearn.cluster.HDBSCAN):
    """Density clusters with the parameters and attributes of sklearn.cluster.HDBSCAN, by the library. Equal distances act at
    once, so that the clusters do not depend on the order of rows.

    Parameters
    ----------
    min_cluster_size, min_samples, cluster_selection_epsilon, max_cluster_size, metric, metric_params, alpha, algorithm,
    leaf_size, n_jobs, cluster_selection_method, allow_single_cluster, store_centers, copy
        As in scikit-learn. ``algorithm`` and ``leaf_size`` change no result; X is never changed. Metrics that the library
        does not have are computed by scikit-learn as a matrix of all pairs.
    prediction_data : bool, default False
        Keep what predict() needs.
    device, memory
        As in dunlin.clusters.

    Attributes
    ----------
    labels_, probabilities_, n_features_in_, feature_names_in_, centroids_, medoids_
        As in scikit-learn.
    outlier_scores_ : array of shape (n,)
        GLOSH; NaN for rows that are not finite.
    cluster_persistence_ : array of shape (n_clusters,)
    group_tree_ : GroupTree
        The hierarchy of the finite rows.
    exact_ : bool
        Whether the spanning tree is that of all pairs.
    """

    _parameter_constraints = {
        **sklearn.cluster.HDBSCAN._parameter_constraints,
        "prediction_data": ["boolean"],
        "device": [str],
        "memory": [None, str, Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        min_cluster_size=5,
        min_samples=None,
        cluster_selection_epsilon=0.0,
        max_cluster_size=None,
        metric="euclidean",
        metric_params=None,
        alpha=1.0,
        algorithm="auto",
        leaf_size=40,
        n_jobs=None,
        cluster_selection_method="eom",
        allow_single_cluster=False,
        store_centers=None,
        copy="warn",
        *,
        prediction_data=False,
        device="auto",
        memory=None,
    ):
        super().__init__(
            min_cluster_size=min_cluster_size,
            min_samples=min_samples,
            cluster_selection_epsilon=cluster_selection_epsilon,
            max_cluster_size=max_cluster_size,
            metric=metric,
            metric_params=metric_params,
            alpha=alpha,
            algorithm=algorithm,
            leaf_size=leaf_size,
            n_jobs=n_jobs,
            cluster_selection_method=cluster_selection_method,
            allow_single_cluster=allow_single_cluster,
            store_centers=store_centers,
            copy=copy,
        )
        self.prediction_data = prediction_data
        self.device = device
        self.memory = memory

    def fit(self, X, y=None):
        """Finds the clusters of the rows of X, or, if the metric is 'precomputed', of items with these distances."""
        self._validate_params()
        if self.copy == "warn":
            warnings.warn(
                "The default value of `copy` will change from False to True in 1.10."
                " Explicitly set a value for `copy` to silence this warning.",
                FutureWarning,
                stacklevel=2,
            )
        if self.metric == "precomputed" and self.store_centers is not None:
            raise ValueError("Cannot store centers when using a precomputed distance matrix.")
        self._metric_params = self.metric_params or {}
        given = X
        X = self._validated(named_rows(X, self.metric)[0])
        finite = np.ones(X.shape[0], bool)
        if self.metric != "precomputed":
            self._raw_data = X
            X = X.toarray() if issparse(X) else X
            finite = np.isfinite(X).all(axis=1)
        rows = X if finite.all() else X[finite]
        self._require_samples(rows)
        with translating(_groups.CLUSTERS):
            found = self._clustered(rows)
        self._keep(found, X, rows, finite)
        if self.prediction_data:
            self._fitted = (owned(rows, given), found)
        return self

    def _validated(self, X):
        """X as scikit-learn checks it, with its texts."""
        if self.metric != "precomputed":
            return validate_data(self, X, accept_sparse=["csr", "lil"], ensure_all_finite=False, dtype=np.float64)
        if issparse(X):
            return validate_data(self, X, accept_sparse=["csr", "lil"], dtype=np.float64)
        X = validate_data(self, X, ensure_all_finite=False, dtype=np.float64)
        if np.isnan(X).any():
            raise ValueError("np.nan values found in precomputed-dense")
        return X

    def _require_samples(self, X):
        """Raises what scikit-learn raises for too few rows and for algorithms that do not go with the metric or X."""
        if X.shape[0] == 1:
            raise ValueError("n_samples=1 while HDBSCAN requires more than one sample")
        self._min_samples = self.min_cluster_size if self.min_samples is None else self.min_samples
        if self._min_samples > X.shape[0]:
            raise ValueError(
                f"min_samples ({self._min_samples}) must be at most the number of samples in X ({X.shape[0]})"
            )
        tree, name = _TREES.get(self.algorithm, (None, None))
        if tree is not None and self.metric not in tree.valid_metrics:
            raise ValueError(
                f"{self.metric} is not a valid metric for a {name}-based algorithm. Please select a different metric."
            )
        if tree is not None and issparse(getattr(self, "_raw_data", None)):
            raise ValueError("Sparse data matrices only support algorithm `brute`.")

    def _options(self, metric=None):
        options = {
            "min_size": self.min_cluster_size,
            "min_samples": self._min_samples,
            "max_size": self.max_cluster_size if self.cluster_selection_method == "eom" else None,
            "select": self.cluster_selection_method,
            "epsilon": float(self.cluster_selection_epsilon),
            "alpha": float(self.alpha),
            "single": bool(self.allow_single_cluster),
        }
        return options if metric is None else {**options, "metric": metric}

    def _clustered(self, X):
        """The library's values of finite rows."""
        run = run_of(self)
        if self.metric == "precomputed" and issparse(X):
            return self._of_lists(X, run)
        native = None if self.metric == "precomputed" else native_metric(self.metric, self.metric_params)
        if native is not None:
            points = _density_clusters.narrowed(X, run, native)
            return finished(_core.clusters(points, self._options(native), run.core(), None), dict)
        distances = self._given(X) if self.metric == "precomputed" else self._distances(X)
        matrix = np.ascontiguousarray(distances, np.float32)
        found = finished(_core.clusters_of_matrix(matrix, self._options(), run.core(), None), dict)
        if np.isinf(found["linkage"][:, 2]).any():
            warnings.warn(
                "The minimum spanning tree contains edge weights with value infinity. Potentially, you are missing too many "
                "distances in the initial distance matrix for the given neighborhood size.",
                UserWarning,
                stacklevel=4,
            )
        return found

    def _distances(self, X):
        """All pairs under a metric that the library does not have."""
        if self.metric in FAST_METRICS:
            X = _offsets.less(X, offsets_among(X, self.metric))
            return DistanceMetric.get_metric(self.metric, **self._metric_params).pairwise(np.ascontiguousarray(X))
        return pairwise_distances(X, metric=self.metric, n_jobs=self.n_jobs, **self._metric_params)

    def _given(self, X):
        """Given distances, checked."""
        if X.shape[0] != X.shape[1]:
            raise ValueError(
                "The precomputed distance matrix is expected to be symmetric, however"
                f" it has shape {X.shape}. Please verify that the distance matrix was constructed correctly."
            )
        if not _allclose_dense_sparse(X, X.T):
            raise ValueError(
                "The precomputed distance matrix is expected to be symmetric, however"
                " its values appear to be asymmetric. Please verify that the distance matrix was constructed correctly."
            )
        return X

    def _of_lists(self, X, run):
        """Of stored distances; those that are not stored are missing. As in scikit-learn the core distance is the stored
        one of this number, the item itself counted only if its distance to itself is stored."""
        X = self._given(X.tocsr())
        k, counts = self._min_samples, np.diff(X.indptr)
        if (counts < k).any():
            raise ValueError(
                f"There exists points with fewer than {k} neighbors. Ensure your distance matrix has non-zero values for at "
                f"least `min_sample`={k} neighbors for each points (i.e. K-nn graph), or specify a `max_distance` in "
                "`metric_params` to use when distances are missing."
            )
        n_components = csgraph.connected_components(X, directed=False, return_labels=False)
        if n_components > 1:
            raise ValueError(
                f"Sparse mutual reachability matrix has {n_components} connected components. HDBSCAN cannot be performed on a "
                "disconnected graph. Ensure that the sparse distance matrix has only one connected component."
            )
        lists = (X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data.astype(np.float32))
        # The library counts the item itself besides its list
        options = {**self._options(), "min_samples": k + 1}
        return finished(_core.clusters_of_graph(lists, options, run.core(), None), dict)

    def _keep(self, found, X, rows, finite):
        """Sets the attributes of fit()."""
        tree = found["tree"]
        linkage = np.empty(len(found["linkage"]), HIERARCHY_dtype)
        for column, name in enumerate(("left_node", "right_node", "value", "cluster_size")):
            linkage[name] = found["linkage"][:, column]
        self.labels_, self.probabilities_ = found["labels"], found["strengths"]
        if self.store_centers:
            self._weighted_cluster_center(rows)
        self.outlier_scores_ = found["outlier_scores"]
        if not finite.all():
            linkage = self._spread(linkage, X, finite)
        self._single_linkage_tree_ = linkage
        self.group_tree_, self.exact_ = GroupTree(tree), found["exact"]
        self.cluster_persistence_ = tree["persistence"][tree["layers"][0]]

    def _spread(self, linkage, X, finite):
        """Attributes of the finite rows as those of all; returns the linkage of all."""
        with np.errstate(invalid="ignore"):
            missing = np.isnan(X.sum(axis=1))
        labels = np.where(missing, -3, -2)
        labels[finite] = self.labels_
        strengths = np.where(missing, np.nan, 0.0)
        strengths[finite] = self.probabilities_
        scores = np.full(len(X), np.nan)
        scores[finite] = self.outlier_scores_
        self.labels_, self.probabilities_, self.outlier_scores_ = labels.astype(np.int32), strengths, scores
        if not len(linkage):
            return linkage
        return remap_single_linkage_tree(linkage, dict(enumerate(np.flatnonzero(finite))), np.flatnonzero(~finite))

    def predict(self, X):
        """Labels of new rows, in the clusters of labels_; only with prediction_data."""
        check_is_fitted(self)
        if not hasattr(self, "_fitted"):
            raise ValueError("there are no data for predictions; give prediction_data=True and fit again")
        X = validate_data(self, X, ensure_all_finite=False, dtype=np.float64, reset=False)
        metric = native_metric(self.metric, self.metric_params)
        if metric is None:
            raise ValueError(f"predictions need a metric of the library, and this one is {self.metric!r}")
        rows, found = self._fitted
        run = run_of(self)
        points = _density_clusters.narrowed(rows, run, metric)
        queries = _density_clusters.narrowed(X, run, metric, like=rows)
        return _density_clusters.predicted(found, found["tree"], points, queries, self._options(metric), run)[0]

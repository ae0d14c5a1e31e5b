# SPDX-License-Identifier: Apache-2.0
"""KMedoids with scikit-learn's interface."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from . import _core, _groups, _offsets
from ._estimators_mds import _Scaling
from ._options import translating
from ._run import finished
from ._shared import distances_elsewhere, named_rows, offsets_among, run_of, seed_of, validate_data


class KMedoids(ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin, _Scaling):
    """k-medoids by FasterPAM, with the parameters and attributes of sklearn_extra.cluster.KMedoids.

    Parameters
    ----------
    n_clusters : int, default 8
    metric : str or callable, default 'euclidean'
        As in scikit-learn's pairwise_distances; 'precomputed': X is a square matrix of dissimilarities.
    metric_params : dict, optional
    init : {'plusplus', 'build', 'random'}, default 'plusplus'
    n_init : int, default 1
        Runs from different starts; the best is kept.
    max_iter : int, default 100
        Passes over all items.
    sample : int, optional
        Items among which medoids are sought.
    random_state, n_jobs, device, memory
        As in dunlin.KMeans.

    Attributes
    ----------
    labels_, medoid_indices_, inertia_, silhouette_, n_iter_, n_features_in_, feature_names_in_
    cluster_centers_ : array of shape (n_clusters, n_features), or None if precomputed
    """

    _parameter_constraints = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "metric": [str, callable],
        "metric_params": [dict, None],
        "init": [StrOptions({"plusplus", "build", "random"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "sample": [None, Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [None, Integral],
        "device": [str],
        "memory": [None, str, Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters=8,
        *,
        metric="euclidean",
        metric_params=None,
        init="plusplus",
        n_init=1,
        max_iter=100,
        sample=None,
        random_state=None,
        n_jobs=None,
        device="auto",
        memory=None,
    ):
        self.n_clusters = n_clusters
        self.metric = metric
        self.metric_params = metric_params
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.sample = sample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.device = device
        self.memory = memory

    def fit(self, X, y=None):
        """Computes the clusters."""
        self._validate_params()
        X, _ = named_rows(X, self.metric)
        X = validate_data(self, X, dtype=[np.float64, np.float32])
        run = run_of(self, seed_of(self.random_state))
        options = {
            "clusters": self.n_clusters,
            "start": self.init,
            "restarts": self.n_init,
            "iterations": self.max_iter,
        }
        if self.sample is not None:
            options["sample"] = self.sample
        with translating(_groups.KMEDOIDS):
            items, _ = self._items(X, self.metric, run)
            found = finished(_core.kmedoids(items, options, run.core(), None), dict)
        self.labels_, self.medoid_indices_ = found["labels"], found["medoids"]
        self.inertia_, self.silhouette_, self.n_iter_ = found["inertia"], found["silhouette"], found["n_iter"]
        self.cluster_centers_ = None if self.metric == "precomputed" else X[self.medoid_indices_]
        self._offsets = offsets_among(X, self.metric)
        return self

    def predict(self, X):
        """The nearest medoid of each row; precomputed: X has the dissimilarities to the items that were clustered."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        if self.metric == "precomputed":
            return np.argmin(X[:, self.medoid_indices_], axis=1)
        X, centers = (_offsets.less(rows, getattr(self, "_offsets", None)) for rows in (X, self.cluster_centers_))
        return pairwise_distances_argmin(X, centers, metric=self.metric, metric_kwargs=self.metric_params or {})

    def transform(self, X):
        """Dissimilarities of the rows to the medoids."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        if self.metric == "precomputed":
            return X[:, self.medoid_indices_]
        offsets = getattr(self, "_offsets", None)
        return distances_elsewhere(X, self.cluster_centers_, self.metric, self.metric_params, offsets)

    @property
    def _n_features_out(self):
        return len(self.medoid_indices_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags

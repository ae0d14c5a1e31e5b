# SPDX-License-Identifier: Apache-2.0
"""HDBSCAN with hdbscan's parameters and attributes."""

import warnings

import numpy as np
from joblib import Memory
from scipy.sparse import csgraph, issparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.metrics import pairwise_distances
from sklearn.utils.validation import check_array, check_is_fitted

from .. import _core, _density_clusters, _groups
from .._errors import InputError, UnsupportedError
from .._group_tree import GroupTree
from .._options import translating
from .._owned import owned
from .._run import Run, finished
from .._shared import distances_elsewhere, given as array_of, native_metric, offsets_among
from . import _selection
from ._checks import check, metric_of
from ._trees import CondensedTree, MinimumSpanningTree, SingleLinkageTree, condensed, spanning_tree

_MOST_OF_PRIM = 30_000  # points of a spanning tree by all pairs in Python


def run_of(model):
    """The Run of a model, whose ``memory`` is hdbscan's, of joblib."""
    return Run({"n_jobs": model.n_jobs})


def _original():
    """hdbscan's class, of which this one is a subclass where it is installed: others ask for it by isinstance."""
    try:
        from hdbscan.hdbscan_ import HDBSCAN as original
    except ImportError:
        return ClusterMixin, BaseEstimator
    while getattr(original, "__module__", "").startswith("dunlin"):  # swapped
        original = original.__bases__[0]
    return (original,)


class HDBSCAN(*_original()):
    """Density clusters with hdbscan's parameters.

    Parameters
    ----------
    min_cluster_size, min_samples, cluster_selection_epsilon, cluster_selection_persistence, max_cluster_size, metric, alpha, p,
    gen_min_span_tree, cluster_selection_method, allow_single_cluster, prediction_data, match_reference_implementation,
    cluster_selection_epsilon_max
        As in hdbscan; min_samples does not count the point itself.
    algorithm, leaf_size, memory, approx_min_span_tree, core_dist_n_jobs
        They change no result. Spanning trees are exact up to 4 columns or n^2 * columns = 1e13; see ``exact_``.
    branch_detection_data
        By hdbscan, where it is installed.
    n_jobs, method
        Threads, and 'auto', 'exact' or 'graph', as in dunlin.clusters.

    Attributes
    ----------
    labels_, probabilities_, cluster_persistence_, outlier_scores_, condensed_tree_, single_linkage_tree_,
    minimum_spanning_tree_, exemplars_
        As in hdbscan.
    group_tree_ : GroupTree
        The hierarchy of the finite rows.
    exact_ : bool
        Whether the spanning tree is that of all pairs.
    """

    def __init__(
        self,
        min_cluster_size=5,
        min_samples=None,
        cluster_selection_epsilon=0.0,
        cluster_selection_persistence=0.0,
        max_cluster_size=0,
        metric="euclidean",
        alpha=1.0,
        p=None,
        algorithm="best",
        leaf_size=40,
        memory=Memory(None, verbose=0),
        approx_min_span_tree=True,
        gen_min_span_tree=False,
        core_dist_n_jobs=4,
        cluster_selection_method="eom",
        allow_single_cluster=False,
        prediction_data=False,
        branch_detection_data=False,
        match_reference_implementation=False,
        cluster_selection_epsilon_max=float("inf"),
        n_jobs=None,
        method="auto",
        **kwargs,
    ):
        for name, value in list(locals().items()):
            if name not in ("self", "kwargs", "__class__"):
                setattr(self, name, value)
        self._metric_kwargs = kwargs
        self._raw_data = self._outlier_scores = None
        self._forget()

    def fit(self, X, y=None):
        """Finds the clusters of the rows of X, or, if the metric is 'precomputed', of items with these distances. Rows with
        NaN or infinity are noise."""
        check(self, self._metric_kwargs)
        source, X = X, self._validated(X)
        finite = np.ones(X.shape[0], bool)
        if self.metric != "precomputed":
            finite = np.isfinite(np.asarray(X.sum(axis=1)).reshape(-1)) if issparse(X) else np.isfinite(X).all(axis=1)
        if not finite.any():
            raise InputError("X has no row of finite numbers", option="X")
        self._forget()
        self._finite, self._raw_data = np.flatnonzero(finite), owned(X, source) if self.metric != "precomputed" else None
        rows = X if finite.all() else X[finite]
        with translating(_groups.CLUSTERS):
            self._fitted = self._clustered(rows)
        self._select()
        if self.gen_min_span_tree or self.branch_detection_data:
            self._min_spanning_tree = self._spanning_tree(rows)
        if self.prediction_data:
            self.generate_prediction_data()
        if self.branch_detection_data:
            self.generate_branch_detection_data()
        return self

    def fit_predict(self, X, y=None):
        """Finds the clusters and returns labels_."""
        return self.fit(X).labels_

    def _forget(self):
        self._min_spanning_tree = self._prediction_data = self._branch_detection_data = self._relative_validity = None
        self._nodes, self._can_predict, self._set_rows, self._set_linkage = None, False, None, None

    def _validated(self, X):
        if self.metric != "precomputed":
            return check_array(array_of(X), accept_sparse="csr", ensure_all_finite=False, input_name="X")
        if issparse(X):
            return check_array(X, accept_sparse="csr", input_name="X")
        X = check_array(X, ensure_all_finite=False, input_name="X", dtype=np.float64)
        if np.isnan(X).any():
            raise InputError("X has NaN, which is no distance; infinity is taken for a missing one", option="X")
        if X.shape[0] != X.shape[1]:
            raise InputError(f"X has the shape {X.shape}; a matrix of distances is square", option="X")
        return X

    @property
    def _k(self):
        """hdbscan's min_samples."""
        return self.min_cluster_size if self.min_samples is None else self.min_samples

    def _options(self, n, metric=None):
        of_reference = int(self.match_reference_implementation)  # it counts points otherwise
        options = {
            "min_size": int(self.min_cluster_size) + of_reference,
            "min_samples": int(min(max(self._k - of_reference, 1) + 1, n)),
            "max_size": int(self.max_cluster_size) if self.max_cluster_size > 0 and self.cluster_selection_method == "eom" else None,
            "select": self.cluster_selection_method,
            "epsilon": float(self.cluster_selection_epsilon),
            "alpha": float(self.alpha),
            "single": bool(self.allow_single_cluster),
        }
        return options if metric is None else {**options, "metric": metric, "method": self.method}

    def _native(self):
        return None if self.metric == "precomputed" else native_metric(*metric_of(self.metric, self.p)) if not self._metric_kwargs else None

    def _clustered(self, X):
        """The library's values of finite rows."""
        run, n, native = run_of(self), X.shape[0], self._native()
        if self.metric == "precomputed" and issparse(X):
            return self._of_lists(X, run)
        if native is not None:
            points = _density_clusters.narrowed(X.toarray() if issparse(X) else X, run, native)
            return finished(_core.clusters(points, self._options(n, native), run.core(), None), dict)
        matrix = np.ascontiguousarray(X if self.metric == "precomputed" else self._pairs(X, X), np.float32)
        return finished(_core.clusters_of_matrix(matrix, self._options(n), run.core(), None), dict)

    def _pairs(self, X, Y):
        """Distances of rows by a metric, also one that the library does not have."""
        name, more = metric_of(self.metric, self.p)
        more = {**more, **self._metric_kwargs}
        if issparse(X) or issparse(Y):
            return pairwise_distances(X, Y, metric=name, **more)
        return distances_elsewhere(X, Y, name, more, offsets_among(X, name))

    def _of_lists(self, X, run):
        """Of stored distances; pairs that are not stored are ``max_dist`` apart, or infinitely far."""
        X = X.tocsr()
        n, far = X.shape[0], self._metric_kwargs.get("max_dist", 0)
        parts = csgraph.connected_components(X, directed=False, return_labels=False)
        if parts > 1 and not far:
            raise InputError(
                f"the stored distances connect {parts} parts, which are not connected to each other; give max_dist, their distance",
                option="X",
            )
        X.setdiag(0)
        X.eliminate_zeros()
        X.sort_indices()
        order = np.lexsort((X.data, np.repeat(np.arange(n), np.diff(X.indptr))))
        lists = X.indptr.astype(np.int64), X.indices[order].astype(np.int32), X.data[order].astype(np.float32)
        found = finished(_core.clusters_of_graph(lists, self._options(n), run.core(), None), dict)
        if far:
            for values in (found["linkage"][:, 2], found["tree"]["leaves_at"], found["tree"]["death"]):
                values[np.isinf(values)] = far
            found["tree"]["birth"][1:][np.isinf(found["tree"]["birth"][1:])] = far
        return found

    def _select(self):
        """Labels and what follows from them; by hdbscan's rules that the library lacks, where they are wanted."""
        found, tree = self._fitted, self._fitted["tree"]
        options = self._options(len(tree["home"]))
        labels, strengths, persistence = found["labels"], found["strengths"], tree["persistence"][tree["layers"][0]]
        if self.cluster_selection_persistence > 0 or self.cluster_selection_epsilon_max < np.inf:
            if self.cluster_selection_persistence > 0:
                tree = _selection.simplified(tree, self.cluster_selection_persistence)
            chosen = _selection.selected(tree, options, self.cluster_selection_epsilon_max)
            tree = {**tree, "layers": [np.array(chosen, np.int32)]}
            labels, strengths = _selection.members(tree, chosen, options["epsilon"])
            persistence = _selection.persistences(tree, chosen, labels)
            found["tree"], found["labels"], found["strengths"] = tree, labels, strengths
        if self.match_reference_implementation:
            labels = _selection.of_reference(tree, tree["layers"][0], labels)
            found["labels"], found["strengths"] = labels, np.where(labels < 0, 0.0, strengths)
        n = len(self._finite) if self._raw_data is None else self._raw_data.shape[0]
        self.labels_, self.probabilities_, self._outlier_scores = np.full(n, -1), np.zeros(n), np.zeros(n)
        self.labels_[self._finite], self.probabilities_[self._finite] = found["labels"], found["strengths"]
        self._outlier_scores[self._finite] = found["outlier_scores"]
        self.cluster_persistence_, self.exact_ = np.asarray(persistence), found["exact"]

    def _spanning_tree(self, X):
        n = X.shape[0]
        if n > _MOST_OF_PRIM:
            raise UnsupportedError(
                f"gen_min_span_tree is for up to {_MOST_OF_PRIM} points, and there are {n}; single_linkage_tree_ has the merges",
                option="gen_min_span_tree",
            )
        if self.metric == "precomputed":
            dense = X.toarray() if issparse(X) else np.asarray(X)
            dense = np.where(dense == 0, np.inf, dense) if issparse(X) else dense
            edges = spanning_tree(lambda p: dense[p], self._fitted["core_distances"], self.alpha)
        else:
            edges = spanning_tree(lambda p: self._pairs(X[p : p + 1], X)[0], self._fitted["core_distances"], self.alpha)
        edges[:, :2] = self._finite[edges[:, :2].astype(int)]
        return edges

    @property
    def group_tree_(self):
        check_is_fitted(self, "labels_")
        return GroupTree(self._fitted["tree"])

    @property
    def _condensed_tree(self):
        if self._set_rows is not None:
            return self._set_rows
        return self._condensed()[0] if hasattr(self, "labels_") else None

    @_condensed_tree.setter
    def _condensed_tree(self, rows):  # by hdbscan's own functions
        self._set_rows = rows

    def _condensed(self):
        """(rows of the condensed tree, node of each group)."""
        if self._nodes is None:
            self._nodes = condensed(self._fitted["tree"], self._finite, len(self.labels_))
        return self._nodes

    @property
    def condensed_tree_(self):
        check_is_fitted(self, "labels_")
        if self._set_rows is not None:
            return CondensedTree(self._set_rows, None, self.labels_)
        rows, nodes = self._condensed()
        return CondensedTree(rows, nodes[self._fitted["tree"]["layers"][0]].tolist(), self.labels_)

    @property
    def _single_linkage_tree(self):
        """SciPy's linkage of all rows; those that take no part are joined last, at infinity."""
        if self._set_linkage is not None or not hasattr(self, "labels_"):
            return self._set_linkage
        linkage, n, finite = self._fitted["linkage"], len(self.labels_), self._finite
        if len(finite) == n:
            return linkage
        made = np.array(linkage)
        inner = made[:, :2].astype(int)
        made[:, :2] = np.where(inner < len(finite), finite[np.minimum(inner, len(finite) - 1)], inner + n - len(finite))
        others, last = np.setdiff1d(np.arange(n), finite), n + len(linkage) - 1 if len(linkage) else finite[0]
        more = [(each, last if step == 0 else n + len(linkage) + step - 1, np.inf, len(finite) + step + 1) for step, each in enumerate(others)]
        return np.concatenate([made.reshape(-1, 4), np.array(more, float)])

    @_single_linkage_tree.setter
    def _single_linkage_tree(self, linkage):
        self._set_linkage = linkage

    @property
    def single_linkage_tree_(self):
        check_is_fitted(self, "labels_")
        return SingleLinkageTree(self._single_linkage_tree)

    @property
    def minimum_spanning_tree_(self):
        check_is_fitted(self, "labels_")
        if self._min_spanning_tree is None:
            raise AttributeError("there is no spanning tree; give gen_min_span_tree=True and fit again")
        return MinimumSpanningTree(self._min_spanning_tree, self._raw_data)

    @property
    def outlier_scores_(self):
        check_is_fitted(self, "labels_")
        return self._outlier_scores

    @property
    def exemplars_(self):
        """Of each cluster the points that stay longest in its leaves."""
        check_is_fitted(self, "labels_")
        if self._raw_data is None:
            raise AttributeError("exemplars_ are points, and distances were fitted")
        from ._prediction import exemplars

        return [self._raw_data[self._finite[each]] for each in exemplars(self._fitted["tree"])]

    def generate_prediction_data(self):
        """Keeps what predictions need: points by a metric of the library."""
        if self._raw_data is None or issparse(self._raw_data) or self._native() is None:
            warnings.warn(
                f"there are no predictions by metric {self.metric!r}, of distances or of sparse rows; they need points and a "
                "metric of the library",
                UserWarning,
                stacklevel=2,
            )
            return
        self._can_predict = True

    @property
    def prediction_data_(self):
        """hdbscan's PredictionData, for its own functions."""
        if not getattr(self, "_can_predict", False):
            raise AttributeError("there are no data for predictions; give prediction_data=True, or call generate_prediction_data()")
        if self._prediction_data is None:
            from hdbscan.prediction import PredictionData

            name, more = metric_of(self.metric, self.p)
            kind = "balltree" if name in ("cosine", "correlation") else "kdtree"
            self._prediction_data = PredictionData(self._raw_data, self.condensed_tree_, self._k, tree_type=kind, metric=name, **more)
        return self._prediction_data

    @prediction_data_.setter
    def prediction_data_(self, value):
        self._prediction_data = value

    def weighted_cluster_centroid(self, cluster_id):
        """The mean of a cluster's points, weighted by their probabilities."""
        rows, weights = self._cluster(cluster_id)
        return np.average(rows, weights=weights, axis=0)

    def weighted_cluster_medoid(self, cluster_id):
        """The point of a cluster with the least sum of distances to its points, weighted by their probabilities."""
        rows, weights = self._cluster(cluster_id)
        return rows[np.argmin(self._pairs(rows, rows) @ weights)]

    def _cluster(self, cluster_id):
        check_is_fitted(self, "labels_")
        if cluster_id < 0:
            raise InputError(f"cluster_id is {cluster_id}: noise is no cluster", option="cluster_id")
        if self._raw_data is None:
            raise InputError("centers are of points, and distances were fitted", option="cluster_id")
        members = self.labels_ == cluster_id
        return self._raw_data[members], self.probabilities_[members]

    def dbscan_clustering(self, cut_distance, min_cluster_size=5):
        """Labels of the components that are connected below a distance: DBSCAN without border points."""
        return self.single_linkage_tree_.get_clusters(cut_distance, min_cluster_size)

    def __sklearn_clone__(self):
        return type(self)(**self.get_params(), **self._metric_kwargs)


def hdbscan(X, min_cluster_size=5, min_samples=None, alpha=1.0, cluster_selection_epsilon=0.0, **more):
    """(labels, probabilities, persistences, condensed tree, single linkage tree, minimum spanning tree or None) of points or
    distances; parameters are those of HDBSCAN."""
    model = HDBSCAN(
        min_cluster_size=min_cluster_size,
        min_samples=min_samples,
        alpha=alpha,
        cluster_selection_epsilon=cluster_selection_epsilon,
        **more,
    ).fit(X)
    found = model.labels_, model.probabilities_, model.cluster_persistence_
    return (*found, model._condensed_tree, model._single_linkage_tree, model._min_spanning_tree)

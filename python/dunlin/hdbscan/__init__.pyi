from typing import Any

from numpy import ndarray
from sklearn.base import BaseEstimator, ClusterMixin

from .._group_tree import GroupTree
from ._trees import CondensedTree, MinimumSpanningTree, SingleLinkageTree

__all__ = [
    "HDBSCAN",
    "all_points_membership_vectors",
    "approximate_predict",
    "approximate_predict_scores",
    "hdbscan",
    "membership_vector",
]

class HDBSCAN(ClusterMixin, BaseEstimator):
    labels_: ndarray
    probabilities_: ndarray
    cluster_persistence_: ndarray
    exact_: bool
    def __init__(
        self,
        min_cluster_size: int = 5,
        min_samples: int | None = None,
        cluster_selection_epsilon: float = 0.0,
        cluster_selection_persistence: float = 0.0,
        max_cluster_size: int = 0,
        metric: Any = "euclidean",
        alpha: float = 1.0,
        p: float | None = None,
        algorithm: str = "best",
        leaf_size: int = 40,
        memory: Any = ...,
        approx_min_span_tree: bool = True,
        gen_min_span_tree: bool = False,
        core_dist_n_jobs: int = 4,
        cluster_selection_method: str = "eom",
        allow_single_cluster: bool = False,
        prediction_data: bool = False,
        branch_detection_data: bool = False,
        match_reference_implementation: bool = False,
        cluster_selection_epsilon_max: float = ...,
        n_jobs: int | None = None,
        method: str = "auto",
        **kwargs: Any,
    ) -> None: ...
    def fit(self, X: Any, y: Any = None) -> HDBSCAN: ...
    def fit_predict(self, X: Any, y: Any = None) -> ndarray: ...
    @property
    def group_tree_(self) -> GroupTree: ...
    @property
    def condensed_tree_(self) -> CondensedTree: ...
    @property
    def single_linkage_tree_(self) -> SingleLinkageTree: ...
    @property
    def minimum_spanning_tree_(self) -> MinimumSpanningTree: ...
    @property
    def outlier_scores_(self) -> ndarray: ...
    @property
    def exemplars_(self) -> list[ndarray]: ...
    @property
    def prediction_data_(self) -> Any: ...
    def generate_prediction_data(self) -> None: ...
    def weighted_cluster_centroid(self, cluster_id: int) -> ndarray: ...
    def weighted_cluster_medoid(self, cluster_id: int) -> ndarray: ...
    def dbscan_clustering(self, cut_distance: float, min_cluster_size: int = 5) -> ndarray: ...

def hdbscan(
    X: Any,
    min_cluster_size: int = 5,
    min_samples: int | None = None,
    alpha: float = 1.0,
    cluster_selection_epsilon: float = 0.0,
    **more: Any,
) -> tuple[ndarray, ndarray, ndarray, Any, Any, Any]: ...
def approximate_predict(
    clusterer: HDBSCAN, points_to_predict: Any, return_connecting_points: bool = False
) -> tuple[ndarray, ...]: ...
def approximate_predict_scores(clusterer: HDBSCAN, points_to_predict: Any) -> ndarray: ...
def membership_vector(clusterer: HDBSCAN, points_to_predict: Any) -> ndarray: ...
def all_points_membership_vectors(clusterer: HDBSCAN, top: int | None = None) -> Any: ...

from typing import Any

__all__ = ["Clusterer"]

class Clusterer:
    min_clusters: int
    min_samples: int
    base_min_cluster_size: int
    base_n_clusters: int | None
    next_cluster_size_quantile: float
    verbose: bool
    n_jobs: int | None
    device: str
    cluster_layers_: list[Any]
    cluster_tree_: dict[tuple[int, int], list[tuple[int, int]]]
    def __init__(
        self,
        min_clusters: int = 6,
        min_samples: int = 5,
        base_min_cluster_size: int = 10,
        base_n_clusters: int | None = None,
        next_cluster_size_quantile: float = 0.85,
        verbose: bool = False,
        n_jobs: int | None = None,
        device: str = "auto",
    ) -> None: ...
    def fit(
        self,
        clusterable_vectors: Any,
        embedding_vectors: Any,
        layer_class: Any = None,
        show_progress_bar: bool = False,
        **layer_kwargs: Any,
    ) -> Clusterer: ...
    def fit_predict(
        self,
        clusterable_vectors: Any,
        embedding_vectors: Any,
        layer_class: Any = None,
        show_progress_bar: bool = False,
        **layer_kwargs: Any,
    ) -> tuple[list[Any], dict[tuple[int, int], list[tuple[int, int]]]]: ...

# SPDX-License-Identifier: Apache-2.0
"""Classes with scikit-learn's interface, gathered."""

try:
    import sklearn.base  # noqa: F401
except ImportError as error:
    raise ImportError(
        "the classes of dunlin need scikit-learn 1.6 or newer (pip install scikit-learn); the functions, "
        "such as dunlin.tsne, do without"
    ) from error

from ._estimators_cluster import GaussianMixture, KMeans
from ._estimators_density import HDBSCAN
from ._estimators_embedding import PaCMAP
from ._estimators_medoids import KMedoids
from ._estimators_mds import ClassicalMDS, MDS
from ._estimators_neighbors import KNeighborsTransformer
from ._estimators_parametric import ParametricTSNE
from ._estimators_tsne import TSNE
from ._estimators_umap import UMAP

__all__ = [
    "ClassicalMDS",
    "GaussianMixture",
    "HDBSCAN",
    "KMeans",
    "KMedoids",
    "KNeighborsTransformer",
    "MDS",
    "PaCMAP",
    "ParametricTSNE",
    "TSNE",
    "UMAP",
]

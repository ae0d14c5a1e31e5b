# SPDX-License-Identifier: Apache-2.0
"""Dunlin: maps from points, dissimilarities and graphs.

Functions: tsne, transform, umap, pacmap, mds, layout, neighbors, affinities, memberships, kmeans, assign, choose_k, mixture,
choose_mixture, kmedoids, clusters, leiden, louvain, group_names, rank_features, sequence_distances, score,
trustworthiness, reliability, draw, view, watch, live, remove_overlaps, waves,
density, surface, hulls, read, write. Classes with scikit-learn's interface: TSNE, ParametricTSNE, UMAP, PaCMAP,
MDS, ClassicalMDS, KMeans, KMedoids, GaussianMixture, HDBSCAN, KNeighborsTransformer. Modules: dunlin.networkx, dunlin.opentsne, dunlin.hdbscan,
dunlin.toponymy, dunlin.accel, dunlin.dask.
"""

from typing import TYPE_CHECKING

from . import _core, _functions, _threads
from ._errors import (
    CheckpointWarning,
    DeviceError,
    Error,
    FileError,
    InputError,
    InputWarning,
    NoDeviceError,
    OptionError,
    OutOfMemoryError,
    PerformanceWarning,
    UnsupportedError,
)

if TYPE_CHECKING:
    from ._functions import *  # noqa: F403
    from ._accel import patch, unpatch
    from ._estimators import ClassicalMDS, GaussianMixture, HDBSCAN, KMeans, KMedoids, KNeighborsTransformer, MDS, PaCMAP, ParametricTSNE, TSNE, UMAP

__version__ = _core.version
_threads.register()
_ESTIMATORS = (
    "TSNE",
    "ParametricTSNE",
    "UMAP",
    "PaCMAP",
    "MDS",
    "ClassicalMDS",
    "KMeans",
    "KMedoids",
    "GaussianMixture",
    "HDBSCAN",
    "KNeighborsTransformer",
)
_MODULES = ("accel", "dask", "hdbscan", "networkx", "opentsne", "toponymy")
__all__ = [
    "CheckpointWarning",
    "DeviceError",
    "Error",
    "FileError",
    "InputError",
    "InputWarning",
    "NoDeviceError",
    "OptionError",
    "OutOfMemoryError",
    "PerformanceWarning",
    "UnsupportedError",
    "patch",
    "unpatch",
    *_functions.__all__,
    *_ESTIMATORS,
]


def __getattr__(name):
    if name in _functions.__all__:
        return globals().setdefault(name, getattr(_functions, name))
    # Estimators import scikit-learn, which takes a second: only when one is used
    if name in _ESTIMATORS:
        from . import _estimators

        return getattr(_estimators, name)
    if name in ("patch", "unpatch"):
        from . import _accel

        return getattr(_accel, name)
    if name in _MODULES:
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'dunlin' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__, *_MODULES})

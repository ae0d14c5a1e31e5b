# SPDX-License-Identifier: Apache-2.0
"""What the estimators share: metrics by their many names, seeds, neighbors by other metrics."""

import warnings

import numpy as np
from sklearn.utils import check_random_state

from . import _core, _intake
from ._errors import PerformanceWarning
from ._run import Run, finished

NATIVE = {
    "euclidean": "euclidean",
    "l2": "euclidean",
    "manhattan": "manhattan",
    "cityblock": "manhattan",
    "l1": "manhattan",
    "cosine": "cosine",
    "correlation": "correlation",
}


def native_metric(metric, metric_params=None, p=2):
    """The library's name of a metric, or None."""
    if not isinstance(metric, str):
        return None
    if metric == "minkowski" and set(metric_params or {}) <= {"p"}:
        return {1: "manhattan", 2: "euclidean"}.get((metric_params or {}).get("p", p))
    return None if metric_params else NATIVE.get(metric)


def seed_of(random_state):
    """An int is the seed; otherwise one is drawn, from NumPy's global generator for None, as the convention says."""
    generator = check_random_state(random_state)
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(generator.randint(2**31 - 1))


def search(X, k, run, metric, method="auto", recall=None):
    """(offsets, targets, weights) of the k nearest neighbors of each point by the library; the result's values too."""
    options = {"k": int(k), "metric": metric, "method": method}
    if recall is not None:
        options["recall"] = recall
    points = _intake.points(X, run, metric=metric, sparse=method != "approximate")
    values = finished(_core.neighbors(_intake.core_of(points.values), options, run.core(), run.callback()), dict)
    return values["graph"], values


def search_elsewhere(X, k, metric, metric_params=None, n_jobs=None, p=2):
    """The same by scikit-learn, for metrics that the library does not have, with a warning."""
    from sklearn.neighbors import NearestNeighbors

    if metric != "precomputed":
        warnings.warn(
            f"metric {metric!r} is not one of the library's; neighbors are found by scikit-learn",
            PerformanceWarning,
            stacklevel=4,
        )
    search = NearestNeighbors(n_neighbors=int(k), metric=metric, metric_params=metric_params, n_jobs=n_jobs, p=p)
    graph = search.fit(X).kneighbors_graph(mode="distance")
    return graph.indptr.astype(np.int64), graph.indices.astype(np.int32), graph.data.astype(np.float32)


def run_of(estimator, seed=1, **more):
    """The Run of an estimator's parameters."""
    given = {
        "n_jobs": estimator.n_jobs,
        "device": getattr(estimator, "device", "auto"),
        "memory": getattr(estimator, "memory", None),
        "seed": seed,
    }
    return Run(given, **more)

# SPDX-License-Identifier: Apache-2.0
"""hdbscan's spanning trees, by the library. Labels, probabilities, condensed trees and predictions stay hdbscan's own work, so
that all its attributes and functions are there; hdbscan joins pairs at equal distances one after the other."""

import functools
import inspect

import numpy as np

from . import _accel_report
from ._density_clusters import clusters
from ._errors import UnsupportedError
from ._proxies import by_dunlin

_METRICS = {"euclidean": "euclidean", "l2": "euclidean", "manhattan": "manhattan", "l1": "manhattan", "cityblock": "manhattan"}


def spanning_tree(original, strict):
    """(linkage, spanning tree or None) of points, as hdbscan's function of this name."""
    signature = inspect.signature(original)

    @functools.wraps(original)
    def linkage_and_tree(X, *args, **more):
        def by_ours():
            given = signature.bind(X, *args, **more)
            given.apply_defaults()
            given = given.arguments
            metric = _metric_of(given["metric"], given["p"], given.get("kwargs"))
            if given["gen_min_span_tree"]:
                raise UnsupportedError("gen_min_span_tree is set")
            # hdbscan does not count a point among its nearest
            nearest = min(int(given["min_samples"]) + 1, len(X))
            found = clusters(np.ascontiguousarray(X), min_samples=nearest, alpha=given["alpha"], metric=metric, method="exact")
            return found.linkage, None

        def by_theirs():
            return original(X, *args, **more)

        return by_dunlin("hdbscan.HDBSCAN.fit", _accel_report.rows_of(X), by_ours, by_theirs, strict)

    return linkage_and_tree


def _metric_of(metric, p, more):
    known = {1: "manhattan", 2: "euclidean"}.get(p) if metric == "minkowski" else _METRICS.get(metric)
    if known is None or more:
        raise UnsupportedError(f"metric is {metric!r}" + (f" with p {p}" if metric == "minkowski" else ""))
    return known

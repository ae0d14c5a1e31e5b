# SPDX-License-Identifier: Apache-2.0
"""hdbscan's parameters: their values, with ValueError and TypeError as there."""

from numbers import Integral, Real

from .._errors import InputError

_ALGORITHMS = ("best", "generic", "prims_kdtree", "prims_balltree", "boruvka_kdtree", "boruvka_balltree")


def check(model, more):
    """Raises for parameters that hdbscan refuses. more: parameters of the metric."""
    k = model.min_cluster_size if model.min_samples is None else model.min_samples
    for name, value, least in (("min_cluster_size", model.min_cluster_size, 2), ("min_samples", k, 1), ("leaf_size", model.leaf_size, 1)):
        if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
            raise InputError(f"{name} is {value!r}; it must be a whole number of at least {least}", option=name)
    for name in ("cluster_selection_epsilon", "cluster_selection_persistence", "cluster_selection_epsilon_max", "alpha"):
        value = getattr(model, name)
        if not isinstance(value, Real) or not value >= 0 or name == "alpha" and value == 0:
            least = "above 0" if name == "alpha" else "at least 0"
            raise InputError(f"{name} is {value!r}; it must be a number {least}", option=name)
    if model.cluster_selection_method not in ("eom", "leaf"):
        raise InputError(
            f"cluster_selection_method is {model.cluster_selection_method!r}; it must be 'eom' or 'leaf'",
            option="cluster_selection_method",
        )
    if model.algorithm not in _ALGORITHMS:
        raise TypeError(f"algorithm is {model.algorithm!r}; it must be one of {', '.join(_ALGORITHMS)}")
    _check_metric(model, more)


def _check_metric(model, more):
    metric = model.metric
    if not isinstance(metric, str) and not callable(metric):
        raise InputError(f"metric is {metric!r}; it must be a name or a function", option="metric")
    if metric == "minkowski":
        if model.p is None:
            raise TypeError("metric is 'minkowski', and p is not given")
        if model.p < 0:
            raise InputError(f"p is {model.p}; it must be at least 0", option="p")
    if model.algorithm in ("best", "generic") or not isinstance(metric, str):
        return
    from sklearn.neighbors import BallTree, KDTree

    tree = KDTree if model.algorithm.endswith("kdtree") else BallTree
    if metric not in tree.valid_metrics:
        raise InputError(f"metric is {metric!r}, which a {tree.__name__} does not have; take algorithm='best'", option="algorithm")


def metric_of(metric, p):
    """(name or function, its parameters) as scikit-learn takes them."""
    return (metric, {"p": p}) if metric == "minkowski" else (metric, {})

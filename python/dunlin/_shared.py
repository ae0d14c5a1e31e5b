# SPDX-License-Identifier: Apache-2.0
"""What the estimators share: metrics by their many names, seeds, neighbors by other metrics."""

import warnings
from numbers import Real
from os import PathLike

import numpy as np
from scipy.sparse import issparse
from sklearn.metrics import pairwise_distances
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils import validation

from . import _cells, _core, _device, _intake, _match, _offsets
from ._anndata import annotated
from ._errors import OptionError, PerformanceWarning
from ._kinds import AnnotatedRows
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


def given(X, name="X"):
    """The array of an AnnData, in memory; other data as they are, if no cell is masked or NaT and float64 tells whole numbers apart. A
    table with times becomes one of numbers."""
    X = _cells.in_memory(X, name)
    _cells.require_values(X, name)
    _cells.require_cells_told_apart(X, name)
    if not _cells.say_times(X, name):
        return X
    names, array = _match.columns_of(X), _cells.numbers(X, name)
    return _as_table(array, names) if isinstance(names, list) else array


def validate_data(estimator, X, **checks):
    """X as scikit-learn checks it, which by itself drops masks and takes NaT for a number: with columns in the order of those
    that were fitted, and names of columns also of a file or an AnnData."""
    reset = checks.get("reset", True)
    if not reset:
        X = in_fitted_order(estimator, X)
    X = annotated(X)
    is_annotated = isinstance(X, AnnotatedRows)
    names = _match.columns_of(X) if _match.is_file(X) or is_annotated else None
    if names is None:
        return validation.validate_data(estimator, given(X), **checks)
    checks.pop("reset", None)
    array = given(X) if is_annotated else np.asarray(X)
    array = validation.check_array(array, estimator=estimator, input_name="X", **checks)
    validation._check_n_features(estimator, array, reset=reset)
    if reset and isinstance(names, list):
        estimator.feature_names_in_ = np.array(names, object)
    elif reset and hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
    return array


def validated(estimator, X, in_place=False, ensure_min_samples=1, **checks):
    """X as scikit-learn checks it. in_place: an array on a GPU stays there, if the estimator's device allows that."""
    if not _device.is_on_gpu(X):
        return validate_data(estimator, X, ensure_min_samples=ensure_min_samples, **checks)
    if not in_place or not _device.stays(X, run_of(estimator)):
        X = _intake.dense(X)
        return validate_data(estimator, X, ensure_min_samples=ensure_min_samples, **checks)
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D array instead")
    if X.shape[0] < ensure_min_samples:
        raise ValueError(
            f"Found array with {X.shape[0]} sample(s) (shape={tuple(X.shape)}) while a minimum of "
            f"{ensure_min_samples} is required."
        )
    validation._check_n_features(estimator, X, reset=checks.get("reset", True))
    return X


def in_fitted_order(estimator, X):
    """X with its columns in the order of those that were fitted. Of other names of a table scikit-learn says which."""
    fitted, names = getattr(estimator, "feature_names_in_", None), _match.columns_of(X)
    if fitted is None or not isinstance(names, list):
        return X
    is_table = not _match.is_file(X) and not _match.is_anndata(X)
    if is_table and set(names) != set(fitted):
        return X
    X = _match.in_order_of(X, list(fitted), "X", "what was fitted")
    return X if is_table else _as_table(X, list(fitted))


def _as_table(X, names):
    """A file or AnnData as what scikit-learn sees the names of, where pandas is installed."""
    array = given(X)
    try:
        from pandas import DataFrame
    except ImportError:
        return array
    return array if issparse(array) else DataFrame(np.asarray(array), columns=names)


def named_rows(X, metric=None):
    """(X, its Rows if they have names): what else is given by row is matched with these. Columns of given distances are put
    in the order of the rows, and have 0 where their diagonal lacks a value."""
    if metric == "precomputed":
        X = _with_diagonal(_match.in_own_order(X, "X"))
    return X, None if _match.ids_of(X) is None else _match.rows_of(X)


def _with_diagonal(X):
    """Given distances, a matrix or a table of pandas, with 0 for what their diagonal lacks."""
    shape = getattr(X, "shape", ())
    if issparse(X) or _device.is_on_gpu(X) or len(shape) != 2 or shape[0] != shape[1]:
        return X
    if isinstance(X, np.ndarray):
        return X if isinstance(X, np.ma.MaskedArray) else _cells.with_diagonal(X, "X")
    if not _match.is_indexed(X) or not any(X.iat[i, i] != X.iat[i, i] for i in range(len(X))):
        return X
    filled = _cells.with_diagonal(_intake.dense(X, "X", missing=True), "X")
    return type(X)(filled, index=X.index, columns=X.columns)


def search(X, k, run, metric, method="auto", recall=None, queries=None):
    """(offsets, targets, weights) of the k nearest neighbors of each point, or of each query among the points, by the
    library; the result's values too."""
    options = {"k": int(k), "metric": metric, "method": method}
    if recall is not None:
        options["recall"] = recall
    if queries is None:
        points, others = _intake.points(X, run, metric=metric, in_place=True, sparse=method != "approximate"), ()
    else:
        points, queries = _intake.points_and_queries(X, queries, run, metric=metric)
        others = (queries.values,)
    values = finished(_core.neighbors(_intake.core_of(points.values), options, run.core(), run.callback(), *others), dict)
    if points.home is not None:  # scikit-learn's graphs are SciPy's
        indices, distances = (_device.host(points.home.take(values[name])) for name in ("indices", "distances"))
        return (None, indices.reshape(-1), distances.reshape(-1)), values
    return values["graph"], values


# Metrics that scikit-learn computes from sums of squares and products, whose digits an offset takes
_BY_SQUARES = ("euclidean", "l2", "sqeuclidean")


def offsets_among(X, metric):
    """What is subtracted from rows for scikit-learn's distances; None: nothing."""
    return _offsets.offsets_in(X) if metric in _BY_SQUARES and not issparse(X) else None


def distances_elsewhere(X, Y, metric, metric_params=None, offsets=None):
    """scikit-learn's pairwise distances of rows less their offsets, in the type of the rows."""
    X_less, Y_less = (None if rows is None else _offsets.less(rows, offsets) for rows in (X, Y))
    found = pairwise_distances(X_less, Y_less, metric=metric, **(metric_params or {}))
    return found if offsets is None else found.astype(X.dtype, copy=False)


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
    graph = search.fit(_offsets.less(X, offsets_among(X, metric))).kneighbors_graph(mode="distance")
    return graph.indptr.astype(np.int64), graph.indices.astype(np.int32), graph.data.astype(np.float32)


def neighbors_elsewhere(X, k, metric, metric_params=None, n_jobs=None):
    """(offsets, targets, weights) of the k nearest neighbors under a metric that the library does not have, or of given
    distances."""
    if metric == "precomputed" and not issparse(X):
        distances = np.array(X, dtype=np.float64)
        if not np.isfinite(distances).all():
            raise ValueError("the distances hold NaN or infinity")
        np.fill_diagonal(distances, np.inf)
        near = np.argsort(distances, axis=1, kind="stable")[:, :k]
        weights = np.take_along_axis(distances, near, 1).astype(np.float32)
        offsets = np.arange(0, near.size + 1, k, dtype=np.int64)
        return offsets, np.ascontiguousarray(near.reshape(-1), np.int32), weights.reshape(-1)
    graph = search_elsewhere(X, k, metric, metric_params, n_jobs)
    if (graph[2] < 0).any():
        raise ValueError("All distances should be positive, the metric given is not correct")
    return graph


def start_of(init, n, n_components, of=None):
    """The start map of the parameter init, in the order of the rows `of`; None: the library's, by PCA or random."""
    if isinstance(init, str):
        return None
    init = _intake.dense(_match.matrix(init, of, "init"), "init")
    if init.shape != (n, n_components):
        raise OptionError(f"init has the shape {init.shape}; it must be {(n, n_components)}", option="init")
    return init


# Of estimators whose fit() writes checkpoints: constraints and lines of a docstring
CHECKPOINT_CONSTRAINTS = {
    "checkpoint": [None, str, PathLike],
    "checkpoint_every": [Interval(Real, 0, None, closed="left")],
    "resume": ["boolean"],
}


def run_of(estimator, seed=1, checkpoints=False, **more):
    """The Run of an estimator's parameters."""
    given = {
        "n_jobs": estimator.n_jobs,
        "device": getattr(estimator, "device", "auto"),
        "memory": getattr(estimator, "memory", None),
        "seed": seed,
    }
    if checkpoints:
        given |= {name: getattr(estimator, name) for name in CHECKPOINT_CONSTRAINTS}
    return Run(given, checkpoints=checkpoints, **more)

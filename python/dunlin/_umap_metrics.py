# SPDX-License-Identifier: Apache-2.0
"""umap-learn's metrics by their many names, and distances by those that the library does not have."""

import numpy as np
from scipy.sparse import csr_matrix, issparse

from ._errors import InputError, UnsupportedError
from ._shared import NATIVE, distances_elsewhere, native_metric, offsets_among

_ALIASES = {
    "taxicab": "manhattan",
    "linf": "chebyshev",
    "linfty": "chebyshev",
    "linfinity": "chebyshev",
    "tanimoto": "jaccard",
    "sokalmichener": "rogerstanimoto",
    "standardised_euclidean": "seuclidean",
}
# Of rows of truth values: both true, differing, columns. 0 / 0 is 0
_BY_COUNTS = {
    "jaccard": lambda shared, differing, columns: differing / (shared + differing),
    "dice": lambda shared, differing, columns: differing / (2 * shared + differing),
    "matching": lambda shared, differing, columns: differing / columns,
    "rogerstanimoto": lambda shared, differing, columns: 2 * differing / (columns + differing),
    "sokalsneath": lambda shared, differing, columns: differing / (0.5 * shared + differing),
    "russellrao": lambda shared, differing, columns: np.where(differing == 0, 0, (columns - shared) / columns),
    "bit_hamming": lambda shared, differing, columns: differing,
    "bit_jaccard": lambda shared, differing, columns: differing / (shared + differing),
}
_BY_SCIKIT_LEARN = ("chebyshev", "minkowski", "seuclidean", "mahalanobis", "sqeuclidean", "canberra", "braycurtis", "hamming")
# scikit-learn's names of what umap-learn's metrics are given
_PARAMETERS = {"sigma": "V", "vinv": "VI"}
_LACKING = (
    "wminkowski", "weighted_minkowski", "poincare", "hyperboloid", "kulsinski", "yule", "ll_dirichlet", "symmetric_kl",
    "spherical_gaussian_energy", "diagonal_gaussian_energy", "gaussian_energy", "true_angular", "wasserstein_1d",
    "wasserstein-1d", "kantorovich-1d", "kantorovich_1d", "circular_kantorovich", "circular_wasserstein", "sinkhorn",
    "jensen_shannon", "jensen-shannon", "hyperbolic", "dot", "inner_product", "kantorovich", "wasserstein", "tsss", "proxy",
    "categorical", "ordinal", "hierarchical_categorical", "count", "string",
)  # fmt: skip
# Above these distances two rows have nothing in common
FARTHEST = {"jaccard": 1.0, "bit_jaccard": 1.0, "dice": 1.0, "hellinger": 1.0, "cosine": 2.0, "correlation": 2.0}


def plain_name(metric):
    """The first of a metric's names; a function as it is."""
    return _ALIASES.get(metric, metric) if isinstance(metric, str) else metric


def native(metric, params):
    """The library's name of a metric, or None."""
    return native_metric(plain_name(metric), params)


def check(metric, params):
    """Raises ValueError for what is no metric, UnsupportedError for one that the package lacks."""
    name = plain_name(metric)
    if callable(name) or name == "precomputed" or native_metric(name, params) is not None:
        return
    if name in _LACKING:
        raise UnsupportedError(f"metric is {metric!r}, which umap-learn has and the library has not", option="metric")
    if name in _BY_COUNTS or name in _BY_SCIKIT_LEARN or name in ("hellinger", "haversine") or name in NATIVE:
        return
    if not isinstance(name, str) or name not in _known_to_scikit_learn():
        raise InputError(f"metric is {metric!r}; it must be a function or a metric of umap-learn", option="metric")


def between(metric, params):
    """The function of (A, B) to the distances of rows of A to rows of B, by a metric that the library does not have."""
    name = plain_name(metric)
    if name in _BY_COUNTS:
        return lambda A, B: _by_counts(_BY_COUNTS[name], _bits(A, name), _bits(B, name))
    if name == "hellinger":
        return _hellinger
    params = {_PARAMETERS.get(key, key): value for key, value in (params or {}).items()}
    if callable(name):
        return lambda A, B: distances_elsewhere(*_two_dense(A, B), _first_of_pair(name), params)
    if name == "haversine":
        return lambda A, B: _haversine(A, B)
    if name == "braycurtis":  # of two empty rows scipy has NaN
        return lambda A, B: np.nan_to_num(distances_elsewhere(*_two_dense(A, B), name, params), nan=0.0)
    return lambda A, B: distances_elsewhere(*_two_dense(A, B), name, params, offsets_among(B, name))


def _known_to_scikit_learn():
    from sklearn.neighbors import VALID_METRICS

    return set().union(*map(set, VALID_METRICS.values()))


def _two_dense(A, B):
    return tuple(rows.toarray() if issparse(rows) else rows for rows in (A, B))


def _first_of_pair(metric):
    """A function whose values may be pairs of a distance and its gradient, as one of distances."""

    def distance(x, y, **params):
        found = metric(x, y, **params)
        return found[0] if isinstance(found, tuple) else found

    return distance


def _bits(rows, name):
    """Rows of truth values, as 0 and 1."""
    if name.startswith("bit_"):
        return np.unpackbits(np.ascontiguousarray(rows).astype(np.uint8), axis=1).astype(np.float32)
    if not issparse(rows):
        return (np.asarray(rows) != 0).astype(np.float32)
    rows = csr_matrix(rows, dtype=np.float32, copy=True)
    rows.eliminate_zeros()
    rows.data[:] = 1
    return rows


def _product(A, B):
    product = A @ B.T
    return product.toarray() if issparse(product) else np.asarray(product)


def _by_counts(formula, A, B):
    shared = _product(A, B).astype(np.float64)
    differing = np.asarray(A.sum(1)).reshape(-1, 1) + np.asarray(B.sum(1)).reshape(1, -1) - 2 * shared
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(formula(shared, differing, A.shape[1]), nan=0.0)


def _hellinger(A, B):
    """sqrt(1 - sum sqrt(x y) / sqrt(sum x sum y)); exactly 1 where two rows have no column in common."""
    roots = [(_roots(rows), np.asarray(rows.sum(1), np.float64).reshape(-1)) for rows in (A, B)]
    (A, of_a), (B, of_b) = roots
    total = np.sqrt(of_a[:, None] * of_b[None, :])
    with np.errstate(invalid="ignore", divide="ignore"):
        common = np.where(total > 0, _product(A, B) / total, (of_a[:, None] == of_b[None, :]).astype(np.float64))
    return np.sqrt(np.maximum(1 - common, 0))


def _roots(rows):
    if (rows.min() if rows.shape[0] and rows.shape[1] else 0) < 0:
        raise InputError("X has numbers below 0, for which there is no metric 'hellinger'", option="metric")
    return rows.sqrt() if issparse(rows) else np.sqrt(np.asarray(rows, np.float64))


def _haversine(A, B):
    from sklearn.metrics.pairwise import haversine_distances

    A, B = _two_dense(A, B)
    if A.shape[1] != 2:
        raise InputError(
            f"metric is 'haversine' and X has {A.shape[1]} columns; it must have 2, latitude and longitude in radians",
            option="metric",
        )
    return haversine_distances(A, B)

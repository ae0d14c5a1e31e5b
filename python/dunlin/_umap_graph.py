# SPDX-License-Identifier: Apache-2.0
"""Lists of neighbors and memberships as umap-learn has them: nearest of all pairs, cut at a distance, of new points."""

import numpy as np
from scipy.sparse import csr_matrix, issparse

from . import _core
from ._errors import InputError
from ._run import finished

_ENTRIES = 2**22  # of a block of distances


def nearest_of_pairs(between, X, k, queries=None):
    """(offsets, targets, weights) of the k nearest of X by a function of two matrices to their distances, of each row of X
    or of queries; equal distances by number."""
    rows = X if queries is None else queries
    n, m = X.shape[0], rows.shape[0]
    step, found = max(1, _ENTRIES // max(n, 1)), []
    for begin in range(0, m, step):
        block = np.array(between(rows[begin : begin + step], X), np.float32)
        found.append(_nearest_in(block, k, begin if queries is None else None))
    return _joined(found, k)


def nearest_given(distances, k, of_queries=False):
    """The same where the distances of all pairs are given: dense, or sparse with what is stored."""
    if issparse(distances):
        return _nearest_stored(csr_matrix(distances), k, of_queries)
    step, found = max(1, _ENTRIES // max(distances.shape[1], 1)), []
    for begin in range(0, distances.shape[0], step):
        block = np.array(distances[begin : begin + step], np.float32)
        found.append(_nearest_in(block, k, None if of_queries else begin))
    return _joined(found, k)


def cut_at(lists, distance):
    """(the lists without what is at least so far, how many that were)."""
    offsets, targets, weights = lists
    near = weights < distance
    if near.all():
        return lists, 0
    kept = np.concatenate([[0], np.cumsum(near)])[offsets].astype(np.int64)
    return (kept, targets[near], weights[near]), int(np.count_nonzero(~near))


def precomputed(indices, distances, k):
    """The lists of umap-learn's (indices, distances), the k nearest without the point itself; -1: no neighbor."""
    indices, distances = np.asarray(indices), np.asarray(distances)
    rows = np.arange(len(indices))[:, None]
    kept = (indices != rows) & (indices >= 0)
    kept &= np.cumsum(kept, axis=1) <= k
    offsets = np.concatenate([[0], np.cumsum(kept.sum(1))]).astype(np.int64)
    return offsets, indices[kept].astype(np.int32), distances[kept].astype(np.float32)


def as_arrays(lists, k):
    """(indices, distances) of shape (n, k), each point first in its own list; -1 and infinity where there are fewer."""
    offsets, targets, weights = lists
    n = len(offsets) - 1
    counts = np.diff(offsets)
    indices, distances = np.full((n, k), -1, np.int32), np.full((n, k), np.inf, np.float32)
    indices[:, 0], distances[:, 0] = np.arange(n), 0
    rows = np.repeat(np.arange(n), counts)
    places = np.arange(len(targets)) - offsets[rows] + 1
    kept = places < k
    indices[rows[kept], places[kept]], distances[rows[kept], places[kept]] = targets[kept], weights[kept]
    return indices, distances


def directed(lists, n, local_connectivity, run):
    """Memberships (offsets, targets, weights) of m rows in n points from the rows' side alone: they are vertices before the
    points, whose own lists are empty."""
    offsets, targets, weights = lists
    m = len(offsets) - 1
    graph = (np.append(offsets, np.full(n, offsets[-1])), (targets + m).astype(np.int32), weights)
    chosen = {"local_connectivity": float(local_connectivity), "mix": 1.0}
    joined = finished(_core.memberships(graph, None, chosen, run.on_cpu(), None), tuple)
    end = joined[0][m]
    return joined[0][: m + 1], np.ascontiguousarray(joined[1][:end] - m, np.int32), joined[2][:end]


def of_queries(lists, n, local_connectivity, run):
    """Memberships of new points in a map of n, the strongest first; as in umap-learn one neighbor less is a member in full."""
    offsets, targets, weights = directed(lists, n, max(0.0, local_connectivity - 1), run)
    order = np.lexsort((targets, -weights, np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))))
    return offsets, np.ascontiguousarray(targets[order]), np.ascontiguousarray(weights[order])


def local_scales(lists, k, local_connectivity, run):
    """(rho, sigma) of the points of lists of neighbors, as the library has them for placing."""
    n = len(lists[0]) - 1
    nothing = np.zeros((n, 1), np.float32)
    chosen = {"method": "umap", "k": int(k), "local_connectivity": float(local_connectivity)}
    placer = finished(_core.placer(nothing, nothing, lists, None, chosen, run.on_cpu(), None), lambda made: made)
    return np.asarray(placer.state()["scales"]).reshape(n, -1)[:, :2]


def log_radii(lists, labels, options, power, run):
    """Logarithms of the local radii of the points of lists of neighbors, of distances or their squares."""
    names = ("mix", "local_connectivity", *(() if labels is None else ("labels_weight",)))
    own = {name: options[name] for name in names if name in options}
    return finished(_core.log_radii(lists, labels, own, power, run.on_cpu(), None), np.asarray)


def distinct_rows(X):
    """(numbers of the rows that differ, in their order; for each row the place of its like among these)."""
    if issparse(X):
        X = csr_matrix(X, copy=True)
        X.sum_duplicates()
        X.eliminate_zeros()
        X.sort_indices()
        keys = {}
        ends = zip(X.indptr[:-1], X.indptr[1:])
        inverse = np.array([keys.setdefault((X.indices[b:e].tobytes(), X.data[b:e].tobytes()), len(keys)) for b, e in ends])
        first = np.unique(inverse, return_index=True)[1]
        return first, inverse
    _, first, inverse = np.unique(X, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return first[order], place[inverse.reshape(-1)]


def _nearest_in(block, k, begin):
    """(counts, targets, weights) of the k smallest of each row. begin: the number of the first row among the columns."""
    m = len(block)
    if np.isnan(block).any():
        raise InputError("a distance by this metric is NaN", option="metric")
    if (block < 0).any():
        raise InputError("a distance by this metric is below 0", option="metric")
    if begin is not None:
        block[np.arange(m), begin + np.arange(m)] = np.inf
    k = min(k, block.shape[1])
    last = np.partition(block, k - 1, axis=1)[:, k - 1 : k] if k else np.zeros((m, 0))
    rows, targets = np.nonzero(block <= last)
    if begin is not None:  # of equal rows none is the point itself
        other = targets != rows + begin
        rows, targets = rows[other], targets[other]
    return _first_of_rows(rows, targets, block[rows, targets], m, k)


def _nearest_stored(distances, k, of_queries):
    entries = distances.tocoo()
    rows, targets, weights = entries.row, entries.col, entries.data
    if not of_queries:
        other = rows != targets
        rows, targets, weights = rows[other], targets[other], weights[other]
    counts = np.bincount(rows, minlength=distances.shape[0])
    if len(counts) and counts.min() < k:
        row = int(counts.argmin())
        raise InputError(
            f"row {row} of the distances stores {counts[row]} to other points; n_neighbors wants {k}", option="X", row=row
        )
    return _joined([_first_of_rows(rows, targets, weights.astype(np.float32), distances.shape[0], k)], k)


def _first_of_rows(rows, targets, weights, m, k):
    order = np.lexsort((targets, weights, rows))
    rows = rows[order]
    kept = np.arange(len(rows)) - np.searchsorted(rows, rows) < k
    order, rows = order[kept], rows[kept]
    return np.bincount(rows, minlength=m), targets[order], weights[order]


def _joined(found, k):
    if not found:
        return np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32)
    counts, targets, weights = (np.concatenate(parts) for parts in zip(*found))
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return offsets, np.ascontiguousarray(targets, np.int32), np.ascontiguousarray(weights, np.float32)

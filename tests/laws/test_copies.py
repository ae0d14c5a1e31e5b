# SPDX-License-Identifier: Apache-2.0
"""Law 4, copies and limits: a new row 2^-14 (6e-5) beside a row that is there once, twice or eleven times has the places,
distances and flags that the row itself has, to within what the step explains."""

import warnings

import dunlin
import numpy as np
import pytest
from hypothesis import strategies as st

from generate import GRAIN, cases
from law import examples, obeying

SKIPPED = ("predicted", "labels", "cost", "proba")  # labels jump at borders, costs where a distance of 0 ends (UMAP's rho)


@obeying("copies", lambda entry: entry.alone == "Q")
@examples(3)
def test_copies(entry, data):
    case = data.draw(cases(entry.takes, max(entry.least, 24), 48, (2, 6), points=("normal", "clusters")), "case")
    for copies in (1, 2, 7, 11):
        check_beside(entry, case, copies)


def check_beside(entry, case, copies):
    X = case.X.copy()
    X[:copies] = X[0]
    beside = X[0] + GRAIN * (np.arange(X.shape[1]) == 0)
    case = case.but(X=X, Q=np.vstack([X[0], beside]))
    if "Y" in case:  # a map that keeps distances, with the copies at one place
        case = case.but(Y=X[:, :2].copy())
    result = entry.begin(case)
    found = entry.finish(result, case)
    for name, role in entry.gives.items():
        if role.of != "Q" or name in SKIPPED or name not in found:
            continue
        row, near = found[name].astype(float)
        what = f"{name}: {row} of a row, {near} of one {GRAIN:g} beside it ({copies} copies)"
        assert np.isfinite(row).all() and np.isfinite(near).all(), what
        if name == "embedding" and has_two_places(result):
            continue
        assert np.abs(row - near).max() <= LIMIT * extent(found, case, name) + spread(found, name, copies), what


# A tenth of the size of the map or of the answers: a step of a hundred-thousandth must not be seen, and a place is found to
# the tolerance of its minimum. It tells apart "beside" and "elsewhere".
LIMIT = 0.1


def has_two_places(result):
    """Whether the lowest two minima of a row, or of the one beside it, are as near as the step moves their losses: then which
    of them is the lower may change, and `gap` says so."""
    row, near = (float(cost) for cost in result.cost)
    return min(result.gap) <= 2 * abs(row - near)


def extent(found, case, name):
    """The size of the map, or of the answers."""
    if name in ("embedding", "placed"):
        return np.ptp(case.get("Y", found.get("embedding")), axis=0).max()
    return max(np.abs(found[name]).max(initial=0), 1.0)


def spread(found, name, copies):
    """How far the copies themselves are apart in a map that the call has made: a place beside them lies among them."""
    return np.ptp(found["embedding"][:copies], axis=0).max() if name == "placed" else 0.0


@pytest.mark.parametrize("call", [dunlin.kmeans, dunlin.mixture, dunlin.kmedoids], ids=lambda call: call.__name__)
def test_fewer_distinct_rows_than_clusters_are_said(call):
    X = np.repeat(np.array([[0.0, 0], [5, 5]]), 6, axis=0)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            call(X, 3)
        except dunlin.Error:
            return
    assert said, "2 distinct rows, 3 clusters, and nothing said"

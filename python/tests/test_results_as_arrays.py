# SPDX-License-Identifier: Apache-2.0
"""A map is used as its array: every expression gives what it gives of ``embedding``."""

import copy

import numpy as np
import pytest

import dunlin

EXPRESSIONS = [
    lambda r: r[:, 0],
    lambda r: r[3],
    lambda r: r[-1, 1],
    lambda r: r[2:5],
    lambda r: r[[0, 4, 2]],
    lambda r: r[np.arange(len(r)) % 2 == 0],
    lambda r: r[..., None],
    lambda r: r.T,
    lambda r: r.shape,
    lambda r: r.ndim,
    lambda r: r.size,
    lambda r: r.dtype,
    lambda r: len(r),
    lambda r: r + 1,
    lambda r: 1 + r,
    lambda r: r - r[0],
    lambda r: r - r,
    lambda r: -r,
    lambda r: abs(r),
    lambda r: 2 * r,
    lambda r: r / 3,
    lambda r: r**2,
    lambda r: r @ np.eye(2, dtype=np.float32),
    lambda r: r > 0,
    lambda r: r == r,
    lambda r: np.sqrt(np.abs(r)),
    lambda r: np.add.reduce(r),
    lambda r: np.maximum(r, 0),
    lambda r: np.mean(r, axis=0),
    lambda r: np.vstack([r, r]),
    lambda r: np.hstack([r, r]),
    lambda r: np.concatenate([r, np.zeros((1, 2), np.float32)]),
    lambda r: np.linalg.norm(r, axis=1),
    lambda r: np.ptp(np.asarray(r), axis=0),
    lambda r: r.tolist(),
    lambda r: r.astype(np.float64),
    lambda r: r.copy(),
    lambda r: r.mean(axis=0),
    lambda r: r.min(),
    lambda r: r.max(0),
    lambda r: [*r],
    lambda r: np.array([x + y for x, y in r]),
    lambda r: np.from_dlpack(r),
    lambda r: np.stack(r, axis=1),
]


@pytest.fixture(scope="module")
def map(blobs):
    return dunlin.umap(blobs[0], n_epochs=5)


@pytest.mark.parametrize("number", range(len(EXPRESSIONS)))
def test_an_expression_is_that_of_the_array(map, number):
    ours, wanted = EXPRESSIONS[number](map), EXPRESSIONS[number](map.embedding)
    assert type(ours) is type(wanted)
    if isinstance(wanted, np.ndarray):
        assert ours.dtype == wanted.dtype
    assert np.array_equal(ours, wanted) if not isinstance(wanted, np.dtype) else ours == wanted


def test_what_is_changed_is_the_map(map):
    own = copy.deepcopy(map)
    before = own.embedding
    own += 1
    assert type(own) is type(map) and own.embedding is before
    assert np.array_equal(own.embedding, map.embedding + 1)
    own[0] = 5
    assert own.embedding[0].tolist() == [5, 5]
    assert np.asarray(own) is own.embedding
    assert {own: 1}[own] == 1


def test_frames(map):
    pandas = pytest.importorskip("pandas")
    assert np.array_equal(pandas.DataFrame(map).to_numpy(), map.embedding)
    frame = map.to_frame()
    assert list(frame.columns) == ["x", "y"] and np.array_equal(frame.to_numpy(), map.embedding)
    table = pandas.DataFrame(np.random.default_rng(0).normal(size=(40, 4)), index=[f"row {i}" for i in range(40)])
    named = dunlin.mds(table, method="classical").to_frame()
    assert list(named.index) == list(table.index)
    assert list(map.to_frame(columns=["a", "b"]).columns) == ["a", "b"]
    polars = pytest.importorskip("polars")
    assert np.array_equal(polars.DataFrame(np.asarray(map)).to_numpy(), map.embedding)


def test_others_take_it(map, blobs):
    cluster = pytest.importorskip("sklearn.cluster")
    labels = cluster.KMeans(3, n_init=1, random_state=0).fit_predict(map)
    assert np.array_equal(labels, cluster.KMeans(3, n_init=1, random_state=0).fit_predict(map.embedding))
    spatial = pytest.importorskip("scipy.spatial")
    assert spatial.cKDTree(map).n == len(map)
    assert dunlin.kmeans(map, 3).labels.shape == (len(map),)
    assert dunlin.trustworthiness(blobs[0], map) == dunlin.trustworthiness(blobs[0], map.embedding)

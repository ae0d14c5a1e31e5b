# SPDX-License-Identifier: Apache-2.0
"""pacmap() and PaCMAP."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist

import dunlin

SHORT = (20, 20, 30)


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(3)
    return np.concatenate([rng.normal(size=(60, 8)) + 12 * k for k in range(3)]).astype(np.float32)


def test_the_class_and_the_function_give_the_same_bytes(blobs):
    by_class = dunlin.PaCMAP(n_neighbors=8, num_iters=SHORT, random_state=7, n_jobs=1).fit_transform(blobs)
    options = {"n_neighbors": 8, "mid_near": 4, "further": 16, "num_iters": SHORT}
    by_function = dunlin.pacmap(blobs, **options, seed=7, n_jobs=2).embedding
    assert by_class.dtype == np.float32
    np.testing.assert_array_equal(by_class, by_function)


def test_blobs_are_apart(blobs):
    result = dunlin.pacmap(blobs)
    labels = np.repeat([0, 1, 2], 60)
    nearest = np.argsort(cdist(result.embedding, result.embedding), axis=1)[:, 1:6]
    assert (labels[nearest] == labels[:, None]).all()
    assert result.loss > 0 and result.stopped == "budget" and result.n_iter == 450
    assert set(result.seconds) == {"start", "neighbors", "pairs", "optimize"}
    assert result.options["num_iters"] == "100,100,250"


def test_given_neighbors_are_those_of_the_search(blobs):
    knn = dunlin.neighbors(blobs, n_neighbors=60)
    given = dunlin.pacmap(blobs, knn=knn, num_iters=SHORT).embedding
    np.testing.assert_array_equal(given, dunlin.pacmap(blobs, num_iters=SHORT).embedding)
    with pytest.raises(TypeError):
        dunlin.pacmap(knn=knn)


def test_mistakes_are_named(blobs):
    with pytest.raises(dunlin.InputError, match="three numbers"):
        dunlin.pacmap(blobs, num_iters="450")
    with pytest.raises(dunlin.OptionError, match="n_neighbors"):
        dunlin.pacmap(blobs, n_neighbours=5)
    with pytest.raises(ValueError, match="mid-near"):
        dunlin.PaCMAP(metric="chebyshev").fit(blobs)


def test_sparse_rows_other_starts_and_dimensions(blobs):
    X = np.where(np.random.default_rng(2).random((150, 400)) < 0.05, 1.0, 0.0).astype(np.float32)
    assert dunlin.pacmap(csr_matrix(X), num_iters=SHORT).embedding.shape == (150, 2)
    assert dunlin.PaCMAP(3, init="spectral", num_iters=SHORT, random_state=1).fit_transform(blobs).shape == (180, 3)
    assert dunlin.pacmap(blobs, n_components=1, init="random", num_iters=SHORT).embedding.shape == (180, 1)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_points(n):
    X = np.random.default_rng(0).normal(size=(n, 4))
    assert np.isfinite(dunlin.pacmap(X, num_iters=SHORT).embedding).all()


def test_pacmap_s_own_names():
    X = np.random.default_rng(1).normal(size=(150, 8)).astype(np.float32)
    few = {"num_iters": (3, 3, 4), "random_state": 1}
    for distance, metric in (("angular", "cosine"), ("manhattan", "manhattan"), ("euclidean", "euclidean")):
        by_name = dunlin.PaCMAP(distance=distance, **few).fit_transform(X)
        assert by_name.tobytes() == dunlin.PaCMAP(metric=metric, **few).fit_transform(X).tobytes()
    one = dunlin.PaCMAP(num_iters=4, random_state=1).fit(X)
    assert one.embedding_.tobytes() == dunlin.PaCMAP(num_iters=(100, 100, 4), random_state=1).fit_transform(X).tobytes()
    wide = np.random.default_rng(0).normal(size=(150, 120)).astype(np.float32)
    reduced = dunlin.PaCMAP(apply_pca=True, **few).fit(wide)
    expected = dunlin.pacmap(wide, n_pcs=100, num_iters=(3, 3, 4), seed=1).embedding
    assert reduced.embedding_.tobytes() == expected.tobytes() != dunlin.PaCMAP(**few).fit_transform(wide).tobytes()
    assert reduced.transform(wide[:3] + 0.01).shape == (3, 2)
    narrow = dunlin.PaCMAP(apply_pca=True, **few).fit_transform(X)
    assert narrow.tobytes() == dunlin.PaCMAP(save_tree=True, knn_backend="annoy", **few).fit_transform(X).tobytes()
    for given in ({"pair_MN": np.zeros((4, 2))}, {"intermediate": True}):
        with pytest.raises(dunlin.UnsupportedError, match=next(iter(given))):
            dunlin.PaCMAP(**given).fit(X)
    with pytest.raises(ValueError, match="distance"):
        dunlin.PaCMAP(distance="hamming").fit(X)

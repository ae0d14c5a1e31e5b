# SPDX-License-Identifier: Apache-2.0
"""umap() and UMAP."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist

import dunlin


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(3)
    return np.concatenate([rng.normal(size=(60, 8)) + 12 * k for k in range(3)]).astype(np.float32)


def test_the_class_and_the_function_give_the_same_bytes(blobs):
    by_class = dunlin.UMAP(n_neighbors=10, n_epochs=80, init="pca", random_state=7, n_jobs=1).fit_transform(blobs)
    by_function = dunlin.umap(blobs, n_neighbors=10, n_epochs=80, seed=7, n_jobs=2).embedding
    assert by_class.dtype == np.float32
    np.testing.assert_array_equal(by_class, by_function)


def test_blobs_are_apart(blobs):
    result = dunlin.umap(blobs, n_neighbors=10)
    labels = np.repeat([0, 1, 2], 60)
    distances = cdist(result.embedding, result.embedding)
    nearest = np.argsort(distances, axis=1)[:, 1:6]
    assert (labels[nearest] == labels[:, None]).all()
    assert result.cross_entropy > 0 and result.stopped == "budget" and result.n_iter == 500
    assert result.options["a"] == pytest.approx(1.5769, abs=2e-3)
    assert set(result.seconds) == {"start", "neighbors", "memberships", "optimize"}


def test_given_neighbors_are_those_of_the_search(blobs):
    knn = dunlin.neighbors(blobs, n_neighbors=9)
    given = dunlin.umap(blobs, knn=knn, n_epochs=60).embedding
    np.testing.assert_array_equal(given, dunlin.umap(blobs, n_neighbors=10, n_epochs=60).embedding)
    fitted = dunlin.UMAP(n_epochs=60, init="pca", random_state=1).fit(blobs, knn_graph=(knn.indices, knn.distances))
    np.testing.assert_array_equal(fitted.embedding_, given)
    alone = dunlin.umap(knn=knn, init="random", n_epochs=20)
    assert alone.embedding.shape == (180, 2)


def test_precomputed_distances_and_other_metrics(blobs):
    init = np.random.default_rng(0).normal(size=(180, 2)).astype(np.float32)
    by_points = dunlin.UMAP(10, n_epochs=40, init=init, random_state=1).fit(blobs)
    by_distances = dunlin.UMAP(10, n_epochs=40, init=init, random_state=1, metric="precomputed").fit(cdist(blobs, blobs))
    assert by_distances.cross_entropy_ == pytest.approx(by_points.cross_entropy_, rel=0.02)
    with pytest.warns(dunlin.PerformanceWarning):
        dunlin.UMAP(5, n_epochs=10, metric="chebyshev", random_state=1).fit(blobs)
    with pytest.raises(ValueError, match="pca"):
        dunlin.UMAP(metric="precomputed", init="pca").fit(cdist(blobs, blobs))


def test_memberships_of_another_program(blobs):
    from sklearn.neighbors import kneighbors_graph

    graph = kneighbors_graph(blobs, 8)
    graph = graph.maximum(graph.T).tocsr()
    init = np.random.default_rng(1).normal(size=(180, 3)).astype(np.float32)
    result = dunlin.umap(memberships=graph, init=init, n_components=3, n_epochs=30)
    assert result.embedding.shape == (180, 3)
    spectral = dunlin.umap(memberships=graph, n_epochs=30).embedding
    assert spectral.shape == (180, 2) and np.isfinite(spectral).all()
    assert np.array_equal(spectral, dunlin.umap(memberships=graph, init="spectral", n_epochs=30).embedding)
    with pytest.raises(dunlin.InputError, match="init"):
        dunlin.umap(memberships=graph, init="pca")
    with pytest.raises(dunlin.InputError, match="one of them"):
        dunlin.umap(blobs, memberships=graph, init=init)


def test_sparse_rows(blobs):
    X = np.where(np.random.default_rng(2).random((150, 400)) < 0.05, 1.0, 0.0).astype(np.float32)
    assert dunlin.umap(csr_matrix(X), n_epochs=20).embedding.shape == (150, 2)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_points(n):
    X = np.random.default_rng(0).normal(size=(n, 4))
    assert np.isfinite(dunlin.umap(X, n_epochs=20).embedding).all()


def test_equal_points_stay_finite():
    assert np.isfinite(dunlin.umap(np.ones((300, 3)), n_epochs=50).embedding).all()


def test_mistakes_have_a_remedy(blobs):
    with pytest.raises(TypeError, match="n_neighbors"):
        dunlin.umap(blobs, n_neighbours=4)
    with pytest.raises(dunlin.InputError, match="both"):
        dunlin.umap(blobs, a=1.0)
    with pytest.raises(dunlin.InputError, match="spread"):
        dunlin.umap(blobs, min_dist=3.0)
    with pytest.raises(ValueError, match="init"):
        dunlin.UMAP(init="eigenvectors").fit(blobs)
    bad = blobs.copy()
    bad[5, 2] = np.nan
    with pytest.raises(ValueError):
        dunlin.umap(bad)
    with pytest.raises(dunlin.OptionError, match="needs X"):
        dunlin.umap()


def test_a_callback_ends_the_run(blobs):
    seen = []

    def callback(iteration, error, embedding):
        seen.append((iteration, embedding.shape))
        return len(seen) == 2

    result = dunlin.umap(blobs, callbacks=callback, callbacks_every_iters=20)
    assert result.stopped == "cancelled" and result.n_iter < 500
    assert [shape for _, shape in seen] == [(180, 2)] * 2


def test_labels_supervise(blobs):
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(300, 4)), rng.integers(0, 2, 300)

    def accuracy(embedding):
        nearest = np.argsort(cdist(embedding, embedding), axis=1)[:, 1:11]
        return ((y[nearest] == y[:, None]).mean(1) > 0.5).mean()

    plain = accuracy(dunlin.umap(X).embedding)
    by_function = dunlin.umap(X, labels=y, labels_weight=0.9, n_epochs=300, seed=2).embedding
    assert accuracy(by_function) > plain + 0.2
    by_class = dunlin.UMAP(target_weight=0.9, n_epochs=300, init="pca", random_state=2).fit(X, y).embedding_
    np.testing.assert_array_equal(by_class, by_function)
    names = np.where(y == 0, "a", "b")
    np.testing.assert_array_equal(dunlin.umap(X, labels=names, labels_weight=0.9, n_epochs=300, seed=2).embedding, by_function)
    ignored = dunlin.UMAP(target_weight=0, n_epochs=50, init="pca", random_state=2).fit(X, y).embedding_
    np.testing.assert_array_equal(ignored, dunlin.umap(X, n_epochs=50, seed=2).embedding)
    half = np.where(rng.random(300) < 0.5, -1, y)
    assert np.isfinite(dunlin.umap(X, labels=half, labels_weight=0.5, n_epochs=50).embedding).all()
    with pytest.raises(dunlin.InputError, match="no labels"):
        dunlin.umap(X, labels_weight=0.5)
    with pytest.raises(dunlin.InputError, match="labels"):
        dunlin.umap(X, labels=y)
    with pytest.raises(dunlin.InputError, match="shape"):
        dunlin.umap(X, labels=y[:5], labels_weight=0.5)


def test_presets_and_spectral_starts(blobs):
    spectral = dunlin.umap(blobs, preset="umap-learn", n_epochs=50)
    assert spectral.options["init"] == "spectral"
    np.testing.assert_array_equal(spectral.embedding, dunlin.UMAP(init="spectral", n_epochs=50, random_state=1).fit_transform(blobs))
    assert dunlin.umap(blobs, preset="largevis", n_epochs=5).options["repulsion_strength"] == 7
    knn = dunlin.neighbors(blobs, n_neighbors=14)
    assert dunlin.umap(knn=knn, init="spectral", n_epochs=20).embedding.shape == (180, 2)
    assert dunlin.tsne(blobs, init="spectral", max_iter=50).options["init"] == "spectral"

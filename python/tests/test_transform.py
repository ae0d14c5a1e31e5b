# SPDX-License-Identifier: Apache-2.0
"""transform() and TSNE.transform: places of new points in a map that stays."""

import pickle

import numpy as np
import pytest

import dunlin


@pytest.fixture(scope="module")
def clusters():
    generator = np.random.default_rng(3)
    centers = 6 * generator.normal(size=(5, 10))
    labels = generator.integers(0, 5, 700)
    return (centers[labels] + generator.normal(size=(700, 10))).astype(np.float32), labels


@pytest.fixture(scope="module")
def fitted(clusters):
    X, _ = clusters
    return dunlin.TSNE(random_state=1, max_iter=600).fit(X[:600])


def accuracy(map, labels, places, of_places):
    near = dunlin.neighbors(map, 10, queries=places).indices
    votes = np.array([np.bincount(labels[row], minlength=5).argmax() for row in near])
    return np.mean(votes == of_places)


def test_new_points_lie_in_their_clusters(clusters, fitted):
    X, labels = clusters
    before = fitted.embedding_.copy()
    places = fitted.transform(X[600:])
    assert places.shape == (100, 2) and places.dtype == np.float32
    np.testing.assert_array_equal(fitted.embedding_, before)
    assert accuracy(fitted.embedding_, labels[:600], places, labels[600:]) >= 0.99
    assert fitted.placed_.far <= 5 and fitted.placed_.preservation > 0.2


def test_row_by_row_is_the_batch(clusters, fitted):
    X, _ = clusters
    batch = fitted.transform(X[600:640])
    for row in (0, 17, 39):
        np.testing.assert_array_equal(fitted.transform(X[600 + row : 601 + row])[0], batch[row])
    np.testing.assert_array_equal(fitted.transform(X[600:640][::-1])[::-1], batch)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(X[600:640]), batch)


def test_the_function_is_the_estimator(clusters, fitted):
    X, _ = clusters
    options = fitted._fitted[1]
    found = dunlin.transform(
        X[600:], X[:600], fitted.embedding_, perplexity=options["perplexity"], n_neighbors=options["k"], seed=1
    )
    np.testing.assert_array_equal(found.embedding, fitted.transform(X[600:]))
    assert len(found.cost) == len(found.gap) == len(found.distance) == len(found.remoteness) == 100
    assert "PlacedResult" in repr(found)


def test_far_points_are_counted(clusters, fitted):
    X, _ = clusters
    fitted.transform(X[600:] + 40)
    assert fitted.placed_.far == 100 and (fitted.placed_.remoteness > 1).all()


def test_other_types_and_few_rows(clusters, fitted):
    X, _ = clusters
    wide = dunlin.TSNE(random_state=1, max_iter=300).fit(X[:600].astype(np.float64) + 1e6)
    assert np.isfinite(wide.transform(X[600:].astype(np.float64) + 1e6)).all()
    with pytest.raises(ValueError, match="0 sample"):
        fitted.transform(X[:0])
    assert dunlin.transform(X[:0], X[:600], fitted.embedding_).embedding.shape == (0, 2)


def test_mistakes(clusters, fitted):
    X, _ = clusters
    with pytest.raises(ValueError, match="features"):
        fitted.transform(X[600:, :4])
    with pytest.raises(dunlin.InputError, match="columns"):
        dunlin.transform(X[600:, :4], X[:600], fitted.embedding_)
    bad = X[600:].copy()
    bad[7, 2] = np.nan
    with pytest.raises(dunlin.InputError, match="row 7"):
        dunlin.transform(bad, X[:600], fitted.embedding_)
    with pytest.raises(dunlin.InputError, match="map has the shape"):
        dunlin.transform(X[600:], X[:600], fitted.embedding_[:30])
    with pytest.raises(TypeError, match="perplexit"):
        dunlin.transform(X[600:], X[:600], fitted.embedding_, perplexit=3)
    distances = np.linalg.norm(X[:60, None] - X[None, :60], axis=2)
    map = dunlin.TSNE(metric="precomputed", init="random", max_iter=250).fit(distances)
    with pytest.raises(dunlin.InputError, match="precomputed"):
        map.transform(distances[:3])


def test_opentsne_names(clusters):
    from dunlin import opentsne

    X, labels = clusters
    map = opentsne.TSNE(random_state=1, n_iter=300).fit(X[:600])
    before = np.array(map)
    places = map.transform(X[600:])
    np.testing.assert_array_equal(map, before)
    assert accuracy(np.asarray(map), labels[:600], np.asarray(places), labels[600:]) >= 0.99
    part = map.prepare_partial(X[600:], perplexity=20)
    moved = part.optimize(30)
    assert accuracy(np.asarray(map), labels[:600], np.asarray(moved), labels[600:]) >= 0.99
    part.optimize(30, inplace=True)
    np.testing.assert_array_equal(part, moved)
    P, near, distances = map.affinities.to_new(X[600:], return_distances=True)
    np.testing.assert_allclose(P.sum(1), 1, atol=1e-6)
    assert near.shape == distances.shape and P.shape == (100, 600)

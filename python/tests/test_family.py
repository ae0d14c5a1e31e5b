# SPDX-License-Identifier: Apache-2.0
"""Variants of t-SNE: affinities, weights, degrees of freedom, anchors."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import dunlin
from dunlin import opentsne


@pytest.fixture(scope="module")
def points():
    rng = np.random.default_rng(3)
    return (rng.normal(size=(240, 6)) + 4 * np.eye(6)[np.arange(240) % 3]).astype(np.float32)


@pytest.fixture(scope="module")
def knn(points):
    return dunlin.neighbors(points, 60)


def test_several_perplexities_are_the_mean(points, knn):
    both = dunlin.affinities(knn, [5, 20])
    mean = (dunlin.affinities(knn, 5) + dunlin.affinities(knn, 20)) / 2
    assert abs(both - mean).max() < 1e-8
    assert dunlin.tsne(points, perplexity=[5, 20], max_iter=20).options["perplexities"] == "5,20"
    assert dunlin.tsne(points, perplexity="5,n/100", max_iter=20).options["perplexities"] == "5"
    one = dunlin.tsne(points, perplexity=5, max_iter=20).embedding
    np.testing.assert_array_equal(dunlin.tsne(points, perplexity=[5], max_iter=20).embedding, one)


def test_mixture_equals_the_definition(knn):
    P = dunlin.affinities(knn, [5, 20], kind="mixture").toarray()
    rows = opentsne.affinity._directed(
        opentsne.affinity._intake.without_self(opentsne.affinity._intake.csr_of(knn)), [5, 20], True
    ).toarray()
    np.testing.assert_allclose(P, (rows + rows.T) / (2 * len(rows)), atol=1e-8)


def test_given_affinities_with_points(points, knn):
    P = dunlin.affinities(knn, 10)
    made = dunlin.tsne(points, perplexity=10, n_neighbors=60, max_iter=60)
    given = dunlin.tsne(points, affinities=P, max_iter=60)
    np.testing.assert_array_equal(made.embedding, given.embedding)
    assert not given.symmetrized
    assert dunlin.tsne(points, affinities=csr_matrix(np.triu(P.toarray())), max_iter=5).symmetrized
    with pytest.raises(dunlin.InputError, match="perplexity"):
        dunlin.tsne(points, affinities=P, perplexity=10)
    with pytest.raises(dunlin.InputError, match="row 3"):
        bad = P.copy().tolil()
        bad[3, 3] = 1
        dunlin.tsne(points, affinities=bad.tocsr())
    with pytest.raises(dunlin.InputError, match="affinities"):
        dunlin.transform(points[:3], points, given)


def test_weights_and_uniform(points):
    plain = dunlin.tsne(points, perplexity=10, max_iter=30).embedding
    equal = dunlin.tsne(points, perplexity=10, point_weights=np.full(240, 7.0), max_iter=30).embedding
    np.testing.assert_array_equal(plain, equal)
    other = dunlin.tsne(points, perplexity=10, point_weights=1 + np.arange(240) % 5, max_iter=30).embedding
    assert not np.array_equal(plain, other)
    for weights in (np.ones(3), np.zeros(240), np.full(240, np.nan)):
        with pytest.raises(dunlin.InputError, match="weight"):
            dunlin.tsne(points, point_weights=weights)
    uniform = dunlin.tsne(points, affinities="uniform", max_iter=30)
    assert uniform.options["n_neighbors"] == 15 and uniform.options["affinities"] == "uniform"
    with pytest.raises(dunlin.InputError):
        dunlin.tsne(points, affinities="triangular")


def test_anchors(points):
    places = np.random.default_rng(1).normal(scale=20, size=(240, 2)).astype(np.float32)
    places[:5] = np.nan
    near = dunlin.tsne(points, perplexity=10, anchor=places, anchor_strength=2.0)
    assert np.isfinite(near.embedding).all()
    free = dunlin.tsne(points, perplexity=10).embedding
    gap = lambda map: np.linalg.norm(map[5:] - places[5:], axis=1).mean()
    assert gap(near.embedding) < 0.5 * gap(free)
    assert dunlin.tsne(points, anchor="start", max_iter=20).options["anchor"] == "start"


def test_estimator(points):
    made = dunlin.TSNE(perplexity=[5, 20], affinities="mixture", freedom=0.7, max_iter=250, random_state=0).fit(points)
    assert made.perplexity_ == [5.0, 20.0] and np.isfinite(made.embedding_).all()
    with pytest.raises(dunlin.InputError, match="one perplexity"):
        made.transform(points[:3])
    heavy = dunlin.TSNE(perplexity=10, freedom=0.5, max_iter=400, random_state=0).fit(points)
    placed = heavy.transform(points[:20])
    width = np.ptp(heavy.embedding_, axis=0).max()
    assert np.median(np.linalg.norm(placed - heavy.embedding_[:20], axis=1)) < 0.05 * width


def test_opentsne_names(points):
    two = opentsne.affinity.Multiscale(points, [5, 20], method="exact")
    mixed = opentsne.affinity.MultiscaleMixture(points, [5, 20], method="exact")
    assert two.P.sum() == pytest.approx(1) and abs(two.P - mixed.P).max() > 1e-5
    new = two.to_new(points[:7])
    assert new.shape == (7, 240) and np.allclose(new.sum(1), 1)
    map = opentsne.TSNE(perplexity=[5, 20], dof=0.6, n_iter=100, random_state=1).fit(points)
    part = map.prepare_partial(points[:9])
    assert np.isfinite(part.optimize(20)).all()
    loose = opentsne.affinity.PerplexityBasedNN(points, 10, method="exact", symmetrize=False)
    assert abs(loose.P - loose.P.T).max() > 1e-5

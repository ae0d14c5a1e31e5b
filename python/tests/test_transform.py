# SPDX-License-Identifier: Apache-2.0
"""transform() and the estimators' transform: places of new points in a map that stays; maps that go on from others."""

import pickle

import numpy as np
import pytest
from scipy import sparse

import dunlin
from dunlin import _core
from dunlin._run import Run


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


@pytest.mark.parametrize("function", [dunlin.tsne, dunlin.umap, dunlin.pacmap])
def test_best_is_the_place_by_joint_or_own_that_keeps_more(clusters, function):
    X, _ = clusters
    map = function(X[:600])
    joint, own, best = (dunlin.transform(X[600:], X[:600], map, affinity=name) for name in ("joint", "own", "best"))
    near = dunlin.neighbors(X[:600], 15, queries=X[600:]).indices

    def kept(placed):
        in_map = dunlin.neighbors(map.embedding, 15, queries=placed.embedding).indices
        return np.array([len(np.intersect1d(a, b)) for a, b in zip(near, in_map)])

    assert joint.by_own is None and own.by_own is None and best.by_own.dtype == bool
    np.testing.assert_array_equal(best.by_own, kept(own) > kept(joint))
    assert best.by_own.any() and not best.by_own.all()
    np.testing.assert_array_equal(best.embedding, np.where(best.by_own[:, None], own.embedding, joint.embedding))
    np.testing.assert_array_equal(best.cost, np.where(best.by_own, own.cost, joint.cost))
    assert best.preservation == pytest.approx(np.maximum(kept(own), kept(joint)).mean() / 15)
    one = dunlin.transform(X[633:634], X[:600], map, affinity="best")
    np.testing.assert_array_equal(one.embedding[0], best.embedding[33])
    with pytest.raises(dunlin.InputError, match="'worst'"):
        dunlin.transform(X[600:], X[:600], map, affinity="worst")


@pytest.mark.parametrize("estimator", [dunlin.TSNE, dunlin.UMAP, dunlin.PaCMAP])
def test_estimators_take_an_affinity(clusters, estimator):
    X, _ = clusters
    fitted = estimator(random_state=1).fit(X[:600])
    joint, own, best = (fitted.transform(X[600:], affinity=name) for name in ("joint", "own", "best"))
    by_own = fitted.placed_.by_own
    assert by_own.any() and not by_own.all()
    np.testing.assert_array_equal(best, np.where(by_own[:, None], own, joint))
    np.testing.assert_array_equal(fitted.transform(X[600:]), joint)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(X[600:], affinity="own"), own)
    with pytest.raises(dunlin.InputError, match="'worst'"):
        fitted.transform(X[600:], affinity="worst")


def test_best_without_a_choice(clusters, fitted):
    X, _ = clusters
    none = dunlin.transform(X[:0], X[:600], fitted.embedding_, affinity="best")
    assert none.by_own.shape == (0,) and none.by_own.dtype == bool
    # Given affinities leave nothing to choose from
    map = np.ascontiguousarray(fitted.embedding_, np.float32)
    edges = (np.array([0, 2]), np.array([3, 4], np.int32), np.array([0.5, 0.5], np.float32))
    run = Run({"seed": 1}).core()
    for affinity in ("joint", "own"):
        values, raised = _core.place_affinities(map, edges, None, {"affinity": affinity}, run, None)
        assert raised is None and values["by_own"] is None and len(values["cost"]) == 1
    with pytest.raises(dunlin.InputError, match="affinity is best"):
        _core.place_affinities(map, edges, None, {"affinity": "best"}, run, None)


@pytest.mark.parametrize("after", [0, 1.5, 2.2])
def test_best_that_is_stopped_has_no_choice(clusters, fitted, after):
    X, _ = clusters
    queries = np.tile(X, (4, 1)) + np.random.default_rng(1).normal(size=(2800, 10)).astype(np.float32) / 10
    map = np.ascontiguousarray(fitted.embedding_, np.float32)
    run = Run({"seed": 1}).core()
    placer = _core.placer(X[:600], map, None, None, {"affinity": "best"}, run, None)[0]

    def stop(stage, done, *_):
        return stage == "place" and done >= after * 2800

    values, raised = placer.place(queries, run, stop)
    assert raised is None and values["stopped"] == "cancelled"
    assert len(values["embedding"]) == 0 and values["by_own"] is None and len(values["cost"]) == 2800


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


ESTIMATORS = {
    "umap": lambda **more: dunlin.UMAP(init="pca", n_epochs=500, random_state=1, **more),
    "pacmap": lambda **more: dunlin.PaCMAP(random_state=1, **more),
}


@pytest.mark.parametrize("method", ESTIMATORS)
def test_maps_of_umap_and_pacmap(clusters, method):
    X, labels = clusters
    fitted = ESTIMATORS[method]().fit(X[:600])
    before = fitted.embedding_.copy()
    places = fitted.transform(X[600:])
    assert places.shape == (100, 2) and places.dtype == np.float32
    np.testing.assert_array_equal(fitted.embedding_, before)
    assert accuracy(fitted.embedding_, labels[:600], places, labels[600:]) >= 0.99
    for row in (0, 17, 99):
        np.testing.assert_array_equal(fitted.transform(X[600 + row : 601 + row])[0], places[row])
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(X[600:]), places)
    # A result knows its method and options; an array does not
    function = getattr(dunlin, method)
    map = function(X[:600], seed=1)
    by_function = dunlin.transform(X[600:], X[:600], map, seed=1)
    np.testing.assert_array_equal(by_function.embedding, places)
    assert by_function.options["map_method"] == method
    by_array = dunlin.transform(X[600:], X[:600], map.embedding, map_method=method, seed=1)
    np.testing.assert_array_equal(by_array.embedding, places)
    fitted.transform(X[600:] + 40)
    assert fitted.placed_.far == 100


@pytest.mark.filterwarnings("ignore::dunlin.PerformanceWarning")
@pytest.mark.parametrize("estimator", [dunlin.TSNE, dunlin.UMAP, dunlin.PaCMAP])
def test_sparse_points(estimator):
    rows = sparse.random(300, 400, 0.05, format="csr", random_state=1, dtype=np.float32)
    fitted = estimator(random_state=1).fit(rows[:280])
    places = fitted.transform(rows[280:])
    assert places.shape == (20, 2) and np.isfinite(places).all()
    np.testing.assert_array_equal(fitted.transform(rows[285:286])[0], places[5])
    np.testing.assert_array_equal(fitted.transform(rows[280:].toarray()), places)


def test_options_of_other_methods_are_refused(clusters):
    X, _ = clusters
    map = dunlin.umap(X[:100], n_neighbors=8, n_components=3, n_epochs=50)
    placed = dunlin.transform(X[100:110], X[:100], map)
    assert placed.embedding.shape == (10, 3) and placed.options["n_neighbors"] == 8
    with pytest.raises(dunlin.InputError, match="map_method tsne"):
        dunlin.transform(X[100:110], X[:100], map, perplexity=5)
    with pytest.raises(dunlin.InputError, match="map_method"):
        dunlin.transform(X[100:110], X[:100], map.embedding, min_dist=0.3)
    with pytest.raises(dunlin.InputError, match="'isomap'"):
        dunlin.transform(X[100:110], X[:100], map.embedding, map_method="isomap")
    distances = np.linalg.norm(X[:60, None] - X[None, :60], axis=2)
    by_distances = dunlin.TSNE(metric="precomputed", init="random", max_iter=250, perplexity=5).fit(distances)
    with pytest.raises(dunlin.InputError, match="precomputed"):
        by_distances.transform(distances[:3])


@pytest.mark.parametrize("function", [dunlin.tsne, dunlin.umap, dunlin.pacmap])
def test_maps_go_on_from_maps(clusters, function):
    X, labels = clusters
    old = function(X[:600])
    held = function(X, fixed=old)
    np.testing.assert_array_equal(held.embedding[:600], old.embedding)
    assert held.n_iter == 250 and "place" in held.seconds
    assert accuracy(old.embedding, labels[:600], held.embedding[600:], labels[600:]) >= 0.98
    some = np.full((700, 2), np.nan)
    some[100:] = held.embedding[100:]
    other = function(X, fixed=some)
    np.testing.assert_array_equal(other.embedding[100:], held.embedding[100:])
    grown = function(X, grow=old.embedding)
    assert grown.n_iter < function(X).n_iter
    assert np.corrcoef(distances_of(grown.embedding[:600]), distances_of(old.embedding))[0, 1] > 0.95
    count = {"tsne": {"max_iter": 7}, "umap": {"n_epochs": 7}, "pacmap": {"num_iters": (0, 0, 7)}}[function.__name__]
    assert function(X, grow=old, **count).n_iter == 7
    with pytest.raises(dunlin.OptionError, match="one of them"):
        function(X, grow=old, fixed=old)
    with pytest.raises(dunlin.InputError, match="init is given beside grow"):
        function(X, grow=old, init="random")
    with pytest.raises(dunlin.InputError, match="600 rows and X has 500"):
        function(X[:500], grow=old)
    with pytest.raises(dunlin.InputError, match="shape"):
        function(X, grow=old, n_components=3)
    with pytest.raises(dunlin.InputError, match="no row"):
        function(X, fixed=np.full((700, 2), np.nan))


def distances_of(map):
    rows = np.arange(0, 600, 3)
    return np.linalg.norm(map[rows[:, None]] - map[rows], axis=2).ravel()

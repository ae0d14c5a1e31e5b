# SPDX-License-Identifier: Apache-2.0
"""UMAP as umap-learn's class: its parameters, attributes, metrics, new points and targets."""

import inspect
import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist

pytest.importorskip("sklearn")

import dunlin  # noqa: E402
from dunlin import _umap_graph, _umap_metrics  # noqa: E402

FEW = {"n_epochs": 30, "random_state": 1}


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(3)
    return np.concatenate([rng.normal(size=(60, 8)) + 12 * k for k in range(3)]).astype(np.float32)


def test_the_parameters_are_umap_learn_s_in_its_order():
    umap = pytest.importorskip("umap")
    theirs = list(inspect.signature(umap.UMAP.__init__).parameters.values())[1:]
    ours = list(inspect.signature(dunlin.UMAP).parameters.values())
    assert [each.name for each in ours[: len(theirs)]] == [each.name for each in theirs]
    assert [each.default for each in ours[: len(theirs)]] == [each.default for each in theirs]
    assert all(each.kind is each.KEYWORD_ONLY for each in ours[len(theirs) :])


def test_the_graph_is_umap_learn_s(blobs):
    umap = pytest.importorskip("umap")
    theirs = umap.UMAP(n_neighbors=10, n_epochs=0).fit(blobs)
    ours = dunlin.UMAP(n_neighbors=10, **FEW).fit(blobs)
    assert np.sqrt(np.mean((theirs.graph_ - ours.graph_).toarray() ** 2)) < 1e-5
    np.testing.assert_allclose(ours._rhos, theirs._rhos, rtol=1e-4)
    np.testing.assert_allclose(ours._sigmas, theirs._sigmas, rtol=1e-3)
    assert (ours._a, ours._b) == pytest.approx((theirs._a, theirs._b), rel=1e-3)
    y = np.repeat([0.0, 1.0, 3.0], 60) + np.random.default_rng(0).random(180)
    for metric, weight in (("l2", 0.5), ("l1", 0.8), ("euclidean", 0.2)):
        given = {"target_metric": metric, "target_weight": weight, "n_neighbors": 10}
        theirs = umap.UMAP(**given, n_epochs=0).fit(blobs, y)
        ours = dunlin.UMAP(**given, **FEW).fit(blobs, y)
        assert np.sqrt(np.mean((theirs.graph_ - ours.graph_).toarray() ** 2)) < 1e-4


def test_lists_and_graph_are_made_when_they_are_read(blobs):
    fitted = dunlin.UMAP(n_neighbors=10, **FEW).fit(blobs)
    assert "_graph" not in vars(fitted)
    graph = fitted.graph_
    assert graph.shape == (180, 180) and abs(graph - graph.T).max() == 0 and graph.max() <= 1
    near = dunlin.neighbors(blobs, 9, include_self=True)
    np.testing.assert_array_equal(fitted._knn_indices, near.indices)
    np.testing.assert_array_equal(fitted._knn_dists, near.distances)
    assert abs(dunlin.memberships(near) - graph).max() == 0
    np.testing.assert_array_equal(fitted._raw_data, blobs)
    again = pickle.loads(pickle.dumps(fitted))
    assert abs(again.graph_ - graph).max() == 0
    with pytest.raises(AttributeError):
        dunlin.UMAP().graph_  # noqa: B018


def test_a_graph_in_place_of_a_map(blobs):
    estimator = dunlin.UMAP(n_neighbors=10, transform_mode="graph", random_state=1)
    graph = estimator.fit_transform(blobs)
    plain = dunlin.UMAP(n_neighbors=10, **FEW).fit(blobs)
    assert abs(graph - plain.graph_).max() == 0 and not hasattr(estimator, "embedding_")
    new = estimator.transform(blobs[:7] + 0.01)
    assert new.shape == (7, 180) and (new.getnnz(axis=1) == 10).all() and 0 < new.data.min() <= new.data.max() <= 1
    assert estimator.transform(blobs) is estimator.graph_


def test_the_fitted_points_have_their_places(blobs):
    fitted = dunlin.UMAP(**FEW).fit(blobs)
    np.testing.assert_array_equal(fitted.transform(blobs), fitted.embedding_)
    np.testing.assert_array_equal(fitted.transform(blobs.astype(np.float64)), fitted.embedding_)
    batch = fitted.transform(blobs[:20])
    np.testing.assert_array_equal(batch[3:4], fitted.transform(blobs[3:4]))


def test_iterations(blobs):
    assert dunlin.UMAP(random_state=0).fit(blobs).n_iter_ == 500
    listed = dunlin.UMAP(n_epochs=[10, 50, 30], random_state=0).fit(blobs)
    assert listed.n_iter_ == 50 and len(listed.embedding_list_) == 3
    np.testing.assert_array_equal(listed.embedding_list_[-1], listed.embedding_)
    np.testing.assert_array_equal(listed.embedding_, dunlin.UMAP(n_epochs=50, random_state=0).fit_transform(blobs))
    assert not np.array_equal(listed.embedding_list_[0], listed.embedding_list_[1])


def test_arrays_as_starts_are_scaled_to_a_box(blobs):
    start = np.random.default_rng(0).normal(size=(180, 2)) * [1, 1000] + 5
    stays = dunlin.UMAP(init=start, n_epochs=0, random_state=0).fit_transform(blobs)
    np.testing.assert_allclose(stays.min(0), 0, atol=1e-5)
    np.testing.assert_allclose(stays.max(0), 10, rtol=1e-5)
    start[1] = start[0]
    stays = dunlin.UMAP(init=start, n_epochs=0, random_state=0).fit_transform(blobs)
    assert 0 < np.abs(stays[0] - stays[1]).max() < 0.1


def test_equal_rows_are_embedded_once(blobs):
    X = np.concatenate([blobs, blobs[:30]])
    for rows in (X, csr_matrix(X)):
        fitted = dunlin.UMAP(n_neighbors=10, unique=True, **FEW).fit(rows)
        np.testing.assert_array_equal(fitted.embedding_[180:], fitted.embedding_[:30])
        np.testing.assert_array_equal(fitted._unique_inverse_, np.r_[:180, :30])
        assert fitted.graph_.shape == (180, 180)
        np.testing.assert_array_equal(fitted.transform(rows), fitted.embedding_)
        assert fitted.transform(rows[:3]).shape == (3, 2)
    with pytest.raises(ValueError, match="unique"):
        dunlin.UMAP(metric="precomputed", unique=True).fit(cdist(blobs, blobs))


def test_a_distance_disconnects(blobs):
    X = np.concatenate([blobs, [[500] * 8, [-500] * 8]]).astype(np.float32)
    with pytest.warns(UserWarning, match="A few of your vertices .* 2 of 182"):
        fitted = dunlin.UMAP(n_neighbors=10, disconnection_distance=100, **FEW).fit(X)
    assert np.isnan(fitted.embedding_[180:]).all() and np.isfinite(fitted.embedding_[:180]).all()
    assert fitted.graph_[180:].nnz == 0
    assert np.isfinite(fitted.transform(X[:5] + 0.1)).all()
    with pytest.warns(UserWarning):
        given = dunlin.UMAP(n_neighbors=10, disconnection_distance=100, metric="precomputed", **FEW).fit(cdist(X, X))
    places = given.transform(cdist(np.concatenate([X[:5] + 0.1, X[180:181]]), X))
    assert np.isfinite(places[:5]).all() and np.isnan(places[5]).all()
    assert np.isfinite(dunlin.UMAP(n_neighbors=10, **FEW).fit(X).embedding_).all()


def test_given_distances(blobs):
    distances = cdist(blobs, blobs)
    dense = dunlin.UMAP(10, metric="precomputed", **FEW).fit(distances)
    sparse = dunlin.UMAP(10, metric="precomputed", **FEW).fit(csr_matrix(distances))
    np.testing.assert_array_equal(dense.embedding_, sparse.embedding_)
    # Three unconnected parts on a line, the second in the middle
    first, second, third = dense.embedding_.reshape(3, 60, 2).mean(axis=1)
    steps = np.linalg.norm(first - second), np.linalg.norm(second - third)
    assert np.linalg.norm(first - third) > max(steps)
    plain = dunlin.UMAP(10, **FEW).fit(blobs)
    assert abs(dense.graph_ - plain.graph_).max() < 1e-4
    new = cdist(blobs[[3, 70, 150]] + 0.05, blobs)
    places = dense.transform(new)
    assert (np.linalg.norm(places - dense.embedding_[[3, 70, 150]], axis=1) < 2).all()
    np.testing.assert_array_equal(dense.transform(csr_matrix(new)), places)
    np.testing.assert_array_equal(dense.transform(new[1:2])[0], places[1])
    with pytest.raises(ValueError, match="stores 3"):
        dunlin.UMAP(10, metric="precomputed").fit(csr_matrix(np.where(distances < np.sort(distances)[:, 3:4] * 1.0001, distances, 0)))


def test_given_neighbors(blobs):
    near = dunlin.neighbors(blobs, 19, include_self=True)
    plain = dunlin.UMAP(10, **FEW).fit(blobs)
    for knn in ((near.indices, near.distances), (near.indices, near.distances, None)):
        given = dunlin.UMAP(10, precomputed_knn=knn, **FEW).fit(blobs)
        np.testing.assert_array_equal(given.embedding_, plain.embedding_)
        np.testing.assert_array_equal(given.transform(blobs[:4] + 0.1), plain.transform(blobs[:4] + 0.1))
    with pytest.warns(UserWarning, match="ignored"):
        ignored = dunlin.UMAP(30, precomputed_knn=(near.indices, near.distances), **FEW).fit(blobs)
    np.testing.assert_array_equal(ignored.embedding_, dunlin.UMAP(30, **FEW).fit_transform(blobs))


BINARY = {"jaccard": "jaccard", "dice": "dice", "matching": "hamming", "rogerstanimoto": "rogerstanimoto"}
NUMBERS = ("chebyshev", "canberra", "hamming", "sqeuclidean")


@pytest.mark.parametrize("name", [*BINARY, *NUMBERS])
def test_metrics_by_pairs_are_scipy_s(name):
    rng = np.random.default_rng(1)
    X = rng.random((50, 12)) < 0.4 if name in BINARY else rng.integers(0, 4, (50, 12)).astype(float)
    expected = cdist(X, X, BINARY.get(name, name))
    for rows in (X, csr_matrix(X.astype(np.float32))):
        offsets, targets, weights = _umap_graph.nearest_of_pairs(_umap_metrics.between(name, None), rows, 7)
        assert (np.diff(offsets) == 7).all()
        np.fill_diagonal(expected, np.inf)
        order = np.argsort(expected.astype(np.float32), axis=1, kind="stable")[:, :7]
        np.testing.assert_allclose(weights.reshape(50, 7), np.take_along_axis(expected, order, 1), rtol=1e-5, atol=1e-6)
        if name != "canberra":  # whose sums have another order of rounding
            np.testing.assert_array_equal(targets.reshape(50, 7), order)


def test_more_metrics():
    X, Y = np.array([[1.0, 0, 0], [0, 0, 0], [0, 4, 5]]), np.array([[2.0, 0, 0], [0, 0, 0], [1, 1, 0]])
    hellinger = _umap_metrics.between("hellinger", None)(X, Y)
    assert hellinger[0, 0] == 0 and hellinger[1, 1] == 0 and hellinger[0, 1] == 1 and hellinger[2, 0] == 1
    assert hellinger[0, 2] == pytest.approx(np.sqrt(1 - np.sqrt(0.5)))
    russell = _umap_metrics.between("russellrao", None)(X, Y)
    assert russell[1, 1] == 0 and russell[2, 2] == pytest.approx(2 / 3) and russell[0, 1] == 1
    assert _umap_metrics.between("sokalsneath", None)(X, Y)[2, 2] == pytest.approx(2 / 2.5)
    packed = np.packbits(np.array([[1, 1, 0, 0, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0, 0, 1]], np.uint8), axis=1)
    assert _umap_metrics.between("bit_jaccard", None)(packed, packed)[0, 1] == pytest.approx(1 / 3)
    assert _umap_metrics.between("bit_hamming", None)(packed, packed)[0, 1] == 1
    with pytest.raises(ValueError, match="2, latitude"):
        dunlin.UMAP(metric="haversine").fit(X)
    with pytest.raises(ValueError, match="below 0"):
        dunlin.UMAP(metric="hellinger").fit(-X)
    with pytest.raises(ValueError, match="'foobar'"):
        dunlin.UMAP(metric="foobar").fit(X)


@pytest.mark.filterwarnings("ignore::dunlin.PerformanceWarning")
def test_new_points_by_other_metrics(blobs):
    for metric, params in (("chebyshev", None), ("minkowski", {"p": 3}), (lambda x, y: np.abs(x - y).sum(), None)):
        fitted = dunlin.UMAP(10, metric=metric, metric_kwds=params, **FEW).fit(blobs)
        places = fitted.transform(blobs[[3, 70, 150]] + 0.05)
        assert (np.linalg.norm(places - fitted.embedding_[[3, 70, 150]], axis=1) < 3).all()
    words = np.random.default_rng(0).random((80, 40)) < 0.2
    fitted = dunlin.UMAP(8, metric="jaccard", **FEW).fit(words)
    assert np.isfinite(fitted.transform(words[:5])).all()
    with pytest.raises(ValueError):
        fitted.transform(words[:5, :30])


def test_targets(blobs):
    y = np.repeat([0.0, 1.0, 5.0], 60)
    for metric in ("l2", "ordinal"):
        fitted = dunlin.UMAP(10, target_metric=metric, **FEW).fit(blobs, y)
        graph = fitted.graph_
        assert abs(graph - graph.T).max() < 1e-6 and graph.max() == pytest.approx(1)
        assert np.isfinite(fitted.embedding_).all() and fitted._supervised
    assert dunlin.UMAP(10, **FEW).fit(blobs, np.array(["a", "b", "c"])[y.astype(int) % 3])._supervised
    with pytest.warns(UserWarning, match="more than half"):
        dunlin.UMAP(10, **FEW).fit(blobs, np.random.default_rng(0).random(180))
    with pytest.raises(dunlin.UnsupportedError, match="target_metric"):
        dunlin.UMAP(target_metric="count").fit(blobs, y)
    for wrong in (y[:-1], []):
        for metric in ("categorical", "l2"):
            with pytest.raises(ValueError):
                dunlin.UMAP(target_metric=metric).fit(blobs, wrong)


def test_more_points(blobs):
    old, new = blobs[::2], blobs[1::2]
    fitted = dunlin.UMAP(10, random_state=1).fit(old)
    before = fitted.embedding_.copy()
    fitted.update(new)
    assert fitted.embedding_.shape == (180, 2) and fitted.graph_.shape == (180, 180)
    np.testing.assert_array_equal(fitted.embedding_[:90], before)
    moved = dunlin.UMAP(10, n_epochs=40, random_state=1).fit(old)
    moved.update(new)
    assert moved.embedding_.shape == (180, 2) and not np.array_equal(moved.embedding_[:90], before)
    assert moved.transform(blobs[:3] + 0.1).shape == (3, 2)
    with pytest.raises(ValueError, match="precomputed"):
        dunlin.UMAP(10, metric="precomputed", **FEW).fit(cdist(old, old)).update(new)
    with pytest.raises(ValueError, match="without y"):
        dunlin.UMAP(10, **FEW).fit(old, np.arange(90) % 2).update(new)


def test_one_row_and_few():
    one = dunlin.UMAP().fit([[1, 2, 3]])
    np.testing.assert_array_equal(one.embedding_, [[0, 0]])
    with pytest.raises(ValueError, match="one row"):
        one.transform([[1, 2, 4]])
    for n in (2, 3, 5):
        with pytest.warns(UserWarning, match=f"there are {n} rows"):
            fitted = dunlin.UMAP(**FEW).fit(np.random.default_rng(0).normal(size=(n, 4)))
        assert np.isfinite(fitted.embedding_).all() and fitted.embedding_.shape == (n, 2)


@pytest.mark.parametrize(
    "options",
    [
        {"n_components": 65},
        {"output_metric": "haversine"},
        {"metric": "ll_dirichlet"},
        {"metric": "yule"},
    ],
)
def test_what_the_library_lacks(options, blobs):
    with pytest.raises(dunlin.UnsupportedError, match=next(iter(options))) as caught:
        dunlin.UMAP(**options).fit(blobs)
    assert isinstance(caught.value, (ValueError, NotImplementedError))


@pytest.mark.parametrize(
    "options",
    [{"n_jobs": 0}, {"n_jobs": -2}, {"target_n_neighbors": 1}, {"n_components": 1.5}, {"dens_frac": 2.0}, {"n_epochs": -2}],
)
def test_what_is_wrong(options, blobs):
    with pytest.raises(ValueError, match=next(iter(options))):
        dunlin.UMAP(**options).fit(blobs)
    assert dunlin.UMAP(n_components=2.0, n_jobs=-1, **FEW).fit(blobs).embedding_.shape == (180, 2)


def test_not_finite(blobs):
    np.testing.assert_array_equal(
        dunlin.UMAP(**FEW).fit(blobs, None, False).embedding_, dunlin.UMAP(**FEW).fit_transform(blobs)
    )
    bad = blobs.copy()
    bad[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        dunlin.UMAP().fit(bad)
    with pytest.raises(dunlin.UnsupportedError, match="NaN"):
        dunlin.UMAP().fit(bad, ensure_all_finite=False)


def test_densmap(blobs):
    few = {"n_epochs": 60, "random_state": 0}
    made = dunlin.UMAP(10, densmap=True, output_dens=True, **few)
    places, in_data, in_map = made.fit_transform(blobs)
    np.testing.assert_array_equal(places, made.embedding_)
    np.testing.assert_array_equal(in_data, made.rad_orig_)
    assert in_map.shape == in_data.shape == (180,) and np.isfinite(in_data).all() and np.isfinite(in_map).all()
    plain = dunlin.UMAP(10, output_dens=True, **few).fit(blobs)
    np.testing.assert_array_equal(plain.rad_orig_, in_data)
    assert not np.array_equal(plain.embedding_, places) and not hasattr(dunlin.UMAP(10, **few).fit(blobs), "rad_orig_")
    graph = plain.graph_.tocoo()
    far = np.linalg.norm(blobs[graph.row] - blobs[graph.col], axis=1)
    by_hand = np.bincount(graph.row, graph.data * far**2) / np.bincount(graph.row, graph.data)
    np.testing.assert_allclose(in_data, np.log(by_hand), atol=1e-4)
    np.testing.assert_array_equal(made.transform(blobs), places)
    with pytest.raises(NotImplementedError, match="densmap"):
        made.transform(blobs[:3] + 1)
    with pytest.raises(NotImplementedError, match="densmap"):
        made.update(blobs[:3] + 1)
    result = dunlin.umap(blobs, densmap=True, dens_lambda=1.0, dens_frac=0.5, dens_var_shift=0.2, n_epochs=20)
    assert result.options["densmap"] and result.options["dens_frac"] == pytest.approx(0.5)
    with pytest.raises(dunlin.InputError, match="dens_lambda"):
        dunlin.umap(blobs, dens_lambda=1.0)


def test_inverse_transform(blobs):
    made = dunlin.UMAP(10, random_state=0, n_epochs=60).fit(blobs)
    rows = made.inverse_transform(made.embedding_)
    assert rows.shape == blobs.shape
    spread = np.sqrt(((blobs - blobs.mean(0)) ** 2).mean())
    assert np.sqrt(((rows - blobs) ** 2).mean()) < spread
    np.testing.assert_array_equal(made.inverse_transform(made.embedding_[7:8]), rows[7:8])
    map = dunlin.umap(blobs, n_neighbors=10, n_epochs=60)
    found = dunlin.inverse(map.embedding[:4], blobs, map)
    assert found.rows.shape == (4, blobs.shape[1]) and (found.distance == 0).all() and found.options["n_neighbors"] == 10
    assert dunlin.inverse(np.zeros((0, 2)), blobs, map).rows.shape == (0, blobs.shape[1])
    with pytest.raises(ValueError, match="NaN"):
        made.inverse_transform([[np.nan, 0]])
    with pytest.raises(dunlin.InputError, match="euclidean"):
        dunlin.inverse(map.embedding, blobs, dunlin.umap(blobs, metric="cosine", n_epochs=5))
    with pytest.raises(ValueError, match="dense"):
        dunlin.UMAP(10, n_epochs=5).fit(csr_matrix(blobs)).inverse_transform([[0, 0]])

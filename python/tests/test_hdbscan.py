# SPDX-License-Identifier: Apache-2.0
"""dunlin.hdbscan against hdbscan itself, and what is its own: the order of rows, ties, few and odd rows."""

import pickle

import numpy as np
import pytest
from scipy.sparse import issparse

import dunlin

pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.metrics import adjusted_rand_score  # noqa: E402

from dunlin import hdbscan as ours  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture(scope="module")
def points():
    """Seven groups of several densities in four dimensions, and their new neighbors."""
    rng = np.random.default_rng(3)
    centers = rng.uniform(-10, 10, (7, 4))
    X = np.concatenate([center + rng.normal(0, width, (100, 4)) for center, width in zip(centers, (0.5, 1, 1, 1.5, 2, 2, 3))])
    return X, X[::7] + rng.normal(0, 0.3, X[::7].shape)


@pytest.fixture(scope="module")
def theirs():
    return pytest.importorskip("hdbscan")


WAYS = [
    {},
    {"min_cluster_size": 15},
    {"min_cluster_size": 10, "min_samples": 3, "metric": "manhattan"},
    {"min_cluster_size": 10, "cluster_selection_method": "leaf"},
    {"min_cluster_size": 10, "cluster_selection_persistence": 0.05},
    {"min_cluster_size": 10, "cluster_selection_epsilon_max": 1.5},
    {"min_cluster_size": 10, "max_cluster_size": 150},
    {"allow_single_cluster": True, "cluster_selection_epsilon": 0.8},
    {"metric": "chebyshev"},
    {"match_reference_implementation": True, "min_cluster_size": 10},
]


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_clusters_are_hdbscan_s(points, theirs, way):
    X, _ = points
    expected = theirs.HDBSCAN(approx_min_span_tree=False, gen_min_span_tree=True, **way).fit(X)
    found = ours.HDBSCAN(gen_min_span_tree=True, **way).fit(X)
    assert isinstance(found, theirs.HDBSCAN)
    # The spanning trees agree; of points at equal distances hdbscan takes one after the other
    for name in ("minimum_spanning_tree_", "single_linkage_tree_"):
        a, b = (getattr(model, name).to_numpy()[:, 2] for model in (found, expected))
        np.testing.assert_allclose(np.sort(a), np.sort(b), rtol=1e-5)
    assert found.labels_.max() == expected.labels_.max()
    assert adjusted_rand_score(found.labels_, expected.labels_) > 0.98
    np.testing.assert_allclose(np.sort(found.cluster_persistence_), np.sort(expected.cluster_persistence_), atol=0.02)
    edges = found.minimum_spanning_tree_.to_numpy()[:, 2]
    gap = len(edges) // 2 + np.diff(edges)[len(edges) // 2 :][:50].argmax()
    cut = (edges[gap] + edges[gap + 1]) / 2  # at no edge
    assert adjusted_rand_score(found.dbscan_clustering(cut, 3), expected.dbscan_clustering(cut, 3)) > 0.999


def test_memberships_are_hdbscan_s(points, theirs):
    X, new = points
    model = ours.HDBSCAN(min_cluster_size=15, prediction_data=True).fit(X)
    # hdbscan's own functions on the same model: the formulas agree
    found = ours.all_points_membership_vectors(model)
    np.testing.assert_allclose(found, theirs.all_points_membership_vectors(model), atol=1e-6)
    assert found.shape == (len(X), model.labels_.max() + 1)
    assert (found.argmax(1) == model.labels_)[model.labels_ >= 0].mean() > 0.95
    vectors, expected = ours.membership_vector(model, new), theirs.membership_vector(model, new)
    assert np.median(abs(vectors - expected)) < 0.01  # its core distances count a fitted row for itself
    assert (vectors.sum(1) <= 1 + 1e-9).all()
    top = ours.all_points_membership_vectors(model, top=2)
    assert issparse(top) and (np.diff(top.indptr) == 2).all()
    np.testing.assert_allclose(top.max(axis=1).toarray()[:, 0], found.max(1))
    labels, strengths, neighbors = ours.approximate_predict(model, X, return_connecting_points=True)
    assert np.array_equal(labels, model.labels_) and np.allclose(strengths, model.probabilities_)
    assert np.array_equal(neighbors, np.arange(len(X)))
    np.testing.assert_allclose(ours.approximate_predict_scores(model, X), model.outlier_scores_, atol=1e-6)
    labels, _ = ours.approximate_predict(model, new)
    assert adjusted_rand_score(labels, theirs.approximate_predict(model, new)[0]) > 0.9
    one = np.concatenate([ours.membership_vector(model, row[None]) for row in new])
    np.testing.assert_allclose(one, vectors, atol=1e-12)
    # Models of hdbscan are hdbscan's
    other = theirs.HDBSCAN(prediction_data=True).fit(X)
    assert np.array_equal(ours.approximate_predict(other, new)[0], theirs.approximate_predict(other, new)[0])


def test_trees_are_of_hdbscan_s_form(points, theirs):
    X, _ = points
    X = np.round(X)  # many ties, so that splits have more than two parts
    model = ours.HDBSCAN(min_cluster_size=4, min_samples=1).fit(X)
    rows, n = model.condensed_tree_.to_numpy(), len(X)
    assert rows.dtype == theirs.HDBSCAN().fit(X).condensed_tree_.to_numpy().dtype and rows["parent"][0] == n
    clusters = rows[rows["child_size"] > 1]
    assert set(np.bincount(clusters["parent"] - n)) <= {0, 2}
    assert (clusters["parent"] < clusters["child"]).all() and len(set(rows["child"])) == len(rows)
    assert sorted(rows["child"][rows["child"] < n]) == list(range(n))
    sizes = {n: n} | dict(zip(clusters["child"].tolist(), clusters["child_size"].tolist()))
    for node, size in sizes.items():
        assert rows["child_size"][rows["parent"] == node].sum() == size
    chosen = model.condensed_tree_._select_clusters()
    assert len(chosen) == model.labels_.max() + 1 and sorted(chosen) == chosen
    if pytest.importorskip("pandas"):
        assert len(model.condensed_tree_.to_pandas()) == len(rows) and len(model.single_linkage_tree_.to_pandas()) == n - 1
    networkx = pytest.importorskip("networkx")
    assert networkx.is_arborescence(model.condensed_tree_.to_networkx())
    assert model.condensed_tree_.get_plot_data()["cluster_bounds"]


def test_the_order_of_rows_and_threads_change_nothing(points):
    X = np.round(points[0])
    model = ours.HDBSCAN(min_cluster_size=5, prediction_data=True).fit(X)
    order = np.random.default_rng(0).permutation(len(X))
    other = ours.HDBSCAN(min_cluster_size=5, prediction_data=True, n_jobs=1).fit(X[order])
    assert adjusted_rand_score(model.labels_[order], other.labels_) == 1
    np.testing.assert_allclose(model.probabilities_[order], other.probabilities_)
    again = pickle.loads(pickle.dumps(model))
    vectors = ours.all_points_membership_vectors(model)
    assert ours.all_points_membership_vectors(again).tobytes() == vectors.tobytes()
    assert clone(model).get_params() == model.get_params()


def test_rows_with_nan_are_noise(points, theirs):
    X = points[0].copy()
    X[3, 0], X[50, 2] = np.nan, np.inf
    model = ours.HDBSCAN(min_cluster_size=15, prediction_data=True).fit(X)
    rest = np.delete(np.arange(len(X)), [3, 50])
    without = ours.HDBSCAN(min_cluster_size=15).fit(X[rest])
    assert np.array_equal(model.labels_[rest], without.labels_) and (model.labels_[[3, 50]] == -1).all()
    assert (model.probabilities_[[3, 50]] == 0).all()
    rows = model.condensed_tree_.to_numpy()
    assert set(rows["lambda_val"][np.isin(rows["child"], [3, 50])]) == {0.0}
    vectors = ours.all_points_membership_vectors(model)
    assert (vectors[[3, 50]] == 0).all() and np.isfinite(vectors).all()
    linkage = model.single_linkage_tree_.to_numpy()
    assert linkage.shape == (len(X) - 1, 4) and np.isinf(linkage[-2:, 2]).all() and linkage[-1, 3] == len(X)
    labels, strengths = ours.approximate_predict(model, np.full((1, 4), np.nan))
    assert labels.tolist() == [-1] and strengths.tolist() == [0]
    with pytest.raises(dunlin.InputError, match="no row of finite numbers"):
        ours.HDBSCAN().fit(np.full((4, 2), np.nan))


def test_few_and_equal_rows():
    with pytest.raises(ValueError, match="0 sample"):
        ours.HDBSCAN().fit(np.zeros((0, 2)))
    for n in (1, 2, 4):
        model = ours.HDBSCAN(prediction_data=True).fit(np.arange(2.0 * n).reshape(n, 2))
        assert model.labels_.tolist() == [-1] * n and len(model.condensed_tree_.to_numpy()) == n
        assert ours.all_points_membership_vectors(model).tolist() == [0] * n
    equal = ours.HDBSCAN(allow_single_cluster=True, prediction_data=True).fit(np.ones((20, 2)))
    assert set(equal.labels_) == {0} and set(equal.probabilities_) == {1.0}
    sites = np.repeat([[0.0, 0], [9, 0], [0, 9]], 10, axis=0)
    three = ours.HDBSCAN(prediction_data=True).fit(sites)
    assert three.labels_.tolist() == np.repeat([0, 1, 2], 10).tolist()
    vectors = ours.all_points_membership_vectors(three)
    assert np.isfinite(vectors).all() and (vectors.argmax(1) == three.labels_).all()
    assert np.isfinite(ours.membership_vector(three, np.array([[1.0, 1], [0, 0]]))).all()


def test_distances_in_place_of_points(points):
    from scipy.spatial.distance import cdist

    X, new = points
    of_points = ours.HDBSCAN(min_cluster_size=15).fit(X)
    of_pairs = ours.HDBSCAN(min_cluster_size=15, metric="precomputed").fit(cdist(X, X))
    assert adjusted_rand_score(of_points.labels_, of_pairs.labels_) > 0.999
    by_function = ours.HDBSCAN(min_cluster_size=15, metric=lambda x, y: abs(x - y).max()).fit(X[:200])
    assert adjusted_rand_score(by_function.labels_, ours.HDBSCAN(min_cluster_size=15, metric="chebyshev").fit(X[:200]).labels_) == 1
    with pytest.warns(UserWarning, match="there are no predictions by metric 'precomputed'"):
        of_pairs.generate_prediction_data()
    with pytest.raises(dunlin.InputError, match="there are no data for predictions"):
        ours.approximate_predict(of_pairs, new)
    with pytest.raises(dunlin.InputError, match="has NaN, which is no distance"):
        ours.HDBSCAN(metric="precomputed").fit(np.full((5, 5), np.nan))
    far = cdist(X, X)
    far[:100, 100:] = far[100:, :100] = 0
    from scipy.sparse import csr_matrix

    with pytest.raises(dunlin.InputError, match="connect 2 parts"):
        ours.HDBSCAN(metric="precomputed").fit(csr_matrix(far))
    found = ours.HDBSCAN(metric="precomputed", max_dist=1000.0).fit(csr_matrix(far))
    assert found.single_linkage_tree_.to_numpy()[-1, 2] == 1000


@pytest.mark.parametrize(
    "wrong, error",
    [
        ({"min_cluster_size": 1}, ValueError),
        ({"min_samples": 0}, ValueError),
        ({"alpha": 0}, ValueError),
        ({"cluster_selection_method": "best"}, ValueError),
        ({"algorithm": "brute"}, TypeError),
        ({"metric": "minkowski"}, TypeError),
        ({"metric": "precomputed", "algorithm": "prims_kdtree"}, ValueError),
    ],
    ids=str,
)
def test_wrong_parameters(points, wrong, error):
    with pytest.raises(error, match=next(iter(wrong)) if len(wrong) == 1 else "metric"):
        ours.HDBSCAN(**wrong).fit(points[0])


def test_layers_for_toponymy(points):
    from dunlin import toponymy

    class Layer:
        def __init__(self, labels, centers, layer_id, show_progress_bar, **more):
            self.labels, self.centers, self.layer_id, self.more = labels, centers, layer_id, more

    X, _ = points
    vectors = np.column_stack([X, X])
    clusterer = toponymy.Clusterer(min_clusters=2, base_min_cluster_size=5)
    layers, tree = clusterer.fit_predict(X, vectors, Layer, words=3)
    assert len(layers) >= 2 and layers[0].more == {"words": 3} and [layer.layer_id for layer in layers] == list(range(len(layers)))
    for layer in layers:
        for cluster in range(layer.labels.max() + 1):
            np.testing.assert_allclose(layer.centers[cluster], vectors[layer.labels == cluster].mean(0))
    # Every cluster has one parent, in a layer above
    children = [child for group in tree.values() for child in group]
    assert sorted(children) == [(i, c) for i, layer in enumerate(layers) for c in range(layer.labels.max() + 1)]
    assert (len(layers), 0) in tree and all(above > layer for (above, _), group in tree.items() for layer, _ in group)
    for (above, cluster), group in tree.items():
        for layer, child in group if above < len(layers) else ():
            assert (layers[above].labels[layers[layer].labels == child] == cluster).any()
    # The sizes of a layer are those of a fresh search
    direct = dunlin.clusters(X, min_samples=6, min_cluster_size=5, cluster_selection_method="leaf").labels
    assert np.array_equal(np.where(direct < 0, -1, direct), layers[0].labels)
    about = toponymy.Clusterer(base_n_clusters=7, min_clusters=2).fit(X, X, Layer)
    assert 5 <= about.cluster_layers_[0].labels.max() + 1 <= 9
    assert toponymy.Clusterer().fit_predict(X[:3], X[:3], Layer) == ([], {})
    with pytest.raises(dunlin.OptionError, match="base_n_clusters"):
        toponymy.Clusterer(base_min_cluster_size=None)

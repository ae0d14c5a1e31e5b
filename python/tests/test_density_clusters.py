# SPDX-License-Identifier: Apache-2.0
"""clusters() and HDBSCAN."""

import json
import pickle

import numpy as np
import pytest

import dunlin

sklearn_cluster = pytest.importorskip("sklearn.cluster")
from sklearn.datasets import make_blobs  # noqa: E402
from sklearn.metrics import adjusted_rand_score, pairwise_distances  # noqa: E402


def blobs(n=600, d=2, seed=0):
    return make_blobs(n, d, centers=6, cluster_std=[0.3, 0.5, 0.7, 0.4, 0.6, 1], random_state=seed)[0]


@pytest.mark.parametrize("method", ["eom", "leaf"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
@pytest.mark.parametrize("d", [2, 8])
def test_as_scikit_learn(method, metric, d):
    # Lists of core distances make ties, in which scikit-learn's answer depends on the order of rows: hence no equality
    for seed in range(3):
        X = blobs(d=d, seed=seed)
        options = {"min_cluster_size": 15, "cluster_selection_method": method, "metric": metric, "copy": True}
        ours = dunlin.HDBSCAN(**options).fit(X)
        theirs = sklearn_cluster.HDBSCAN(**options).fit(X)
        levels = ours._single_linkage_tree_["value"]
        np.testing.assert_allclose(levels, np.sort(theirs._single_linkage_tree_["value"]), rtol=1e-5)
        assert adjusted_rand_score(ours.labels_, theirs.labels_) > 0.95


def test_order_of_rows_does_not_matter():
    X = np.round(blobs(), 1)
    labels = dunlin.HDBSCAN(copy=False).fit_predict(X)
    order = np.random.default_rng(1).permutation(len(X))
    assert adjusted_rand_score(labels[order], dunlin.HDBSCAN(copy=False).fit_predict(X[order])) == 1


def test_sources_agree():
    X = blobs()
    D = pairwise_distances(X)
    of_points = dunlin.clusters(X, min_cluster_size=15)
    of_distances = dunlin.clusters(dissimilarities=D, min_cluster_size=15)
    of_graph = dunlin.clusters(graph=dunlin.neighbors(X, 599), min_cluster_size=15)
    assert adjusted_rand_score(of_points.labels, of_distances.labels) > 0.99
    assert adjusted_rand_score(of_points.labels, of_graph.labels) > 0.99
    assert of_points.exact and not of_graph.exact
    with pytest.raises(dunlin.OptionError):
        dunlin.clusters(X, dissimilarities=D)
    with pytest.raises(dunlin.OptionError):
        dunlin.clusters()
    with pytest.raises(dunlin.InputError, match="min_samples is 700"):
        dunlin.clusters(X, min_samples=700)


def test_tree():
    found = dunlin.clusters(blobs(), min_cluster_size=15)
    tree = found.tree
    assert np.array_equal(tree.labels(0), found.labels)
    assert all(tree.size[g] == tree.contains(g, slice(None)).sum() for g in range(len(tree)))
    assert tree.label_layers("none")[0][0] in {*map(str, range(found.n_clusters)), "none"}
    assert found.cut(np.inf).max() == 0
    assert found.cut(0.0, 2).max() == -1


def test_trees_are_written(tmp_path):
    tree = dunlin.clusters(blobs(), min_cluster_size=15).tree
    tree.save(tmp_path / "tree.json", ids=range(len(tree.home)))
    told = json.loads((tmp_path / "tree.json").read_text())
    assert told["home"] == tree.home.tolist() and told["layers"][0] == tree.layers[0].tolist()
    assert told["groups"]["size"] == tree.size.tolist() and told["groups"]["birth"][0] is None
    assert told["ids"][3] == "3"
    tree.save(tmp_path / "tree.nwk")
    assert (tmp_path / "tree.nwk").read_text().count(":") == len(tree) - 1
    with pytest.raises(ValueError, match=r"\.nwk"):
        tree.save(tmp_path / "tree.png")


def test_stability():
    rng = np.random.default_rng(0)
    apart = rng.normal(size=(400, 2)) + np.repeat([[0, 0], [30, 0]], 200, axis=0)
    found = dunlin.clusters(apart, min_cluster_size=20)
    stable = found.stability(seed=3)
    assert found.n_clusters == 2 and (stable > 0.8).all() and (stable <= 1).all()
    assert np.array_equal(stable, found.stability(seed=3, n_jobs=1))
    noise = dunlin.clusters(rng.random((400, 2)), min_cluster_size=6)
    assert noise.n_clusters > 3 and np.median(noise.stability()) < 0.6
    with pytest.raises(ValueError, match="of distances"):
        dunlin.clusters(dissimilarities=pairwise_distances(apart[:50])).stability()


def test_predictions():
    X = blobs()
    model = pickle.loads(pickle.dumps(dunlin.HDBSCAN(min_cluster_size=15, copy=False, prediction_data=True).fit(X)))
    assert np.array_equal(model.predict(X), model.labels_)
    assert model.predict([[1e6, 1e6], [np.nan, 0]]).tolist() == [-1, -3]
    found = dunlin.clusters(X, min_cluster_size=15)
    labels, strengths = found.predict(X)
    assert np.array_equal(labels, found.labels) and np.array_equal(strengths, found.strengths)
    with pytest.raises(ValueError, match="prediction_data"):
        dunlin.HDBSCAN(copy=False).fit(X).predict(X)


def test_rows_that_are_not_finite():
    X = blobs()
    X[3, 0], X[5, 1], X[7] = np.nan, np.inf, (np.inf, -np.inf)
    model = dunlin.HDBSCAN(copy=False, store_centers="both").fit(X)
    assert model.labels_[[3, 5, 7]].tolist() == [-3, -2, -3]
    assert len(model.centroids_) == len(model.medoids_) == model.labels_.max() + 1
    found = dunlin.clusters(X, min_cluster_size=5)
    assert np.array_equal(found.labels, model.labels_)
    assert np.isnan(found.strengths[3]) and found.strengths[5] == 0


@pytest.mark.parametrize("algorithm", ["best", "prims_kdtree", "boruvka_balltree"])
def test_hdbscan_takes_the_library_s_spanning_trees(algorithm):
    hdbscan, X = pytest.importorskip("hdbscan"), blobs()
    options = {"min_cluster_size": 15, "algorithm": algorithm, "approx_min_span_tree": False}
    theirs = hdbscan.HDBSCAN(**options).fit(X)
    with dunlin.patch("hdbscan", strict=True):
        ours = hdbscan.HDBSCAN(**options, prediction_data=True).fit(X)
    # Where levels are equal, hdbscan's own algorithms differ from each other as much
    assert adjusted_rand_score(theirs.labels_, ours.labels_) > 0.98
    assert np.allclose(theirs.single_linkage_tree_.to_numpy()[:, 2], ours.single_linkage_tree_.to_numpy()[:, 2], rtol=1e-5)
    labels, _ = hdbscan.approximate_predict(ours, X)
    assert np.array_equal(labels, ours.labels_)
    assert hdbscan.all_points_membership_vectors(ours).shape == (len(X), ours.labels_.max() + 1)


def test_what_the_library_lacks_is_left_to_hdbscan():
    hdbscan = pytest.importorskip("hdbscan")
    with dunlin.patch("hdbscan"):
        model = hdbscan.HDBSCAN(min_cluster_size=15, gen_min_span_tree=True).fit(blobs())
        assert len(model.minimum_spanning_tree_.to_numpy()) == len(blobs()) - 1
        hdbscan.HDBSCAN(min_cluster_size=15, metric="chebyshev").fit(blobs())
    reasons = {each["reason"] for each in dunlin.accel.report() if each["name"] == "hdbscan.HDBSCAN.fit"}
    assert {"gen_min_span_tree is set", "metric is 'chebyshev'"} <= reasons


def test_layers_are_from_coarse_to_fine():
    X = np.random.default_rng(3).normal(size=(900, 2)) + 12 * np.array([[i // 3, i % 3] for i in range(9)]).repeat(100, axis=0)
    found = dunlin.clusters(X, min_cluster_size=10, cluster_selection_method="leaf", layers=2)
    counts = [len(set(layer[layer >= 0])) for layer in found.layers]
    assert counts == sorted(counts) and counts[0] >= 2 and counts[-1] == found.n_clusters
    np.testing.assert_array_equal(found.layers[-1], np.maximum(found.labels, -1))
    names = found.tree.label_layers("none")
    assert len(names) == len(found.layers)
    for layer, words in zip(reversed(found.layers), names):
        assert [str(number) if number >= 0 else "none" for number in layer] == words.tolist()
    named = dunlin.group_names(found, labels=[f"kind {i // 100}" for i in range(900)])
    assert found.tree.label_layers()[0][0] in named.names


def test_few_layers_are_said():
    X = np.repeat([[0.0, 0], [9, 0]], 20, axis=0) + np.random.default_rng(0).normal(size=(40, 2))
    with pytest.warns(dunlin.InputWarning, match="layers is 4, and the tree of 2 clusters has 1"):
        assert len(dunlin.clusters(X, layers=4).layers) == 1


def test_clusters_of_a_map_are_compared_with_the_data():
    rng = np.random.default_rng(1)
    data = rng.normal(size=(600, 8)) + 12 * np.eye(8)[np.arange(600) // 200]
    # A map that tears each set in two
    torn = rng.normal(size=(600, 2)) + 40 * np.array([[i, j] for i in range(3) for j in range(2)]).repeat(100, axis=0)
    found = dunlin.clusters(torn, min_cluster_size=30, of=data)
    assert found.n_clusters == 6 and found.map_only.all()
    assert (found.conductances >= 0.62 * found.grown_conductances).all()
    whole = dunlin.clusters(data, min_cluster_size=30)
    assert whole.map_only is None
    again = whole.separations(data, of_neighbors=10)
    assert not again["map_only"].any() and (again["conductances"] < 0.05).all()
    near = dunlin.neighbors(data, n_neighbors=22)
    np.testing.assert_array_equal(found.separations(near)["conductances"], dunlin.clusters(torn, min_cluster_size=30, of=data).conductances)
    np.testing.assert_array_equal(found.separations(data, n_jobs=1)["grown_conductances"], found.separations(data, n_jobs=2)["grown_conductances"])


def test_data_of_other_rows_is_refused():
    X = np.repeat([[0.0, 0], [9, 0]], 20, axis=0) + np.random.default_rng(0).normal(size=(40, 2))
    with pytest.raises(dunlin.InputError, match="39"):
        dunlin.clusters(X, of=X[:39])
    with pytest.raises(dunlin.OptionError, match="of_neighbors is read with of"):
        dunlin.clusters(X, of_neighbors=5)
    with pytest.raises(dunlin.InputError):
        dunlin.clusters(X, of=np.full((40, 3), np.nan))


def test_a_pair_of_a_sparse_graph_counts_for_both_points():
    sparse = pytest.importorskip("scipy.sparse")
    X = np.random.default_rng(2).normal(size=(60, 2)) + np.repeat([[0, 0], [9, 9]], 30, axis=0)
    distances = np.sqrt(((X[:, None] - X) ** 2).sum(2)).astype(np.float32)
    whole = dunlin.clusters(graph=sparse.csr_matrix(distances), min_cluster_size=5)
    half = dunlin.clusters(graph=sparse.csr_matrix(np.triu(distances)), min_cluster_size=5)
    np.testing.assert_array_equal(half.core_distances, whole.core_distances)
    np.testing.assert_array_equal(half.labels, whole.labels)

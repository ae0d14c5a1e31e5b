# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's interface; python/tests/upstream runs scikit-learn's own tests."""

import pickle

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402

import dunlin  # noqa: E402

ESTIMATORS = [
    dunlin.TSNE(max_iter=250, random_state=0),
    dunlin.UMAP(n_epochs=50, random_state=0),
    dunlin.PaCMAP(num_iters=(20, 20, 30), random_state=0),
    dunlin.MDS(init="random", random_state=0),
    dunlin.ClassicalMDS(),
    dunlin.KMeans(3, random_state=0),
    dunlin.GaussianMixture(3, random_state=0),
    dunlin.KNeighborsTransformer(),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_conventions(estimator, blobs):
    X = blobs[0]
    fitted = clone(estimator).fit(X)
    assert fitted.n_features_in_ == 8
    assert clone(fitted).get_params() == estimator.get_params()
    again = pickle.loads(pickle.dumps(fitted))
    for name, value in vars(fitted).items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(value, getattr(again, name))
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=[f"c{i}" for i in range(8)])
    assert list(clone(estimator).fit(frame).feature_names_in_) == list(frame.columns)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_check_estimator(estimator):
    from sklearn.utils.estimator_checks import check_estimator

    # scikit-learn expects these two of its own KMeans to fail
    expected = {
        name: "rows of weight 2 and rows given twice draw different starts"
        for name in ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")
    }
    # transform(X) of the fitted points is near fit_transform(X), but not equal: it places each by the others
    placed = {"check_transformer_general": "places of fitted points", "check_transformer_data_not_an_array": "the same"}
    known = expected if isinstance(estimator, dunlin.KMeans) else placed if hasattr(estimator, "_keep_points") else {}
    if isinstance(estimator, dunlin.UMAP):  # as in umap-learn the fitted X itself has the places of its map, a part of it has not
        known = {name: "places of parts" for name in ("check_methods_subset_invariance", "check_methods_sample_order_invariance")}
    checks = check_estimator(type(estimator)(), on_fail=None, expected_failed_checks=known)
    failed = [check["check_name"] for check in checks if check["status"] == "failed"]
    assert not failed and len(checks) >= 40


def test_kmeans_is_kmeans(blobs):
    from sklearn.cluster import KMeans

    X = blobs[0].astype(np.float64) + 1e6
    init = X[[0, 100, 200]]
    ours, theirs = dunlin.KMeans(3, init=init).fit(X), KMeans(3, init=init).fit(X)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, atol=1e-4)
    np.testing.assert_array_equal(ours.predict(X), ours.labels_)
    assert ours.score(X) == pytest.approx(-ours.inertia_)
    assert isinstance(ours, KMeans) and ours.cluster_centers_.dtype == np.float64


def test_mixture_is_like_scikit_learn_s(blobs):
    from sklearn.mixture import GaussianMixture

    X = blobs[0].astype(np.float64)
    for kind in ("full", "diag", "spherical", "tied"):
        ours = dunlin.GaussianMixture(3, covariance_type=kind, random_state=0).fit(X)
        theirs = GaussianMixture(3, covariance_type=kind, random_state=0).fit(X)
        assert ours.score(X) == pytest.approx(theirs.score(X), rel=0.01)
        assert ours.bic(X) == pytest.approx(theirs.bic(X), rel=0.01)
        assert ours.covariances_.shape == theirs.covariances_.shape
        assert ours.precisions_.shape == theirs.precisions_.shape
        np.testing.assert_allclose(ours.predict_proba(X).sum(axis=1), 1, atol=1e-6)


def test_tsne_of_given_distances(blobs):
    from sklearn.metrics import pairwise_distances
    from sklearn.neighbors import KNeighborsTransformer

    X = blobs[0]
    reference = dunlin.TSNE(random_state=0, init="random").fit(X)
    dense = dunlin.TSNE(random_state=0, init="random", metric="precomputed").fit(pairwise_distances(X))
    graph = KNeighborsTransformer(n_neighbors=91).fit_transform(X)
    sparse = dunlin.TSNE(random_state=0, init="random", metric="precomputed").fit(graph)
    for other in (dense, sparse):
        assert other.kl_divergence_ == pytest.approx(reference.kl_divergence_, rel=0.1)


def test_the_map_is_kept_when_a_run_is_interrupted(blobs):
    def interrupt(iteration, error, embedding):
        raise KeyboardInterrupt

    tsne = dunlin.TSNE(callbacks=interrupt)
    with pytest.raises(KeyboardInterrupt):
        tsne.fit(blobs[0])
    assert tsne.embedding_.shape == (300, 2) and tsne.stopped_ == "cancelled"


def test_neighbors_in_a_pipeline(blobs):
    from sklearn.manifold import Isomap

    X = blobs[0]
    ours = make_pipeline(dunlin.KNeighborsTransformer(n_neighbors=120), Isomap(n_neighbors=120, metric="precomputed"))
    theirs = Isomap(n_neighbors=120)
    np.testing.assert_allclose(np.abs(ours.fit_transform(X)), np.abs(theirs.fit_transform(X)), rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("mode", ["distance", "connectivity"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_neighbors_of_new_rows(mode, metric, blobs):
    from sklearn.neighbors import KNeighborsTransformer

    X = blobs[0]
    ours = dunlin.KNeighborsTransformer(n_neighbors=7, mode=mode, metric=metric).fit(X[:200])
    theirs = KNeighborsTransformer(n_neighbors=7, mode=mode, metric=metric).fit(X[:200])
    for rows in (X[200:], X[:50], X[200:201]):
        found, expected = ours.transform(rows), theirs.transform(rows)
        assert found.shape == expected.shape and found.nnz == expected.nnz
        np.testing.assert_allclose(found.toarray(), expected.toarray(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_centers_of_float32_far_from_zero_are_of_the_rows(seed):
    """At 2^23 float32 has whole numbers only, and a mean between them would be rounded."""
    generator = np.random.default_rng(seed)
    X = (generator.integers(0, 16, (60, 3)) + 2.0**23).astype(np.float32)
    model = dunlin.KMeans(4, random_state=seed).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    squares = ((X[:, None].astype(float) - model.cluster_centers_[None]) ** 2).sum(2)
    assert squares.min(1).sum() == pytest.approx(model.inertia_, rel=1e-9)
    mixture = dunlin.GaussianMixture(2, random_state=seed).fit(X)
    near = dunlin.GaussianMixture(2, random_state=seed).fit(X.astype(float) - 2.0**23)
    np.testing.assert_allclose(mixture.means_ - 2.0**23, near.means_, atol=1e-6)
    assert mixture.score(X) == pytest.approx(mixture.lower_bound_, abs=1e-5)


def test_a_graph_of_three_perplexities_feeds_tsne():
    X = np.random.default_rng(0).normal(size=(150, 5)) + 6 * np.eye(5)[np.arange(150) % 3]
    few = {"random_state": 0, "init": "random", "max_iter": 250, "perplexity": 10}
    of_points = dunlin.trustworthiness(X, dunlin.TSNE(**few).fit_transform(X))
    for k in (30, 31, 40):
        by_graph = make_pipeline(dunlin.KNeighborsTransformer(n_neighbors=k), dunlin.TSNE(metric="precomputed", **few))
        map = by_graph.fit_transform(X)
        assert map.shape == (150, 2) and dunlin.trustworthiness(X, map) > of_points - 0.05
    with pytest.raises(ValueError, match="neighbors per samples are required"):
        make_pipeline(dunlin.KNeighborsTransformer(n_neighbors=29), dunlin.TSNE(metric="precomputed", **few)).fit(X)

# SPDX-License-Identifier: Apache-2.0
"""normalize= of functions that take points, and the warning of a column whose scale decides the distances."""

import warnings

import numpy as np
import pytest

import dunlin

SCALE = np.array([1.0, 400.0, 0.01, 3.0, 1.0])


@pytest.fixture(scope="module")
def table():
    """(points of three clusters, each column in its own unit and far from zero, classes)."""
    rng = np.random.default_rng(5)
    classes = np.arange(180) % 3
    centers = rng.normal(size=(3, 5)) * 6
    return (centers[classes] + rng.normal(size=(180, 5))) * SCALE + 1e4 * SCALE, classes


def standardized(X):
    return (X - X.mean(0)) / X.std(0, ddof=1)


@pytest.mark.parametrize("of", [dunlin.tsne, dunlin.umap, dunlin.pacmap])
def test_maps_are_of_the_scaled_columns(of, table):
    X, classes = table
    found = of(X, normalize="standardize")
    assert found.options["normalize"] == "standardize"
    alone = of(X[:, [0]] + np.zeros((1, 5)), normalize="none")
    assert alone.options["normalize"] == "none"
    assert dunlin.score(found, labels=classes)["label_accuracy"] > 0.95
    scores = dunlin.score(found, X)
    assert scores == dunlin.score(found.embedding, X, normalize="standardize")
    assert scores["trustworthiness"] == pytest.approx(dunlin.score(found, standardized(X), normalize="none")["trustworthiness"], abs=1e-3)


def test_neighbors_and_queries(table):
    X, _ = table
    Z = standardized(X)
    distances = np.linalg.norm(Z[:7, None] - Z[None], axis=2)
    found = dunlin.neighbors(X, 4, queries=X[:7], normalize="standardize")
    assert np.array_equal(found.indices, np.argsort(distances, axis=1, kind="stable")[:, :4])
    assert np.allclose(found.distances, np.sort(distances, axis=1)[:, :4], atol=1e-3)
    assert np.array_equal(dunlin.neighbors(X, 3, normalize="standardize").indices[:7], found.indices[:, 1:])


def test_kmeans_has_centers_in_the_units_of_the_points(table):
    X, classes = table
    found = dunlin.kmeans(X, 3, normalize="standardize")
    assert len({*zip(found.labels, classes)}) == 3
    means = np.stack([X[found.labels == each].mean(0) for each in range(3)])
    assert np.allclose(found.centers, means, rtol=1e-5)
    # The scaling goes along with a result: of its rows in a batch, and of one alone
    assert np.array_equal(dunlin.assign(X, found).labels, found.labels)
    assert dunlin.assign(X[5:6], found).labels[0] == found.labels[5]
    again = dunlin.kmeans(X, 3, init=found, normalize="standardize")
    assert np.array_equal(again.labels, found.labels) and np.allclose(again.centers, found.centers, rtol=1e-6)
    best = dunlin.choose_k(X, 4, normalize="minmax").best
    assert np.array_equal(dunlin.assign(X, best).labels, best.labels)


@pytest.mark.parametrize("kind", ["full", "diag", "tied", "spherical"])
def test_mixture_has_means_and_covariances_in_the_units_of_the_points(kind, table):
    X, _ = table
    found = dunlin.mixture(X, 3, covariance_type=kind, normalize="standardize")
    scaled = dunlin.mixture(standardized(X), 3, covariance_type=kind)
    unit = X.std(0, ddof=1)
    by = np.outer(unit, unit) if kind in ("full", "tied") else unit**2
    expected = scaled.covariances[:, None] if kind == "spherical" else scaled.covariances
    assert np.allclose(found.covariances / by, expected, rtol=1e-2, atol=1e-4)
    assert np.allclose((found.means - X.mean(0)) / unit, scaled.means, atol=1e-3)


def test_new_points_are_scaled_as_those_of_the_map(table):
    X, classes = table
    map = dunlin.umap(X[:150], normalize="standardize")
    placed = dunlin.transform(X[150:], X[:150], map)
    near = np.linalg.norm(placed.embedding[:, None] - map.embedding[None], axis=2).argmin(1)
    assert (classes[:150][near] == classes[150:]).mean() > 0.9
    one = dunlin.transform(X[170:171], X[:150], map)
    assert np.array_equal(one.embedding, placed.embedding[20:21])
    with pytest.raises(dunlin.InputError, match="leave normalize out"):
        dunlin.transform(X[150:], X[:150], map, normalize="none")


def test_reliability_of_a_result_is_of_its_scaled_points(table):
    X, _ = table
    map = dunlin.tsne(X, normalize="standardize")
    assert np.array_equal(dunlin.reliability(map, X).lost, dunlin.reliability(map.embedding, X, normalize="standardize").lost)
    assert dunlin.trustworthiness(X, map) == dunlin.trustworthiness(X, map.embedding, normalize="standardize")


def test_a_column_that_decides_the_distances_is_named(table):
    X, _ = table
    pandas = pytest.importorskip("pandas")
    with pytest.warns(dunlin.InputWarning, match="column 1 'b' of X .* decides the distances"):
        dunlin.kmeans(pandas.DataFrame(X, columns=list("abcde")), 3)
    for quiet in (lambda: dunlin.kmeans(X, 3, normalize="standardize"), lambda: dunlin.kmeans(X, 3, metric="cosine")):
        with warnings.catch_warnings():
            warnings.simplefilter("error", dunlin.InputWarning)
            quiet()


def test_few_rows_constant_columns_and_wrong_values():
    with pytest.raises(dunlin.InputError, match="no rows"):
        dunlin.neighbors(np.zeros((0, 3)), 1, normalize="standardize")
    assert np.array_equal(dunlin.kmeans([[3.0, 4.0]], 1, normalize="standardize").centers, [[3.0, 4.0]])
    X = np.column_stack([np.arange(30.0) % 2, np.full(30, 7.0)])
    found = dunlin.kmeans(X, 2, normalize="minmax")
    assert sorted(found.centers.tolist()) == [[0.0, 7.0], [1.0, 7.0]]
    with pytest.raises(dunlin.InputError, match="NaN"):
        dunlin.kmeans(np.array([[0.0, np.nan], [1.0, 2.0], [3.0, 1.0]]), 2, normalize="standardize")
    with pytest.raises(dunlin.InputError, match="normalize is 'unit'"):
        dunlin.tsne(X, normalize="unit")
    with pytest.raises(dunlin.InputError, match="X, which is not given"):
        dunlin.tsne(knn=(np.array([[1], [0]]), np.ones((2, 1))), normalize="minmax", init="random")
    with pytest.raises(dunlin.OptionError, match="normalize"):
        dunlin.layout([(0, 1)], normalize="minmax")


@pytest.fixture()
def file(tmp_path, table):
    np.save(tmp_path / "t.npy", table[0])
    return dunlin.read(tmp_path / "t.npy")


def test_points_of_a_file_are_scaled_as_arrays_are(file, table):
    X, _ = table
    assert file.shift is not None
    for of in (
        lambda X: dunlin.kmeans(X, 3, normalize="standardize").inertia,
        lambda X: dunlin.mixture(X, 3, normalize="minmax").log_likelihood,
        lambda X: dunlin.neighbors(X, 3, normalize="standardize").distances,
        lambda X: dunlin.umap(X, normalize="standardize").embedding,
    ):
        assert np.allclose(of(file), of(X), rtol=1e-5, atol=1e-6)
    map = dunlin.umap(file, normalize="standardize")
    assert dunlin.score(map, file) == pytest.approx(dunlin.score(map, X), abs=1e-3)
    assert np.allclose(dunlin.transform(X[:5], file, map).embedding, dunlin.transform(X[:5], X, map).embedding, atol=1e-3)


@pytest.mark.parametrize("metric", ["cosine", "correlation", "inner-product"])
def test_other_metrics_of_a_file_are_of_its_numbers(metric, file, table):
    X, _ = table
    assert np.allclose(dunlin.neighbors(file, 3, metric=metric).distances, dunlin.neighbors(X, 3, metric=metric).distances, rtol=1e-5)
    if metric == "cosine":
        assert dunlin.kmeans(file, 3, metric=metric).inertia == pytest.approx(dunlin.kmeans(X, 3, metric=metric).inertia, rel=1e-4)


def test_neighbors_keep_their_scaling(table):
    X, _ = table
    near = dunlin.neighbors(X, 20, normalize="standardize")
    map = dunlin.tsne(X, knn=near, perplexity=6)
    assert map.options["normalize"] == "standardize"
    for wrong in (
        lambda: dunlin.tsne(X, knn=near, perplexity=6, normalize="none"),
        lambda: dunlin.tsne(X, knn=dunlin.neighbors(X, 20), perplexity=6, normalize="standardize"),
        lambda: dunlin.reliability(map, X, knn=dunlin.neighbors(X, 20)),
    ):
        with pytest.raises(dunlin.InputError, match="neighbors were found with"):
            wrong()


def test_a_map_in_an_anndata_has_its_scaling(table):
    anndata = pytest.importorskip("anndata")
    X, _ = table
    adata = anndata.AnnData(X.astype(np.float32))
    found = dunlin.umap(adata, normalize="standardize", key_added="X_umap")
    assert dunlin.score(adata.obsm["X_umap"], adata) == dunlin.score(found, adata)
    assert np.array_equal(
        dunlin.reliability(adata.obsm["X_umap"], adata).lost, dunlin.reliability(found, adata).lost
    )


def test_what_scaling_cannot_do_is_said(table):
    X, _ = table
    result = dunlin.kmeans(X, 3, normalize="standardize")
    with pytest.raises(dunlin.InputError, match="give the result of kmeans"):
        dunlin.kmeans(X[:3], 3, init=result.centers, max_iter=0, normalize="standardize")
    with pytest.warns(dunlin.InputWarning, match="whatever their sample_weight"):
        dunlin.kmeans(X, 3, sample_weight=np.ones(len(X)), normalize="standardize")
    with pytest.raises(dunlin.OptionError, match="normalize is for points"):
        dunlin.mds(strings=["a", "ab", "abc"], normalize="standardize")


def test_assign_has_the_metric_of_the_result(table):
    X, _ = table
    result = dunlin.kmeans(X, 3, metric="cosine")
    assert dunlin.assign(X, result).inertia == pytest.approx(result.inertia, rel=1e-5)

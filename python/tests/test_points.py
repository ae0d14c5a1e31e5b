# SPDX-License-Identifier: Apache-2.0
"""Arrays and tables of every kind go in, and edge cases of size and content."""

import numpy as np
import pytest

import dunlin


def same(a, b):
    return a.tobytes() == b.tobytes()


@pytest.mark.parametrize(
    "kind",
    [
        "float64",
        "float16",
        "fortran",
        "strided",
        "int",
        "uint8",
        "bool",
        "list",
        "big-endian",
        "read-only",
        "longdouble",
        "unaligned",
    ],
)
def test_every_type_and_order_of_numbers_gives_the_same_clusters(kind, blobs):
    X = np.round(blobs[0])
    if kind == "bool":
        X = (X > 0).astype(np.float32)
    variants = {
        "float64": lambda: X.astype(np.float64),
        "float16": lambda: X.astype(np.float16),
        "fortran": lambda: np.asfortranarray(X),
        "strided": lambda: np.repeat(X, 2, axis=1)[:, ::2],
        "int": lambda: X.astype(np.int64),
        "uint8": lambda: (X + 100).astype(np.uint8),
        "bool": lambda: X.astype(bool),
        "list": lambda: X.tolist(),
        "big-endian": lambda: X.astype(">f4"),
        "longdouble": lambda: X.astype(np.longdouble),
        "read-only": lambda: read_only(X),
        "unaligned": lambda: unaligned(X),
    }
    result = dunlin.kmeans(variants[kind](), 3)
    reference = dunlin.kmeans(X, 3)
    assert same(result.labels, reference.labels)
    expected = reference.centers + (100 if kind == "uint8" else 0)
    np.testing.assert_allclose(result.centers, expected, atol=1e-4)


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def unaligned(X):
    held = np.zeros(X.nbytes + 1, np.uint8)[1:]
    held[:] = np.frombuffer(X.tobytes(), np.uint8)
    return held.view(np.float32).reshape(X.shape)


@pytest.mark.parametrize("offset", [1e6, 1e9])
def test_an_offset_of_the_columns_changes_nothing(offset, blobs):
    X = blobs[0].astype(np.float64)
    near, far = dunlin.kmeans(X, 3), dunlin.kmeans(X + offset, 3)
    assert same(near.labels, far.labels)
    assert far.inertia == pytest.approx(near.inertia, rel=1e-5)
    np.testing.assert_allclose(far.centers - offset, near.centers, atol=1e-4)
    a, b = dunlin.neighbors(X, 5), dunlin.neighbors(X + offset, 5)
    assert np.mean(a.indices == b.indices) > 0.99
    assert dunlin.tsne(X + offset, max_iter=300).kl == pytest.approx(dunlin.tsne(X, max_iter=300).kl, rel=0.05)


def test_cosine_keeps_the_offset():
    X = np.random.default_rng(0).normal(size=(50, 3)) + 1e5
    X[0] = -X[1]
    found = dunlin.neighbors(X, 49, metric="cosine")
    assert found.distances[0].min() > 1.9


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_tables(library, blobs):
    module = pytest.importorskip(library)
    X = blobs[0]
    columns = {f"c{i}": X[:, i] for i in range(X.shape[1])}
    table = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
    assert same(dunlin.neighbors(table, 5).indices, dunlin.neighbors(X, 5).indices)


def test_sparse_points_are_made_dense_within_memory(blobs):
    sparse = pytest.importorskip("scipy.sparse")
    X = np.round(blobs[0])
    assert same(dunlin.kmeans(sparse.csr_matrix(X), 3).labels, dunlin.kmeans(X, 3).labels)
    wide = sparse.csr_matrix((1000, 10**6), dtype=np.float32)
    with pytest.raises(dunlin.OutOfMemoryError, match="TruncatedSVD"):
        dunlin.mixture(wide, 3, memory="10MB")


def words(rows, cols, seed=0, format="csr"):
    sparse = pytest.importorskip("scipy.sparse")
    counts = sparse.random(rows, cols, density=0.03, format="csr", random_state=seed, dtype=np.float64)
    counts.data = np.ceil(counts.data * 5)
    return counts.asformat(format)


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "lil", "dok"])
def test_sparse_rows_are_searched_and_clustered_as_they_are(format, recwarn):
    X = words(300, 500, format=format)
    dense = X.toarray()
    for metric in ("euclidean", "manhattan"):
        found = dunlin.neighbors(X, 7, metric=metric, device="cpu")
        expected = dunlin.neighbors(dense, 7, metric=metric, method="exact", device="cpu")
        assert same(found.indices, expected.indices) and same(found.distances, expected.distances)
    init = dense[:5]
    found = dunlin.kmeans(X, 5, init=init, device="cpu")
    assert same(found.labels, dunlin.kmeans(dense, 5, init=init, device="cpu").labels)
    assert same(dunlin.assign(X, found.centers, device="cpu").labels, found.labels)
    placed = dunlin.tsne(X, max_iter=60, metric="cosine", device="cpu")
    assert placed.embedding.shape == (300, 2) and np.isfinite(placed.embedding).all()
    assert not [w for w in recwarn if issubclass(w.category, dunlin.PerformanceWarning)]


def test_sparse_rows_larger_than_memory_as_dense_ones():
    sparse = pytest.importorskip("scipy.sparse")
    columns = np.random.default_rng(1).integers(0, 10**6, 20000)
    X = sparse.csr_matrix((np.ones(20000, np.float32), columns, np.arange(0, 20001, 10)), shape=(2000, 10**6))
    assert dunlin.neighbors(X, 3, memory="100MB", device="cpu").indices.shape == (2000, 3)


def test_unsorted_and_duplicate_entries_of_a_sparse_matrix_are_added_up_in_a_copy():
    sparse = pytest.importorskip("scipy.sparse")
    rows = sparse.csr_matrix((np.ones(6, np.float32), [9, 3, 3, 5, 200, 1], [0, 3, 6]), shape=(2, 300))
    before = rows.indices.copy()
    found = dunlin.neighbors(rows, 1, device="cpu")
    assert same(rows.indices, before)
    assert found.distances[0, 0] == pytest.approx(np.sqrt(1 + 4 + 3))


def test_functions_of_dense_rows_say_that_a_sparse_matrix_is_made_dense():
    X = words(60, 400)
    with pytest.warns(dunlin.PerformanceWarning, match="made dense"):
        dunlin.mixture(X, 2, device="cpu")
    with pytest.warns(dunlin.PerformanceWarning, match="made dense"):
        dunlin.neighbors(X, 3, method="approximate", device="cpu")


def test_a_sparse_matrix_with_nan_is_refused():
    X = words(50, 400)
    X.data[3] = np.nan
    for call in (lambda: dunlin.neighbors(X, 3, device="cpu"), lambda: dunlin.kmeans(X, 3, device="cpu")):
        with pytest.raises(dunlin.InputError):
            call()


def test_input_is_not_written_and_float32_is_not_copied(blobs):
    X = blobs[0].copy()
    before = X.tobytes()
    dunlin.tsne(X, max_iter=50)
    dunlin.kmeans(X, 3)
    assert X.tobytes() == before
    from dunlin import _intake, _run

    assert _intake.points(X, _run.Run({})).values is X


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("call", [dunlin.tsne, dunlin.neighbors, dunlin.kmeans, dunlin.mixture, dunlin.mds])
def test_what_is_not_finite_is_refused_with_its_row(call, dtype, bad, blobs):
    X = blobs[0].astype(dtype)
    X[7, 2] = bad
    with pytest.raises(dunlin.InputError, match="(?i)nan|inf|finite") as error:
        call(X)
    assert error.value.row == 7 and "row 8" not in str(error.value)


@pytest.mark.parametrize("call", [dunlin.tsne, dunlin.neighbors, dunlin.kmeans, dunlin.mixture])
def test_no_points(call):
    with pytest.raises(dunlin.InputError):
        call(np.zeros((0, 3)))
    with pytest.raises(dunlin.InputError):
        call(np.zeros(5))


def test_one_point_and_two():
    assert dunlin.kmeans([[1.0, 2.0]], 1).centers.tolist() == [[1, 2]]
    assert dunlin.mds(dissimilarities=[[0.0]]).embedding.shape == (1, 2)
    assert dunlin.mds(np.ones((2, 3))).embedding.shape == (2, 2)
    assert dunlin.neighbors([[1.0], [2.0]], 5).indices.tolist() == [[1], [0]]
    assert dunlin.neighbors([[1.0]], 5).indices.shape == (1, 0)
    assert dunlin.tsne([[1.0], [2.0]], max_iter=20).embedding.shape == (2, 2)


def test_points_that_are_all_the_same():
    X = np.ones((50, 3))
    assert np.isfinite(dunlin.tsne(X, max_iter=50).embedding).all()
    assert dunlin.neighbors(X, 3).distances.max() == 0
    assert dunlin.kmeans(X, 2).inertia == 0
    assert np.isfinite(dunlin.mds(X).embedding).all()


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_maps_of_one_to_three_dimensions(dim, blobs):
    result = dunlin.tsne(blobs[0], n_components=dim, max_iter=300)
    assert result.embedding.shape == (300, dim) and result.embedding.dtype == np.float32
    assert result.options["n_components"] == dim
    scores = dunlin.neighbors(result.embedding, 1).indices[:, 0]
    assert np.mean(blobs[1][scores] == blobs[1]) > 0.95


def test_given_neighbors_affinities_and_start(blobs):
    X = blobs[0]
    near = dunlin.neighbors(X, 90)
    start = np.random.default_rng(0).normal(size=(300, 2)) * 1e-4
    reference = dunlin.tsne(X, init=start, max_iter=100)
    for knn in (
        near,
        near.to_csr(),
        (near.indices, near.distances),
        dunlin.neighbors(X, 90, include_self=True).as_umap(),
    ):
        assert same(dunlin.tsne(knn=knn, init=start, max_iter=100).embedding, reference.embedding)
    P = dunlin.affinities(near, 30)
    assert P.sum() == pytest.approx(1, abs=1e-5)
    from_affinities = dunlin.tsne(affinities=P, init=start, max_iter=100)
    assert from_affinities.kl == pytest.approx(reference.kl, rel=0.05)


def test_assign_choose_k_and_mixture(blobs):
    X = blobs[0].astype(np.float64) + 1e6
    result = dunlin.kmeans(X, 3)
    assert same(dunlin.assign(X, result.centers).labels, result.labels)
    choice = dunlin.choose_k(X, 6)
    assert choice.best.labels.max() == 2 and len(choice.curve) == 6
    fitted = dunlin.mixture(X, 3)
    np.testing.assert_allclose(np.sort(fitted.means[:, 0]), np.sort(result.centers[:, 0]), atol=0.1)
    assert not hasattr(fitted, "responsibilities")
    for kind, shape in (("full", (3,) + 2 * X.shape[1:]), ("spherical", (3,)), ("tied", 2 * X.shape[1:])):
        soft = dunlin.mixture(X, 3, covariance_type=kind, n_init=2, responsibilities=True)
        assert soft.covariances.shape == shape
        assert np.array_equal(soft.responsibilities.argmax(axis=1), soft.labels)
        np.testing.assert_allclose(soft.responsibilities.sum(axis=1), 1, atol=1e-6)


def test_sample_weights_are_repeated_rows(blobs):
    X, weights = blobs[0][:60], np.tile([1, 2, 3], 20)
    init = X[[0, 20, 40]]
    weighted = dunlin.kmeans(X, 3, init=init, sample_weight=weights)
    repeated = dunlin.kmeans(np.repeat(X, weights, axis=0), 3, init=init)
    np.testing.assert_allclose(weighted.centers, repeated.centers, atol=1e-5)


def test_neighbors_of_queries():
    rng = np.random.default_rng(3)
    X, Q = rng.normal(size=(300, 6)), rng.normal(size=(40, 6))
    Q[7] = X[123]
    for metric in ("euclidean", "manhattan", "cosine", "correlation"):
        found = dunlin.neighbors(X, 5, queries=Q, metric=metric)
        assert found.indices.shape == found.distances.shape == (40, 5)
        assert found.to_csr().shape == (40, 300)
        assert found.indices[7, 0] == 123 and found.distances[7, 0] == 0
        for q in (0, 7, 39):
            one = dunlin.neighbors(X, 5, queries=Q[q : q + 1], metric=metric)
            assert one.indices.tobytes() == found.indices[q].tobytes()
            assert one.distances.tobytes() == found.distances[q].tobytes()
    truth = np.linalg.norm(Q[:, None] - X[None], axis=2)
    found = dunlin.neighbors(X, 5, queries=Q)
    np.testing.assert_array_equal(found.indices, np.argsort(truth, axis=1)[:, :5])
    np.testing.assert_allclose(found.distances, np.sort(truth, axis=1)[:, :5], rtol=1e-5, atol=1e-6)
    assert dunlin.neighbors(X, 500, queries=Q).indices.shape == (40, 300)
    assert dunlin.neighbors(X, 5, queries=Q[:0]).indices.shape[0] == 0


@pytest.mark.parametrize("spread", [1, 1e5])
def test_queries_lose_the_offsets_of_the_points(spread):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 4)) + 1e9
    Q = np.vstack([X[50:60], spread * rng.normal(size=(20, 4)) + 1e9])  # by themselves they might have no offset
    found = dunlin.neighbors(X, 3, queries=Q)
    truth = np.linalg.norm(Q[:, None] - X[None], axis=2)
    assert found.indices[:10, 0].tolist() == list(range(50, 60)) and not found.distances[:10, 0].any()
    np.testing.assert_allclose(found.distances, np.sort(truth, axis=1)[:, :3], rtol=1e-5, atol=1e-5)
    as_floats = dunlin.neighbors(X.astype(np.float32), 3, queries=X.astype(np.float32)[5:9].astype(np.float64))
    assert not as_floats.distances[:, 0].any()


def test_queries_that_are_refused():
    X = np.eye(5)
    with pytest.raises(dunlin.InputError, match="3 columns"):
        dunlin.neighbors(X, 2, queries=np.ones((2, 3)))
    with pytest.raises(dunlin.InputError, match="quer.* row 1|row 1, column 0 of the queries"):
        dunlin.neighbors(X, 2, queries=np.array([[0.0] * 5, [np.nan] * 5]))
    with pytest.raises(dunlin.InputError, match="query row 1"):
        dunlin.neighbors(X.astype(np.float32), 2, queries=np.array([[0.0] * 5, [np.nan] * 5]))
    with pytest.raises(dunlin.OptionError, match="include_self"):
        dunlin.neighbors(X, 2, queries=X, include_self=True)

# SPDX-License-Identifier: Apache-2.0
"""dunlin.dask matches names of rows and columns, and says what is odd about cells, as one process does."""

import warnings

import numpy as np
import pytest

import dunlin

pytest.importorskip("distributed", reason="the package distributed is not installed")
pandas = pytest.importorskip("pandas", reason="pandas is not installed")

from dask_cases import client, cluster, patience  # noqa: E402, F401  fixtures
from dunlin import dask as engine  # noqa: E402

NAMES = [f"r{i:02d}" for i in range(60)]
CENTERS = np.array([[0, 10, 20, 30], [30, 0, 10, 5], [5, 5, 40, 40.0]])
PERM = np.random.default_rng(1).permutation(60)


def blobs():
    X = np.random.default_rng(0).normal(size=(60, 4)) + np.repeat(CENTERS, 20, axis=0)
    return pandas.DataFrame(X, NAMES, list("abcd"))


def kinds(table):
    """The table in memory, and among the workers."""
    import dask.dataframe

    return table, dask.dataframe.from_pandas(table, npartitions=3)


def test_columns_by_name(cluster, client):
    table = blobs()
    start = pandas.DataFrame(CENTERS[:, ::-1], columns=list("dcba"))
    for X in kinds(table):
        model = engine.KMeans(3, init=CENTERS, client=client).fit(X)
        assert model.feature_names_in_.tolist() == list("abcd")
        with pytest.warns(dunlin.InputWarning, match="another order"):
            assert np.array_equal(model.predict(table.iloc[:, ::-1]), model.labels_)
        assert np.array_equal(model.predict(X), model.labels_)
        with pytest.raises(dunlin.InputError, match="column 'a', which X lacks"):
            model.predict(table.rename(columns={"a": "q"}))
        with pytest.warns(dunlin.InputWarning, match="init has its columns in another order"):
            other = engine.KMeans(3, init=start, client=client).fit(X)
        assert np.array_equal(other.cluster_centers_, model.cluster_centers_)
        mixture = engine.GaussianMixture(3, random_state=0, client=client).fit(X)
        with pytest.warns(dunlin.InputWarning, match="another order"):
            assert np.array_equal(mixture.predict(table.iloc[:, ::-1]), mixture.labels_)
        with pytest.raises(dunlin.InputError, match="X has 3 columns"):
            mixture.predict(table.to_numpy()[:, :3])
    assert not hasattr(model.fit(table.to_numpy()), "feature_names_in_")


def test_rows_by_name(cluster, client):
    table = blobs()
    weights = pandas.Series(np.random.default_rng(2).random(60), NAMES)
    wanted = dunlin.kmeans(table, 3, init=CENTERS, sample_weight=weights).centers
    for X in kinds(table):
        for given in (weights, weights.iloc[PERM], kinds(weights.iloc[PERM])[1]):
            model = engine.KMeans(3, init=CENTERS, client=client).fit(X, sample_weight=given)
            assert np.array_equal(model.cluster_centers_, wanted)
        with pytest.raises(dunlin.InputError, match="has no row 'r50'"):
            model.fit(X, sample_weight=weights[:50])
        found = engine.neighbors(X, 3, client=client)
        assert list(found.ids) == NAMES and np.array_equal(found.indices, dunlin.neighbors(table, 3).indices)


def test_words_that_nothing_reads(cluster, client):
    import dask.array

    X = blobs().to_numpy()
    model = engine.KMeans(3, client=client)
    for given in (X, dask.array.from_array(X, chunks=(20, 4)), *kinds(blobs())):
        with pytest.raises(dunlin.InputError, match="columns is the number of columns of raw files"):
            model.fit(given, columns=4)
        with pytest.raises(dunlin.InputError, match="y is 'zzz'"):
            model.fit(given, "zzz")
        with pytest.raises(dunlin.InputError, match="sample_weight has the shape"):
            model.fit(given, sample_weight=np.ones(50))
    assert model.fit(X, np.zeros(60)).labels_.shape == (60,)


def test_cells_as_in_one_process(cluster, client, tmp_path):
    import dask.array

    model = engine.KMeans(3, random_state=0, client=client)
    big = np.arange(240).reshape(60, 4) + 2**60
    np.save(tmp_path / "big.npy", big)
    for X in (big, dask.array.from_array(big, chunks=(20, 4)), *kinds(pandas.DataFrame(big)), tmp_path / "big.npy"):
        with pytest.raises(dunlin.InputError, match="float64 does not tell apart"):
            model.fit(X)
    times = np.datetime64("2020-01-01") + np.arange(240).reshape(60, 4)
    holed = times.copy()
    holed[7, 1] = "NaT"
    for make in (np.asarray, lambda X: dask.array.from_array(X, chunks=(20, 4)), pandas.DataFrame):
        with pytest.warns(dunlin.InputWarning, match="X has times"):
            model.fit(make(times))
        with warnings.catch_warnings(), pytest.raises(dunlin.InputError, match="NaT"):
            warnings.simplefilter("ignore")
            model.fit(make(holed))


def test_distances_are_said(cluster, client, tmp_path):
    import dask.array

    X = np.tile(blobs().to_numpy(), (2, 1))  # more rows than are read of a file
    square = np.abs(X[:, None] - X[None]).sum(-1)
    path, parts, raw = tmp_path / "square.npy", [tmp_path / "a.npy", tmp_path / "b.npy"], tmp_path / "raw.f32"
    np.save(path, square), np.save(parts[0], square[:50]), np.save(parts[1], square[50:])
    square.astype(np.float32).tofile(raw)
    for given in (square, dask.array.from_array(square, chunks=(20, 20)), path, parts, raw):
        columns = len(square) if given is raw else None
        for call, word in (
            (lambda: engine.KMeans(3, client=client).fit(given, columns=columns), "kmedoids"),
            (lambda: engine.neighbors(given, 3, columns=columns, client=client), "KNeighborsTransformer"),
        ):
            with pytest.warns(dunlin.InputWarning, match=f"looks like a matrix of distances.*{word}"):
                call()
    with warnings.catch_warnings():
        warnings.simplefilter("error", dunlin.InputWarning)
        engine.KMeans(3, client=client).fit(dask.array.from_array(square - 1, chunks=(20, 20)))
        np.save(path, np.roll(square, 1, axis=0))
        engine.KMeans(3, client=client).fit(path)
        engine.KMeans(3, client=client).fit(parts[0])

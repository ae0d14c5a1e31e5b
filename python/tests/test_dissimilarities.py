# SPDX-License-Identifier: Apache-2.0
"""Square dissimilarities: diagonals without values, and distances given as points."""

import copy
import pickle
import warnings

import numpy as np
import pytest

import dunlin


def test_a_missing_diagonal_of_dissimilarities_is_zero():
    points = np.random.default_rng(0).normal(size=(12, 2))
    whole = np.sqrt(((points[:, None] - points) ** 2).sum(-1))
    square = whole.copy()
    np.fill_diagonal(square, np.nan)
    pandas = pytest.importorskip("pandas")
    names = [f"r{i}" for i in range(12)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for given in (square, square.astype(np.float32), pandas.DataFrame(square, names, names)):
            assert dunlin.mds(dissimilarities=given).embedding.tolist() == dunlin.mds(dissimilarities=whole).embedding.tolist()
            clusters = dunlin.kmedoids(dissimilarities=given, n_clusters=3)
            assert clusters.labels.tolist() == dunlin.kmedoids(dissimilarities=whole, n_clusters=3).labels.tolist()
        for given in (square, pandas.DataFrame(square, names, names)):
            for estimator in (
                dunlin.KMedoids(3, metric="precomputed"),
                dunlin.ClassicalMDS(metric="precomputed"),
                dunlin.TSNE(metric="precomputed", init="random", perplexity=3, max_iter=260),
            ):
                estimator.fit(given)
        dunlin.KNeighborsTransformer(n_neighbors=2, metric="precomputed").fit_transform(square)
    assert np.isnan(square.diagonal()).all()
    square[3, 3] = 0
    with pytest.warns(dunlin.InputWarning, match="dissimilarities has no value at 11 of 12 places of its diagonal, which are 0"):
        dunlin.mds(dissimilarities=square)
    square[0, 1] = square[1, 0] = np.nan
    with pytest.raises(dunlin.InputError, match="1 pairs have no dissimilarity"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dunlin.kmedoids(dissimilarities=square, n_clusters=2)
    with pytest.raises(ValueError, match="NaN"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dunlin.KMedoids(2, metric="precomputed").fit(square)


def test_dissimilarities_as_points_are_said():
    points = np.random.default_rng(0).normal(size=(12, 2))
    square = np.sqrt(((points[:, None] - points) ** 2).sum(-1))
    for make in (dunlin.mds, dunlin.kmedoids):
        with pytest.warns(dunlin.InputWarning, match="looks like a matrix of distances.*dissimilarities=X"):
            make(square)
    np.fill_diagonal(square, np.nan)
    with pytest.warns(dunlin.InputWarning, match="dissimilarities=X"), pytest.raises(dunlin.InputError, match="NaN"):
        dunlin.mds(square)


NAMES = ["Lisboa", "Köln", "Århus"]
SQUARE = np.array([[0, 3, 4], [3, 0, 5], [4, 5, 0]], np.float32)


def write_table(folder):
    path = folder / "cities.csv"
    rows = [",".join([name, *map(str, row)]) for name, row in zip(NAMES, SQUARE.tolist())]
    path.write_text("\n".join([",".join(["", *NAMES]), *rows, ""]), encoding="utf-8")
    return path


def write_archive(folder):
    np.savez(folder / "cities.npz", D=SQUARE, names=np.array(NAMES))
    return folder / "cities.npz"


@pytest.mark.parametrize("write", [write_table, write_archive])
def test_names_of_a_matrix_that_was_read_go_through(write, tmp_path):
    read = dunlin.read(write(tmp_path))
    assert list(read.ids) == NAMES and np.array_equal(read, SQUARE)
    assert list(dunlin.mds(dissimilarities=read).ids) == NAMES
    assert list(dunlin.kmedoids(dissimilarities=read, n_clusters=2).ids) == NAMES


def test_what_is_computed_from_a_named_matrix_number_by_number_has_its_names(tmp_path):
    read = dunlin.read(write_table(tmp_path))
    whole = (1 - read, np.sqrt(read), read.copy(), read.astype(float), copy.copy(read), copy.deepcopy(read), pickle.loads(pickle.dumps(read)))
    for other in whole:
        assert list(other.ids) == NAMES
    assert list(dunlin.mds(dissimilarities=np.sqrt(read)).ids) == NAMES
    for part in (read[:2], read.sum(axis=0), read.ravel(), read[::-1]):
        assert getattr(part, "ids", None) is None
    read += 1
    assert list(read.ids) == NAMES and read[0, 1] == 4
    plain = np.zeros((3, 3))
    plain += read
    assert type(plain) is np.ndarray


def test_a_path_is_no_input():
    for call in (lambda: dunlin.mds(dissimilarities="d.csv"), lambda: dunlin.tsne("points.csv"), lambda: dunlin.draw("map.csv")):
        with pytest.raises(dunlin.OptionError, match="dunlin.read"):
            call()

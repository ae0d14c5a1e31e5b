# SPDX-License-Identifier: Apache-2.0
"""kmedoids(), KMedoids, sequence_distances(), and mds() of strings and tracks."""

import numpy as np
import pytest

import dunlin


def edit(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        corner, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            corner, row[j] = row[j], min(corner + (x != y), row[j] + 1, row[j - 1] + 1)
    return row[-1]


WORDS = ["kitten", "sitting", "", "Saturday", "Sunday", "naïve", "naive", "🙂", "x" * 70, "x" * 69 + "y"]


def test_edit_distances():
    found = dunlin.sequence_distances(WORDS)
    assert found.dtype == np.float32
    assert found.tolist() == [[edit(a, b) for b in WORDS] for a in WORDS]


def test_device_of_sequence_distances():
    assert dunlin.sequence_distances(WORDS, device="cpu", memory="1GB").tolist() == dunlin.sequence_distances(WORDS).tolist()
    with pytest.raises(dunlin.OptionError, match="seed"):
        dunlin.sequence_distances(WORDS, seed=2)
    if dunlin.gpus():
        assert dunlin.sequence_distances(WORDS, device="cuda").tolist() == dunlin.sequence_distances(WORDS).tolist()
        assert dunlin.kmedoids(strings=WORDS, n_clusters=2, device="cuda").device == "cuda"
    else:
        for call in (dunlin.sequence_distances, lambda items, device: dunlin.kmedoids(strings=items, device=device)):
            with pytest.raises(dunlin.NoDeviceError):
                call(WORDS, device="cuda")


def test_words_are_symbols():
    texts = [["the", "cat", "sat"], ["the", "dog", "sat", "down"], []]
    assert dunlin.sequence_distances(texts).tolist() == [[0, 2, 3], [2, 0, 4], [3, 4, 0]]


def test_track_distances():
    series = [[0.0, 1.0, 2.0], [0.0, 0.0, 1.0, 2.0], [5.0]]
    found = dunlin.sequence_distances(series, metric="dtw")
    assert found[0].tolist() == [0, 0, 12]
    cities = ([[[52.52, 13.405]], [[48.8566, 2.3522]]], "geographic")
    assert dunlin.sequence_distances(cities, metric="great-circle")[0, 1] == pytest.approx(877463, abs=500)


def test_mds_of_strings_and_tracks():
    assert dunlin.mds(strings=WORDS).embedding.shape == (len(WORDS), 2)
    tracks = [np.cumsum(np.random.default_rng(i).normal(size=(20 + i, 2)), 0) for i in range(12)]
    assert dunlin.mds(tracks=tracks, metric="dtw", band=5).embedding.shape == (12, 2)


def test_kmedoids_of_every_source():
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(c, 0.3, (20, 2)) for c in (0, 5, 10)]).astype(np.float32)
    D = np.sqrt(((X[:, None].astype(float) - X[None]) ** 2).sum(-1))
    result = dunlin.kmedoids(X, 3, seed=2)
    assert sorted(result.counts.tolist()) == [20, 20, 20]
    assert result.silhouette > 0.8
    assert result.inertia == pytest.approx(D[:, result.medoids].min(1).sum(), rel=1e-5)
    for other in (
        dunlin.kmedoids(dissimilarities=D, n_clusters=3, seed=2),
        dunlin.kmedoids(distance=lambda i, j: D[i, j], n=60, n_clusters=3, seed=2),
    ):
        assert other.labels.tolist() == result.labels.tolist()
    assert dunlin.kmedoids(strings=["cat", "cart", "car", "house", "mouse"], n_clusters=2).counts.max() == 3


def test_estimator():
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(c, 0.3, (20, 2)) for c in (0, 5, 10)])
    model = dunlin.KMedoids(3, random_state=0).fit(X)
    assert model.cluster_centers_.shape == (3, 2)
    assert model.predict(X).tolist() == model.labels_.tolist()
    assert model.transform(X).min(1).sum() == pytest.approx(model.inertia_, rel=1e-5)
    D = np.sqrt(((X[:, None] - X[None]) ** 2).sum(-1))
    given = dunlin.KMedoids(3, metric="precomputed", random_state=0).fit(D)
    assert given.labels_.tolist() == model.labels_.tolist()
    assert given.cluster_centers_ is None


def test_what_does_not_fit_is_named():
    with pytest.raises(dunlin.OptionError, match="give one of"):
        dunlin.kmedoids()
    with pytest.raises((ValueError, dunlin.OptionError), match="band is for strings and tracks"):
        dunlin.kmedoids(np.eye(3), 2, band=1)
    with pytest.raises((ValueError, dunlin.OptionError), match="n_clusters is 4"):
        dunlin.kmedoids(np.eye(3), 4)
    with pytest.raises((ValueError, dunlin.OptionError), match="shape"):
        dunlin.sequence_distances([np.zeros((2, 2)), np.zeros((2, 3))], metric="dtw")
    with pytest.raises((ValueError, dunlin.OptionError), match="strings and sequences of words"):
        dunlin.sequence_distances(["a", ["b"]])
    with pytest.raises(dunlin.OptionError, match="did you mean"):
        dunlin.kmedoids(np.eye(3), cluster=2)

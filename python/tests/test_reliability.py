# SPDX-License-Identifier: Apache-2.0
"""reliability()."""

import pickle

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import dunlin

COLUMNS = ("kl", "intruders", "lost", "singularity", "home", "gap")


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(3)
    return np.concatenate([rng.normal(size=(80, 8)) + 6 * k for k in range(3)]).astype(np.float32)


@pytest.fixture(scope="module")
def made(blobs):
    return dunlin.tsne(blobs, perplexity=15, max_iter=1500)


def test_columns_of_a_result_and_of_its_array(blobs, made):
    found = dunlin.reliability(made, blobs, perplexity=15)
    assert tuple(found.columns) == COLUMNS
    for name in COLUMNS:
        assert getattr(found, name).shape == (240,) and getattr(found, name).dtype == np.float32
    again = dunlin.reliability(made.embedding, blobs, perplexity=15, n_jobs=1)
    for name in COLUMNS:
        np.testing.assert_array_equal(found.columns[name], again.columns[name])
    assert found.stopped == "converged" and found.options["ranks"] == 45
    assert 0 <= found.points_elsewhere <= 1 and found.points_elsewhere_se == 0
    assert found.median_newton_step < 0.1 * found.nn_distance
    with pytest.raises(AttributeError, match="stability"):
        found.stability


def test_lost_and_intruders_by_ranks(blobs, made):
    n, k = len(blobs), 12
    found = dunlin.reliability(made, blobs, perplexity=15, ranks=n - 1)
    data, map = (np.argsort(np.argsort(cdist(x, x), axis=1), axis=1) for x in (blobs, made.embedding.astype(float)))
    largest = sum(n - 1 - m - k for m in range(k))
    for column, near, rank in ((found.intruders, map, data), (found.lost, data, map)):
        excess = np.where((near >= 1) & (near <= k) & (rank > k), rank - k, 0).sum(axis=1)
        np.testing.assert_allclose(column, excess / largest, atol=2e-3)  # ties


def test_on_request(blobs, made):
    found = dunlin.reliability(made, blobs, perplexity=15, perturb=True, bootstrap=3, null=True, max_iter=100, home_sample=50)
    assert tuple(found.columns) == (*COLUMNS, "perturbation", "stability", "null_p")
    assert np.isfinite(found.home).sum() == 50 and found.points_elsewhere_se >= 0
    assert (found.null_p > 0).all() and (found.null_p < 1).all()
    known = found.stability[~np.isnan(found.stability)]  # of points in two of the three samples
    assert len(known) > 120 and (known > 0).all() and (known <= 1).all()
    copy = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(copy.kl, found.kl)
    assert list(found.to_frame().columns) == list(found.columns)


def test_given_neighbors(blobs, made):
    knn = dunlin.neighbors(blobs, n_neighbors=45)
    given = dunlin.reliability(made, blobs, perplexity=15, knn=knn)
    np.testing.assert_array_equal(given.kl, dunlin.reliability(made, blobs, perplexity=15).kl)


def test_a_map_of_umap(blobs):
    map = dunlin.umap(blobs, n_epochs=100)
    found = dunlin.reliability(map, blobs, method="umap")
    assert tuple(found.columns) == ("intruders", "lost")
    with pytest.raises(dunlin.InputError, match="perturb"):
        dunlin.reliability(map, blobs, method="umap", perturb=True)


def test_mistakes(blobs, made):
    with pytest.raises(dunlin.InputError, match="n_neighbors is 300"):
        dunlin.reliability(made, blobs, n_neighbors=300)
    with pytest.raises(dunlin.InputError):
        dunlin.reliability(made, blobs[1:])
    with pytest.raises(dunlin.OptionError, match="perplexities|unknown|bandwidth"):
        dunlin.reliability(made, blobs, bandwidth=3)
    broken = made.embedding.copy()
    broken[7, 0] = np.nan
    with pytest.raises(dunlin.InputError, match="row 7"):
        dunlin.reliability(broken, blobs)

# SPDX-License-Identifier: Apache-2.0
"""Maps of more than 3 dimensions by UMAP and PaCMAP."""

import pickle

import dunlin
import numpy as np
import pytest

BRIEF = {"umap": {"n_epochs": 60}, "pacmap": {"num_iters": "20,20,30"}}


@pytest.fixture(scope="module")
def X():
    made = np.random.default_rng(3)
    return (made.normal(size=(5, 8))[np.arange(300) % 5] * 5 + made.normal(size=(300, 8))).astype(np.float32)


@pytest.mark.parametrize("name", BRIEF)
@pytest.mark.parametrize("dim", [4, 5, 64])
def test_a_map_has_as_many_columns_and_keeps_neighbors(name, dim, X):
    result = getattr(dunlin, name)(X, n_components=dim, **BRIEF[name])
    assert result.embedding.shape == (300, dim) and np.isfinite(result.embedding).all()
    assert result.options["method"] == "drawn" and result.options["draws"] == (32 if name == "umap" else 20)
    assert dunlin.trustworthiness(X, result.embedding, n_neighbors=10) > 0.85
    again = getattr(dunlin, name)(X, n_components=dim, n_jobs=1, **BRIEF[name])
    assert again.embedding.tobytes() == result.embedding.tobytes()
    assert set(dunlin.score(X, result.embedding)) >= {"trustworthiness", "continuity"}


@pytest.mark.parametrize("model", [dunlin.UMAP(n_components=5, n_epochs=60), dunlin.PaCMAP(5, num_iters=(20, 20, 30))])
def test_estimators_fit_place_and_are_pickled(model, X):
    model.fit(X[:250])
    assert model.embedding_.shape == (250, 5)
    placed = model.transform(X[250:])
    assert placed.shape == (50, 5) and np.isfinite(placed).all()
    np.testing.assert_array_equal(model.transform(X[260:261])[0], placed[10])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).transform(X[250:]), placed)
    assert len(model.get_feature_names_out()) == 5


def test_the_call_of_bertopic(X):
    model = dunlin.UMAP(n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", low_memory=False, n_epochs=60)
    assert model.fit(X).embedding_.shape == (300, 5)
    assert model.transform(X[:3]).shape == (3, 5)


def test_maps_go_on_from_others(X):
    old = dunlin.umap(X[:200], n_components=5, n_epochs=60).embedding
    partial = np.vstack([old, np.full((100, 5), np.nan)])
    held = dunlin.umap(X, n_components=5, fixed=partial, n_epochs=20).embedding
    np.testing.assert_array_equal(held[:200], old)
    assert np.isfinite(held).all()


def test_what_is_not_there_is_refused(X):
    with pytest.raises(ValueError, match="from 1 to 64"):
        dunlin.umap(X, n_components=65)
    with pytest.raises(dunlin.UnsupportedError, match="1 to 64"):
        dunlin.UMAP(n_components=65).fit(X)
    with pytest.raises(ValueError, match="n_components is 5; maps by t-SNE have 1 to 3 dimensions"):
        dunlin.tsne(X, n_components=5)
    with pytest.raises(ValueError, match="no tree and no grid"):
        dunlin.pacmap(X, n_components=5, method="grid")
    with pytest.raises(ValueError, match="draws"):
        dunlin.umap(X, draws=9)
    X = X.copy()
    X[7, 3] = np.nan
    with pytest.raises(ValueError):
        dunlin.umap(X, n_components=5)

# SPDX-License-Identifier: Apache-2.0
"""openTSNE's names, and patch()."""

import pickle

import numpy as np
import pytest

pytest.importorskip("sklearn")
import dunlin  # noqa: E402
from dunlin import opentsne  # noqa: E402


def test_fit_and_optimize(blobs):
    X = blobs[0]
    map = opentsne.TSNE(random_state=0, n_jobs=2).fit(X)
    assert isinstance(map, opentsne.TSNEEmbedding) and map.shape == (300, 2)
    assert map.kl_divergence == pytest.approx(dunlin.tsne(X).kl, rel=0.05)
    further = map.optimize(100)
    assert further is not map and further.kl_divergence < map.kl_divergence + 1e-3
    assert map.optimize(10, inplace=True) is map
    again = pickle.loads(pickle.dumps(map))
    assert again.tobytes() == map.tobytes() and again.kl_divergence == map.kl_divergence


def test_the_advanced_way(blobs):
    X = blobs[0]
    affinities = opentsne.affinity.PerplexityBasedNN(X, perplexity=30, metric="cosine")
    assert affinities.P.sum() == pytest.approx(1, abs=1e-5)
    start = opentsne.initialization.pca(X)
    assert np.std(start[:, 0]) == pytest.approx(1e-4)
    map = opentsne.TSNEEmbedding(start, affinities, negative_gradient_method="exact")
    map.optimize(250, exaggeration=12, momentum=0.5, inplace=True)
    map.optimize(250, exaggeration=1, momentum=0.8, inplace=True)
    assert map.kl_divergence < 1


def test_affinities_of_other_kinds(blobs):
    X = blobs[0]
    for affinities in (
        opentsne.affinity.Uniform(X, k_neighbors=15),
        opentsne.affinity.FixedSigmaNN(X, sigma=2.0, k=15),
    ):
        assert affinities.P.sum() == pytest.approx(1) and abs(affinities.P - affinities.P.T).max() < 1e-12
        map = opentsne.TSNE(n_iter=100, initialization="spectral").fit(affinities=affinities)
        assert np.isfinite(map.kl_divergence)
    with pytest.warns(UserWarning, match="Perplexity value 200 is too high"):
        opentsne.affinity.PerplexityBasedNN(X, perplexity=200)


def test_callbacks(blobs):
    def stop(iteration, error, embedding):
        return iteration >= 300

    map = opentsne.TSNE(callbacks=stop, random_state=0).fit(blobs[0])
    assert np.isfinite(map).all()
    with pytest.raises(opentsne.OptimizationInterrupt) as error:
        map.optimize(1000, callbacks=[lambda *_: True], propagate_exception=True)
    assert error.value.final_embedding.shape == (300, 2)


@pytest.mark.parametrize(
    "options",
    [
        {"n_components": 4},
        {"ints_in_interval": 2},
        {"max_grad_norm": 1},
        {"negative_gradient_method": "wavelets"},
        {"initialization": "umap"},
    ],
)
def test_what_the_library_lacks_is_refused(options, blobs):
    with pytest.raises(dunlin.InputError, match=next(iter(options))):
        opentsne.TSNE(**options).fit(blobs[0])


def test_patch_and_unpatch():
    import sklearn.manifold

    original = sklearn.manifold.TSNE
    with dunlin.patch("sklearn", strict=True):
        assert sklearn.manifold.TSNE is dunlin.TSNE
    assert sklearn.manifold.TSNE is original
    with pytest.raises(dunlin.InputError):
        dunlin.patch("numpy")

# SPDX-License-Identifier: Apache-2.0
"""patch(): what is replaced, what is left to the original and how that is said. Peers are small modules made here."""

import copy
import importlib.machinery
import inspect
import logging
import pickle
import sys
import types

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn.base import BaseEstimator, clone  # noqa: E402

import dunlin  # noqa: E402
from dunlin import _accel, _accel_report, accel  # noqa: E402


def init_of(parameters):
    names = [each.name for each in parameters]
    words = ", ".join(f"{each.name}={each.default!r}" for each in parameters)
    scope = {}
    exec(f"def __init__(self, {words}):\n  for name in {names!r}: setattr(self, name, locals()[name])", scope)
    return scope["__init__"]


def peer_of_umap():
    """A module like umap.umap_: the class with its own checks, and a fit that tells that it ran."""
    module = types.ModuleType("umap.umap_")
    plain = [each for each in inspect.signature(dunlin.UMAP).parameters.values() if each.kind is each.POSITIONAL_OR_KEYWORD]

    class UMAP(BaseEstimator):
        """The original."""

        __init__ = init_of(plain)

        def _validate_parameters(self):
            if self.min_dist < 0:
                raise ValueError("min_dist of the original")
            if self.n_jobs != 1 and self.random_state is not None:
                raise AssertionError("the original would set n_jobs")

        def _fit_embed_data(self):
            pass

        def fit(self, X, y=None, ensure_all_finite=True, **more):
            self._raw_data, self.embedding_ = np.asarray(X), np.full((len(X), self.n_components), 7.0)
            return self

        def fit_transform(self, X, y=None, ensure_all_finite=True, **more):
            return self.fit(X, y, ensure_all_finite, **more).embedding_

        def transform(self, X, ensure_all_finite=True):
            return np.full((len(X), self.n_components), 8.0)

        def inverse_transform(self, X):
            return self.graph_, self._sigmas, self._raw_data

    UMAP.__module__, UMAP.__qualname__ = "umap.umap_", "UMAP"
    module.UMAP = UMAP
    for name in ("nearest_neighbors", "fuzzy_simplicial_set", "simplicial_set_embedding"):
        setattr(module, name, lambda *args, name=name, **more: name)
    return module


@pytest.fixture
def umap(monkeypatch):
    package, inner = types.ModuleType("umap"), peer_of_umap()
    for module in (package, inner):
        module.__spec__ = importlib.machinery.ModuleSpec(module.__name__, None)
    package.umap_, package.UMAP = inner, inner.UMAP
    monkeypatch.setitem(sys.modules, "umap", package)
    monkeypatch.setitem(sys.modules, "umap.umap_", inner)
    monkeypatch.delitem(sys.modules, "umap.aligned_umap", raising=False)
    _accel_report.reset_report()
    yield package
    dunlin.unpatch()


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(3)
    return np.concatenate([rng.normal(size=(50, 6)) + 9 * k for k in range(2)]).astype(np.float32)


FEW = {"n_epochs": 20, "random_state": 3}


def counted(by, name="umap.UMAP.fit"):
    return sum(each["calls"] for each in accel.report() if each["by"] == by and each["name"] == name)


def test_fits_are_the_library_s_where_it_can(umap, X):
    original = umap.UMAP
    with dunlin.patch("umap"):
        assert umap.UMAP is umap.umap_.UMAP is not original
        made = umap.UMAP(8, **FEW)
        assert isinstance(made, original) and type(made).__name__ == "UMAP" and type(made).__module__ == "umap.umap_"
        assert inspect.signature(umap.UMAP) == inspect.signature(original) and umap.UMAP.__doc__ == original.__doc__
        np.testing.assert_array_equal(made.fit_transform(X), dunlin.UMAP(8, **FEW).fit_transform(X))
        assert made.n_jobs == -1 and counted("dunlin") == 1 and counted("original") == 0
        again = clone(made)
        assert type(again) is umap.UMAP and again.get_params() == made.get_params()
        np.testing.assert_array_equal(made.transform(X), made.embedding_)
        assert made.transform(X[:4] + 0.1).shape == (4, 2)
        graph, sigmas, raw = made.inverse_transform(None)
        assert graph.shape == (100, 100) and sigmas.shape == (100,) and np.array_equal(raw, X)
        assert not hasattr(made, "rad_orig_") and made._n_neighbors == 8 and made._small_data
    assert umap.UMAP is umap.umap_.UMAP is original


def test_functions_as_metrics_of_few_rows_are_the_library_s(umap, X):
    def manhattan(x, y):
        return np.abs(x - y).sum()

    with dunlin.patch("umap"):
        before = counted("dunlin")
        made = umap.UMAP(8, metric=manhattan, **FEW).fit(X[:40])
        assert counted("dunlin") == before + 1
    with pytest.warns(dunlin.PerformanceWarning):
        expected = dunlin.UMAP(8, metric=manhattan, **FEW).fit(X[:40])
    np.testing.assert_array_equal(made.embedding_, expected.embedding_)


def test_what_is_lacking_is_the_original_s_and_said_once(umap, X, caplog):
    with dunlin.patch("umap"), caplog.at_level(logging.INFO, logger="dunlin.accel"):
        for _ in range(2):
            assert (umap.UMAP(output_metric="haversine").fit_transform(X) == 7).all()
        assert (umap.UMAP(n_components=65).fit(X).embedding_ == 7).all()
        assert (umap.UMAP(metric=lambda x, y: 0.0, force_approximation_algorithm=True).fit_transform(X) == 7).all()
        assert (umap.UMAP(n_components=65).fit(X).transform(X[:2]) == 8).all()
        assert (umap.UMAP().fit(X, ensure_all_finite=False, more=1).embedding_ == 7).all()
        assert (umap.UMAP().fit(np.where(X > 8, np.nan, X), ensure_all_finite=False).embedding_ == 7).all()
    lines = [record.getMessage() for record in caplog.records if record.name == "dunlin.accel"]
    assert sum("output_metric" in line for line in lines) == 1 and sum("n_components is 65" in line for line in lines) == 1
    assert any("metric is a function" in line for line in lines) and any("NaN" in line for line in lines)
    assert all(record.levelno == logging.INFO for record in caplog.records)
    reasons = {each["reason"] for each in accel.report() if each["by"] == "original"}
    assert counted("original") == 7 and any("output_metric" in reason for reason in reasons)
    many = _accel_report.timed("umap.UMAP.fit", 20_000, "of many")
    with caplog.at_level(logging.INFO, logger="dunlin.accel"), many:
        pass
    assert caplog.records[-1].levelno == logging.WARNING


def test_errors_stay(umap, X):
    with dunlin.patch("umap"):
        with pytest.raises(ValueError, match="min_dist of the original"):
            umap.UMAP(min_dist=-1).fit(X)
        with pytest.raises(ValueError, match="shape"):
            umap.UMAP().fit(X, [])
        assert counted("original") == 0
    with dunlin.patch("umap", strict=True):
        with pytest.raises(dunlin.UnsupportedError, match="output_metric"):
            umap.UMAP(output_metric="haversine").fit(X)
        with dunlin.patch("umap"):  # within a strict one
            with pytest.raises(dunlin.UnsupportedError):
                umap.UMAP(output_metric="haversine").fit(X)


def test_a_fit_of_its_own_is_not_bypassed(umap, X):
    with dunlin.patch("umap"):

        class Own(umap.UMAP):
            def _fit_embed_data(self):
                return "own"

        class Plain(umap.UMAP):
            pass

        assert (Own(**FEW).fit_transform(X) == 7).all()
        assert not (Plain(**FEW).fit_transform(X) == 7).all()


def test_a_map_may_be_fitted_again_and_changed(umap, X):
    with dunlin.patch("umap"):
        made = umap.UMAP(8, **FEW).fit(X)
        assert made.graph_.shape == (100, 100)
        made.fit(X[:60])
        assert made.graph_.shape == (60, 60)
        made.embedding_ = made.embedding_.astype(np.float64) + 3
        np.testing.assert_array_equal(made.transform(X[:60]), made.embedding_)
        made.update(X[60:])
        assert made.embedding_.shape == (100, 2) and made._raw_data.shape == (100, 6) and made.graph_.shape == (100, 100)
        made.set_params(output_metric="haversine").fit(X)
        assert (made.embedding_ == 7).all() and (made.transform(X[:2]) == 8).all() and not hasattr(made, "graph_")


def test_pickles_are_the_original_s(umap, X):
    original = umap.UMAP
    with dunlin.patch("umap"):
        made = umap.UMAP(8, **FEW).fit(X)
        written, places = pickle.dumps(made), made.transform(X[:4] + 0.1)
        assert b"dunlin" not in written.replace(b"_by_dunlin", b"")
        again = pickle.loads(written)
        assert type(again) is umap.UMAP and "_dunlin" not in vars(again)
        np.testing.assert_array_equal(again.transform(X[:4] + 0.1), places)
        assert type(copy.deepcopy(made)) is umap.UMAP
    alone = pickle.loads(written)
    assert type(alone) is original and (alone.transform(X[:4]) == 8).all()
    np.testing.assert_array_equal(alone.embedding_, made.embedding_)
    assert type(pickle.loads(pickle.dumps(made))) is original


def test_modules_that_are_imported_later(tmp_path, monkeypatch):
    package = tmp_path / "pacmap"
    package.mkdir()
    (package / "__init__.py").write_text("from .pacmap import PaCMAP\n")
    (package / "pacmap.py").write_text("class PaCMAP:\n    def fit(self, X, init=None, save_pairs=True): return 7\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("pacmap", "pacmap.pacmap"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    try:
        with dunlin.patch("pacmap"):
            assert "pacmap" not in sys.modules and _accel._finder in sys.meta_path
            import pacmap

            replaced = pacmap.PaCMAP
            assert replaced is pacmap.pacmap.PaCMAP and replaced._original is not replaced
        assert pacmap.PaCMAP is pacmap.pacmap.PaCMAP is replaced._original and _accel._finder not in sys.meta_path
    finally:
        for name in ("pacmap", "pacmap.pacmap"):
            sys.modules.pop(name, None)


def test_names_that_are_not_known_or_not_installed(monkeypatch):
    with pytest.raises(dunlin.InputError, match="'numpy'"):
        dunlin.patch("numpy")
    with pytest.raises(dunlin.InputError, match="'umap'"):
        dunlin.unpatch("numpy")
    monkeypatch.setitem(sys.modules, "openTSNE", None)
    with pytest.raises(ModuleNotFoundError, match="openTSNE"):
        dunlin.patch("openTSNE")


def test_classes_of_scikit_learn(X):
    from sklearn import cluster, manifold

    original, kmeans = manifold.TSNE, cluster.KMeans
    _accel_report.reset_report()
    with dunlin.patch("sklearn"):
        assert issubclass(manifold.TSNE, original) and manifold.TSNE is not original
        assert cluster.KMeans is dunlin.KMeans and issubclass(cluster.KMeans, kmeans)
        few = {"perplexity": 5, "max_iter": 250, "random_state": 0}
        made = manifold.TSNE(**few).fit(X)
        np.testing.assert_array_equal(made.embedding_, dunlin.TSNE(**few).fit_transform(X))
        assert made.kl_divergence_ > 0 and made.n_features_in_ == 6
        assert pickle.loads(pickle.dumps(made)).embedding_.tobytes() == made.embedding_.tobytes()
        four = manifold.TSNE(n_components=4, method="exact", **few).fit_transform(X[:30])
        assert four.shape == (30, 4)
        with pytest.raises(ValueError, match="perplexity"):
            manifold.TSNE(perplexity=-1).fit(X)
        maps = manifold.MDS(n_init=1, init="random", max_iter=20, random_state=0).fit(X)
        assert maps.embedding_.shape == (100, 2) and maps.stress_ > 0
    report = {(each["name"], each["by"]): each["calls"] for each in accel.report()}
    assert report == {
        ("sklearn.TSNE.fit", "dunlin"): 1,
        ("sklearn.TSNE.fit", "original"): 1,
        ("sklearn.MDS.fit", "dunlin"): 1,
    }
    with dunlin.patch("sklearn", strict=True):
        assert manifold.TSNE is dunlin.TSNE
    assert manifold.TSNE is original


def test_layouts_of_networkx():
    nx = pytest.importorskip("networkx")
    original, graph = nx.spring_layout, nx.karate_club_graph()
    with dunlin.patch("networkx"):
        assert nx.spring_layout is not original
        expected = dunlin.networkx.spring_layout(graph, seed=1)
        found = nx.spring_layout(graph, seed=1)
        assert all((found[node] == expected[node]).all() for node in graph)
        assert len(nx.spring_layout(graph, dim=4, seed=1)[0]) == 4
    with dunlin.patch("networkx", strict=True):
        assert nx.spring_layout is dunlin.networkx.spring_layout
        with pytest.raises(dunlin.InputError):
            nx.spring_layout(graph, dim=4)
    assert nx.spring_layout is original

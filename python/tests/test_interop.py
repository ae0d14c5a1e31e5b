# SPDX-License-Identifier: Apache-2.0
"""The package in the company of others: NetworkX, scanpy, UMAP, igraph, tables, AnnData, threadpoolctl, IPython, logging.

A test is skipped where the other package is not installed.
"""

import ast
import importlib
import inspect
import logging
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import dunlin

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(dunlin.__file__)))


def python(code, *arguments, path=(), **environment):
    """Standard output of a new process that finds this package."""
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([PACKAGE, *map(str, path)]), **environment)
    shown = subprocess.run(
        [sys.executable, *(("-c", code) if code else ()), *arguments], env=environment, capture_output=True, text=True
    )
    assert shown.returncode == 0, shown.stderr
    return shown.stdout


@pytest.fixture
def installed(tmp_path):
    """A folder that makes the entry points of pyproject.toml visible, as an installation does."""
    try:
        import tomllib
    except ImportError:
        pytest.skip("tomllib is of Python 3.11 and newer")
    file = os.path.join(PACKAGE, "pyproject.toml")
    if not os.path.exists(file):
        return tmp_path  # the wheel is installed
    with open(file, "rb") as source:
        groups = tomllib.load(source)["project"]["entry-points"]
    info = tmp_path / "dunlin_maps-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: dunlin-maps\nVersion: 0\n")
    lines = [f"[{group}]\n" + "\n".join(f"{k} = {v}" for k, v in each.items()) for group, each in groups.items()]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_networkx_dispatches_to_the_backend(installed):
    pytest.importorskip("networkx")
    code = """
import networkx as nx, dunlin.networkx, numpy as np
G = nx.karate_club_graph()
calls = []
original = dunlin.networkx.forceatlas2_layout
dunlin.networkx.forceatlas2_layout = lambda *a, **k: calls.append(1) or original(*a, **k)
named = nx.forceatlas2_layout(G, seed=3, backend="dunlin")
assert calls == [1] and set(named) == set(G) and np.isfinite(list(named.values())).all()
default = nx.forceatlas2_layout(G, seed=3)
print(len(calls), "dunlin" in nx.config.backends)
if len(calls) == 2:
    assert all((default[v] == named[v]).all() for v in G)
heavy = nx.forceatlas2_layout(G, seed=3, node_mass={v: 50.0 if v == 0 else 1.0 for v in G}, backend="dunlin")
assert any((heavy[v] != named[v]).any() for v in G)
"""
    assert python(code, path=[installed]).split() == ["1", "True"]
    assert python(code, path=[installed], NETWORKX_BACKEND_PRIORITY="dunlin").split() == ["2", "True"]


def test_a_layout_of_igraph_is_its_own():
    igraph = pytest.importorskip("igraph")
    G = igraph.Graph.Ring(12)
    drawn = dunlin.layout(G, method="stress")
    assert isinstance(drawn, igraph.Layout) and drawn.dim == 2
    np.testing.assert_array_equal(np.array(drawn.coords), dunlin.layout((12, G.get_edgelist()), method="stress").pos)
    assert dunlin.layout(igraph.Graph(), method="stress").coords == []


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_tables_are_points(kind, blobs):
    package = pytest.importorskip(kind)
    X = blobs[0]
    columns = {f"c{i}": X[:, i] for i in range(X.shape[1])}
    table = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}[kind]
    expected = dunlin.neighbors(X, 5)
    found = dunlin.neighbors(getattr(package, table)(columns), 5)
    assert found.distances.tobytes() == expected.distances.tobytes()
    labels = {"pandas": "Series", "polars": "Series", "pyarrow": "array"}[kind]
    score = dunlin.score(X[:, :2], X, labels=getattr(package, labels)(blobs[1]))
    assert score == dunlin.score(X[:, :2], X, labels=blobs[1])


@pytest.mark.parametrize("kind", ["stream", "array"])
def test_what_has_the_interface_of_arrow_is_points(kind, blobs, monkeypatch):
    pyarrow = pytest.importorskip("pyarrow", minversion="15.0")
    from dunlin import _intake, _run

    X = blobs[0]
    table = pyarrow.table({f"c{i}": X[:, i] for i in range(X.shape[1])})
    source, name = table if kind == "stream" else table.to_batches()[0], f"__arrow_c_{kind}__"
    exported = type("Exported", (), {name: lambda self, schema=None: getattr(source, name)(schema)})()
    found, expected = dunlin.neighbors(exported, 5, queries=exported), dunlin.neighbors(X, 5, queries=X)
    assert found.distances.tobytes() == expected.distances.tobytes()
    points = _intake.points(exported, _run.Run({}))
    assert points.columns == table.column_names and points.values.tobytes() == X.tobytes()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(dunlin.InputError, match="pyarrow is not installed"):
        dunlin.neighbors(exported, 5)


def test_anndata_is_written_only_when_asked(blobs):
    anndata = pytest.importorskip("anndata")
    adata = anndata.AnnData(blobs[0].copy())
    adata.obsm["X_pca"] = blobs[0][:, :4].copy()
    plain = dunlin.tsne(adata, max_iter=50)
    assert list(adata.obsm) == ["X_pca"] and not adata.uns
    assert plain.embedding.tobytes() == dunlin.tsne(blobs[0], max_iter=50).embedding.tobytes()
    result = dunlin.tsne(adata, max_iter=50, use_rep="X_pca", key_added="X_tsne")
    assert adata.obsm["X_tsne"].tobytes() == result.embedding.tobytes()
    assert result.embedding.tobytes() == dunlin.tsne(blobs[0][:, :4], max_iter=50).embedding.tobytes()
    assert adata.uns["X_tsne"]["dunlin"]["max_iter"] == 50
    with pytest.raises(dunlin.InputError, match=r"use_rep is 'X_umap'; obsm has \['X_pca', 'X_tsne'\]"):
        dunlin.tsne(adata, use_rep="X_umap")


def test_anndata_takes_every_embedding(blobs):
    anndata = pytest.importorskip("anndata")
    adata = anndata.AnnData(blobs[0].copy())
    umap = dunlin.umap(adata, n_epochs=20, key_added="X_umap")
    pacmap = dunlin.pacmap(adata, num_iters=(5, 5, 5), key_added="X_pacmap")
    assert adata.obsm["X_umap"].tobytes() == umap.embedding.tobytes()
    assert adata.uns["X_umap"]["dunlin"]["cross_entropy"] == umap.cross_entropy
    assert adata.obsm["X_pacmap"].tobytes() == pacmap.embedding.tobytes()
    assert adata.uns["X_pacmap"]["dunlin"]["loss"] == pacmap.loss


def test_what_is_of_anndata_is_refused_elsewhere(blobs):
    for option in ("use_rep", "key_added"):
        with pytest.raises(dunlin.InputError, match=f"{option} is 'X_tsne', but X is no AnnData"):
            dunlin.tsne(blobs[0], **{option: "X_tsne"})


def test_scanpy_takes_the_transformer_and_the_class(blobs):
    scanpy = pytest.importorskip("scanpy")
    anndata = pytest.importorskip("anndata")
    X, classes = blobs
    neighbors = pytest.importorskip("sklearn.neighbors")

    def distances(transformer):
        adata = anndata.AnnData(X.copy())
        scanpy.pp.neighbors(adata, n_neighbors=15, use_rep="X", transformer=transformer)
        return adata.obsp["distances"]

    ours = distances(dunlin.KNeighborsTransformer(n_neighbors=14))
    theirs = distances(neighbors.KNeighborsTransformer(n_neighbors=14))
    assert (ours.nnz, ours.shape) == (theirs.nnz, theirs.shape)
    np.testing.assert_allclose(ours.sum(1), theirs.sum(1), rtol=1e-4)
    # scanpy counts a point among its n_neighbors and leaves it out of the graph
    np.testing.assert_allclose(ours.sum(1), distances("sklearn").sum(1), rtol=1e-4)
    adata = anndata.AnnData(X.copy())
    with dunlin.patch("sklearn"):
        scanpy.tl.tsne(adata, use_rep="X", random_state=0)
    expected = dunlin.TSNE(perplexity=30, learning_rate=1000, early_exaggeration=12, random_state=0).fit_transform(X)
    assert adata.obsm["X_tsne"].tobytes() == expected.astype(adata.obsm["X_tsne"].dtype).tobytes()


def test_umap_takes_the_neighbors(blobs):
    umap = pytest.importorskip("umap")
    manifold = pytest.importorskip("sklearn.manifold")
    X = blobs[0]
    near = dunlin.neighbors(X, 15, include_self=True)
    reducer = umap.UMAP(n_neighbors=15, precomputed_knn=near.as_umap(), random_state=0)
    map = reducer.fit_transform(X)
    # UMAP takes them as they are, not a search of its own
    np.testing.assert_array_equal(reducer.knn_dists, near.distances)
    assert manifold.trustworthiness(X, map, n_neighbors=10) > 0.9


def test_threadpoolctl_limits_the_threads(blobs):
    threadpoolctl = pytest.importorskip("threadpoolctl", minversion="3.3")
    from dunlin import _core

    listed = [each for each in threadpoolctl.threadpool_info() if each["user_api"] == "dunlin"]
    assert listed and listed[0]["num_threads"] == _core.usable_threads(0)
    X = np.random.default_rng(0).normal(size=(4000, 32)).astype(np.float32)
    before, limit = dunlin.neighbors(X, 5, n_jobs=3), _core.thread_limit()
    with threadpoolctl.threadpool_limits(1):
        assert _core.usable_threads(0) == 1
        limited = dunlin.kmeans(X, 5)
    assert limited.threads == 1 and limited.labels.tobytes() == dunlin.kmeans(X, 5).labels.tobytes()
    assert _core.thread_limit() == limit and before.threads == dunlin.neighbors(X, 5, n_jobs=3).threads


def test_a_mask_of_cpus_is_heeded(blobs):
    if not hasattr(os, "sched_setaffinity"):
        pytest.skip("no masks of CPUs here")
    code = """
import os
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
import numpy as np, dunlin
X = np.random.default_rng(0).normal(size=(5000, 20)).astype("f")
print(dunlin.kmeans(X, 5).threads)
"""
    assert python(code).strip() == "1"
    assert python("import dunlin; print(dunlin._core.usable_threads(0))", DUNLIN_THREADS="1").strip() == "1"


def test_the_log_tells_what_was_chosen(caplog, blobs):
    assert any(isinstance(each, logging.NullHandler) for each in logging.getLogger("dunlin").handlers)
    with caplog.at_level(logging.INFO, logger="dunlin"):
        result = dunlin.tsne(blobs[0], max_iter=50, seed=9)
    (line,) = [record.getMessage() for record in caplog.records]
    assert f"device {result.device}" in line and "seed 9" in line and "50 iterations" in line
    assert all(f"{part} {name}" in line for part, name, _ in result.engines) and "recall of the search 1" in line
    caplog.clear()
    dunlin.tsne(blobs[0], max_iter=50)
    assert not caplog.records


def test_a_script_runs_accelerated(tmp_path):
    pytest.importorskip("sklearn")
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\nfrom sklearn.cluster import KMeans\nfrom sklearn.manifold import TSNE\n"
        "import helper\nprint(TSNE.__mro__[1].__module__.split('.')[1], KMeans.__module__, sys.argv[1:], __name__, helper.here)\n"
    )
    (tmp_path / "helper.py").write_text("here = 1\n")
    expected = "_proxies dunlin._estimators_cluster ['a', '-m'] __main__ 1"
    assert python(None, "-m", "dunlin.accel", str(script), "a", "-m").strip() == expected
    shown = subprocess.run(
        [sys.executable, "-m", "dunlin.accel"],
        env=dict(os.environ, PYTHONPATH=PACKAGE),
        capture_output=True,
        text=True,
    )
    assert shown.returncode != 0 and "usage:" in shown.stderr


def test_an_ipython_session_runs_accelerated():
    pytest.importorskip("sklearn")
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell.instance()
    import sklearn.manifold

    original = sklearn.manifold.TSNE
    shell.run_line_magic("load_ext", "dunlin.accel")
    try:
        assert sklearn.manifold.TSNE is not original and issubclass(sklearn.manifold.TSNE, original)
    finally:
        shell.run_line_magic("unload_ext", "dunlin.accel")
    assert sklearn.manifold.TSNE is original


def test_processes_of_joblib_give_the_same_bytes(blobs):
    joblib = pytest.importorskip("joblib")
    X = blobs[0]
    expected = dunlin.kmeans(X, 3, seed=5).labels.tobytes()
    for backend in ("loky", "threading"):
        found = joblib.Parallel(n_jobs=2, backend=backend)(
            joblib.delayed(dunlin.kmeans)(X, 3, seed=seed) for seed in (5, 6, 5)
        )
        assert found[0].labels.tobytes() == found[2].labels.tobytes() == expected


def test_grid_search_in_two_processes(blobs):
    selection = pytest.importorskip("sklearn.model_selection")
    search = selection.GridSearchCV(dunlin.KMeans(random_state=0), {"n_clusters": [2, 3]}, n_jobs=2, cv=2)
    assert search.fit(blobs[0]).best_params_ == {"n_clusters": 3}


@pytest.mark.parametrize("name", ["hdbscan", "toponymy"])
def test_stubs_of_modules_have_their_names_and_parameters(name):
    pytest.importorskip("sklearn")
    module = importlib.import_module(f"dunlin.{name}")
    with open(os.path.splitext(module.__file__)[0] + ".pyi") as file:
        stub = ast.parse(file.read()).body
    written = {each.name: each for each in stub if isinstance(each, (ast.ClassDef, ast.FunctionDef))}
    assert sorted(written) == sorted(module.__all__)
    for each, node in written.items():
        thing = getattr(module, each)
        functions = [(thing, node)] if callable(thing) and isinstance(node, ast.FunctionDef) else []
        if isinstance(node, ast.ClassDef):
            bodies = [part for part in node.body if isinstance(part, ast.FunctionDef) and not part.decorator_list]
            functions = [(getattr(thing, part.name), part) for part in bodies]
            public = {k for k, v in vars(thing).items() if not k.startswith("_") and (callable(v) or isinstance(v, property))}
            assert public <= {part.name for part in node.body if isinstance(part, ast.FunctionDef)}, each
        for function, part in functions:
            stubbed = [argument.arg for argument in part.args.args]
            real = [p.name for p in inspect.signature(function).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
            assert stubbed == real, part.name


def test_type_stubs_pass_mypy(tmp_path):
    api = pytest.importorskip("mypy.api")
    if not os.path.exists(os.path.join(os.path.dirname(dunlin.__file__), "_functions.pyi")):
        pytest.skip("the stubs are written by ./dev python")
    (tmp_path / "used.py").write_text(
        "import numpy as np\nfrom dunlin._functions import kmeans, tsne\n"
        "X = np.zeros((10, 2))\nprint(tsne(X, perplexity=3.0, seed=1), kmeans(X, 2, n_jobs=2))\n"
    )
    (tmp_path / "wrong.py").write_text("from dunlin._functions import tsne\ntsne([], max_iter='many')\n")
    os.environ["MYPYPATH"] = PACKAGE
    try:
        shown, _, status = api.run(["--strict", "--follow-imports=silent", str(tmp_path / "used.py")])
        assert status == 0, shown
        shown, _, status = api.run(["--follow-imports=silent", str(tmp_path / "wrong.py")])
        assert status == 1 and re.search("max_iter|incompatible type", shown)
    finally:
        del os.environ["MYPYPATH"]

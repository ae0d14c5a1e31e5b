# SPDX-License-Identifier: Apache-2.0
"""Law 6, round trip: what is written is read back the same, by the package and by other programs."""

import dunlin
import networkx
import numpy as np
import pandas
import pytest
from hypothesis import strategies as st

from calls_maps import as_networkx
from generate import cases
from law import examples

# Ids and labels that a table must carry unharmed
WORDS = ["a", "b c", "é", 'q"x', "x,y", "NA?", "-1x", "ö;ü", "tab\there", "'s", "#1", "x=1", " lead"]


@pytest.mark.parametrize("kind", ["csv", "tsv", "npy"])
@examples(6)
def test_maps(kind, tmp_path_factory, data):
    case = data.draw(cases(("Y", "labels"), 2, 40), "case")
    Y = (case.Y * data.draw(st.sampled_from([1.0, 1e-20, 1e20, 1 / 3]), "scale")).astype(np.float32)
    path = tmp_path_factory.mktemp("map") / f"map.{kind}"
    dunlin.write(path, Y)
    back = np.asarray(dunlin.read(path), np.float32)
    assert back.shape == Y.shape and (back == Y).all(), f"{Y} was read back as {back}"
    if kind != "npy":
        peer = pandas.read_csv(path, sep="\t" if kind == "tsv" else ",")[["x", "y"]].to_numpy(np.float32)
        assert (peer == Y).all(), f"pandas reads {peer} of {Y}"
    if kind == "npy":
        assert (np.load(path) == Y).all()


@pytest.mark.parametrize("kind", ["csv", "tsv"])
@examples(6)
def test_ids_and_labels(kind, tmp_path_factory, data):
    n = data.draw(st.integers(3, 12), "n")
    ids = [f"{word}{i}" for i, word in zip(range(n), WORDS * 2)]
    labels = [data.draw(st.sampled_from(WORDS), "label") for _ in range(n)]
    path = tmp_path_factory.mktemp("map") / f"map.{kind}"
    Y = np.arange(2 * n, dtype=np.float32).reshape(n, 2)
    dunlin.write(path, Y, ids=ids, labels=labels)
    back = dunlin.read(path, ids="id", labels="label")
    assert list(back.ids) == ids, f"ids {ids} became {list(back.ids)}"
    assert list(map(str, back.labels)) == labels, f"labels {labels} became {list(back.labels)}"
    table = pandas.read_csv(path, sep="\t" if kind == "tsv" else ",", keep_default_na=False, dtype=str)
    assert table["id"].tolist() == ids and table["label"].tolist() == labels


@pytest.mark.parametrize("kind", ["dot", "graphml"])
@examples(4)
def test_drawings(kind, tmp_path_factory, data):
    case = data.draw(cases(("G",), 2, 12), "case")
    drawn = dunlin.layout(as_networkx(case.G), iterations=5)
    path = tmp_path_factory.mktemp("graph") / f"graph.{kind}"
    dunlin.write(path, drawn)
    back = dunlin.read(path)
    assert {frozenset(edge) for edge in edges_of(back)} == {frozenset(map(str, edge)) for edge in case.G[1].tolist()}
    assert len(back.nodes) == case.G[0], f"{case.G[0]} vertices became {len(back.nodes)}"
    if kind == "graphml":
        peer = networkx.read_graphml(path)
        assert (peer.number_of_nodes(), peer.number_of_edges()) == (case.G[0], len(case.G[1])), f"NetworkX reads {peer}"


def edges_of(graph):
    """Pairs of names."""
    offsets, targets, _ = graph.csr
    names = [str(node) for node in graph.nodes]
    return [(names[i], names[j]) for i in range(len(names)) for j in targets[offsets[i] : offsets[i + 1]]]


@examples(4)
def test_neighbors(tmp_path_factory, data):
    case = data.draw(cases(("X",), 8, 30), "case")
    found = dunlin.neighbors(case.X, 4)
    matrix = found.to_csr()
    assert (matrix.toarray()[np.arange(len(case.X))[:, None], found.indices] == found.distances).all()
    path = tmp_path_factory.mktemp("graph") / "near.npz"
    dunlin.write(path, found)
    import scipy.sparse

    assert (scipy.sparse.load_npz(path) != matrix).nnz == 0


@examples(4)
def test_pickled_results(data):
    import copy
    import pickle

    case = data.draw(cases(("X", "G"), 16, 24, points=("normal",)), "case")
    for result in (dunlin.tsne(case.X, perplexity=4, max_iter=5), dunlin.kmeans(case.X, 3), dunlin.layout(case.G, iterations=5)):
        for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
            assert np.array_equal(np.asarray(getattr(again, "labels", again)), np.asarray(getattr(result, "labels", result)))


@examples(3)
def test_anndata(data):
    import anndata

    case = data.draw(cases(("X",), 16, 30, (3, 6), points=("normal",)), "case")
    names = [f"cell {i}" for i in range(len(case.X))]
    table = anndata.AnnData(case.X.astype(np.float32), obs=pandas.DataFrame(index=names))
    result = dunlin.umap(table, n_neighbors=5, n_epochs=5, key_added="X_umap")
    plain = dunlin.umap(case.X.astype(np.float32), n_neighbors=5, n_epochs=5)
    assert (table.obsm["X_umap"] == plain.embedding).all() and (result.embedding == plain.embedding).all()
    assert list(result.ids) == names

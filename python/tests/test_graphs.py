# SPDX-License-Identifier: Apache-2.0
"""Graphs of NetworkX, igraph and SciPy; dissimilarities, scores, pictures."""

import pickle
import re

import numpy as np
import pytest

import dunlin

nx = pytest.importorskip("networkx")


def test_graphs_of_all_kinds_give_the_same_drawing():
    G = nx.karate_club_graph()
    expected = dunlin.layout(G, weight=None).pos.tobytes()
    matrix = nx.to_scipy_sparse_array(G, weight=None)
    for graph in (matrix, matrix.tocoo(), matrix.toarray(), (len(G), list(G.edges)), nx.DiGraph(G), nx.MultiGraph(G)):
        assert dunlin.layout(graph, weight=None).pos.tobytes() == expected


def test_a_graph_of_igraph_gives_its_layout():
    igraph = pytest.importorskip("igraph")
    G = igraph.Graph.Famous("Zachary")
    drawn = dunlin.layout(G)
    assert isinstance(drawn, igraph.Layout) and len(drawn) == 34
    assert dunlin.score(drawn, graph=G)["scaled_stress"] < 0.2


def test_positions_are_by_node():
    G = nx.Graph([("a", "b"), ("b", "c"), ("x", "y")])
    drawn = dunlin.layout(G)
    assert set(drawn) == set("abcxy") and drawn["a"].shape == (2,)
    held = dunlin.layout(G, method="fr", pos=drawn, fixed=["a", "x"])
    assert held["a"].tolist() == drawn["a"].tolist() and held["x"].tolist() == drawn["x"].tolist()


def test_weights_are_strengths_or_lengths():
    G = nx.Graph()
    G.add_weighted_edges_from([(0, 1, 1.0), (1, 2, 5.0)])
    drawn = dunlin.layout(G, method="stress", weight_means="length")
    assert np.linalg.norm(drawn[1] - drawn[2]) > 2 * np.linalg.norm(drawn[0] - drawn[1])


@pytest.mark.parametrize(
    "graph, text",
    [
        ((3, [(0, 5)]), "vertices are numbered from 0 to 2"),
        (object(), "it must be a graph"),
        (np.ones((2, 3)), "it must be a graph|square"),
    ],
)
def test_what_is_no_graph_is_refused(graph, text):
    with pytest.raises(dunlin.Error, match=text):
        dunlin.layout(graph)


def test_a_weight_that_cannot_be_used_is_refused():
    G = nx.Graph()
    G.add_edge(0, 1, weight=-1.0)
    with pytest.raises(dunlin.InputError, match="weight -1"):
        dunlin.layout(G)
    G.add_edge(0, 1, weight="heavy")
    with pytest.raises(dunlin.InputError, match="not a number"):
        dunlin.layout(G)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_small_graphs(n):
    assert len(dunlin.layout(nx.empty_graph(n))) == n
    assert len(dunlin.layout(nx.path_graph(n))) == n


@pytest.mark.parametrize("method", ["multilevel", "eades", "fr", "fa2", "annealing", "stress"])
def test_every_method_draws_a_ladder(method):
    drawn = dunlin.layout(nx.ladder_graph(10), method=method)
    assert np.isfinite(drawn.pos).all() and dunlin.score(drawn, graph=drawn.graph)["scaled_stress"] < 0.5


def test_networkx_names():
    import dunlin.networkx as drawing

    G = nx.grid_2d_graph(6, 6)
    for function in (drawing.spring_layout, drawing.kamada_kawai_layout, drawing.forceatlas2_layout):
        drawn = function(G)
        assert list(drawn) == list(G)
    assert drawing.spring_layout(G, seed=3)[0, 0].tolist() == drawing.spring_layout(G, seed=3)[0, 0].tolist()
    line = np.ravel(list(drawing.kamada_kawai_layout(nx.path_graph(9), dim=1).values()))
    assert np.all(np.diff(line) > 0) or np.all(np.diff(line) < 0)
    for function in (drawing.spring_layout, drawing.forceatlas2_layout):
        drawn = function(nx.path_graph(40), dim=1, seed=1)
        line = np.ravel(list(drawn.values()))
        assert line.shape == (40,) and abs(np.corrcoef(line.argsort().argsort(), np.arange(40))[0, 1]) > 0.99
    assert len(drawing.spring_layout(G, dim=1, method="energy")[0, 0]) == 1
    path = nx.path_graph(6)
    plain = drawing.forceatlas2_layout(path, seed=1)
    heavy = drawing.forceatlas2_layout(path, seed=1, node_mass={0: 50.0})
    shared = drawing.forceatlas2_layout(path, seed=1, distributed_action=True)
    assert plain[3].tolist() != heavy[3].tolist() and plain[3].tolist() != shared[3].tolist()
    degrees = drawing.forceatlas2_layout(path, seed=1, node_mass={node: d + 1 for node, d in path.degree})
    assert degrees[3].tolist() == plain[3].tolist()


@pytest.mark.parametrize("method", ["multilevel", "eades", "fr", "fa2", "annealing", "stress"])
def test_every_method_draws_on_a_line(method):
    drawn = dunlin.layout(nx.path_graph(30), method=method, dim=1)
    assert drawn.pos.shape == (30, 1) and np.isfinite(drawn.pos).all()
    assert abs(np.corrcoef(drawn.pos[:, 0].argsort().argsort(), np.arange(30))[0, 1]) > 0.9
    apart = dunlin.remove_overlaps(drawn.pos, 2.0)
    assert np.diff(np.sort(apart[:, 0])).min() >= 4.0


def test_mds_of_each_source(blobs, tmp_path):
    X = blobs[0][:100]
    distances = np.sqrt(((X[:, None].astype(np.float64) - X[None]) ** 2).sum(-1))
    of_points = dunlin.mds(X)
    for other in (dunlin.mds(dissimilarities=distances), dunlin.mds(distance=lambda i, j: distances[i, j], n=100)):
        assert other.stress()["normalized_stress"][0] == pytest.approx(
            of_points.stress()["normalized_stress"][0], rel=0.02
        )
    assert of_points.stress_per_point().shape == (100,) and of_points.shepard().shape[1] == 2
    diagram = dunlin.mds(X, method="smacof", transform="ordinal").shepard(pairs=5000)
    assert diagram.shape == (4950, 2) and diagram.disparity.shape == (4950,) and (np.diff(diagram.line, axis=0) >= 0).all()
    error = ((diagram[:, 1] - diagram.disparity) ** 2).sum() / (np.asarray(diagram[:, 1], np.float64) ** 2).sum()
    assert error == pytest.approx(diagram.stress1**2, rel=1e-4) and diagram.fit == 1 - diagram.stress1**2
    assert diagram.draw().format == "png" and diagram.draw(format="svg").data.count(b"<circle") == 4950
    diagram.draw(tmp_path / "pairs.csv")
    assert len((tmp_path / "pairs.csv").read_text().splitlines()) == 4951
    of_graph = dunlin.mds(graph=nx.path_graph(20))
    assert of_graph.stress()["stress1"][0] < 0.05
    with pytest.raises(ZeroDivisionError):
        dunlin.mds(distance=lambda i, j: 1 / 0, n=10)
    with pytest.raises(TypeError, match="give one of"):
        dunlin.mds(X, dissimilarities=distances)


def test_scores_of_points(blobs):
    X, classes = blobs
    result = dunlin.tsne(X, max_iter=500)
    scores = dunlin.score(result, X, labels=classes, perplexity=30)
    assert scores["kl"] == pytest.approx(result.kl, rel=1e-3)
    assert scores["label_accuracy"] > 0.95 and scores.se["trustworthiness"] == 0
    k = np.arange(1, len(X) - 1)
    assert scores.rnx_curve.shape == k.shape
    assert scores["rnx_auc"] == pytest.approx((scores.rnx_curve / k).sum() / (1 / k).sum(), abs=1e-12)
    assert -1 <= scores["distance_correlation"] <= 1 and scores["centroid_correlation"] <= 1
    restored = pickle.loads(pickle.dumps(scores))
    assert restored == scores and restored.se == scores.se and (restored.rnx_curve == scores.rnx_curve).all()
    ours = dunlin.trustworthiness(X, result.embedding, n_neighbors=5)
    manifold = pytest.importorskip("sklearn.manifold")
    assert ours == pytest.approx(manifold.trustworthiness(X, result.embedding, n_neighbors=5), abs=1e-6)
    with pytest.raises(dunlin.Error, match="did you mean"):
        dunlin.score(result, X, labls=classes)


def test_pictures(tmp_path, blobs):
    X, classes = blobs
    result = dunlin.tsne(X, max_iter=50)
    png = dunlin.draw(result, labels=classes, width=300, height=300)
    assert png.data[:4] == b"\x89PNG" and png._repr_png_() == png.data and result._repr_png_()[:4] == b"\x89PNG"
    assert b"<svg" in dunlin.draw(result, format="svg", title="a").data
    pdf = dunlin.draw(result, labels=classes, format="pdf", figure_size="89x70mm", legend="below", title="none")
    assert pdf.data[:5] == b"%PDF-" and pdf.format == "pdf" and b"/FontFile2" in pdf.data
    dunlin.draw(result, tmp_path / "map.html", labels=[str(c) for c in classes])
    assert (tmp_path / "map.html").stat().st_size > 1000
    drawn = dunlin.layout(nx.karate_club_graph())
    assert drawn.draw(format="svg", vertex_names=True).data.count(b"<") > 50
    with pytest.raises(dunlin.InputError, match="width"):
        dunlin.draw(result, width=1)
    with pytest.raises(dunlin.InputError, match="89x70mm"):
        dunlin.draw(result, figure_size="89")


def test_discs_come_apart():
    moved = dunlin.remove_overlaps(np.zeros((5, 2)), 1.0)
    near = dunlin.neighbors(moved, 1).distances
    assert near.min() > 1.99


def shown_texts(picture):
    return re.findall(r">([^<]+)</text>", picture.data.decode())


def test_names_come_from_a_column_of_another_table(tmp_path, caplog):
    pandas = pytest.importorskip("pandas")
    map = pandas.DataFrame(np.random.default_rng(1).normal(size=(5, 2)), list("abcde"), ["x", "y"])
    (tmp_path / "names.csv").write_text("id,name,size\nc,See,3\nb,Bee,5\na,,1\nz,Zet,9\n")
    file = f"{tmp_path / 'names.csv'}:name"
    options = {"format": "svg", "title": "none"}
    assert sorted(shown_texts(dunlin.draw(map, names_from=file, **options))) == ["Bee", "See"]
    names = pandas.Series(["See", "Bee", None, "Zet"], list("cbaz"))
    for given in (names, names[:3].to_dict(), ["", "Bee", "See", "", None]):
        assert sorted(shown_texts(dunlin.draw(map, names_from=given, **options))) == ["Bee", "See"]
    for ranks in (pandas.Series([3, 5, 1], list("cba")), [1, 5, 3, np.nan, np.nan]):
        assert shown_texts(dunlin.draw(map, names_from=file, names=1, names_by=ranks, **options)) == ["Bee"]
        assert shown_texts(dunlin.draw(map, names=["c"], names_from=file, names_by=ranks, **options)) == ["See"]
    page = dunlin.draw(map, names_from=file, format="html").data.decode()
    assert '"column":"name"' in page and '"column":"id"' in dunlin.draw(map, format="html").data.decode()
    for wrong, text in ((["a"], "names_from"), ("absent.csv:name", "there is no file 'absent.csv:name'"), (file + "s", "no column 'names'")):
        with pytest.raises((dunlin.InputError, OSError), match=text):
            dunlin.draw(map, names_from=wrong, **options)

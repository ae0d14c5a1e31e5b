# SPDX-License-Identifier: Apache-2.0
"""leiden(), louvain()."""

import math

import dunlin
import numpy as np
import pytest
import scipy.sparse as sp

TWO_TRIANGLES = [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5)]


def planted(n=600, size=30, inside=5, outside=2, seed=0):
    """(n, edges) with groups of nodes that are n / size apart."""
    draw = np.random.default_rng(seed)
    source = np.repeat(np.arange(n), inside + outside)
    near = draw.integers(size, size=len(source)) * (n // size) + source % (n // size)
    far = draw.integers(n, size=len(source))
    target = np.where(np.arange(len(source)) % (inside + outside) < inside, near, far)
    return n, np.unique(np.sort(np.column_stack([source, target])[source != target], axis=1), axis=0)


def square(graph):
    n, edges = graph
    half = sp.coo_matrix((np.ones(len(edges)), edges.T), (n, n)).tocsr()
    return half + half.T


def modularity(matrix, labels, resolution=1):
    """The definition, in double over all pairs; entries of the diagonal count twice."""
    weights = np.asarray(sp.csr_matrix(matrix).todense(), float)
    weights = weights + np.diag(np.diag(weights))
    degrees, total = weights.sum(1), weights.sum()
    same = np.equal.outer(labels, labels)
    return ((weights - resolution * np.outer(degrees, degrees) / total) * same).sum() / total


@pytest.mark.parametrize("find", [dunlin.leiden, dunlin.louvain])
def test_labels_and_quality(find):
    graph = planted()
    found = find(graph)
    assert found.labels.dtype == np.int32 and len(found.labels) == 600
    assert found.n_communities == found.labels.max() + 1
    assert (np.diff(np.bincount(found.labels)) <= 0).all()
    assert found.modularity == pytest.approx(modularity(square(graph), found.labels), abs=1e-9)
    assert found.quality == found.modularity
    assert (found.levels[-1] == found.labels).all()
    assert [len(group) for group in found.communities()] == np.bincount(found.labels).tolist()
    other = find(graph, resolution=2.5)
    assert other.n_communities >= found.n_communities
    assert other.quality == pytest.approx(modularity(square(graph), other.labels, 2.5), abs=1e-9)


def test_every_kind_of_graph_is_the_same_graph():
    nx = pytest.importorskip("networkx")
    n, edges = planted()
    labels = dunlin.leiden((n, edges)).labels
    graph = nx.Graph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(edges.tolist())
    matrix = square((n, edges))
    for given in (graph, matrix, matrix.tocoo(), matrix.toarray(), sp.triu(matrix)):
        assert (dunlin.leiden(given).labels == labels).all()


def test_names_of_nodes():
    nx = pytest.importorskip("networkx")
    graph = nx.Graph([("a", "b"), ("b", "c"), ("a", "c"), ("c", "x"), ("x", "y"), ("y", "z"), ("x", "z")])
    found = dunlin.leiden(graph)
    assert found.communities() == [["a", "b", "c"], ["x", "y", "z"]]
    start = {node: 0 if node in "abc" else 7 for node in graph}
    assert (dunlin.leiden(graph, initial_membership=start, n_iterations=0).labels == found.labels).all()


def test_weights():
    edges = np.array(TWO_TRIANGLES)
    heavy = np.array([1, 1, 1, 100, 1, 1, 1])
    assert dunlin.leiden((6, edges)).labels.tolist() == [0, 0, 0, 1, 1, 1]
    assert dunlin.leiden((6, edges, heavy)).labels[2] == dunlin.leiden((6, edges, heavy)).labels[3]
    assert dunlin.leiden((6, edges, heavy), weight=None).labels.tolist() == [0, 0, 0, 1, 1, 1]


def test_levels_are_a_tree():
    rows, columns = np.divmod(np.arange(400), 20)
    edges = [(i, i + 1) for i in range(399) if columns[i] < 19] + [(i, i + 20) for i in range(380)]
    found = dunlin.leiden((400, edges))
    tree = found.tree
    assert len(tree.layers) == len(found.levels)
    for layer, level in enumerate(found.levels):
        labels = tree.labels(layer)
        assert len({*zip(labels.tolist(), level.tolist())}) == len({*labels.tolist()}) == len({*level.tolist()})


def test_directions_and_loops_of_a_matrix():
    one_way = sp.csr_matrix(np.array([[0, 2.0, 0], [6, 0, 1], [0, 0, 3]]))
    wanted = {
        "union": [[0, 6, 0], [6, 0, 1], [0, 1, 3]],
        "sum": [[0, 8, 0], [8, 0, 1], [0, 1, 3]],
        "mutual": [[0, 2, 0], [2, 0, 0], [0, 0, 3]],
    }
    for rule, matrix in wanted.items():
        found = dunlin.leiden(one_way, symmetrize=rule)
        assert found.modularity == pytest.approx(modularity(np.array(matrix), found.labels), abs=1e-9)


def test_the_constant_potts_model():
    graph = planted()
    found = dunlin.leiden(graph, quality="cpm", resolution=0.1)
    weights, labels = square(graph).toarray(), found.labels
    same = np.equal.outer(labels, labels)
    assert found.quality == pytest.approx(((weights - 0.1) * same).sum() / weights.sum(), abs=1e-9)
    assert found.modularity == pytest.approx(modularity(weights, labels), abs=1e-9)


def test_the_same_bytes_for_any_number_of_threads():
    graph = planted(20000, 50)
    first = dunlin.leiden(graph, seed=5, n_jobs=1)
    for n_jobs in (2, 3):
        again = dunlin.leiden(graph, seed=5, n_jobs=n_jobs)
        assert again.labels.tobytes() == first.labels.tobytes()
        assert again.modularity == first.modularity


def test_smallest_graphs():
    none = dunlin.leiden((0, []))
    assert len(none.labels) == 0 and none.n_communities == 0 and math.isnan(none.modularity)
    assert dunlin.leiden((1, [])).labels.tolist() == [0]
    assert dunlin.leiden((2, [(0, 1)])).labels.tolist() == [0, 0]
    assert dunlin.leiden((3, [(0, 2)])).labels.tolist() == [0, 1, 0]
    assert dunlin.leiden(sp.csr_matrix((2, 2))).labels.tolist() == [0, 1]


def test_neighbors_are_a_graph():
    points = np.random.default_rng(0).normal(size=(300, 4)).astype(np.float32)
    points[150:] += 20
    labels = dunlin.leiden(dunlin.neighbors(points, n_neighbors=10), resolution=0.01).labels
    assert (labels[:150] == labels[0]).all() and (labels[150:] == labels[150]).all() and labels[0] != labels[150]


def test_what_is_wrong_is_said():
    matrix = square(planted())
    negative = matrix.copy()
    negative.data[0] = -1
    with pytest.raises(dunlin.InputError, match="has the weight -1"):
        dunlin.leiden(negative)
    with pytest.raises(dunlin.InputError, match="square"):
        dunlin.leiden(sp.csr_matrix((2, 3)))
    with pytest.raises(dunlin.InputError, match="resolution"):
        dunlin.leiden(matrix, resolution=-1)
    with pytest.raises(dunlin.Error, match="symmetrize"):
        dunlin.leiden((3, [(0, 1)]), symmetrize="sum")
    with pytest.raises(dunlin.InputError, match="initial_membership"):
        dunlin.leiden((3, [(0, 1)]), initial_membership=[0, 1])
    with pytest.raises(dunlin.InputError, match="whole numbers"):
        dunlin.leiden((3, [(0, 1)]), initial_membership=[0, 0.5, 1])
    with pytest.raises(TypeError):
        dunlin.leiden(matrix, gamma=1)


def planted_in_igraph():
    """A graph of igraph with five communities, and weights."""
    igraph = pytest.importorskip("igraph")
    rng = np.random.default_rng(4)
    rows, columns = np.triu_indices(150, 1)
    near = rows % 5 == columns % 5
    kept = rng.random(len(rows)) < np.where(near, 0.4, 0.02)
    graph = igraph.Graph(150, list(zip(rows[kept].tolist(), columns[kept].tolist())))
    graph.es["weight"] = (1 + rng.random(kept.sum()).round(2)).tolist()
    return graph


@pytest.mark.parametrize("objective, resolution", [("modularity", 1), ("modularity", 1.5), ("CPM", 0.1)])
def test_igraph_s_leiden_is_the_library_s(objective, resolution):
    graph = planted_in_igraph()
    options = {"weights": "weight", "resolution": resolution, "n_iterations": -1}
    theirs = graph.community_leiden(objective, **options)
    with dunlin.patch("igraph", strict=True):
        ours = graph.community_leiden(objective, **options)
        assert graph.community_leiden(objective, **options).membership == ours.membership
    assert type(ours) is type(theirs) and ours.graph is graph
    assert ours.quality == pytest.approx(theirs.quality, abs=1e-3)
    assert ours.modularity == pytest.approx(graph.modularity(ours.membership, weights="weight", resolution=resolution))
    assert {vertex % 5 for vertex in ours[0]} == {ours[0][0] % 5}


@pytest.mark.parametrize("directed", [False, True])
def test_leidenalg_s_partitions_are_the_library_s(directed):
    leidenalg, graph = pytest.importorskip("leidenalg"), planted_in_igraph()
    graph = graph.as_directed() if directed else graph
    for made, more in (
        (leidenalg.ModularityVertexPartition, {}),
        (leidenalg.RBConfigurationVertexPartition, {"resolution_parameter": 1.5}),
        (leidenalg.CPMVertexPartition, {"resolution_parameter": 0.1}),
    ):
        theirs = leidenalg.find_partition(graph, made, weights="weight", seed=1, n_iterations=-1, **more)
        with dunlin.patch("leidenalg", strict=True):
            ours = leidenalg.find_partition(graph, made, weights="weight", seed=1, n_iterations=-1, **more)
        assert type(ours) is made
        assert ours.quality() == pytest.approx(theirs.quality(), rel=1e-3)


def test_what_the_library_lacks_is_left_to_igraph():
    graph = planted_in_igraph()
    directed = graph.copy()
    directed.to_directed(mode="arbitrary")
    with dunlin.patch("igraph"):
        before = sum(each["calls"] for each in dunlin.accel.report() if each["by"] == "original")
        graph.community_leiden("modularity", node_weights=[1] * 150)
        directed.community_leiden("modularity")
        after = sum(each["calls"] for each in dunlin.accel.report() if each["by"] == "original")
    assert after == before + 2
    with dunlin.patch("igraph", strict=True), pytest.raises(dunlin.UnsupportedError, match="directed"):
        directed.community_leiden("modularity")


def test_scanpy_s_leiden_is_the_library_s():
    anndata, scanpy = pytest.importorskip("anndata"), pytest.importorskip("scanpy")
    pytest.importorskip("leidenalg")
    rng = np.random.default_rng(0)
    cells = anndata.AnnData((rng.normal(size=(240, 12)) + 6 * np.eye(12)[np.arange(240) % 3]).astype(np.float32))
    scanpy.pp.neighbors(cells, n_neighbors=10)
    with dunlin.patch("scanpy", strict=True):
        for flavor, more in (("igraph", {"directed": False, "n_iterations": 2}), ("leidenalg", {})):
            scanpy.tl.leiden(cells, flavor=flavor, key_added=flavor, **more)
            assert len({*zip(cells.obs[flavor], np.arange(240) % 3)}) == cells.obs[flavor].nunique() >= 3
    names = {each["name"] for each in dunlin.accel.report()}
    assert {"igraph.Graph.community_leiden", "leidenalg.find_partition"} <= names

# SPDX-License-Identifier: Apache-2.0
"""Several edges between two nodes, in graphs from Python, and repeated entries of SciPy's matrices."""

from graph_files import edges
from harness import by_python, logged, near, refused


@by_python("parallel-lengths")
def strengths_of_parallel_edges_add_and_of_lengths_the_least_counts():
    import networkx as nx
    import numpy as np
    import pandas as pd

    import dunlin
    from dunlin._graphs import graph_of

    triples = [(0, 1, 3.0), (1, 0, 1.0), (1, 2, 2.0)]
    numbered = (3, [edge[:2] for edge in triples], [edge[2] for edge in triples])
    table = pd.DataFrame(triples, columns=["source", "target", "weight"])
    named = [kind() for kind in (nx.MultiGraph, nx.DiGraph, nx.MultiDiGraph)]
    for G in named:
        G.add_weighted_edges_from(triples)
    import igraph

    ig = igraph.Graph(3, numbered[1], edge_attrs={"weight": numbered[2]})
    for G in (numbered, table, ig, *named):
        for weight, lengths, expected in (("weight", False, 4), ("weight", True, 1), (None, False, 2), (None, True, 1)):
            if weight is None and G is numbered:
                G = numbered[:2]
            undirected = G is ig or isinstance(G, nx.Graph) and not G.is_directed()
            if weight is None and not undirected:
                expected = 1  # without weights, an edge in both directions is one edge
            graph = graph_of(G, weight, lengths)
            assert graph.csr[1].tolist() == [1, 0, 2, 1] and graph.csr[2][0] == expected, (type(G), weight, lengths)
    once = nx.Graph([(0, 1, {"weight": 1.0}), (1, 2, {"weight": 2.0})])
    lengths = dunlin.layout(named[0], method="stress", weight_means="length", device="cpu")
    assert np.array_equal(lengths.pos, dunlin.layout(once, method="stress", weight_means="length", device="cpu").pos)
    near(dunlin.mds(graph=named[0], device="cpu").stress()["stress1"][0], 0, 1e-3)
    once[0][1]["weight"] = 4.0
    for G in (named[0], once.to_directed(), nx.to_scipy_sparse_array(once), nx.to_numpy_array(once)):
        assert np.array_equal(dunlin.layout(G, device="cpu").pos, dunlin.layout(once, device="cpu").pos)
    for call in (dunlin.waves, lambda G, **more: dunlin.waves(G, weight="weight", **more)):
        assert np.array_equal(call(named[0], stimulate=0, until=20).v, call(once, stimulate=0, until=20).v)


@by_python("parallel-lengths")
def edges_that_are_joined_are_counted_in_a_line():
    import networkx as nx

    import dunlin

    for G, count in (
        (nx.MultiGraph([(0, 1), (0, 1), (1, 0), (1, 2)]), "2 edges"),
        (nx.MultiDiGraph([(0, 1), (0, 1), (1, 0), (1, 2)]), "2 edges"),
        ((3, [(0, 1), (1, 0), (1, 2)]), "1 edges"),
        (nx.path_graph(4), None),
        (nx.path_graph(4, create_using=nx.DiGraph).to_undirected(), None),
        (nx.to_numpy_array(nx.cycle_graph(4)), None),
        (dunlin.neighbors([[0.0], [1], [2], [4]], 2), None),
    ):
        with logged() as lines:
            dunlin.layout(G, device="cpu")
        found = [line for line in lines if "join two nodes" in line]
        assert bool(found) == (count is not None) and (not count or found[0].startswith(count)), (lines, count)


@by_python("weight-attributes")
def weights_that_are_asked_for_are_there():
    import dunlin
    import igraph
    import networkx as nx
    import numpy as np
    import scipy.sparse as sp

    G = nx.path_graph(4)
    nx.set_edge_attributes(G, {(0, 1): 1.0, (1, 2): 5.0, (2, 3): 2.0}, "Weight")
    ig = igraph.Graph(4, [(0, 1), (1, 2), (2, 3)], edge_attrs={"Weight": [1.0, 5.0, 2.0]})
    exact = nx.path_graph(4)
    nx.set_edge_attributes(exact, {(0, 1): 1.0, (1, 2): 5.0, (2, 3): 2.0}, "weight")
    wanted = dunlin.layout(exact, device="cpu").pos
    for graph in (G, ig):
        found = dunlin.layout(graph, device="cpu")
        assert np.allclose(found.pos if graph is G else found.coords, wanted)
        for call in (dunlin.layout, lambda g, **more: dunlin.waves(g, stimulate=0, until=1, **more)):
            refused(lambda: call(graph, weight="wieght"), "'wieght'", "Weight")
    stored = sp.csr_matrix(([1.0, 0.0, 2.0], ([0, 1, 2], [1, 2, 3])), shape=(4, 4))
    refused(lambda: dunlin.mds(graph=stored), "(1, 2)")  # a stored weight of 0
    assert dunlin.layout(nx.path_graph(5), device="cpu").pos.shape == (5, 2)


# Repeated entries of SciPy's matrices add up


@by_python("graph-coo-duplicates")
def a_matrix_is_one_graph_in_every_form():
    import numpy as np
    import scipy.sparse as sp
    import dunlin

    coo = sp.coo_matrix(([1.0, 1, 1, 1, 5], ([0, 0, 0, 1, 2], [1, 1, 1, 2, 3])), shape=(4, 4))
    twice = sp.csr_array(([1.0, 2, 1, 2, 3], [1, 1, 2, 3, 3], [0, 2, 3, 5, 5]), shape=(4, 4))
    dense = coo.toarray()
    right = edges(dense)
    assert right == {frozenset((0, 1)): 3.0, frozenset((1, 2)): 1.0, frozenset((2, 3)): 5.0}
    forms = [coo, twice, coo.tocsr(), coo.tocsc(), coo.tolil(), coo.todok(), coo.tobsr(), coo.todia(), sp.coo_array(coo)]
    for form in forms:
        assert edges(form) == right, type(form)
    assert twice.nnz == 5  # the caller's own stays
    drawn = [dunlin.layout(form, method="fr", device="cpu").pos for form in (coo, dense, twice)]
    assert np.array_equal(drawn[0], drawn[1]) and np.array_equal(drawn[1], drawn[2])
    nothing = sp.coo_array(([2.0, -2, 1], ([0, 0, 1], [1, 1, 2])), shape=(3, 3))
    assert edges(nothing) == {frozenset((1, 2)): 1.0}
    assert edges(sp.csr_array(dense != 0)) == {edge: 1.0 for edge in right}
    assert edges(sp.csr_array((0, 0))) == edges(sp.coo_array((3, 3))) == {}
    refused(lambda: edges(sp.csr_array(np.eye(3)[:2])), "(2, 3)")


@by_python("python-sparse-duplicates")
def lengths_and_affinities_add():
    import numpy as np
    import scipy.sparse as sp
    import dunlin

    coo = sp.coo_array(([1.0, 1, 2, 2], ([0, 0, 1, 1], [1, 1, 2, 2])), shape=(3, 3))
    csr = sp.csr_array((np.array([1.0, 1, 2, 2]), np.array([1, 1, 2, 2]), np.array([0, 2, 4, 4])), shape=(3, 3))
    for graph in (coo.toarray(), coo, csr):
        map = dunlin.mds(graph=graph, device="cpu").embedding
        assert np.allclose(np.linalg.norm(np.diff(map, axis=0), axis=1), [2, 4], atol=1e-2)
        assert np.allclose(dunlin.waves(graph, stimulate=0, until=5).v, dunlin.waves(coo.toarray(), stimulate=0, until=5).v)
        near(dunlin.score([[0.0, 0], [2, 0], [6, 0]], graph=graph, weight_means="length")["scaled_stress"], 0)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 5))
    map = X[:, :2].astype("f4")
    P = dunlin.affinities(dunlin.neighbors(X, 10, device="cpu"), 3)
    half = sp.csr_matrix((np.repeat(P.data / 2, 2), np.repeat(P.indices, 2), P.indptr * 2), shape=P.shape)
    p = P.toarray().astype(float) / P.sum()
    q = 1 / (1 + ((map[:, None].astype(float) - map[None]) ** 2).sum(-1))
    np.fill_diagonal(q, 0)
    q /= q.sum()
    kl = float((p[p > 0] * np.log(p[p > 0] / q[p > 0])).sum())
    found = []
    for form in (P, half, half.tocoo(), half.tocsc()):
        near(dunlin.score(map, affinities=form, device="cpu")["kl"], kl)
        result = dunlin.tsne(affinities=form, init=map * 1e-4, device="cpu", max_iter=100)
        found.append(result.kl)
        dunlin.tsne(X, affinities=form, device="cpu", max_iter=20)
    assert max(found) - min(found) < 1e-3
    memberships = sp.csr_matrix((P > 0).astype(np.float32) * 0.8)
    parts = sp.csr_matrix((np.repeat(memberships.data / 2, 2), np.repeat(memberships.indices, 2), memberships.indptr * 2), P.shape)
    maps = [dunlin.umap(memberships=form, init=map, device="cpu", n_epochs=50).embedding for form in (memberships, parts)]
    assert np.allclose(maps[0], maps[1], atol=1e-3)
    dunlin.write("half.npz", half)
    assert abs(sp.load_npz("half.npz") - P).max() < 1e-6
    assert half.nnz == 2 * P.nnz

# SPDX-License-Identifier: Apache-2.0
"""Several edges between two nodes, in graphs from Python."""

from harness import by_python, near


@by_python("parallel-lengths")
def strengths_of_parallel_edges_add_and_of_lengths_the_least_counts():
    import networkx as nx
    import numpy as np
    import pandas as pd

    import dunlin
    from dunlin._graphs import graph_of

    edges = [(0, 1, 3.0), (1, 0, 1.0), (1, 2, 2.0)]
    numbered = (3, [edge[:2] for edge in edges], [edge[2] for edge in edges])
    table = pd.DataFrame(edges, columns=["source", "target", "weight"])
    named = [kind() for kind in (nx.MultiGraph, nx.DiGraph, nx.MultiDiGraph)]
    for G in named:
        G.add_weighted_edges_from(edges)
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
    import logging

    import networkx as nx

    import dunlin

    lines = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())
    logger = logging.getLogger("dunlin")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        for G, count in (
            (nx.MultiGraph([(0, 1), (0, 1), (1, 0), (1, 2)]), "2 edges"),
            (nx.MultiDiGraph([(0, 1), (0, 1), (1, 0), (1, 2)]), "2 edges"),
            ((3, [(0, 1), (1, 0), (1, 2)]), "1 edges"),
            (nx.path_graph(4), None),
            (nx.path_graph(4, create_using=nx.DiGraph).to_undirected(), None),
            (nx.to_numpy_array(nx.cycle_graph(4)), None),
            (dunlin.neighbors([[0.0], [1], [2], [4]], 2), None),
        ):
            lines.clear()
            dunlin.layout(G, device="cpu")
            found = [line for line in lines if "join two nodes" in line]
            assert bool(found) == (count is not None) and (not count or found[0].startswith(count)), (lines, count)
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


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
            try:
                call(graph, weight="wieght")
            except dunlin.Error as error:
                assert "'wieght'" in str(error) and "Weight" in str(error), error
            else:
                raise AssertionError("a weight that is not there is ignored")
    stored = sp.csr_matrix(([1.0, 0.0, 2.0], ([0, 1, 2], [1, 2, 3])), shape=(4, 4))
    try:
        dunlin.mds(graph=stored)
    except dunlin.Error as error:
        assert "(1, 2)" in str(error), error
    else:
        raise AssertionError("a stored weight of 0 is dropped")
    assert dunlin.layout(nx.path_graph(5), device="cpu").pos.shape == (5, 2)

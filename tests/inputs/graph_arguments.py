# SPDX-License-Identifier: Apache-2.0
"""Edges, weights and other arguments of graphs: matched by name, read as in files, or refused by name."""

import harness
from harness import by_python, says


def graph_of(graph, **arguments):
    """The edges of a graph as {(a, b): weight}."""
    from dunlin._graphs import graph_of

    made = graph_of(graph, **arguments)
    offsets, targets, weights = made.csr
    nodes = list(made.nodes)
    rows = [(a, e) for a in range(len(nodes)) for e in range(offsets[a], offsets[a + 1]) if a < targets[e]]
    return {(nodes[a], nodes[targets[e]]): float(weights[e]) for a, e in rows}


def refused(call, *words, option):
    """Checks that a call raises an error with these words that names the argument."""
    import dunlin

    raised = harness.refused(call, *words, error=(dunlin.InputError, dunlin.OptionError))
    assert raised.option == option, raised.option


@by_python("graph-arguments")
def weights_beside_edges_are_of_these_edges():
    import pandas as pd

    edges = pd.DataFrame({"source": [0, 1], "target": [1, 2]}, index=["x", "y"])
    expected = {(0, 1): 3.0, (1, 2): 2.0}
    assert graph_of((3, edges, pd.Series([2.0, 3.0], ["y", "x"]))) == expected
    assert graph_of((3, edges, {"y": 2.0, "x": 3.0})) == expected
    assert graph_of((3, {(0, 1): 3, (1, 2): 2})) == expected
    assert graph_of((3, [(0, 1), (1, 2)], {(1, 2): 2, (1, 0): 3})) == expected
    assert graph_of((3, {(0, 1): 3, (1, 2): 2}), weight=None) == {(0, 1): 1.0, (1, 2): 1.0}
    refused(lambda: graph_of((3, [(0, 1), (1, 2)], {(0, 1): 3})), "no value of edge (1, 2)", option="G")
    refused(lambda: graph_of((3, [(0, 1)], {(0, 1): 3, (1, 2): 1})), "(1, 2)", option="G")
    refused(lambda: graph_of((3, {(0, 1): 3}, [2])), "one of them", option="G")
    with says("by order"):
        graph_of((3, [(0, 1), (1, 2)], pd.Series([2.0, 3.0], ["y", "x"])))


@by_python("graph-arguments")
def columns_have_the_names_that_they_have_in_files():
    import pandas as pd

    words = {"protein1": ["a", "b"], "protein2": ["b", "c"]}
    for name in ("length", "len", "Distance", "dist", "cost"):
        table = pd.DataFrame({**words, name: [3.0, 4.0]})
        assert graph_of(table, lengths=True) == {("a", "b"): 3.0, ("b", "c"): 4.0}, name
        with says(repr(name)):
            graph_of(table)
    both = pd.DataFrame({**words, "length": [3.0, 4.0], "w": [5.0, 6.0]})
    with says("'length'"):
        assert graph_of(both, lengths=True) == {("a", "b"): 5.0, ("b", "c"): 6.0}
    assert graph_of(pd.DataFrame([[1, 2], [2, 5]], columns=["node_id", "node_id"])) == {(1, 2): 1.0, (2, 5): 1.0}
    assert graph_of(pd.DataFrame({**words, "Score": [2.0, 3.0]}), weight="score") == {("a", "b"): 2.0, ("b", "c"): 3.0}
    # Whole numbers in a square table are a matrix
    square = pd.DataFrame([[0, 1], [1, 0]], columns=["a1", "a2"])
    with says("in the order of its columns"):
        assert graph_of(square) == {("a1", "a2"): 1.0}


@by_python("graph-arguments")
def names_of_nodes_are_compared_as_text():
    import numpy as np
    import pandas as pd

    mixed = pd.DataFrame({"source": [1, 2], "target": ["2", "3"]})
    with says("one node"):
        assert graph_of(mixed) == {("1", "2"): 1.0, ("2", "3"): 1.0}
    days = pd.to_datetime(["2020-01-01", "2021-01-01", "2022-01-01"])
    assert list(graph_of(pd.DataFrame({"source": days[:2], "target": days[1:]}))) == [
        ("2020-01-01", "2021-01-01"),
        ("2021-01-01", "2022-01-01"),
    ]
    refused(lambda: graph_of(pd.DataFrame({"source": [1, 2], "target": [2, 3], "weight": days[:2]})), "times", option="weight")
    matrix = pd.DataFrame([[1.0, 0], [0, 1]], columns=[8.0, 7.0], index=["7", "8"])
    assert graph_of(matrix) == {("7", "8"): 1.0}
    # Nodes are in the order of their first edges
    order = pd.DataFrame({"source": [9, 3, 9], "target": [5, 9, -1]})
    assert list(graph_of(order)) == [(9, 5), (9, 3), (9, -1)]
    wide = pd.DataFrame({"source": np.array([2**63], np.uint64), "target": [-1]})
    assert list(graph_of(wide)) == [(2**63, -1)]


@by_python("graph-arguments")
def odd_weights_are_refused():
    import dunlin
    import numpy as np

    edges = (3, [(0, 1), (1, 2)])
    map = np.eye(3)[:, :2]
    for weight in (True, 2.5, b"weight", (), len, ""):
        refused(lambda: dunlin.layout(edges, weight=weight), "weight is", option="weight")
        refused(lambda: dunlin.score(map, graph=edges, weight=weight), "weight is", option="weight")
        refused(lambda: dunlin.waves(edges, weight=weight), "weight is", option="weight")
    refused(lambda: dunlin.layout(np.ones((3, 3)), weight="cost"), "no names of weights", option="weight")
    for means in ("lenght", None, True, "distance"):
        refused(lambda: dunlin.score(map, graph=edges, weight_means=means), repr(means), option="weight_means")
    refused(lambda: dunlin.score(map, map, weight_means="length"), "needs graph", option="weight_means")


@by_python("graph-arguments")
def weights_of_igraph_are_numbers():
    import igraph
    import pandas as pd

    for value in (pd.NA, "x"):
        graph = igraph.Graph([(0, 1)], edge_attrs={"weight": [value]})
        refused(lambda: graph_of(graph), "not a number", option="weight")


@by_python("graph-arguments")
def radii_without_effect_are_said():
    import dunlin

    edges = (3, [(0, 1), (1, 2)])
    for method in ("stress", "forceatlas2"):
        with says("no effect"):
            dunlin.layout(edges, method=method, node_size=1.0)
    with says():
        dunlin.layout(edges, method="forceatlas2", node_size=1.0, prevent_overlap=True)
    refused(lambda: dunlin.remove_overlaps([[0.0, 0], [1, 1]], 1.0, None), "gap", option="gap")


@by_python("graph-arguments")
def drawings_say_what_their_file_lacks():
    import dunlin
    import networkx as nx

    graph = nx.MultiDiGraph([(0, 1), (0, 1), (1, 1), (1, 2)])
    for file in ("graph.graphml", "graph.dot"):
        with says("directions", "parallel edges (1)", "to itself (1)"):
            dunlin.write(file, dunlin.layout(graph))
        with says():
            dunlin.write(file, dunlin.layout(nx.path_graph(3)))
        refused(lambda: dunlin.write(file, dunlin.layout(nx.Graph([(1, "1")]))), "1 and '1'", option="obj")


@by_python("graph-arguments")
def numbers_of_nodes_in_arrays():
    import dunlin
    import numpy as np
    from dunlin._nodes import Nodes

    nodes = Nodes(range(5))
    assert nodes.places(np.array([4, 1]), "fixed").tolist() == [4, 1]
    assert nodes.places(np.array([True, False, False, True, False]), "fixed").tolist() == [0, 3]
    for odd in (np.array([1, 5]), np.array([-1]), np.array([True]), np.array([1, 0, 0, 0, 1])):
        refused(lambda: nodes.places(odd, "fixed"), "fixed", option="fixed")
    assert dunlin.layout((3, [(0, 1)]), pos=np.eye(3)[:, :2], fixed=np.array([1]))


@by_python("graph-arguments")
def tables_of_tracks():
    import dunlin
    import numpy as np
    import pandas as pd

    plain = pd.DataFrame(np.arange(8.0).reshape(4, 2))
    refused(lambda: dunlin.mds(tracks=plain), "names of its columns", option="tracks")
    plain.columns = ["x", "x"]
    refused(lambda: dunlin.mds(tracks=plain), "two columns 'x'", option="tracks")


@by_python("graph-arguments")
def layouts_with_the_names_of_networkx():
    import networkx as nx
    import numpy as np
    from dunlin import networkx as layouts

    path = nx.path_graph(3)
    several = (layouts.spring_layout, layouts.kamada_kawai_layout, layouts.forceatlas2_layout)
    for layout in several:
        for graph in (path, nx.MultiGraph(path), nx.DiGraph(path)):
            refused(lambda: layout(graph, weight="cost"), "no edge has the attribute 'cost'", option="weight")
        refused(lambda: layout(path, dim="2"), "'2'", option="dim")
        refused(lambda: layout(path, pos={0: None}), "position of node 0", option="pos")
    for layout in several[:2]:
        refused(lambda: layout(path, pos={}), "no position", option="pos")
        refused(lambda: layout(path, center=(np.nan, 0)), "center", option="center")
        refused(lambda: layout(path, scale=np.nan), "scale", option="scale")


@by_python("graph-arguments")
def distances_of_kamada_and_kawai():
    import networkx as nx
    import numpy as np
    import pandas as pd
    from dunlin.networkx import kamada_kawai_layout

    ring = nx.relabel_nodes(nx.cycle_graph(7), dict(enumerate("abcdefg")))
    by_node = dict(nx.all_pairs_shortest_path_length(ring))
    table = pd.DataFrame(by_node).loc[[*ring], [*ring]]
    wanted = np.array(list(kamada_kawai_layout(ring, dist=by_node).values()))
    for dist in (table, table.iloc[::-1, ::-1], table.to_numpy(), table.to_numpy().tolist(), np.ma.array(table)):
        assert np.array_equal(list(kamada_kawai_layout(ring, dist=dist).values()), wanted)
    for dist in ({0: {1: 1}}, {"a": {0: 1}}, pd.DataFrame(table.to_numpy())):
        refused(lambda: kamada_kawai_layout(ring, dist=dist), "no distance of two nodes, which are such as 'a'", option="dist")
    refused(lambda: kamada_kawai_layout(ring, dist=table.to_numpy()[:3]), "shape (3, 7)", option="dist")
    refused(lambda: kamada_kawai_layout(ring, dist=-table.to_numpy()), "from 'a' to 'b' is -1", option="dist")
    refused(lambda: kamada_kawai_layout(ring, dist=len), "dist must hold numbers", option="dist")


@by_python("graph-arguments")
def a_table_of_one_column_is_a_value_per_node():
    import networkx as nx
    import numpy as np
    import pandas as pd
    from dunlin.networkx import forceatlas2_layout

    path, masses = nx.path_graph(4), pd.DataFrame({"mass": [4.0, 3, 2, 1]}, [3, 2, 1, 0])
    for name in ("node_mass", "node_size"):
        wanted = forceatlas2_layout(path, seed=1, **{name: masses["mass"]})
        assert np.array_equal([*forceatlas2_layout(path, seed=1, **{name: masses}).values()], [*wanted.values()])

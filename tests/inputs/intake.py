# SPDX-License-Identifier: Apache-2.0
"""What Python's functions are given: graphs by name, values by node, masks, missing cells, sparse and backed data."""

import contextlib
import os
import warnings

from harness import by_python, near


def refused(call, *words):
    """Checks that a call raises an error of the package that has these words."""
    import dunlin

    try:
        found = call()
    except (dunlin.InputError, dunlin.OptionError) as error:
        for word in words:
            assert word in str(error), f"{error} lacks {word!r}"
        return error
    raise AssertionError(f"no error, but {found}")


@contextlib.contextmanager
def said(*words):
    """Checks that a warning has these words."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    sentences = [str(each.message) for each in caught]
    for word in words:
        assert any(word in sentence for sentence in sentences), f"{sentences} lack {word!r}"


def edges(graph, **options):
    """The edges of a graph as layout() reads it, by the names of its nodes, and their weights."""
    import numpy as np
    import dunlin

    layout = dunlin.layout(graph, device="cpu", iterations=1, **options)
    offsets, targets, weights = layout.graph.csr
    nodes, sources = list(layout), np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return {frozenset((nodes[a], nodes[b])): float(w) for a, b, w in zip(sources, targets, weights)}


def pairs(text):
    """{'ab': 1} of 'ab bc': edges of weight 1."""
    return {frozenset(edge): 1.0 for edge in text.split()}


def ends(layout):
    """The two nodes that are farthest from each other."""
    import itertools
    import numpy as np

    return set(max(itertools.combinations(layout, 2), key=lambda two: np.linalg.norm(layout[two[0]] - layout[two[1]])))


def path_frame(order="abcd", columns=None):
    """The path a-b-c-d as a square DataFrame."""
    import numpy as np
    import pandas as pd

    matrix = np.zeros((4, 4))
    for i in range(3):
        matrix[i, i + 1] = matrix[i + 1, i] = 1
    frame = pd.DataFrame(matrix, list("abcd"), list("abcd"))
    return frame.loc[list(order), list(columns or order)]


# Square tables are read by both labels


@by_python("graph-dataframe-adjacency")
def frames_are_read_by_both_labels():
    import pandas as pd
    import dunlin

    frame = pd.read_csv("adjacency.csv", index_col=0)
    for given in (frame, frame[frame.index]):
        layout = dunlin.layout(given, device="cpu", seed=1, method="stress")
        assert sorted(layout) == list("abcdef") and ends(layout) == {"a", "f"}
        near(dunlin.score(layout, graph=given, device="cpu")["scaled_stress"], 0)
        near(dunlin.mds(graph=given, device="cpu").stress()["stress1"][0], 0)
    straight = [[float("abcdef".index(node)), 0.0] for node in frame.index]
    near(dunlin.score(straight, graph=frame, device="cpu")["scaled_stress"], 0)
    times = dunlin.waves(frame, stimulate="a", until=1).v
    assert len(times) == 6 and times[list(frame.index).index("a")] == max(times)


@by_python("python-adjacency-frame")
def columns_in_any_order():
    right = pairs("ab bc cd")
    for order, columns in (("abcd", None), ("abcd", "cadb"), ("dacb", "abcd"), ("dacb", "bcad")):
        assert edges(path_frame(order, columns)) == right, (order, columns)
    for kind in (bool, int, "Sparse[float]", "Float64"):
        assert edges(path_frame("abcd", "cadb").astype(kind)) == right, kind


@by_python("python-adjacency-frame")
def frames_without_names():
    import numpy as np
    import pandas as pd

    matrix, numbered = path_frame().to_numpy(), {frozenset((i, i + 1)): 1.0 for i in range(3)}
    assert edges(pd.DataFrame(matrix)) == numbered
    assert edges(pd.DataFrame(matrix, [10, 20, 30, 40], [10, 20, 30, 40])) == {
        frozenset((10 * i, 10 * i + 10)): 1.0 for i in (1, 2, 3)
    }
    # As pandas reads a file again: numbers on the rows, words on the columns
    words = pd.DataFrame(matrix, [3, 1, 2, 0], list("3120"))
    assert edges(words[["0", "1", "2", "3"]]) == edges(pd.DataFrame(matrix, [3, 1, 2, 0], [3, 1, 2, 0]))
    with said("the rows of G have no names"):
        assert edges(pd.DataFrame(matrix, columns=list("abcd"))) == pairs("ab bc cd")
    with said("the columns of G have no names"):
        assert edges(pd.DataFrame(matrix, index=list("abcd"))) == pairs("ab bc cd")
    assert edges(path_frame("abcd", "cadb").reset_index()) == pairs("ab bc cd")
    assert edges(pd.DataFrame(np.zeros((0, 0)))) == {}
    assert edges(pd.DataFrame(np.zeros((1, 1)), ["a"], ["a"])) == {}


@by_python("python-adjacency-frame")
def other_names_are_refused():
    import pandas as pd

    refused(lambda: edges(path_frame().set_axis(list("abcx"), axis=1)), "'d'", "'x'")
    refused(lambda: edges(path_frame().set_axis(list("aacd"), axis=1)), "'a' is twice", "columns")
    refused(lambda: edges(path_frame().set_axis(list("abca"), axis=0).set_axis(list("abca"), axis=1)), "'a' is twice")
    refused(lambda: edges(path_frame().iloc[:, :3]), "(4, 3)")
    frame = path_frame("abcd", "cadb")
    frame.loc["b", "c"] = float("nan")
    refused(lambda: edges(frame), "'b'", "'c'", "nan")
    frame = path_frame().astype(object)
    frame.loc["b", "c"] = "x"
    refused(lambda: edges(frame), "'x'", "row 1", "column 2")
    refused(lambda: edges(pd.DataFrame({"a": ["x"], "b": [1]})), "(1, 2)")


@by_python("python-adjacency-frame")
def tables_of_polars_and_pyarrow():
    with contextlib.suppress(ImportError):
        import polars

        assert edges(polars.from_pandas(path_frame("abcd", "cadb").reset_index())) == pairs("ab bc cd")
        with said("the rows of G have no names"):
            assert edges(polars.from_pandas(path_frame())) == pairs("ab bc cd")
    with contextlib.suppress(ImportError):
        import pyarrow

        assert edges(pyarrow.table(path_frame("abcd", "cadb").reset_index())) == pairs("ab bc cd")


# Values by node


@by_python("python-node-series")
def values_belong_to_the_node_of_their_name():
    import numpy as np
    import pandas as pd
    import dunlin

    graph = dunlin.read("g.dot")
    nodes = list(graph.nodes)
    assert nodes != sorted(nodes)
    mass = {"a": 60.0, "b": 1.0, "c": 1.0, "d": 2.0}
    xy = {node: (float(i), 0.0) for i, node in enumerate("abcd")}

    def layout(**options):
        return dunlin.layout(graph, seed=1, device="cpu", **options)

    def same(a, b):
        return all(np.allclose(a[node], b[node], atol=1e-3) for node in nodes)

    frame = pd.DataFrame.from_dict(xy, orient="index", columns=["x", "y"])
    table = frame.rename_axis("node").reset_index()
    for given in (pd.Series(mass), pd.Series(mass)[["d", "a", "c", "b"]], pd.DataFrame({"mass": mass})):
        assert same(layout(method="forceatlas2", node_mass=mass), layout(method="forceatlas2", node_mass=given))
        assert same(layout(node_size=mass), layout(node_size=given))
        v = dunlin.waves(graph, start_v=given, until=1e-6).v
        assert nodes[int(np.argmax(v))] == "a"
        current = dunlin.waves(graph, input_current=given, until=1).v
        assert np.array_equal(current, dunlin.waves(graph, input_current=mass, until=1).v)
    for given in (xy, frame, frame.iloc[::-1], table, pd.Series(xy)):
        held = layout(pos=given, fixed=nodes)
        assert all(np.allclose(held[node], xy[node]) for node in nodes)
        at = dunlin.score(given, graph=graph, device="cpu")
        assert at == dunlin.score(xy, graph=graph, device="cpu") == dunlin.score([xy[n] for n in nodes], graph=graph, device="cpu")
        assert dunlin.draw(given, graph=graph, format="svg").data == dunlin.draw(xy, graph=graph, format="svg").data
    assert same(layout(pos=pd.Series(xy)[nodes], fixed=nodes), layout(pos=[xy[node] for node in nodes], fixed=nodes))
    held = dunlin.waves(graph, hold=pd.Series({"a": 3.0}), until=1).v
    near(held[nodes.index("a")], 3)


@by_python("python-node-series")
def unknown_nodes_are_refused():
    import pandas as pd
    import dunlin

    graph = dunlin.read("g.dot")
    part = {"a": 5.0, "b": 5.0}
    for name in ("node_size", "node_mass"):
        for kind in (dict, pd.Series):
            options = {"method": "forceatlas2", name: kind({"A": 5.0, "B": 5.0})}
            refused(lambda: dunlin.layout(graph, **options), name, "'A'", "'c'")
            options[name] = kind(part)
            refused(lambda: dunlin.layout(graph, **options), name, "'c'")
    places = pd.DataFrame({"x": part, "y": part})
    refused(lambda: dunlin.layout(graph, pos=places), "pos", "'c'")
    refused(lambda: dunlin.layout(graph, pos={**{n: (0, 0) for n in "abcd"}, "e": (1, 1)}), "pos", "'e'")
    refused(lambda: dunlin.waves(graph, start_v=pd.Series(part), until=1), "start_v", "'c'")
    refused(lambda: dunlin.waves(graph, hold={"e": 1.0}, until=1), "hold", "'e'")
    refused(lambda: dunlin.score(places, graph=graph), "map", "'c'")
    twice = pd.Series([1.0, 2, 3, 4, 5], list("abcda"))
    refused(lambda: dunlin.layout(graph, node_size=twice), "two values", "'a'")
    refused(lambda: dunlin.layout(graph, node_size=[1.0, 2.0]), "node_size has the shape (2,)")
    refused(lambda: dunlin.layout(graph, node_size=[1.0]), "node_size has the shape (1,)")
    refused(lambda: dunlin.layout(graph, node_size=pd.Series({"a": 1.0, "b": None, "c": 1, "d": 1}, dtype="Float64")))


@by_python("python-node-series")
def rows_that_are_only_counted():
    import networkx as nx
    import numpy as np
    import pandas as pd
    import dunlin

    graph = dunlin.read("g.dot")
    with said("node_size: rows are matched by order"):
        by_order = dunlin.layout(graph, node_size=pd.Series([1.0, 2, 3, 4]), seed=1)
    assert np.array_equal(by_order.pos, dunlin.layout(graph, node_size=[1.0, 2, 3, 4], seed=1).pos)
    turned = nx.Graph([(3, 1), (1, 2), (2, 0)])
    sizes = {0: 1.0, 1: 2.0, 2: 3.0, 3: 40.0}
    with said():
        by_number = dunlin.layout(turned, node_size=pd.Series([1.0, 2, 3, 40]), seed=1)
    assert np.array_equal(by_number.pos, dunlin.layout(turned, node_size=sizes, seed=1).pos)
    numbered = (4, [(0, 1), (1, 2), (2, 3)])
    places = pd.DataFrame({"x": [3.0, 0, 1, 2], "y": 0.0}, [3, 0, 1, 2])
    held = dunlin.layout(numbered, pos=places, fixed=range(4))
    assert [float(held[node][0]) for node in range(4)] == [0, 1, 2, 3]


@by_python("python-node-series")
def names_of_igraph():
    import igraph
    import pandas as pd
    import dunlin

    graph = igraph.Graph.Ring(4)
    graph.vs["name"] = list("wxyz")
    places = pd.DataFrame({"x": [3.0, 2, 1, 0], "y": 0.0}, list("zyxw"))
    held = dunlin.layout(graph, pos=places, fixed=["w", "z"])
    assert held[0] == [0, 0] and held[3] == [3, 0]
    assert dunlin.layout(graph, pos=places, fixed=graph.vs.select([1, 2]))[1] == [1, 0]


# Edges


@by_python("python-edge-shape")
def edges_have_two_columns_or_names():
    import numpy as np
    import pandas as pd

    table = pd.DataFrame({"source": [0, 1, 2, 3], "target": [1, 2, 3, 4], "weight": [2, 5, 1, 4]})
    right = {frozenset((a, a + 1)): float(w) for a, w in enumerate((2, 5, 1, 4))}
    path = {edge: 1.0 for edge in right}
    assert edges((6, table)) == edges((6, table[["weight", "target", "source"]])) == right
    assert edges((6, table), weight=None) == edges((6, table[["source", "target"]])) == path
    renamed = table.set_axis(["From_Node", "To_Node", "W"], axis=1)
    assert edges((6, renamed)) == right
    assert edges((6, table.rename(columns={"weight": "cost"})), weight="cost") == right
    refused(lambda: edges((6, table), weight="cost"), "'cost'", "'source'")
    with said("'cost'"):
        assert edges((6, table.rename(columns={"weight": "cost"}))) == path
    pairs_only = table[["source", "target"]].to_numpy()
    for given in (pairs_only, pairs_only.tolist(), pairs_only.astype(float), pairs_only.astype(np.uint64), set(map(tuple, pairs_only))):
        assert edges((6, given)) == path
    assert edges((6, pairs_only, table["weight"])) == edges((6, pd.DataFrame(pairs_only), [2, 5, 1, 4])) == right
    refused(lambda: edges((6, table, [1, 1, 1, 1])), "weights")
    for given in (table.to_numpy(), [tuple(row) for row in table.to_numpy()], pairs_only.T, pairs_only.reshape(-1), [[0, 1, 2, 3]]):
        refused(lambda: edges((6, given)), "two columns")
    refused(lambda: edges((6, table.set_axis(["a", "b", "c"], axis=1))), "(4, 3)", "two columns")


@by_python("python-edge-shape")
def ends_are_whole_numbers_of_nodes():
    import numpy as np
    import pandas as pd

    for wrong in ([(0.7, 1.9)], [(0, 4)], [(-1, 0)], [(0, float("nan"))], [(0, 2**40)], [(0, 2**63)], [(0, 1e300)]):
        refused(lambda: edges((4, wrong)), "edge 0", "from 0 to 3")
    refused(lambda: edges((4, [("a", "b")])), "'a'", "row 0")
    refused(lambda: edges((4, [(0, None)])), "row 0, column 1")
    refused(lambda: edges((4, [(True, False)])))
    refused(lambda: edges((4, [(0, 1)], [1.0, 2.0])), "shape (2,)")
    refused(lambda: edges((4, [(0, 1)], ["x"])), "'x'")
    for weight in (0, -1, float("nan"), float("inf")):
        refused(lambda: edges((4, [(1, 2)], [weight])), "1 - 2", "weight")
    for n in (3.7, "4", True, None, -1, 2**40):
        refused(lambda: edges((n, [(0, 1)])))
    assert edges((np.int64(3), [(0, 1)])) == edges((np.array(3), [(0, 1)])) == {frozenset((0, 1)): 1.0}
    for none in ([], np.empty((0, 2), int), np.empty((2, 0)), pd.DataFrame({"source": [], "target": []})):
        assert edges((3, none)) == {} == edges((0, none))
    assert edges((1, [])) == {}


@by_python("python-edge-shape")
def tables_of_edges_have_named_nodes():
    import pandas as pd

    table = pd.DataFrame({"src": list("abc"), "dst": list("bcd"), "value": [1.0, 1, 1]})
    assert edges(table) == pairs("ab bc cd")
    square = table.assign(src=["a", "b", "c"])  # three edges, three columns: not a matrix
    assert square.shape == (3, 3) and edges(square) == pairs("ab bc cd")
    numbered = pd.DataFrame({"source": [10, 20], "target": [20, 7]})
    assert edges(numbered) == {frozenset((10, 20)): 1.0, frozenset((20, 7)): 1.0}
    refused(lambda: edges(table.assign(dst=["b", None, "d"])), "targets", "place 1")
    refused(lambda: edges(table.assign(value=[1.0, float("nan"), 1])), "'b' - 'c'")
    with contextlib.suppress(ImportError):
        import polars

        assert edges(polars.from_pandas(table)) == pairs("ab bc cd")
        assert edges((4, polars.DataFrame({"source": [0, 1], "target": [1, 3]}))) == edges((4, [(0, 1), (1, 3)]))


@by_python("python-edge-shape")
def the_same_in_every_function():
    import numpy as np
    import dunlin

    triples = np.array([[0, 1, 3], [1, 2, 5], [2, 3, 1], [3, 4, 2]])
    map = np.zeros((6, 2)) + np.arange(6)[:, None]
    for call in (
        lambda graph: dunlin.layout(graph),
        lambda graph: dunlin.mds(graph=graph),
        lambda graph: dunlin.kmedoids(graph=graph, n_clusters=2),
        lambda graph: dunlin.score(map, graph=graph),
        lambda graph: dunlin.waves(graph, stimulate=0, until=1),
        lambda graph: dunlin.draw(map, graph=graph),
    ):
        refused(lambda: call((6, triples)), "two columns")
    refused(lambda: dunlin.layout([(0, 1), (1, 2)]), "(n, edges)")
    refused(lambda: dunlin.layout([(0, 1, 2.0), (1, 2, 1.0), (2, 0, 1.0)]), "(n, edges)")
    refused(lambda: dunlin.layout(([0, 1], [1, 2])), "(n, edges)")
    refused(lambda: dunlin.layout(triples), "(4, 3)")


# Masks


@by_python("graph-fixed-mask")
def masks_hold_the_nodes_that_are_true():
    import igraph
    import networkx as nx
    import numpy as np
    import pandas as pd
    import dunlin

    start = [(2.0 * i, i % 2) for i in range(5)]
    ring = igraph.Graph([(0, 1), (1, 2), (2, 3), (3, 4)])
    truth = [True, False, False, False, True]
    right = dunlin.layout(ring, pos=start, fixed=[0, 4], device="cpu").coords
    masks = [truth, tuple(truth), np.array(truth), pd.Series(truth), (each for each in truth), pd.array(truth, "boolean")]
    masks += [{0: True, 4: True, 2: False}, pd.Series(truth[::-1], [4, 3, 2, 1, 0])]
    nodes = [(0, 4), {0, 4}, np.array([0, 4]), iter([4, 0]), pd.Series([0, 4]), {0: 1, 4: 1}.keys(), [np.int64(0), 4.0]]
    for given in masks + nodes:
        assert dunlin.layout(ring, pos=start, fixed=given, device="cpu").coords == right, given
    one = dunlin.layout(ring, pos=start, fixed=[3], device="cpu").coords
    assert dunlin.layout(ring, pos=start, fixed=3).coords == dunlin.layout(ring, pos=start, fixed=np.array(3)).coords == one
    free = dunlin.layout(ring, pos=start, device="cpu").coords
    assert dunlin.layout(ring, pos=start, fixed=[False] * 5).coords == dunlin.layout(ring, pos=start, fixed=[]).coords
    assert free != right
    named = nx.Graph([("ab", "b"), ("b", "c")])
    pos = {"ab": (0.5, 0.5), "b": (3, 3), "c": (5, 5)}
    assert np.allclose(dunlin.layout(named, pos=pos, fixed="ab")["ab"], 0.5)
    grid = nx.grid_2d_graph(2, 2)
    held = dunlin.layout(grid, pos={node: (7 * node[0], 5 * node[1]) for node in grid}, fixed=(1, 1))
    assert np.allclose(held[1, 1], (7, 5))


@by_python("graph-fixed-mask")
def masks_that_are_refused():
    import numpy as np
    import pandas as pd
    import dunlin

    graph, start = (5, [(0, 1), (1, 2), (2, 3), (3, 4)]), np.zeros((5, 2)) + np.arange(5)[:, None]

    def fixed(nodes, *words):
        refused(lambda: dunlin.layout(graph, pos=start, fixed=nodes), "fixed", *words)

    fixed([True, False], "2 truth values", "5 nodes")
    fixed([1, 0, 0, 0, 1], "0 or 1")
    fixed(np.ma.array([True, False, False, False, True], mask=[0, 1, 0, 0, 0]), "place 1")
    fixed(np.ma.array([0, 4], mask=[0, 1]), "place 1")
    fixed(pd.array([True, None, False, False, True], "boolean"), "place 1")
    fixed([0, 7], "7")
    fixed([0, 1.5], "1.5")
    fixed({0: (1, 1)}, "(1, 1)")
    fixed({7: True}, "7")
    fixed(pd.Series([True], [7]), "7")
    fixed("ab", "'a'")
    fixed([0, None], "place 1")
    assert len(dunlin.layout((0, []), pos=np.zeros((0, 2)), fixed=[])) == 0


@by_python("graph-fixed-mask")
def fixed_of_the_adapter():
    import networkx as nx
    import numpy as np
    from dunlin.networkx import spring_layout

    path, pos = nx.path_graph(4), {1: (0.5, 0.5), 2: (7.0, 7.0)}
    right = spring_layout(path, pos=pos, fixed=[1, 2], seed=1)
    assert np.allclose(right[1], 0.5) and np.allclose(right[2], 7)
    given = [(node for node in path if node in pos), [False, True, True, False], np.array([0, 1, 1, 0], bool), {1, 2}]
    given += [{1: True, 2: True}, np.array([1, 2]), iter((2, 1))]
    for fixed in given:
        found = spring_layout(path, pos=pos, fixed=fixed, seed=1)
        assert all(np.array_equal(found[node], right[node]) for node in path), fixed
    refused(lambda: spring_layout(path, pos=pos, fixed=[True, False], seed=1), "truth values")
    try:
        spring_layout(path, pos=pos, fixed=[True, False, False, False], seed=1)
    except ValueError as error:
        assert "without positions" in str(error)
    else:
        raise AssertionError("node 0 has no position")


@by_python("graph-fixed-mask")
def masks_of_stimuli():
    import numpy as np
    import dunlin

    path = (5, [(0, 1), (1, 2), (2, 3), (3, 4)])
    truth = np.array([True, False, False, False, True])
    right = dunlin.waves(path, stimulate=[0, 4], until=20).v
    for given in (truth, truth.tolist(), np.array([0, 4]), (each for each in (0, 4)), {0, 4}):
        assert np.array_equal(dunlin.waves(path, stimulate=given, until=20).v, right)
    line = dunlin.waves(5, stimulate=[0, 4], until=20).v
    for given in (truth, truth.tolist(), np.array([0, 4])):
        assert np.array_equal(dunlin.waves(5, stimulate=given, until=20).v, line)
    mask = np.zeros((4, 3), bool)
    mask[1, 2] = mask[3, 0] = True
    right = dunlin.waves((4, 3), stimulate=[(1, 2), (3, 0)], until=20).v
    assert np.array_equal(dunlin.waves((4, 3), stimulate=mask, until=20).v, right)
    refused(lambda: dunlin.waves((4, 3), stimulate=mask.T, until=20), "(3, 4)")
    refused(lambda: dunlin.waves(5, stimulate=[1, 5], until=20), "5 is not a node")
    refused(lambda: dunlin.waves(5, stimulate=1.5, until=20), "1.5")
    refused(lambda: dunlin.waves(path, stimulate=truth[:3], until=20), "3 truth values")
    refused(lambda: dunlin.waves((4, 3), start_v=np.zeros((3, 4)), until=1), "(3, 4)", "(4, 3)")


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


# Missing cells


def masked(rng):
    """Points with two masked cells, whose fill value is far away."""
    import numpy as np

    X = rng.normal(size=(60, 3))
    X[7, 1] = X[20, 2] = -9999.0
    return np.ma.masked_equal(X, -9999.0)


@by_python("python-masked-arrays")
def masked_cells_are_missing():
    import numpy as np
    import dunlin

    rng = np.random.default_rng(0)
    P = rng.normal(size=(12, 2))
    D = np.sqrt(((P[:, None] - P[None]) ** 2).sum(-1))
    bad = D.copy()
    for i, j in ((0, 5), (2, 7), (3, 9)):
        bad[i, j] = bad[j, i] = 999.0
    M = np.ma.masked_equal(bad, 999.0)
    above = np.triu_indices(12, 1)
    for given in (M, M[above], M.astype(np.float32), [np.ma.array(row) for row in M]):
        map = dunlin.mds(dissimilarities=given, device="cpu").embedding
        assert np.abs(np.sqrt(((map[:, None] - map[None]) ** 2).sum(-1)) - D).max() < 1e-3
        near(dunlin.score(P, dissimilarities=given, device="cpu")["stress1"], 0)
    whole = np.round(D * 100).astype(int)
    holes = np.ma.array(whole, mask=np.zeros((12, 12), bool))
    holes[0, 5] = holes[5, 0] = np.ma.masked
    assert np.isfinite(dunlin.mds(dissimilarities=holes, device="cpu").embedding).all()
    refused(lambda: dunlin.mds(distance=lambda i, j: M[i, j], n=12, device="cpu", method="smacof"), "items 0 and 5")
    start = np.ma.array(P, mask=np.zeros((12, 2), bool))
    start[3:] = np.ma.masked  # the others are to be placed
    held = dunlin.mds(dissimilarities=D, fixed=start, device="cpu").embedding
    assert np.allclose(held[:3], P[:3])
    v = np.ma.masked_equal([1.0, 2, 3, -9999, 5, 6, 7, 8], -9999.0)
    map = rng.normal(size=(8, 2))
    for given in (v, np.ma.masked_equal([1, 2, 3, -9999, 5, 6, 7, 8], -9999), [1, 2, 3, None, 5, 6, 7, 8]):
        result = dunlin.density(map, values=given, device="cpu")
        assert result.missing == 1 and np.nanmin(result.mean) >= 1
        assert "none" in texts(dunlin.draw(map, values=given, format="svg"))


def texts(picture):
    """The words of an SVG picture."""
    import re

    return re.findall(r">([^<>]{1,30})</text>", picture.data.decode())


@by_python("python-masked-arrays")
def masked_points_are_refused_with_their_place():
    import numpy as np
    import dunlin

    rng = np.random.default_rng(0)
    M, X = masked(rng), rng.normal(size=(60, 3))
    map = rng.normal(size=(60, 2))
    calls = {
        "neighbors": lambda: dunlin.neighbors(M, 3),
        "neighbors, float32": lambda: dunlin.neighbors(M.astype(np.float32), 3),
        "queries": lambda: dunlin.neighbors(X, 3, queries=M),
        "kmeans": lambda: dunlin.kmeans(M, 2),
        "choose_k": lambda: dunlin.choose_k(M, 3),
        "assign": lambda: dunlin.assign(M, X[:2]),
        "mixture": lambda: dunlin.mixture(M, 2),
        "tsne": lambda: dunlin.tsne(M),
        "umap": lambda: dunlin.umap(M),
        "pacmap": lambda: dunlin.pacmap(M),
        "mds": lambda: dunlin.mds(M),
        "kmedoids": lambda: dunlin.kmedoids(M, 2),
        "score": lambda: dunlin.score(map, M),
        "trustworthiness": lambda: dunlin.trustworthiness(M, map),
        "reliability": lambda: dunlin.reliability(map, M),
        "transform": lambda: dunlin.transform(M, X, map, map_method="umap"),
        "transform, points": lambda: dunlin.transform(X, M, map, map_method="umap"),
    }
    for name, call in calls.items():
        error = refused(call, "row 7", "column 1")
        assert (error.row, error.column) == (7, 1), name
    whole = np.ma.array(X, mask=np.zeros(X.shape, bool))
    assert dunlin.kmeans(whole, 2).labels.tobytes() == dunlin.kmeans(X, 2).labels.tobytes()
    assert dunlin.neighbors(np.ma.array(X), 3).indices.tobytes() == dunlin.neighbors(X, 3).indices.tobytes()


@by_python("python-masked-arrays")
def masks_of_other_arguments():
    import numpy as np
    import dunlin

    rng = np.random.default_rng(0)
    X, flat = rng.normal(size=(60, 3)), masked(rng)[:, :2]
    weights = np.ma.array([1e6] + [1.0] * 59, mask=[True] + [False] * 59)
    square = np.ma.array(np.ones((60, 60)), mask=np.zeros((60, 60), bool))
    square[4, 2] = np.ma.masked
    lost = np.ma.array([0.0, 0.0, 50.0], mask=[0, 0, 1])
    tracks = [np.ma.array([[0.0, 0], [999, 1]], mask=[[0, 0], [1, 0]]), [[0.0, 1.0], [2.0, 3.0]]]
    for name, call, *words in (
        ("sample_weight", lambda: dunlin.kmeans(X, 1, sample_weight=weights), "row 0"),
        ("point_weights", lambda: dunlin.tsne(X, point_weights=weights), "row 0"),
        ("point_weights", lambda: dunlin.affinities(dunlin.neighbors(X, 9), 3, point_weights=weights), "row 0"),
        ("init", lambda: dunlin.kmeans(X, 1, init=lost[None]), "row 0, column 2"),
        ("centers", lambda: dunlin.assign(X, lost[None]), "row 0, column 2"),
        ("init", lambda: dunlin.tsne(X, init=flat), "row 7, column 1"),
        ("init", lambda: dunlin.mds(X, init=flat), "row 7, column 1"),
        ("weights", lambda: dunlin.mds(X, weights=square), "row 4, column 2"),
        ("pos", lambda: dunlin.layout((60, [(0, 1)]), pos=flat), "row 7, column 1"),
        ("node_size", lambda: dunlin.layout((60, [(0, 1)]), node_size=weights), "row 0"),
        ("node_mass", lambda: dunlin.layout((60, [(0, 1)]), method="forceatlas2", node_mass=weights), "row 0"),
        ("G", lambda: dunlin.layout(square), "row 4, column 2"),
        ("edges of G", lambda: dunlin.layout((3, np.ma.array([[0, 1], [1, 2]], mask=[[0, 0], [0, 1]]))), "row 1, column 1"),
        ("weights of G", lambda: dunlin.layout((3, [(0, 1), (1, 2)], weights[:2])), "row 0"),
        ("map", lambda: dunlin.draw(flat), "row 7, column 1"),
        ("map", lambda: dunlin.density(flat), "row 7, column 1"),
        ("map", lambda: dunlin.score(flat, X), "row 7, column 1"),
        ("map", lambda: dunlin.reliability(flat, X), "row 7, column 1"),
        ("map", lambda: dunlin.hulls(masked(rng)), "row 7, column 1"),
        ("map", lambda: dunlin.transform(X, X, flat, map_method="umap"), "row 7, column 1"),
        ("X_embedded", lambda: dunlin.trustworthiness(X, flat), "row 7, column 1"),
        ("field", lambda: dunlin.surface(square.reshape(60, 6, 10)), "row 4"),
        ("pos", lambda: dunlin.remove_overlaps(flat, 0.1), "row 7, column 1"),
        ("node_size", lambda: dunlin.remove_overlaps(X[:, :2], weights), "row 0"),
        ("start_v", lambda: dunlin.waves(60, start_v=weights, until=1), "row 0"),
        ("track 0", lambda: dunlin.mds(tracks=tracks), "row 1, column 0"),
        ("strings", lambda: dunlin.mds(strings=["a", None, "b"]), "item 1"),
        ("strings", lambda: dunlin.sequence_distances(["a", float("nan"), "b"]), "item 1"),
        ("knn", lambda: dunlin.tsne(knn=(np.ma.array([[1], [0]], mask=[[0], [1]]), [[1.0], [1.0]]), init=[[0, 0], [1, 1]]), "row 1"),
        ("obj", lambda: dunlin.write("map.csv", flat), "row 7, column 1"),
        ("ids", lambda: dunlin.draw(X[:2, :2], ids=np.ma.array(["a", "b"], mask=[0, 1])), "row 1"),
        ("ids", lambda: dunlin.draw(X[:2, :2], ids=["a", None]), "row 1"),
        ("ids", lambda: dunlin.draw(X[:2, :2], ids="ab"), "'ab'"),
        ("ids", lambda: dunlin.write("map.csv", X[:2, :2], ids=np.array("ab")), "'ab'"),
        ("ids", lambda: dunlin.write("map.csv", X[:2, :2], ids=["a", float("nan")]), "row 1"),
        ("init", lambda: dunlin.umap(X, init=np.full((60, 2), np.inf)), "infinite", "row 0"),
    ):
        refused(call, name, *words)
    for name in ("fixed", "grow"):
        some = np.ma.array(np.zeros((60, 2)) + rng.normal(size=(60, 2)), mask=np.zeros((60, 2), bool))
        some[50:] = np.ma.masked
        result = dunlin.tsne(X, **{name: some}, max_iter=20, perplexity=5)
        assert np.isfinite(result.embedding).all(), name
        if name == "fixed":
            assert np.array_equal(result.embedding[:50], np.asarray(some[:50], np.float32))


@by_python("python-masked-arrays")
def masks_of_the_estimators():
    import numpy as np
    import dunlin

    rng = np.random.default_rng(0)
    M, X = masked(rng), rng.normal(size=(60, 3))
    square = np.ma.array(np.abs(X[:, :1] - X[:, :1].T), mask=np.zeros((60, 60), bool))
    square[7, 1] = square[1, 7] = np.ma.masked
    weights = np.ma.array(np.ones(60), mask=np.arange(60) == 7)
    fitted = {
        name: getattr(dunlin, name)(**options).fit(X)
        for name, options in {
            "KMeans": {"n_clusters": 2},
            "GaussianMixture": {"n_components": 2},
            "KMedoids": {"n_clusters": 2},
            "KNeighborsTransformer": {},
            "UMAP": {"n_epochs": 5},
        }.items()
    }
    for made in (
        dunlin.TSNE(),
        dunlin.UMAP(),
        dunlin.PaCMAP(),
        dunlin.KMeans(2),
        dunlin.GaussianMixture(2),
        dunlin.KMedoids(2),
        dunlin.MDS(init="random"),
        dunlin.ClassicalMDS(),
        dunlin.ParametricTSNE(hidden_layer_sizes=(5,)),
        dunlin.KNeighborsTransformer(),
    ):
        refused(lambda: made.fit(M), "row 7", "column 1")
    for made in (dunlin.MDS(metric="precomputed", init="random"), dunlin.KMedoids(2, metric="precomputed"), dunlin.TSNE(metric="precomputed", init="random")):
        refused(lambda: made.fit(square), "row 1", "column 7")
    for name, method in (
        ("KMeans", "predict"),
        ("KMeans", "transform"),
        ("KMeans", "score"),
        ("GaussianMixture", "predict"),
        ("GaussianMixture", "predict_proba"),
        ("GaussianMixture", "score_samples"),
        ("KMedoids", "predict"),
        ("KMedoids", "transform"),
        ("KNeighborsTransformer", "transform"),
        ("UMAP", "transform"),
    ):
        refused(lambda: getattr(fitted[name], method)(M), "row 7", "column 1")
    refused(lambda: dunlin.KMeans(2).fit(X, sample_weight=weights), "sample_weight", "row 7")
    refused(lambda: dunlin.KMeans(1, init=M[7:8]).fit(X), "init", "column 1")
    refused(lambda: dunlin.UMAP(init=M[:, :2]).fit(X), "init", "row 7")


@by_python("python-nat")
def times_that_are_missing():
    import numpy as np
    import pandas as pd
    import dunlin

    def days(*given):
        return pd.to_datetime([None if day is None else f"2024-03-{day:02d}" for day in given])

    frame = pd.DataFrame({"opened": days(1, 2, 3, None, 5, 6, 20, 21), "closed": days(4, 4, 7, 8, 6, 9, 25, 24)})
    waited = frame.assign(d=frame["closed"] - frame["opened"])[["d"]]
    mixed = frame.assign(n=np.arange(8.0), zone=frame["closed"].dt.tz_localize("Europe/Berlin"))
    tables = [frame, waited, mixed, frame.to_numpy(), waited.to_numpy(), frame.to_numpy().astype("datetime64[s]")]
    with contextlib.suppress(ImportError):
        import polars

        tables += [polars.from_pandas(frame), polars.from_pandas(waited), polars.from_pandas(mixed)]
    with contextlib.suppress(ImportError):
        import pyarrow

        tables += [pyarrow.Table.from_pandas(frame), pyarrow.Table.from_pandas(mixed)]
    for table in tables:
        for call in (
            lambda: dunlin.neighbors(table, 2),
            lambda: dunlin.tsne(table, perplexity=2),
            lambda: dunlin.umap(table),
            lambda: dunlin.pacmap(table),
            lambda: dunlin.kmeans(table, 2),
            lambda: dunlin.mixture(table, 1),
            lambda: dunlin.mds(table),
            lambda: dunlin.score(np.arange(16.0).reshape(8, 2), table),
            lambda: dunlin.KMeans(2).fit(table),
            lambda: dunlin.KNeighborsTransformer(n_neighbors=2).fit_transform(table),
        ):
            refused(call, "row 3", "column 0")
    whole = frame.drop(index=3)
    numbers = whole.to_numpy().astype("datetime64[ns]").astype(np.int64)
    assert np.array_equal(dunlin.neighbors(whole, 2).indices, dunlin.neighbors(numbers, 2).indices)


@by_python("python-nat")
def colors_of_times():
    import re
    import numpy as np
    import pandas as pd
    import dunlin

    map = np.random.default_rng(0).normal(size=(8, 2))
    opened = pd.Series(pd.to_datetime(["2024-03-01", "2024-03-02", None, "2024-03-05", "2024-03-06", "2024-03-08", "2024-03-20", "2024-03-21"]))
    day = (opened - opened[0]) / pd.Timedelta("1D")
    forms = [opened, opened.to_numpy(), opened.dt.tz_localize("Asia/Tokyo"), opened - opened[0], opened.to_numpy().astype("datetime64[D]")]
    with contextlib.suppress(ImportError):
        import polars

        forms += [polars.from_pandas(opened), polars.from_pandas(opened).cast(polars.Date)]
    with contextlib.suppress(ImportError):
        import pyarrow

        forms += [pyarrow.array(opened), pyarrow.chunked_array([pyarrow.array(opened)])]

    def colors(values):
        return re.findall('<circle[^>]*fill="([^"]*)"', dunlin.draw(map, values=values, format="svg").data.decode())

    right = colors(day)
    for form in forms:
        assert "none" in texts(dunlin.draw(map, values=form, format="svg"))
        assert colors(form) == right, form
        assert dunlin.density(map, values=form).missing == 1
    assert b"again" in dunlin.draw(map, values=opened, film=[("again", opened)], format="html").data


@by_python("python-na-values")
def cells_that_are_none_or_na():
    import numpy as np
    import pandas as pd
    import dunlin

    map = np.random.default_rng(0).normal(size=(4, 2))
    for values in (
        pd.Series([1, None, 3, 4], dtype="Int64"),
        pd.Series([1.5, None, 3, 4], dtype="Float64"),
        pd.Series([True, None, True, False], dtype="boolean"),
        pd.Series([1, pd.NA, 3, 4], dtype=object),
        [1, None, 3, 4],
        np.array([1, None, 3, 4], object),
    ):
        assert dunlin.density(map, values=values).missing == 1
    refused(lambda: dunlin.density(map, values=[1, "x", 3, 4]), "values", "'x'", "row 1")
    for table in (
        pd.DataFrame({"a": pd.Series([1, 2, None, 4], dtype="Int64"), "b": [1.0, 2, 3, 4]}),
        pd.DataFrame({"a": [1, 2, None, 4], "b": [1.0, 2, 3, 4]}, dtype=object),
        [[1, 1], [2, 2], [None, 3], [4, 4]],
    ):
        for call in (lambda: dunlin.neighbors(table, 1), lambda: dunlin.kmeans(table, 1)):
            refused(call, "row 2", "column 0")
    refused(lambda: dunlin.kmeans(pd.DataFrame({"a": [1, 2], "kind": ["oak", "elm"]}), 1), "'oak'", "'kind'", "row 0")
    refused(lambda: dunlin.kmeans(map, 1, sample_weight=[1, None, 1, 1]), "sample_weight", "row 1")


@by_python("python-whole-numbers")
def whole_numbers_beyond_float64():
    import numpy as np
    import dunlin

    X = np.array([[2**62], [2**62 + 1], [2**62 + 3], [2**62 + 300]])
    refused(lambda: dunlin.neighbors(X, 1), "column 0", str(2**62))
    assert dunlin.neighbors(X - 2**62, 1).indices[:, 0].tolist() == [1, 0, 1, 2]
    day = 86_400 * 10**9
    times = np.array([[19_000], [19_001], [19_003], [19_300]]) * day
    assert dunlin.neighbors(times, 1).indices[:, 0].tolist() == [1, 0, 1, 2]
    assert dunlin.neighbors(np.array([[0], [2**62], [2**62 + 2**50]]), 1).indices[:, 0].tolist() == [1, 2, 1]
    assert dunlin.neighbors(np.array([[2**63], [2**63]], np.uint64), 1).distances.max() == 0


# AnnData


def anndata_of(folder, **obsm):
    """(AnnData with sparse X, the same read backed), or None without anndata."""
    try:
        import anndata
        import h5py  # noqa: F401
    except ImportError:
        return None
    import numpy as np
    import scipy.sparse as sp

    with contextlib.suppress(Exception):
        anndata.settings.allow_write_nullable_strings = True
    adata = anndata.AnnData(sp.random(60, 200, density=0.05, format="csr", random_state=0, dtype=np.float32))
    for name, array in obsm.items():
        adata.obsm[name] = array
    path = os.path.join(folder, "a.h5ad")
    adata.write_h5ad(path)
    return adata, anndata.read_h5ad(path, backed="r")


@by_python("python-anndata-sparse")
def sparse_and_backed_anndata_are_their_x():
    import numpy as np
    import dunlin

    os.mkdir("more")
    both = anndata_of(".")
    if both is None:
        return
    adata, backed = both
    X = adata.X
    map = X[:, :2].toarray()
    centers = X[:3].toarray()
    calls = {
        "neighbors": lambda each: dunlin.neighbors(each, 3).distances,
        "queries": lambda each: dunlin.neighbors(each, 3, queries=each[:9]).distances,
        "kmeans": lambda each: dunlin.kmeans(each, 2).labels,
        "choose_k": lambda each: dunlin.choose_k(each, 3).best.labels,
        "assign": lambda each: dunlin.assign(each, centers).labels,
        "mixture": lambda each: dunlin.mixture(each, 2, covariance_type="diagonal").labels,
        "mds": lambda each: dunlin.mds(each, max_iter=5).embedding,
        "kmedoids": lambda each: dunlin.kmedoids(each, 2).labels,
        "score": lambda each: list(dunlin.score(map, each).values()),
        "trustworthiness": lambda each: dunlin.trustworthiness(each, map),
        "reliability": lambda each: dunlin.reliability(map, each).home,
        "tsne": lambda each: dunlin.tsne(each, max_iter=20, perplexity=5).embedding,
        "umap": lambda each: dunlin.umap(each, n_epochs=20).embedding,
        "pacmap": lambda each: dunlin.pacmap(each, num_iters=(3, 3, 3)).embedding,
        "KMeans": lambda each: dunlin.KMeans(2, random_state=0).fit(each).labels_,
        "TSNE": lambda each: dunlin.TSNE(max_iter=250, perplexity=5, random_state=0).fit_transform(each),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, call in calls.items():
            right = call(X)
            for each in (adata, backed):
                assert np.array_equal(call(each), right, equal_nan=True), (name, each.isbacked)
        half = np.arange(0, 60, 2)
        assert np.array_equal(dunlin.kmeans(adata[half], 2).labels, dunlin.kmeans(X[half], 2).labels)
        assert np.array_equal(dunlin.kmeans(backed[half], 2).labels, dunlin.kmeans(X[half], 2).labels)
    adata, backed = anndata_of("more", X_pca=np.random.default_rng(0).normal(size=(60, 4)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rep = dunlin.umap(backed, use_rep="X_pca", n_epochs=20).embedding
        assert np.array_equal(rep, dunlin.umap(adata.obsm["X_pca"], n_epochs=20).embedding)
        for each in (adata[half].X, backed.X, adata[half].obsm["X_pca"]):
            dunlin.neighbors(each, 3)
        adata.raw = adata
        assert np.array_equal(dunlin.kmeans(adata.raw, 2).labels, dunlin.kmeans(X, 2).labels)
    adata.X = None
    refused(lambda: dunlin.kmeans(adata, 2), "without X", "obsm")

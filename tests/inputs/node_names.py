# SPDX-License-Identifier: Apache-2.0
"""Names of nodes in Python: square tables and values by node are read by them."""

import contextlib

from graph_files import edges, pairs
from harness import by_python, near, refused, says, texts


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
    with says("the rows of G have no names"):
        assert edges(pd.DataFrame(matrix, columns=list("abcd"))) == pairs("ab bc cd")
    with says("the columns of G have no names"):
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
        with says("the rows of G have no names"):
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
    with says("node_size: rows are matched by order"):
        by_order = dunlin.layout(graph, node_size=pd.Series([1.0, 2, 3, 4]), seed=1)
    assert np.array_equal(by_order.pos, dunlin.layout(graph, node_size=[1.0, 2, 3, 4], seed=1).pos)
    turned = nx.Graph([(3, 1), (1, 2), (2, 0)])
    sizes = {0: 1.0, 1: 2.0, 2: 3.0, 3: 40.0}
    with says():
        by_number = dunlin.layout(turned, node_size=pd.Series([1.0, 2, 3, 40]), method="forceatlas2", prevent_overlap=True, seed=1)
    assert np.array_equal(by_number.pos, dunlin.layout(turned, node_size=sizes, method="forceatlas2", prevent_overlap=True, seed=1).pos)
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

    # Rows of what else is given have these names, too
    values = pd.Series([3.0, 2, 1, 0], list("zyxw"), name="value")
    wanted = dunlin.draw(places.loc[[*"wxyz"]].to_numpy(), values=values[::-1].to_numpy(), graph=graph, format="svg").data
    with says():
        assert dunlin.draw(places, values=values, graph=graph, format="svg").data == wanted
    found = dunlin.mds(graph=graph, init=places)
    assert found.ids == list("wxyz")
    assert (found.embedding == dunlin.mds(graph=graph, init=places[::-1].to_numpy()).embedding).all()
    assert {*"wxyz"} <= {*texts(dunlin.draw(places, graph=graph, vertex_names=True, format="svg"))}
    graph.vs["name"] = list("wwyz")  # no names of rows
    assert list(dunlin.mds(graph=graph).ids) == [0, 1, 2, 3]


@by_python("python-node-series")
def points_of_a_drawing_follow_its_graph():
    import dunlin
    import networkx as nx
    import numpy as np
    import pandas as pd

    graph, moved = nx.les_miserables_graph(), nx.Graph()
    moved.add_nodes_from(list(graph)[::-1])
    moved.add_edges_from(graph.edges)
    drawn = dunlin.layout(graph)
    X = pd.DataFrame(drawn.pos, list(graph), ["p", "q"])  # with which the drawing agrees
    labels = pd.Series(drawn.pos[:, 0] > np.median(drawn.pos[:, 0]), X.index)
    accuracy = dunlin.score(drawn.pos, labels=labels.to_numpy())["label_accuracy"]
    for given, map in ((graph, drawn), (moved, drawn), (moved, X), (moved, drawn.pos[::-1])):
        found = dunlin.score(map, X, labels=labels, graph=given)
        near(found["trustworthiness"], 1)
        near(found["label_accuracy"], accuracy)

    # A node whose position was set again keeps its row
    first = next(iter(graph))
    drawn[first] = drawn.pop(first)
    assert list(drawn)[-1] == first
    near(dunlin.score(drawn, X)["trustworthiness"], 1)
    heights = dunlin.density(drawn, values=X.p).mean
    assert np.array_equal(heights, dunlin.density(drawn.pos, values=X.p.to_numpy()).mean, equal_nan=True)

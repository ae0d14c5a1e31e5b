# SPDX-License-Identifier: Apache-2.0
"""Edges of graphs in Python: pairs of numbers, and tables with named columns."""

import contextlib

from graph_files import edges, pairs
from harness import by_python, refused, says


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
    with says("'cost'"):
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
    import dunlin

    for wrong in ([(0.7, 1.9)], [(0, 4)], [(-1, 0)], [(0, float("nan"))], [(0, 2**40)], [(0, 2**63)], [(0, 1e300)]):
        refused(lambda: edges((4, wrong)), "edge 0", "from 0 to 3")
    refused(lambda: edges((4, [("a", "b")])), "'a'", "row 0")
    refused(lambda: edges((4, [(0, None)])), "row 0, column 1")
    refused(lambda: edges((4, [(True, False)])))
    refused(lambda: edges((4, [(0, 1)], [1.0, 2.0])), "shape (2,)")
    refused(lambda: edges((4, [(0, 1)], ["x"])), "'x'")
    for weight in (0, -1, float("nan"), float("inf")):
        refused(lambda: edges((4, [(1, 2)], [weight])), "1 - 2", "weight")
    for n in (-1, 2**40):
        refused(lambda: edges((n, [(0, 1)])))
    for n in (3.7, "4", True, None):
        refused(lambda: edges((n, [(0, 1)])), error=dunlin.OptionError)
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
    for graph in ([(0, 1), (1, 2)], [(0, 1, 2.0), (1, 2, 1.0), (2, 0, 1.0)], ([0, 1], [1, 2])):
        refused(lambda: dunlin.layout(graph), "(n, edges)", error=dunlin.OptionError)
    refused(lambda: dunlin.layout(triples), "(4, 3)", error=dunlin.OptionError)

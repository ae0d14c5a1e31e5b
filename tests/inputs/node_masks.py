# SPDX-License-Identifier: Apache-2.0
"""Masks in Python: the nodes that a layout holds and that are stimulated."""

from harness import by_python, refused


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
    more = [True, False, False, False]
    refused(lambda: spring_layout(path, pos=pos, fixed=more, seed=1), "without positions", error=ValueError)  # as NetworkX


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

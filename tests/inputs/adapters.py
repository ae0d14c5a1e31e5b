# SPDX-License-Identifier: Apache-2.0
"""Layouts with NetworkX's names have its scales, defaults and rules."""

from itertools import combinations

from harness import apart, by_python, near, refused


def _both(name):
    """The function of this package and NetworkX's."""
    import networkx as nx

    import dunlin.networkx

    return getattr(dunlin.networkx, name), getattr(nx, name)


def _as_far(ours, theirs, tolerance, in_any_unit=False):
    """Checks the distances of all pairs."""
    unit = sum(apart(ours, *pair) / apart(theirs, *pair) for pair in combinations(theirs, 2)) if in_any_unit else 1
    unit /= len(list(combinations(theirs, 2))) if in_any_unit else 1
    for a, b in combinations(theirs, 2):
        wanted = unit * apart(theirs, a, b)
        assert abs(apart(ours, a, b) - wanted) <= tolerance * wanted, (a, b, apart(ours, a, b), wanted)


def _unbalanced(G, pos, forces, free=None, weight="weight"):
    """The largest force on a node over the mean size of the forces' parts: 0 at rest. NetworkX's own maps jitter by some
    percent. forces(y, weights, delta, d): the parts, each n x 2."""
    import networkx as nx
    import numpy as np

    y = np.array([pos[node] for node in G])
    delta = y[:, None] - y[None]
    d = np.linalg.norm(delta, axis=-1) + np.eye(len(y))
    parts = forces(y, nx.to_numpy_array(G, weight=weight), delta, d)
    sizes = np.linalg.norm(sum(parts), axis=1)
    return sizes[slice(None) if free is None else free].max() / np.mean([np.linalg.norm(part, axis=1) for part in parts])


def _springs(k):
    """Forces of networkx.spring_layout, without a node's own."""
    return lambda y, A, delta, d: [(delta * (k * k / d**2)[..., None]).sum(1), -(delta * (A * d / k)[..., None]).sum(1)]


def _atlas(G, scaling=2.0, gravity=1.0, strong=False, linlog=False, shared=False, mass=None):
    """Forces of networkx.forceatlas2_layout."""
    import numpy as np

    m = np.array([(mass or {}).get(node, G.degree(node) + 1) for node in G], float)

    def forces(y, A, delta, d):
        attraction = -(delta * (A * np.log(1 + d) / d if linlog else A)[..., None]).sum(1)
        repulsion = (delta * (scaling * np.outer(m, m) / d**2)[..., None]).sum(1)
        middle = y - y.mean(0)
        inwards = middle if strong else middle / np.linalg.norm(middle, axis=1, keepdims=True)
        return [attraction / m[:, None] if shared else attraction, repulsion, -gravity * m[:, None] * inwards]

    return forces


def _stress(lengths, pos):
    """Scaled stress, at the best scale; lengths: by node and node."""
    import numpy as np

    pairs = [(u, v) for u, row in lengths.items() for v, d in row.items() if u != v and 0 < d < np.inf]
    q = np.array([apart(pos, u, v) / lengths[u][v] for u, v in pairs])
    return float(((q.sum() / (q * q).sum() * q - 1) ** 2).mean())


def _pair(**attributes):
    import networkx as nx

    G = nx.Graph()
    G.add_edge(0, 1, **attributes)
    return G


# Weights are taken as they are


@by_python("graph-adapter-weight-scale")
def forceatlas2_balances_the_weights_as_they_are():
    import networkx as nx

    ours, theirs = _both("forceatlas2_layout")
    for w in (0.25, 1.0, 4.0, 1e4):
        free = {"weight": "weight", "gravity": 0, "scaling_ratio": 2, "seed": 1, "max_iter": 2000}
        near(apart(ours(_pair(weight=w), **free), 0, 1), (8 / w) ** 0.5, 0.02 * (8 / w) ** 0.5)
    G = nx.path_graph(3)
    nx.set_edge_attributes(G, {(0, 1): 5.0, (1, 2): 1.0}, "weight")
    pos = ours(G, **free)
    near(apart(pos, 0, 1), 1.69, 0.03)
    near(apart(pos, 1, 2), 4.21, 0.06)
    cycle, club = nx.cycle_graph(6), nx.karate_club_graph()
    nx.set_edge_attributes(cycle, 3.0, "weight")
    options = {"weight": "weight", "max_iter": 3000, "seed": 2}
    for mine, networkx in (
        ({}, {}),
        ({"scaling": 30.0}, {"scaling_ratio": 30.0}),
        ({"linlog": True}, {"linlog": True, "dim": 3}),
        ({"mass": dict.fromkeys(range(3), 7.0)}, {"node_mass": dict.fromkeys(range(3), 7.0)}),
    ):
        assert _unbalanced(club, ours(club, gravity=0, **networkx, **options), _atlas(club, gravity=0, **mine)) < 0.02, mine
    for mine, networkx in (
        ({}, {}),
        ({"gravity": 0.1}, {"gravity": 0.1}),
        ({"strong": True, "gravity": 0.5}, {"strong_gravity": True, "gravity": 0.5}),
        ({"shared": True}, {"distributed_action": True}),
    ):
        assert _unbalanced(cycle, ours(cycle, **networkx, **options), _atlas(cycle, **mine)) < 0.02, mine
        _as_far(ours(cycle, **networkx, **options), theirs(cycle, **networkx, **options), 0.05)
    none = options | {"weight": None}
    assert _unbalanced(cycle, ours(cycle, **none), _atlas(cycle), weight=None) < 0.02
    _as_far(ours(cycle, seed=2, max_iter=3000), ours(cycle, **none), 1e-6)  # weight=None is the default


@by_python("graph-adapter-weight-scale")
def spring_layout_balances_the_weights_as_they_are():
    import networkx as nx
    import numpy as np

    ours, theirs = _both("spring_layout")
    held = {"pos": {0: (0.0, 0.0)}, "fixed": [0], "k": 1, "seed": 1, "iterations": 500}
    for w in (0.2, 1.0, 100.0):
        for method in ("force", "energy"):
            near(apart(ours(_pair(weight=w), method=method, **held), 0, 1), w ** (-1 / 3), 0.01 * w ** (-1 / 3))
        for method in ("force", "energy"):
            near(apart(ours(_pair(weight=w), scale=None, k=2, seed=1, method=method), 0, 1), 2 * w ** (-1 / 3), 0.03)
    P = nx.path_graph(5)
    nx.set_edge_attributes(P, 100.0, "weight")
    near(apart(ours(P, **held), 0, 1), 0.269, 0.01)
    G = nx.karate_club_graph()
    for k, dim in ((0.01, 2), (None, 2), (3.0, 3)):
        pos = ours(G, k=k, dim=dim, scale=None, seed=3, iterations=2000)
        assert _unbalanced(G, pos, _springs(k or len(G) ** -0.5)) < 0.02, k
        if dim == 3:
            continue
        pos = ours(G, k=k, scale=None, seed=3, method="energy")  # another map, in the scale of these forces
        lengths, true = [
            sum(apart(each, u, v) ** 3 * data["weight"] for u, v, data in G.edges(data=True))
            for each in (pos, ours(G, k=k, scale=None, seed=3, iterations=2000))
        ]
        near(lengths / true, 1, 0.01)
    line = {node: (10.0 * node, 0.1 * node) for node in G}  # the first steps are a tenth of the start, not of k
    for more in ({"scale": None}, {"fixed": [0, 33]}):
        maps = [call(G, k=1, pos=line, seed=1, iterations=500, **more) for call in (ours, theirs)]
        found, wanted = (_unbalanced(G, pos, _springs(1), slice(1, 33)) for pos in maps)
        assert found < 1.1 * wanted, more
    scaled = ours(P, scale=7, center=(30, 40), seed=1)
    assert np.allclose(np.mean(list(scaled.values()), axis=0), (30, 40))
    near(np.abs(np.array(list(scaled.values())) - (30, 40)).max(), 7, 1e-6)


@by_python("graph-adapter-weight-scale")
def parallel_edges_and_directions_count_as_in_networkx():
    import networkx as nx

    springs = {"scale": None, "k": 1, "seed": 1, "iterations": 500}
    forces = {"gravity": 0, "seed": 1, "max_iter": 2000}
    # Of an edge of one direction NetworkX pulls one end, but for method energy, which makes the matrix symmetric
    energy = springs | {"method": "energy", "gravity": 1e-9, "threshold": 1e-9}
    for kind in (nx.MultiGraph, nx.DiGraph, nx.MultiDiGraph):
        edges = [(0, 1, {"weight": 1.0}), (0, 1, {"weight": 3.0}), (1, 2, {"weight": 2.0}), (2, 0, {}), (2, 2, {})]
        for weight in ("weight", None):
            ours, theirs = _both("spring_layout")
            _as_far(ours(kind(edges), weight=weight, **springs), theirs(kind(edges), weight=weight, **energy), 0.02)
            ours, theirs = _both("forceatlas2_layout")
            G = kind(edges if kind is nx.MultiGraph else edges[:2] + [(1, 0, {"weight": 8.0}), (1, 1, {})])
            _as_far(ours(G, weight=weight, **forces), theirs(G, weight=weight, **forces), 0.05)
    both = nx.DiGraph([(0, 1, {"weight": 1.0}), (1, 0, {"weight": 3.0})])
    near(apart(_both("spring_layout")[0](both, **springs), 0, 1), 2 ** (-1 / 3), 0.01)
    zero = nx.Graph([(0, 1, {"weight": 0.0}), (1, 2, {"weight": 1.0})])  # attracts nothing, but counts in masses
    near(apart(_both("spring_layout")[0](zero, **springs), 1, 2), 1, 0.01)
    near(apart(_both("forceatlas2_layout")[0](zero, weight="weight", **forces), 1, 2), (2 * 3 * 2) ** 0.5, 0.05)
    negative = _pair(weight=-8.0)
    near(apart(_both("spring_layout")[0](negative, method="energy", **springs), 0, 1), 0.5, 0.01)
    refused(lambda: _both("spring_layout")[0](negative), "-8")
    refused(lambda: _both("spring_layout")[0](nx.MultiGraph([(0, 1, {"weight": "heavy"})])), "'heavy'")


@by_python("graph-adapter-weight-scale")
def gravity_holds_components_together():
    import networkx as nx

    ours, theirs = _both("forceatlas2_layout")
    G = nx.empty_graph(2)
    for gravity in (1.0, 0.1):
        near(apart(ours(G, gravity=gravity, seed=1, max_iter=2000), 0, 1), 2 / gravity, 0.05 / gravity)
    G = nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))
    found, wanted = ours(G, seed=1, max_iter=1000), theirs(G, seed=1, max_iter=1000)
    middles = [abs(sum(sum(pos[v]) for v in range(3)) - sum(sum(pos[v]) for v in range(3, 6))) for pos in (found, wanted)]
    assert all(middle < 30 for middle in middles)
    _as_far({v: found[v] for v in range(3)}, {v: wanted[v] for v in range(3)}, 0.2)
    assert len(ours(nx.empty_graph(4), gravity=0, seed=1)) == 4 and ours(nx.empty_graph(0)) == {}
    assert len(ours([1, 2, 3], seed=1)) == 3


# Sizes, masses, positions


@by_python("graph-fa2-node-size")
def nodes_without_a_size_have_1_and_without_a_mass_their_degree():
    import networkx as nx
    import numpy as np
    import pandas as pd

    ours, theirs = _both("forceatlas2_layout")
    G = nx.star_graph(6)
    full = {node: 3.0 if node == 0 else 1.0 for node in G}
    expected = ours(G, node_size=full, seed=1, max_iter=500)
    for sizes in ({0: 3.0}, {0: 3.0, "elsewhere": 5.0}, pd.Series({0: 3.0})):
        assert all(np.array_equal(row, expected[v]) for v, row in ours(G, node_size=sizes, seed=1, max_iter=500).items())
    ones = ours(G, node_size={}, seed=1, max_iter=500)
    assert all(np.array_equal(row, ones[v]) for v, row in ours(G, node_size={3: 1}, seed=1, max_iter=500).items())
    refused(lambda: ours(G, node_size={"0": 3.0}), "none of the nodes")
    refused(lambda: ours(G, node_mass={"0": 3.0}), "none of the nodes")
    G = nx.MultiGraph([(0, 1), (0, 1), (0, 1), (1, 1)])
    options = {"seed": 1, "max_iter": 2000, "gravity": 0}
    _as_far(ours(G, **options), theirs(G, **options), 0.02)  # masses 4 and 6, the attraction of three edges
    near(apart(ours(G, **options), 0, 1), (2 * 4 * 6 / 3) ** 0.5, 0.05)
    _as_far(ours(G, node_mass={0: 9.0}, **options), theirs(G, node_mass={0: 9.0}, **options), 0.02)


@by_python("graph-fa2-node-size")
def a_start_has_its_own_dimension():
    import networkx as nx
    import numpy as np

    ours = _both("forceatlas2_layout")[0]
    G = nx.path_graph(4)
    start = {node: np.array([node, 0.5 * node * node, 1.0 - node]) for node in G}
    assert ours(G, pos=start, seed=1)[0].shape == (3,)
    del start[2]
    assert ours(G, pos=start, seed=1)[2].shape == (3,)
    moved = ours(G, pos=start, seed=1, max_iter=0)
    assert np.allclose(moved[3], start[3], atol=0.01) and store(ours, G) == {"at"}


def store(call, G):
    call(G, seed=1, store_pos_as="at")
    return {name for _, data in G.nodes(data=True) for name in data}


# Kamada and Kawai's distances


@by_python("kk-zero")
def nodes_at_distance_0_are_at_one_place():
    import networkx as nx
    import numpy as np

    ours = _both("kamada_kawai_layout")[0]
    G = nx.path_graph(4)
    nx.set_edge_attributes(G, {(0, 1): 0.0, (1, 2): 1.0, (2, 3): 2.0}, "weight")
    rows = dict(nx.shortest_path_length(G, weight="weight"))
    for pos in (ours(G), ours(G, dist=rows), ours(nx.MultiGraph(G)), ours(nx.DiGraph(G)), ours(G, pos=nx.circular_layout(G))):
        assert np.array_equal(pos[0], pos[1]) and _stress(rows, pos) < 1e-4, pos
        near(apart(pos, 2, 3) / apart(pos, 1, 2), 2, 0.02)
    nx.set_edge_attributes(G, 0.0, "weight")
    assert all(np.array_equal(row, ours(G)[0]) for row in ours(G).values())
    refused(lambda: ours(_pair(weight=-1.0)), "-1")
    refused(lambda: ours(_pair(weight=float("nan"))), "nan")
    refused(lambda: ours(_pair(weight="long")), "'long'")
    assert len(ours(_pair(weight=float("inf")))) == 2  # no path


@by_python("kk-zero")
def lengths_of_parallel_edges_take_the_least_and_paths_follow_directions():
    import networkx as nx

    ours, theirs = _both("kamada_kawai_layout")
    G = nx.MultiGraph([(0, 1, {"weight": 3.0}), (0, 1, {"weight": 1.0}), (1, 2, {"weight": 2.0}), (2, 3, {})])
    directed = nx.cycle_graph(5, create_using=nx.DiGraph)
    nx.set_edge_attributes(directed, {(0, 1): 3.0}, "weight")
    tree = nx.MultiDiGraph([(0, 1), (0, 1), (0, 2), (2, 3), (3, 3)])
    for each in (G, directed, nx.DiGraph(nx.path_graph(6))):
        _as_far(ours(each), theirs(each), 0.03, in_any_unit=True)
    assert _stress(dict(nx.shortest_path_length(tree)), ours(tree)) < 1e-4
    for weight in (None, "cost", lambda u, v, data: 1 + u + v):
        path = nx.path_graph(5)
        nx.set_edge_attributes(path, {(1, 2): 4.0}, "cost")
        _as_far(ours(path, weight=weight), theirs(path, weight=weight), 0.03, in_any_unit=True)
    rows = dict(nx.shortest_path_length(directed))
    assert _stress(rows, ours(directed, weight=None)) <= _stress(rows, theirs(directed, weight=None)) + 1e-3


@by_python("graph-kk-dist-inf")
def an_infinite_distance_is_no_path():
    import networkx as nx
    import numpy as np

    ours = _both("kamada_kawai_layout")[0]
    G = nx.disjoint_union(nx.path_graph(4), nx.cycle_graph(4))
    rows = {u: dict(row) for u, row in nx.floyd_warshall(G).items()}
    finite = {u: {v: d for v, d in row.items() if np.isfinite(d)} for u, row in rows.items()}
    for options in ({"dist": rows}, {"dist": finite}, {}, {"dist": rows, "pos": nx.circular_layout(G)}):
        pos = ours(G, **options)
        assert np.isfinite(list(pos.values())).all()
        for part, most in ((range(4), 1e-4), (range(4, 8), 0.03)):
            assert _stress({u: {v: rows[u][v] for v in part} for u in part}, pos) < most, options
        if "pos" not in options:  # side by side
            assert min(apart(pos, u, v) for u in range(4) for v in range(4, 8)) > 0.1
    nothing = ours(G, dist={u: {v: np.inf for v in G} for u in G})
    assert len({tuple(row) for row in nothing.values()}) == 8
    refused(lambda: ours(nx.path_graph(2), dist={0: {1: -2}}), "-2")


@by_python("graph-kk-pos-unit")
def a_start_is_taken_in_any_unit():
    import networkx as nx
    import numpy as np

    ours, theirs = _both("kamada_kawai_layout")
    P = nx.path_graph(60)
    rows = dict(nx.all_pairs_shortest_path_length(P))
    exact = {i: np.array([i / 29.5 - 1, 0.0]) for i in P}
    for factor in (1e-3, 1, 29.5, 1e4):
        assert _stress(rows, ours(P, pos={i: p * factor for i, p in exact.items()})) < 1e-5, factor
    circle = nx.circular_layout(P)
    for factor in (1e-3, 1, 1e3):
        assert _stress(rows, ours(P, pos={i: p * factor for i, p in circle.items()})) < 0.01, factor
    assert _stress(rows, ours(P)) < 1e-4
    assert _stress(rows, ours(P, pos=dict.fromkeys(P, (3.0, 3.0)))) < 0.01
    G = nx.grid_2d_graph(5, 6)
    for pos in (nx.spring_layout(G, seed=1), nx.random_layout(G, seed=1)):
        found, wanted = ours(G, pos=pos), theirs(G, pos=pos)
        rows = dict(nx.all_pairs_shortest_path_length(G))
        assert _stress(rows, found) < _stress(rows, wanted) + 0.005
    refused(lambda: ours(G, pos={(0, 0): (1, 2)}), "no position of node (0, 1)")
    refused(lambda: ours(P, pos=exact, dim=3), "dim is 3")
    refused(lambda: ours(P, pos=exact | {4: (np.nan, 1)}), "finite")

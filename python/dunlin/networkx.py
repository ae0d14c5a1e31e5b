# SPDX-License-Identifier: Apache-2.0
"""Layouts with NetworkX's names, parameters and scales, computed by the library.

from dunlin.networkx import spring_layout, kamada_kawai_layout, forceatlas2_layout
"""

import numpy as np

from . import _core, _graphs, _groups
from ._errors import InputError
from ._nodes import Nodes
from ._options import translating
from ._run import Run, finished

__all__ = ["forceatlas2_layout", "fruchterman_reingold_layout", "kamada_kawai_layout", "spring_layout"]


def _prepared(G, center, dim):
    import networkx as nx

    if not isinstance(G, nx.Graph):
        graph = nx.Graph()
        graph.add_nodes_from(G)
        G = graph
    if dim < 0:
        raise ValueError(f"dim is {dim}: negative dimensions are not allowed")
    if dim < 1 or dim > 3:
        raise InputError(f"dim is {dim}; the library places nodes in 1, 2 or 3 dimensions", option="dim")
    center = np.zeros(dim) if center is None else np.asarray(center)
    if len(center) != dim:
        raise ValueError("length of center coordinates must match dimension of layout")
    return G, center


def _seed(seed):
    """The library's seed and a generator for positions that are not given."""
    if seed is None:
        generator = np.random.mtrand._rand
    elif isinstance(seed, (np.random.RandomState, np.random.Generator)):
        generator = seed
    else:
        generator = np.random.RandomState(seed)
        return int(seed), generator
    draw = generator.integers if isinstance(generator, np.random.Generator) else generator.randint
    return int(draw(2**31 - 1)), generator


def _uniform(generator, shape):
    return generator.random(shape) if isinstance(generator, np.random.Generator) else generator.rand(*shape)


def _returned(G, positions, store_pos_as):
    import networkx as nx

    positions = dict(zip(G, positions))
    if store_pos_as is not None:
        nx.set_node_attributes(G, positions, store_pos_as)
    return positions


def _rescaled(positions, scale):
    positions = positions - positions.mean(axis=0)
    largest = np.abs(positions).max()
    return positions * (scale / largest) if largest > 0 else positions


def _place(graph, options, run, dim, start=None, pinned=None, radii=None, masses=None):
    """Calls the library."""
    start = None if start is None else np.ascontiguousarray(start, np.float32)
    outcome = _core.layout(graph.csr, start, pinned, radii, masses, dict(options, dim=dim), run.core(), None, 0)
    return finished(outcome, lambda values: values["pos"]).astype(np.float64)


def spring_layout(
    G,
    k=None,
    pos=None,
    fixed=None,
    iterations=50,
    threshold=1e-4,
    weight="weight",
    scale=1,
    center=None,
    dim=2,
    seed=None,
    store_pos_as=None,
    *,
    method="auto",
    gravity=1.0,
):
    """networkx.spring_layout, computed by the library.

    Parameters
    ----------
    G, k, pos, fixed, iterations, weight, scale, center, dim, seed, store_pos_as
        As in NetworkX. ``dim`` is 1, 2 or 3; on a line the first order of the nodes is that of least stress.
    threshold : float, default 1e-4
        Ends when steps fall below this share of k, in the root mean square.
    method : {'auto', 'force', 'energy'}, default 'auto'
        force: Fruchterman and Reingold. energy: the library's multilevel method, which needs no number of iterations.
        auto: force below 500 nodes, else energy.
    gravity : float, default 1.0
        Only 1.0: components are put side by side instead.
    """
    if method not in ("auto", "force", "energy"):
        raise ValueError("the method must be either auto, force, or energy.")
    if gravity != 1.0:
        raise InputError("gravity has no effect here: components are put side by side; leave it out", option="gravity")
    if method == "auto":
        method = "force" if len(G) < 500 else "energy"
    G, center = _prepared(G, center, dim)
    if fixed is not None:
        fixed = set(map(list(G).__getitem__, Nodes(list(G)).places(fixed, "fixed")))
        if pos is None or any(node not in pos for node in fixed):
            raise ValueError("nodes are fixed without positions given")
    if len(G) == 0:
        return {}
    if len(G) == 1:
        return (
            _returned(G, [center], store_pos_as) if fixed is None else _returned(G, [pos[next(iter(G))]], store_pos_as)
        )
    number, generator = _seed(seed)
    n = len(G)
    graph = _graphs.graph_of(G, weight)
    start, pinned, size = None, None, 1
    if pos is not None:
        size = max(coordinate for row in pos.values() for coordinate in row) or 1
        start = _uniform(generator, (n, dim)) * size + center
        for i, node in enumerate(G):
            if node in pos:
                start[i] = np.asarray(pos[node])
    if fixed is not None:
        pinned = np.zeros(n, np.uint8)
        pinned[[i for i, node in enumerate(G) if node in fixed]] = 1
    if k is None:
        k = (abs(size) if fixed is not None else 1.0) / np.sqrt(n)
    if method == "force":
        options = {"method": "fruchterman-reingold", "iterations": iterations, "tolerance": threshold, "length": k}
    else:
        options = {"method": "multilevel", "length": k}
    with translating(_groups.LAYOUT):
        positions = _place(graph, options, Run({"seed": number}), dim, start, pinned)
    if fixed is not None:
        for i, node in enumerate(G):
            if pinned[i]:
                positions[i] = np.asarray(pos[node])
    elif scale is not None:
        positions = _rescaled(positions, scale) + center
    return _returned(G, positions, store_pos_as)


fruchterman_reingold_layout = spring_layout


def kamada_kawai_layout(G, dist=None, pos=None, weight="weight", scale=1, center=None, dim=2, store_pos_as=None):
    """networkx.kamada_kawai_layout: distances in the map as those along edges, errors relative to them (stress).

    Parameters
    ----------
    G, dist, pos, weight, scale, center, dim, store_pos_as
        As in NetworkX; weights are lengths of edges. ``dim`` is 1, 2 or 3. Without ``dist`` components are placed by
        themselves, side by side.
    """
    G, center = _prepared(G, center, dim)
    n = len(G)
    if n == 0:
        return {}
    start = None if pos is None else np.array([pos[node] for node in G], np.float64).reshape(n, dim)
    run = Run({})
    with translating(_groups.LAYOUT):
        if n == 1:
            positions = np.zeros((1, dim))
        elif dist is not None:
            positions = _by_distances(G, dist, start, dim, run)
        else:
            options = {"method": "stress", "weights": "length"}
            positions = _place(_graphs.graph_of(G, weight), options, run, dim, start)
    return _returned(G, _rescaled(positions, scale) + center, store_pos_as)


def _by_distances(G, dist, start, dim, run):
    """Least stress of given distances, weighed by 1 / d^2; pairs that are missing have none."""
    n = len(G)
    matrix = np.full((n, n), np.nan)
    for row, u in enumerate(G):
        if u in dist:
            for column, v in enumerate(G):
                if v in dist[u]:
                    matrix[row, column] = dist[u][v]
    matrix = np.where(np.isnan(matrix), matrix.T, matrix)
    np.fill_diagonal(matrix, 0)
    matrix = np.maximum(matrix, 0)
    weights = np.zeros((n, n))
    far = matrix > 0
    weights[far] = 1 / matrix[far] ** 2
    scale = np.nanmax(matrix) or 1.0
    items = _core.Dissimilarities.of_matrix((matrix / scale).astype(np.float32), {})
    options = {"dim": dim, "method": "smacof"}
    start = None if start is None else np.ascontiguousarray(start / scale, np.float32)
    weights = np.ascontiguousarray(weights / weights.max() if weights.max() > 0 else weights, np.float32)
    outcome = _core.mds(items, start, None, weights, options, run.core(), None, 0)
    return finished(outcome, lambda values: values["embedding"]).astype(np.float64) * scale


def forceatlas2_layout(
    G,
    pos=None,
    *,
    max_iter=100,
    jitter_tolerance=1.0,
    scaling_ratio=2.0,
    gravity=1.0,
    distributed_action=False,
    strong_gravity=False,
    node_mass=None,
    node_size=None,
    weight=None,
    linlog=False,
    seed=None,
    dim=2,
    store_pos_as=None,
):
    """networkx.forceatlas2_layout, computed by the library (Jacomy, Venturini, Heymann and Bastian 2014).

    Parameters
    ----------
    G, pos, max_iter, jitter_tolerance, scaling_ratio, gravity, distributed_action, strong_gravity, weight, linlog, seed
        As in NetworkX.
    node_mass : dict, optional
        Masses above 0; those of other nodes are their degree + 1.
    node_size : dict, optional
        Radii; nodes do not overlap.
    dim, store_pos_as
        As in NetworkX. ``dim`` is 1, 2 or 3.
    """
    G, _ = _prepared(G, None, dim)
    if len(G) == 0:
        return {}
    number, generator = _seed(seed)
    graph = _graphs.graph_of(G, weight)
    start = None
    if pos is not None:
        known = np.array([pos[node] for node in G if node in pos], np.float64).reshape(-1, dim)
        low, high = (known.min(0), known.max(0)) if len(known) else (np.zeros(dim), np.ones(dim))
        start = low + _uniform(generator, (len(G), dim)) * (high - low)
        for i, node in enumerate(G):
            if node in pos:
                start[i] = np.asarray(pos[node])
    options = {
        "method": "forceatlas2",
        "iterations": max_iter,
        "jitter_tolerance": jitter_tolerance,
        "scaling": scaling_ratio,
        "gravity": gravity,
        "strong_gravity": strong_gravity,
        "distributed_action": distributed_action,
        "linlog": linlog,
    }
    radii = None
    if node_size is not None:
        options["prevent_overlap"] = True
        radii = graph.values_of(node_size, "node_size")
    masses = None
    if node_mass is not None:
        degrees = np.diff(graph.csr[0])
        masses = graph.values_of([node_mass.get(node, degrees[i] + 1) for i, node in enumerate(G)], "node_mass")
    with translating(_groups.LAYOUT):
        positions = _place(graph, options, Run({"seed": number}), dim, start, None, radii, masses)
    return _returned(G, positions, store_pos_as)

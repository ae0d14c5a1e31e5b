# SPDX-License-Identifier: Apache-2.0
"""Layouts with NetworkX's names, parameters and scales, computed by the library.

from dunlin.networkx import spring_layout, kamada_kawai_layout, forceatlas2_layout
"""

import numpy as np

from . import _groups
from ._errors import InputError
from ._intake import number
from ._nodes import Nodes
from ._options import translating
from ._run import Run
from ._nx_matrices import edge_lengths, given_distances, mean_strength, path_lengths, shortest, strengths
from ._nx_places import at_rest, by_node, count_of_components, least_stress, place, places_by_node, positions_of, values_of

__all__ = ["forceatlas2_layout", "fruchterman_reingold_layout", "kamada_kawai_layout", "spring_layout"]


def _prepared(G, center, dim):
    import networkx as nx

    if not isinstance(G, nx.Graph):
        graph = nx.Graph()
        graph.add_nodes_from(G)
        G = graph
    if isinstance(dim, bool) or not hasattr(dim, "__index__"):
        raise InputError(f"dim is {dim!r}; it must be 1, 2 or 3", option="dim")
    if dim < 0:
        raise ValueError(f"dim is {dim}: negative dimensions are not allowed")
    if dim < 1 or dim > 3:
        raise InputError(f"dim is {dim}; the library places nodes in 1, 2 or 3 dimensions", option="dim")
    center = np.zeros(dim) if center is None else np.atleast_1d(np.asarray(center))
    if len(center) != dim:
        raise ValueError("length of center coordinates must match dimension of layout")
    if center.dtype.kind not in "iufb" or not np.isfinite(center).all():
        raise InputError(f"center is {center.tolist()!r}; it must be {dim} finite numbers", option="center")
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


def _require_scale(scale):
    if scale is not None:
        number(scale, "scale")


def _rescaled(positions, scale):
    positions = positions - positions.mean(axis=0)
    largest = np.abs(positions).max()
    return positions * (scale / largest) if largest > 0 else positions


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
        As in NetworkX: an edge of weight w attracts w times as strongly, alone its length is k w^(-1/3). ``pos`` may also be
        a table by node or an array. ``dim`` is 1, 2 or 3; on a line the first order of the nodes is that of least stress.
    threshold : float, default 1e-4
        Ends when steps fall below this share of k, in the root mean square.
    method : {'auto', 'force', 'energy'}, default 'auto'
        force: Fruchterman and Reingold. energy: the library's multilevel method, which needs no number of iterations;
        with ``fixed``, whose scale is that of the forces, as force. auto: force below 500 nodes, else energy.
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
    _require_scale(scale)
    pos = places_by_node(G, pos, dim)
    if pos is not None and not len(pos) and len(G):
        raise InputError("pos has no positions; leave it out, or give those of some nodes", option="pos")
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
    drawn, generator = _seed(seed)
    n = len(G)
    graph = strengths(G, weight, absolute=method == "energy")
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
    length = k * mean_strength(graph) ** (-1 / 3)  # the library divides strengths by their mean
    if method == "force" or fixed is not None:
        options = {"method": "fruchterman-reingold", "iterations": iterations, "tolerance": threshold, "length": length}
        if start is not None and np.ptp(start, axis=0).max() > 0:
            options["temperature"] = 0.1 * np.ptp(start, axis=0).max() / length
    else:
        options = {"method": "multilevel", "length": length}
    with translating(_groups.LAYOUT):
        positions = place(graph, options, Run({"seed": drawn}), dim, start, pinned)
    if fixed is not None:
        for i, node in enumerate(G):
            if pinned[i]:
                positions[i] = np.asarray(pos[node])
    elif scale is not None:
        positions = _rescaled(positions, scale) + center
    elif method == "energy":
        positions = at_rest(positions, graph, k)
    return _returned(G, positions, store_pos_as)


fruchterman_reingold_layout = spring_layout


def kamada_kawai_layout(G, dist=None, pos=None, weight="weight", scale=1, center=None, dim=2, store_pos_as=None):
    """networkx.kamada_kawai_layout: distances in the map as those along edges, errors relative to them (stress).

    Parameters
    ----------
    G, dist, pos, weight, scale, center, dim, store_pos_as
        As in NetworkX, ``dist`` also a matrix in the order of the nodes; weights are lengths of edges, of parallel ones the least, and paths follow directions. Nodes at
        distance 0 are at one place; a distance that is missing or infinite is of no path. ``pos`` is in any unit.
        ``dim`` is 1, 2 or 3. Components are placed by themselves, where ``pos`` has them or side by side.
    """
    G, center = _prepared(G, center, dim)
    _require_scale(scale)
    n = len(G)
    if n == 0:
        return {}
    start = None if pos is None else positions_of(G, by_node(G, pos, "pos"), dim)
    with translating(_groups.LAYOUT):
        if n == 1:
            positions = np.zeros((1, dim))
        elif start is None and dist is None and _has_usual_lengths(G, weight):
            positions = place(shortest(G, weight), {"method": "stress", "weights": "length"}, Run({}), dim)
        else:
            distances = path_lengths(G, weight) if dist is None else given_distances(G, dist)
            positions = least_stress(distances, start, dim, Run({}))
    return _returned(G, _rescaled(positions, scale) + center, store_pos_as)


def _has_usual_lengths(G, weight):
    """Whether edges have lengths as the library takes them: of both directions, above 0."""
    if G.is_directed() or callable(weight):
        return False
    return weight is None or all(0 < length < np.inf for _, _, length in edge_lengths(G, weight))


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
        As in NetworkX: an edge of weight w attracts w times as strongly. Without gravity nothing holds components together,
        and they are put side by side.
    node_mass : dict or Series by node, or array, optional
        Masses above 0; those of other nodes are their degree + 1.
    node_size : dict or Series by node, or array, optional
        Radii, of other nodes 1; nodes do not overlap.
    dim, store_pos_as
        As in NetworkX. ``dim`` is 1, 2 or 3; with ``pos`` its own.
    """
    pos = places_by_node(G, pos, None)
    if pos:
        dim = len(next(iter(pos.values())))
    G, _ = _prepared(G, None, dim)
    n = len(G)
    if n == 0:
        return {}
    drawn, generator = _seed(seed)
    graph = strengths(G, weight)
    start = None
    if pos:
        known = np.array(list(pos.values()), np.float64)
        start = known.min(0) + _uniform(generator, (n, dim)) * np.ptp(known, axis=0)
        for i, node in enumerate(G):
            if node in pos:
                start[i] = np.asarray(pos[node])
    elif gravity > 0 and dim > 1 and count_of_components(graph) > 1:  # the library would put them side by side
        start = _uniform(generator, (n, dim)) * n ** (1 / dim)
    mean = mean_strength(graph)  # by which the library divides attraction
    options = {
        "method": "forceatlas2",
        "iterations": max_iter,
        "tolerance": 0.0,
        "jitter_tolerance": jitter_tolerance,
        "scaling": scaling_ratio / mean,
        "gravity": gravity / mean,
        "strong_gravity": strong_gravity,
        "distributed_action": distributed_action,
        "linlog": linlog,
    }
    radii = None
    if node_size is not None:
        options["prevent_overlap"] = True
        radii = values_of(G, by_node(G, node_size, "node_size"), lambda node: 1, "node_size")
    masses = values_of(G, by_node(G, node_mass, "node_mass") or {}, lambda node: G.degree(node) + 1, "node_mass")
    with translating(_groups.LAYOUT):
        positions = place(graph, options, Run({"seed": drawn}), dim, start, None, radii, masses)
    return _returned(G, positions, store_pos_as)

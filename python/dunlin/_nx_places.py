# SPDX-License-Identifier: Apache-2.0
"""What the layouts with NetworkX's names share: positions of nodes, least stress of any distances, the scale of forces."""

import numpy as np

from . import _core, _intake
from ._errors import InputError
from ._frames import Frame
from ._nodes import Nodes
from ._run import finished


def place(graph, options, run, dim, start=None, pinned=None, radii=None, masses=None):
    """Calls the library."""
    frame = Frame()
    start = None if start is None else frame.taken(start, "pos")
    outcome = _core.layout(graph.csr, start, pinned, radii, masses, dict(options, dim=dim), run.core(), None, 0)
    return frame.restored(finished(outcome, lambda values: values["pos"])).astype(np.float64)


def components_of(sources, targets, n):
    """(number, the component of each node) of the graph with these edges."""
    edges = (np.ascontiguousarray(nodes, np.int32) for nodes in (sources, targets))
    csr, *_, raised = _core.simple_graph(n, *edges, None, {})
    if raised is None:
        count, of, raised = _core.components(csr, {})
    if raised is not None:
        raise raised
    return count, of


def count_of_components(graph):
    return _core.components(graph.csr, {})[0]


def positions_of(G, pos, dim):
    """The positions of all nodes."""
    rows = np.empty((len(G), dim))
    for row, node in zip(rows, G):
        if node not in pos:
            raise InputError(f"pos has no position of node {node!r}", option="pos")
        if np.shape(pos[node]) != (dim,):
            raise InputError(f"the position of node {node!r} is {pos[node]!r}; dim is {dim}", option="pos")
        row[:] = pos[node]
    if not np.isfinite(rows).all():
        node = list(G)[int(np.argmin(np.isfinite(rows).all(axis=1)))]
        raise InputError(f"the position of node {node!r} is {pos[node]!r}; it must be finite", option="pos")
    return rows


def by_node(G, values, name):
    """What is given by node as a dict: a dict as it is; of a Series or table the rows by their names, of arrays and rows
    that are only counted in the order of the nodes, where the nodes are not these numbers."""
    if values is None or hasattr(values, "keys") and not hasattr(values, "iloc"):
        return values
    names, cells = Nodes(list(G)).named(values, name)
    cells = _intake.dense(cells, name)
    is_column = name != "pos" and cells.ndim == 2 and cells.shape[1] == 1
    return dict(zip(names, cells[:, 0] if is_column else cells))


def places_by_node(G, pos, dim):
    """Positions by node, each of dim finite numbers (dim None: as many as the first)."""
    pos = by_node(G, pos, "pos")
    for node, place in (pos or {}).items():
        try:
            found = np.asarray(place, np.float64)
        except (TypeError, ValueError):
            found = np.full(0, np.nan)
        dim = len(found) if dim is None and found.ndim == 1 else dim
        if found.ndim != 1 or len(found) != dim or not dim or not np.isfinite(found).all():
            count = f"{dim} finite numbers" if dim else "finite numbers"
            raise InputError(f"the position of node {node!r} is {place!r}; it must be {count}", option="pos")
    return pos


def values_of(G, values, default, name):
    """A number for each node, default(node) for those that ``values`` leaves out."""
    if len(values) and not any(node in values for node in G):
        raise InputError(
            f"{name} has none of the nodes, which are such as {next(iter(G))!r}; its keys are such as "
            f"{next(iter(values.keys()))!r}",
            option=name,
        )
    return np.array([values[node] if node in values else default(node) for node in G], np.float32)


def at_rest(positions, graph, k):
    """The map in the scale in which Fruchterman and Reingold's attraction w d^2 / k along edges and repulsion k^2 / d
    between the nodes of a component balance: the sums of force times distance are equal (virial theorem)."""
    offsets, targets, weights = graph.csr
    sources = np.repeat(np.arange(graph.size), np.diff(offsets))
    attraction = np.sum(weights * np.linalg.norm(positions[sources] - positions[targets], axis=1) ** 3) / 2
    sizes = np.bincount(_core.components(graph.csr, {})[1]).astype(np.float64)
    pairs = np.sum(sizes * (sizes - 1)) / 2
    return positions * (k * (pairs / attraction) ** (1 / 3)) if attraction > 0 else positions


def least_stress(distances, start, dim, run):
    """Positions of least stress sum (|y_i - y_j| / d_ij - 1)^2 over ordered pairs, which may have two distances.

    distances : array of shape (n, n)
        At least 0. Infinite or NaN: none is known; 0: i and j are at one place.
    start : array of shape (n, dim), optional
        In any unit.
    """
    apart = ~np.eye(len(distances), dtype=bool)
    _, of = components_of(*np.nonzero(apart & (distances == 0)), len(distances))
    known = apart & (distances > 0) & np.isfinite(distances)
    nearness = np.divide(1.0, distances, out=np.zeros(distances.shape), where=known)
    # The terms of a pair are one of this weight and length, but for a constant
    weights, weighted = _joined(nearness**2, of), _joined(nearness, of)
    lengths = np.divide(weighted, weights, out=np.full(weights.shape, np.nan), where=weights > 0)
    if start is not None:
        start = _fitted(np.stack([np.bincount(of, axis) / np.bincount(of) for axis in start.T], axis=1), weights, weighted)
    count, component = components_of(*np.nonzero(weights), len(weights))
    parts = [np.flatnonzero(component == c) for c in range(count)]
    placed = np.zeros((len(weights), dim))
    for members in parts:
        square = np.ix_(members, members)
        own = None if start is None else start[members]
        placed[members] = _least_stress_of_connected(lengths[square], weights[square], own, dim, run)
    _set_apart(placed, parts, start, np.nanmedian(lengths) if weights.any() else 1.0)
    return placed[of]


def _joined(matrix, of):
    """Sums over both directions, and over nodes at one place."""
    matrix = matrix + matrix.T
    count = of.max(initial=-1) + 1
    if count == len(matrix):
        return matrix
    sums = np.zeros((count, count))
    np.add.at(sums, (of[:, None], of[None, :]), matrix)
    np.fill_diagonal(sums, 0)
    return sums


def _fitted(start, weights, weighted):
    """The start in the unit of least stress; None where all are at one place."""
    distances = np.sqrt(sum((axis[:, None] - axis[None, :]) ** 2 for axis in start.T))
    squares = np.sum(weights * distances**2)
    return start * (np.sum(weighted * distances) / squares) if squares > 0 else None


def _least_stress_of_connected(lengths, weights, start, dim, run):
    if len(lengths) == 1:
        return np.zeros((1, dim))
    unit = np.nanmax(lengths)
    items = _core.Dissimilarities.of_matrix(np.ascontiguousarray(lengths / unit, np.float32), run.narrowing())
    start = None if start is None else Frame().taken(start / unit, "pos")  # components are centered after this
    weights = np.ascontiguousarray(weights / weights.max(), np.float32)
    options = {"dim": dim, "method": "smacof"}
    if start is not None:  # a bent path takes many small steps
        options |= {"iterations": int(np.clip(1e9 / len(lengths) ** 2, 1000, 20000)), "tolerance": 1e-9}
    outcome = _core.mds(items, start, None, weights, options, run.core(), None, 0)
    outcome[0].pop("said")  # by NetworkX's definition pairs without a distance have no spring
    return finished(outcome, lambda values: values["embedding"]).astype(np.float64) * unit


def _set_apart(placed, parts, start, gap):
    """Puts components where the start has them, or side by side."""
    reach = 0.0
    for members in parts:
        own = placed[members]
        own -= own.mean(axis=0)
        if start is not None:
            own += start[members].mean(axis=0)
        else:
            own[:, 0] += reach - own[:, 0].min()
            reach = own[:, 0].max() + gap
        placed[members] = own

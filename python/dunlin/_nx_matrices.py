# SPDX-License-Identifier: Apache-2.0
"""Graphs of NetworkX as its layouts read them: matrices of weights and of path lengths."""

from collections import defaultdict

import numpy as np

from . import _graphs, _intake
from ._errors import InputError


def strengths(G, weight, absolute=False):
    """The library's graph of networkx.to_numpy_array: parallel edges add, of the weights of both directions the mean, as far
    as a symmetric attraction goes. A weight of 0 attracts nothing. absolute: weights without their sign."""
    if not G.is_multigraph() and not G.is_directed() and _are_usual(G, weight, absolute):
        return _graphs.graph_of(G, weight)
    weight = _graphs.named_weight(G, weight)
    total = defaultdict(float)
    for u, v, value in _edges(G, weight):
        total[u, v] += _number(value, weight, u, v)
    both = defaultdict(float)
    for (u, v), value in total.items():
        both[(v, u) if (v, u) in both else (u, v)] += abs(value) if absolute else value
    return _simple(G, {ends: value for ends, value in both.items() if value != 0}, 0.5 if G.is_directed() else 1)


def mean_strength(graph):
    """The mean by which the library divides strengths."""
    weights = graph.csr[2]
    return float(np.mean(weights, dtype=np.float64)) if len(weights) else 1.0


def shortest(G, weight):
    """The library's graph of the lengths of edges, of parallel ones the least."""
    if not G.is_multigraph():
        return _graphs.graph_of(G, weight, lengths=True)
    return _simple(G, {(u, v): length for u, v, length in edge_lengths(G, weight)})


def edge_lengths(G, weight):
    """(u, v, length) of each edge that has one, in both directions where it has no direction, of parallel edges the
    least. ``weight`` may be a function, as in NetworkX."""
    weight = _graphs.named_weight(G, weight)
    for u, neighbors in G.adjacency():
        for v, data in neighbors.items():
            if callable(weight):
                length = weight(u, v, data)
                if length is None:
                    continue
            elif G.is_multigraph():
                length = min(_number(each.get(weight, 1), weight, u, v) for each in data.values())
            else:
                length = _number(data.get(weight, 1), weight, u, v)
            if not length >= 0:
                raise InputError(f"the edge from {u!r} to {v!r} has the length {length}; lengths are at least 0", option="weight")
            yield u, v, length


def path_lengths(G, weight):
    """The matrix of the lengths of shortest paths from row to column; infinite: no path."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    places = {node: i for i, node in enumerate(G)}
    edges = [(places[u], places[v], length) for u, v, length in edge_lengths(G, weight) if length < np.inf]
    rows, columns, lengths = (np.array(each) for each in zip(*edges)) if edges else (np.zeros(0, int),) * 3
    order = np.argsort(rows, kind="stable")  # a matrix of triples would leave out lengths of 0
    starts = np.searchsorted(rows[order], np.arange(len(G) + 1))
    matrix = csr_array((lengths[order].astype(np.float64), columns[order], starts), shape=(len(G), len(G)))
    return dijkstra(matrix)


def given_distances(G, dist):
    """The matrix of distances by node and node, or of a matrix in the order of the nodes; infinite or NaN where one is left
    out."""
    nodes = list(G)
    matrix = _by_node(dist, nodes) if hasattr(dist, "keys") else _in_order(dist, len(nodes))
    if (matrix < 0).any():
        u, v = np.argwhere(matrix < 0)[0]
        raise InputError(
            f"the distance from {nodes[u]!r} to {nodes[v]!r} is {matrix[u, v]:g}; it must be at least 0", option="dist"
        )
    return matrix


def _by_node(dist, nodes):
    matrix, found = np.full((len(nodes), len(nodes)), np.inf), 0
    for row, u in enumerate(nodes):
        known = dist[u] if u in dist else {}
        for column, v in enumerate(nodes):
            if v in known:
                matrix[row, column] = known[v]
                found += 1
    if len(dist) and not found:
        raise InputError(
            f"dist has no distance of two nodes, which are such as {nodes[0]!r}; its keys are such as "
            f"{next(iter(dist.keys()))!r}",
            option="dist",
        )
    return matrix


def _in_order(dist, n):
    matrix = np.array(_intake.dense(dist, "dist", missing=True), np.float64)
    if matrix.shape != (n, n):
        raise InputError(f"dist has the shape {matrix.shape}; it must be {(n, n)}, or a dict by node and node", option="dist")
    return matrix


def _edges(G, weight):
    return ((u, v, 1) for u, v in G.edges()) if weight is None else G.edges(data=weight, default=1)


def _are_usual(G, weight, absolute):
    """Whether strengths are as the library takes them, which refuses those below 0."""
    if weight is None:
        return True
    values = (_number(value, weight, u, v) for u, v, value in _edges(G, weight))
    return all(value > 0 or value < 0 and not absolute for value in values)


def _number(value, weight, u, v):
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(
            f"attribute {weight!r} of the edge from {u!r} to {v!r} is {value!r}, which is not a number", option="weight"
        ) from None


def _simple(G, weights, share=1):
    """The library's graph of the nodes of G and of weights by pair of nodes."""
    import networkx as nx

    simple = nx.Graph()
    simple.add_nodes_from(G)
    simple.add_weighted_edges_from((u, v, share * value) for (u, v), value in weights.items())
    return _graphs.graph_of(simple)

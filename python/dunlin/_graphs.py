# SPDX-License-Identifier: Apache-2.0
"""Graphs of NetworkX, igraph and SciPy as the library takes them, and positions back."""

import itertools
import operator

import numpy as np

from . import _core, _intake
from ._errors import InputError, OptionError


class GraphData:
    """An undirected simple graph: ``csr`` = (offsets, targets, weights), ``nodes``: their names in order, or a range.

    ``kind``: 'networkx', 'igraph' or 'array'.
    """

    def __init__(self, csr, nodes, kind):
        self.csr, self.nodes, self.kind = csr, nodes, kind
        self.size = len(csr[0]) - 1
        self._place = None

    def place(self, node):
        if self._place is None:
            self._place = {each: i for i, each in enumerate(self.nodes)}
        return self._place[node]

    def places(self, nodes, name):
        try:
            return np.array([self.place(node) for node in nodes], np.int64)
        except KeyError as error:
            raise InputError(f"{name} holds {error.args[0]!r}, which is not a node of the graph", option=name) from None

    def rows_of(self, positions, name, dim):
        """Positions, a dict by node or an array, as a float32 matrix."""
        if isinstance(positions, dict):
            missing = [node for node in self.nodes if node not in positions]
            if missing:
                raise InputError(f"{name} has no position of node {missing[0]!r}", option=name)
            rows = [positions[node] for node in self.nodes]
            positions = np.asarray(rows, np.float64).reshape(self.size, -1)
        elif hasattr(positions, "coords"):  # igraph.Layout
            positions = np.asarray(positions.coords)
        return _intake.plain(np.asarray(positions), name, dim, self.size)

    def values_of(self, values, name):
        """One number per node, of a dict, an array or a number."""
        if isinstance(values, dict):
            values = [values.get(node, 0) for node in self.nodes]
        values = np.broadcast_to(np.asarray(values, np.float32), (self.size,))
        return _intake.column(values, name, self.size)

    def returned(self, layout):
        if self.kind != "igraph":
            return layout
        import igraph

        return igraph.Layout(layout.pos.tolist())


def graph_of(graph, weight="weight"):
    """A GraphData of any graph that layout() takes."""
    if isinstance(graph, GraphData):
        return graph
    module = type(graph).__module__.partition(".")[0]
    if module == "networkx" or hasattr(graph, "_adj") and hasattr(graph, "nodes"):
        return _of_networkx(graph, weight)
    if module == "igraph" or hasattr(graph, "get_edgelist"):
        return _of_igraph(graph, weight)
    if _intake.is_sparse(graph):
        return _of_matrix(graph.tocoo(), weight)
    if hasattr(graph, "graph") and isinstance(graph.graph, tuple):  # NeighborsResult
        offsets, targets, _ = graph.graph
        sources = np.repeat(np.arange(len(offsets) - 1, dtype=np.int32), np.diff(offsets))
        return _of_edges(len(offsets) - 1, sources, targets, None, None, "array")
    if isinstance(graph, tuple) and len(graph) in (2, 3) and np.ndim(graph[0]) == 0:
        edges = np.asarray(graph[1], np.int64).reshape(-1, 2)
        _require_ids(edges, graph[0])
        weights = graph[2] if len(graph) == 3 else None
        return _of_edges(graph[0], edges[:, 0], edges[:, 1], weights, None, "array")
    array = np.asarray(graph)
    if array.ndim == 2 and array.shape[0] == array.shape[1] and array.dtype.kind in "fiub":
        from types import SimpleNamespace

        row, col = np.nonzero(array)
        return _of_matrix(SimpleNamespace(shape=array.shape, row=row, col=col, data=array[row, col]), weight)
    raise OptionError(
        f"G is a {type(graph).__name__}; it must be a graph of NetworkX or igraph, a SciPy sparse matrix, "
        "a square array, or (n, edges)",
        option="G",
    )


def _require_ids(edges, n):
    wrong = (edges < 0) | (edges >= n)
    if wrong.any():
        e = int(np.argmax(wrong.any(1)))
        raise InputError(
            f"edge {e} is {tuple(edges[e].tolist())}; vertices are numbered from 0 to {n - 1}", option="G", row=e
        )


def _of_edges(n, sources, targets, weights, nodes, kind):
    if weights is not None:
        weights = np.asarray(weights, np.float64)
        kept = weights != 0  # SciPy and NetworkX take a weight of 0 for no edge
        if not kept.all():
            sources, targets, weights = np.asarray(sources)[kept], np.asarray(targets)[kept], weights[kept]
        weights = np.ascontiguousarray(weights, np.float32)
    csr, _, _, raised = _core.simple_graph(
        int(n), np.ascontiguousarray(sources, np.int32), np.ascontiguousarray(targets, np.int32), weights, {}
    )
    if raised is not None:
        raise raised
    return GraphData(csr, range(int(n)) if nodes is None else nodes, kind)


def _of_matrix(matrix, weight):
    if matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"G has the shape {matrix.shape}; an adjacency matrix is square", option="G")
    return _of_edges(matrix.shape[0], matrix.row, matrix.col, None if weight is None else matrix.data, None, "array")


def _attributes(neighbors):
    """The attributes of each edge; of a multigraph those of its parallel edges by key."""
    return itertools.chain.from_iterable(map(operator.methodcaller("values"), neighbors))


def _of_networkx(graph, weight):
    nodes = list(graph)
    neighbors = [graph._adj[node] for node in nodes]
    n, m = len(nodes), sum(map(len, neighbors))
    sources = np.repeat(np.arange(n, dtype=np.int32), np.fromiter(map(len, neighbors), np.int64, n))
    targets = itertools.chain.from_iterable(neighbors)
    if nodes != list(range(n)):  # else a node is its own number: looking up a million takes longer than all else
        targets = map({node: i for i, node in enumerate(nodes)}.__getitem__, targets)
    targets = np.fromiter(targets, np.int32, m)
    weights = None
    if weight is not None and any(_attributes(neighbors)):
        if graph.is_multigraph():
            values = (max((data.get(weight, 1) for data in edges.values()), default=1) for edges in _attributes(neighbors))
        else:
            values = map(operator.methodcaller("get", weight, 1), _attributes(neighbors))
        try:
            weights = np.fromiter(values, np.float64, m)
        except (TypeError, ValueError):
            raise InputError(f"attribute {weight!r} of an edge is not a number", option="weight") from None
        if m and weights.min() == 1 and weights.max() == 1:
            weights = None
    return _of_edges(n, sources, targets, weights, nodes, "networkx")


def _of_igraph(graph, weight):
    edges = np.array(graph.get_edgelist(), np.int32).reshape(-1, 2)
    weights = graph.es[weight] if weight is not None and weight in graph.es.attributes() else None
    return _of_edges(graph.vcount(), edges[:, 0], edges[:, 1], weights, None, "igraph")

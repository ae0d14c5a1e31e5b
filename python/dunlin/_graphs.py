# SPDX-License-Identifier: Apache-2.0
"""Graphs of NetworkX, igraph and SciPy as the library takes them, and positions back."""

import copy
import itertools
import operator

import numpy as np

from . import _cells, _core, _intake, _match, _sparse, _tables
from ._errors import InputError, OptionError
from ._frames import Frame
from ._kinds import text_of
from ._nodes import Nodes, listed
from ._run import notice, say


class GraphData(Nodes):
    """An undirected simple graph: ``csr`` = (offsets, targets, weights), its nodes, and ``kind``: 'networkx', 'igraph' or
    'array'. ``joined``: edges that others join, too; ``loops``; ``directed``: what the graph had that this one lacks."""

    titles = None  # beside the nodes of a picture, in place of their names
    loops, directed = 0, False  # of a graph that is built in another way

    def __init__(self, csr, nodes, kind, names=None):
        super().__init__(nodes, names)
        self.csr, self.kind, self.joined = csr, kind, 0

    def of_lengths(self):
        """The same graph with weights that are lengths."""
        return self

    def returned(self, layout):
        if self.kind != "igraph":
            return layout
        import igraph

        return igraph.Layout(layout.pos.tolist())


def map_of(map, graph, frame=None):
    """The rows of a map, less its origin: in the order of a graph's nodes where it is given and the map is by node."""
    frame = frame or Frame()
    if graph is not None:
        return graph.rows_of(map, "map", None, frame)
    return frame.taken(list(map.values()) if isinstance(map, dict) and not hasattr(map, "pos") else map, "map")


def graph_of(graph, weight="weight", lengths=False, usual=False):
    """A GraphData of any graph that layout() takes. Of several edges between two nodes the weights add up, as strengths and
    conductances do; lengths: the least counts. usual: where edges have no 'weight', an attribute with another usual name is
    taken, as in tables and files."""
    repeated = "least" if lengths else "add-listed"
    names = _tables.usual_weights(lengths) if usual else ()
    if not (weight is None or isinstance(weight, str) and weight):
        raise OptionError(f"weight is {weight!r}; it must be the name of the weights, or None", option="weight")
    if isinstance(graph, GraphData):
        return _read_before(graph.of_lengths() if lengths and weight is not None else graph, weight)
    module = type(graph).__module__.partition(".")[0]
    if module == "networkx" or hasattr(graph, "_adj") and hasattr(graph, "nodes"):
        return _of_networkx(graph, weight, repeated, names)
    if module == "igraph" or hasattr(graph, "get_edgelist"):
        return _of_igraph(graph, weight, repeated, names)
    if _cells.columns_in(graph) is None and not _has_table_of_edges(graph):
        _require_no_name(weight, "G has no names of weights")
    if _sparse.is_sparse(graph):
        return _of_sparse(graph, weight, repeated)
    if hasattr(graph, "graph") and isinstance(graph.graph, tuple):  # NeighborsResult
        offsets, targets, _ = graph.graph
        sources = np.repeat(np.arange(len(offsets) - 1, dtype=np.int32), np.diff(offsets))
        return _of_edges(len(offsets) - 1, sources, targets, None, None, "array", "largest")
    if isinstance(graph, tuple) and len(graph) in (2, 3) and np.ndim(graph[0]) == 0:
        return _of_numbered(graph, weight, repeated)
    if _cells.columns_in(graph) is not None:
        return _of_table(graph, weight, repeated)
    if isinstance(graph, tuple) or isinstance(graph, list) and any(isinstance(row, tuple) for row in graph):
        raise OptionError(
            "G is a list of tuples, or a tuple that is not (n, edges) or (n, edges, weights); give edges with the number of "
            "nodes, and an adjacency matrix as an array",
            option="G",
        )
    if isinstance(graph, list) or hasattr(graph, "__array__"):
        array = _intake.dense(graph, "G")
        if array.ndim == 2 and array.shape[0] == array.shape[1]:
            return _of_array(array, None, weight, repeated)
        raise OptionError(
            f"G is an array of shape {array.shape}; an adjacency matrix is square, and edges are (n, edges)", option="G"
        )
    raise OptionError(
        f"G is a {type(graph).__name__}; it must be a graph of NetworkX or igraph, a SciPy sparse matrix, a square array or "
        "table, a table of edges, or (n, edges)",
        option="G",
    )


def _read_before(graph, weight):
    """A graph that has its weights already: with them, or without."""
    _require_no_name(weight, "G has its weights already; of a file read(..., weights_from=) chooses them")
    if weight is not None:
        return graph
    plain = copy.copy(graph)
    offsets, targets, weights = graph.csr
    plain.csr = offsets, targets, None if weights is None else np.ones_like(weights)
    return plain


def _require_no_name(weight, why):
    if weight not in (None, "weight"):
        raise InputError(f"weight is {weight!r}, and {why}; leave weight out, or give None for none", option="weight")


def _has_table_of_edges(graph):
    return isinstance(graph, tuple) and len(graph) > 1 and _cells.columns_in(graph[1]) is not None


def _of_numbered(graph, weight, repeated):
    """(n, edges) or (n, edges, weights)."""
    n, edges, weights = (*graph, None)[:3]
    if isinstance(n, (bool, np.bool_)) or not hasattr(n, "__index__"):
        raise OptionError(f"G is ({n!r}, ...); the number of nodes is a whole number", option="G")
    n = operator.index(n)
    if not 0 <= n <= np.iinfo(np.int32).max:
        raise InputError(f"G has {n} nodes; it must be at least 0 and at most {np.iinfo(np.int32).max}", option="G")
    if isinstance(edges, dict):
        if weights is not None:
            raise InputError("G has weights in the dict of its edges and beside it; give one of them", option="G")
        edges, weights = list(edges), list(edges.values())
    of = _match.rows_of(edges, "the edges of G") if _cells.columns_in(edges) is not None else None
    table = _cells.columns_in(edges)
    named = None if table is None else _tables.edges_in(table, weight, "the edges of G", repeated == "least")
    if named is None and table is not None:
        _require_no_name(weight, "no two columns of the edges of G have names of ends, such as source and target")
    if named is not None:
        if weights is not None and named.weights is not None:
            raise InputError("G has weights in the table of its edges and beside it; give one of them", option="G")
        edges = _cells.of_columns([("source", named.sources), ("target", named.targets)], "the edges of G")
        weights = weights if named.weights is None else named.weights
    ends = _ends(edges, n)
    weights = None if weight is None or weights is None else _weights_beside(weights, ends, of)
    return _told(_of_edges(n, ends[:, 0], ends[:, 1], weights, None, "array", repeated), repeated)


def _weights_beside(weights, ends, of):
    """A weight per edge: of a dict by its ends, of a Series beside a table of edges by the names of their rows."""
    if isinstance(weights, dict) and (of is None or any(isinstance(key, tuple) for key in weights)):
        weights = _weights_by_ends(weights, ends)
    elif of is not None:
        weights = _match.column(weights, of, "weights of G")
    elif _tables.index_of(weights) is not None:
        say("weights of G: rows are matched by order, since the edges of G have no names")
    return _weights_in(weights, len(ends))


def _weights_by_ends(weights, ends):
    of_pair = {}
    for pair, value in weights.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise InputError(f"weights of G has a value of {pair!r}; the keys of a dict are edges, (source, target)", option="G")
        of_pair[pair] = value
    found, used = [], set()
    for e, (a, b) in enumerate(map(tuple, ends.tolist())):
        pair = (a, b) if (a, b) in of_pair else (b, a)
        if pair not in of_pair:
            raise InputError(f"weights of G has no value of edge {(a, b)}; every edge needs one", option="G", row=e)
        used.add(pair)
        found.append(of_pair[pair])
    other = next((pair for pair in of_pair if pair not in used), None)
    if other is not None:
        raise InputError(f"weights of G has a value of {other!r}, which is no edge of G", option="G")
    return found


def _weights_in(weights, count):
    """A column of weights as numbers; times are none."""
    kind = str(getattr(weights, "dtype", getattr(weights, "type", ""))).lower()
    if kind.startswith(("datetime", "timedelta", "duration", "timestamp", "date", "time")):
        raise InputError(f"the weights of G are times ({kind}); give numbers, or weight=None", option="weight")
    return _intake.column(weights, "weights of G", count, np.float64)


def _ends(edges, n):
    """The ends of edges as numbers of nodes."""
    if not isinstance(edges, list) and not hasattr(edges, "__array__") and hasattr(edges, "__iter__"):  # a set, a view
        edges = list(edges)
    ends = _intake.dense(edges, "the edges of G")
    if ends.size == 0:
        return np.empty((0, 2), np.int32)
    if ends.ndim != 2 or ends.shape[1] != 2:
        raise InputError(
            f"the edges of G have the shape {ends.shape}; they must have two columns, (m, 2): give (n, edges, weights), a "
            "table with the columns source, target and weight, or the transpose of (2, m)",
            option="G",
        )
    if ends.dtype.kind in "iu" and ends.min() >= 0 and ends.max() < n:
        return ends
    wrong = (ends < 0) | (ends >= n) | (ends != np.floor(ends) if ends.dtype.kind == "f" else ends.dtype.kind == "b")
    if wrong.any():
        e = int(np.argmax(wrong.any(1)))
        raise InputError(
            f"edge {e} is {tuple(ends[e].tolist())}; vertices are numbered from 0 to {n - 1}", option="G", row=e
        )
    return ends


def _of_table(table, weight, repeated):
    """A table of pandas, polars or pyarrow: a square one with the names of nodes, or edges."""
    columns = _cells.columns_in(table)
    edges = None if _tables.is_square(table) else _tables.edges_in(columns, weight, "G", repeated == "least")
    if edges is None:
        _require_no_name(weight, "no two columns of G have names of ends, such as source and target")
        array, labels = _tables.square(table, "G")
        return _of_array(array, labels, weight, repeated)
    nodes, *rows = _numbered(edges.sources, edges.targets)
    weights = None if edges.weights is None else _weights_in(edges.weights, len(rows[0]))
    return _told(_of_edges(len(nodes), *rows, weights, nodes, "array", repeated), repeated)


def _numbered(sources, targets):
    """(names of the nodes in the order of their first edges, numbers of the sources, of the targets)."""
    sources, targets = np.asarray(sources), np.asarray(targets)
    if sources.dtype.kind in "iu" and np.result_type(sources, targets).kind in "iu" and targets.dtype.kind in "iu":
        ends = np.column_stack([sources, targets]).reshape(-1)
        names, first, place = np.unique(ends, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty(len(order), np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        numbers = rank[place.reshape(-1)].reshape(-1, 2)
        return names[order].tolist(), numbers[:, 0], numbers[:, 1]
    columns = [_names_of_ends(ends, what) for ends, what in ((sources, "sources"), (targets, "targets"))]
    are_text = {isinstance(node, str) for nodes in columns for node in nodes}
    if len(are_text) > 1:
        say("the ends of edges in G are words and others, such as numbers; all are read as words: 2 and '2' are one node")
        columns = [[text_of(node) for node in nodes] for nodes in columns]
    place = {}
    for node in itertools.chain.from_iterable(zip(*columns)):
        place.setdefault(node, len(place))
    return list(place), *(np.fromiter((place[node] for node in nodes), np.int32, len(nodes)) for nodes in columns)


def _names_of_ends(ends, what):
    """Names of one end of each edge; times are their texts."""
    listed_ends = listed(ends.astype(object) if ends.dtype.kind in "mM" and np.isnat(ends).any() else ends, f"the column of {what} of G")
    if ends.dtype.kind == "M":
        return np.datetime_as_string(ends, unit="auto").tolist()
    return ends.astype(str).tolist() if ends.dtype.kind == "m" else listed_ends


def _of_edges(n, sources, targets, weights, nodes, kind, repeated, names=None):
    if weights is not None:
        weights = np.asarray(weights, np.float64)
        if len(weights) and not (weights.min() > 0 and weights.max() < np.inf):
            e = int(np.argmin((weights > 0) & (weights < np.inf)))
            a, b = (end if nodes is None else nodes[end] for end in (int(sources[e]), int(targets[e])))
            raise InputError(
                f"edge {a!r} - {b!r} has the weight {weights[e]:g}; weights must be above 0 and finite: leave the edge out, "
                "or give weight=None for a graph without weights",
                option="weight",
                row=e,
            )
        weights = np.ascontiguousarray(weights, np.float32)
    ends = (np.ascontiguousarray(each, np.int32) for each in (sources, targets))
    csr, _, again, raised = _core.simple_graph(int(n), *ends, weights, {}, repeated)
    if raised is not None:
        raise raised
    graph = GraphData(csr, range(int(n)) if nodes is None else nodes, kind, names)
    graph.joined, graph.loops = again, int(np.count_nonzero(np.asarray(sources) == np.asarray(targets)))
    return graph


def _told(graph, repeated):
    """The graph, after a line about edges that were joined."""
    if graph.joined:
        rule = "the least of their weights is taken" if repeated == "least" else "their weights add up"
        notice(False, f"{graph.joined} edges join two nodes that another one joins; {rule}")
    return graph


def _of_sparse(matrix, weight, repeated):
    """A SciPy matrix; entries of one place add up."""
    if matrix.format in ("coo", "csr", "csc") and matrix.nnz and not matrix.data.all():
        at = matrix.tocoo()
        first = int(np.flatnonzero(at.data == 0)[0])
        raise InputError(
            f"G stores a weight of 0 at ({at.row[first]}, {at.col[first]}), which is neither an edge nor none; take it out "
            "(G.eliminate_zeros()) or give it a weight above 0",
            option="G",
        )
    matrix = _sparse.with_sums(_sparse.rows_of(matrix, "G")).tocoo()
    if matrix.dtype.kind not in "fiub":
        raise InputError(f"G has numbers of the type {matrix.dtype}; an adjacency matrix has real ones", option="G")
    if matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"G has the shape {matrix.shape}; an adjacency matrix is square", option="G")
    row, col, data = matrix.row, matrix.col, matrix.data
    kept = data != 0  # entries that add up to 0, and the zeros of blocks and diagonals, are no edges
    if not kept.all():
        row, col, data = row[kept], col[kept], data[kept]
    return _of_edges(matrix.shape[0], row, col, None if weight is None else data, None, "array", repeated)


def _of_array(array, labels, weight, repeated):
    row, col = np.nonzero(array)
    return _of_edges(len(array), row, col, None if weight is None else array[row, col], labels, "array", repeated)


def _attributes(neighbors):
    """The attributes of each edge; of a multigraph those of its parallel edges by key."""
    return itertools.chain.from_iterable(map(operator.methodcaller("values"), neighbors))


def _each_edge(graph, neighbors):
    """The names of the attributes of each edge."""
    for data in _attributes(neighbors):
        if graph.is_multigraph():
            yield from data.values()
        else:
            yield data


def _weight_among(weight, names, usual=()):
    """The attribute of the weights, as edges spell it; names(): of all attributes of edges. The usual name may be missing;
    usual: names that then stand for it, the best first."""
    if weight is None or not isinstance(weight, str) or any(name == weight for name in names()):
        return weight
    known = dict.fromkeys(names())
    if weight != "weight":
        raise InputError(
            f"no edge has the attribute {weight!r}; edges have {', '.join(map(str, known)) or 'none'}", option="weight"
        )
    spelled = {str(name).lower(): name for name in reversed(known)}
    if "weight" in spelled:
        return spelled["weight"]
    best = next((spelled[name] for name in usual if name in spelled), None)
    if best is not None:
        say(f"edges have no attribute 'weight', and {best!r} is read as their weights")
        return best
    others = [spelled[name] for name in _tables.usual_weights(True) if name in spelled]
    if others:
        notice(False, f"edges have no attribute 'weight', and {others[0]!r} is not read; weight={others[0]!r} reads it")
    return weight


def _say_without_weight(graph, neighbors, weight):
    """A line about edges without the attribute that others have."""
    if weight is None:
        return
    has = [weight in data for data in _each_edge(graph, neighbors)]
    lone = len(has) - sum(has)
    if 0 < lone < len(has):
        notice(False, f"{lone if graph.is_directed() else (lone + 1) // 2} edges have no attribute {weight!r}, and weigh 1")


def named_weight(graph, weight):
    """The attribute of the weights of a NetworkX graph as its edges spell it; one that no edge has is refused."""
    neighbors = [graph._adj[node] for node in graph]
    return _weight_among(weight, lambda: itertools.chain.from_iterable(_each_edge(graph, neighbors)))


def _of_networkx(graph, weight, repeated, names=()):
    nodes = list(graph)
    neighbors = [graph._adj[node] for node in nodes]
    n, m = len(nodes), sum(map(len, neighbors))
    sources = np.repeat(np.arange(n, dtype=np.int32), np.fromiter(map(len, neighbors), np.int64, n))
    targets = itertools.chain.from_iterable(neighbors)
    if nodes != list(range(n)):  # else a node is its own number: looking up a million takes longer than all else
        targets = map({node: i for i, node in enumerate(nodes)}.__getitem__, targets)
    targets = np.fromiter(targets, np.int32, m)
    weights, joined = None, 0
    weight = _weight_among(weight, lambda: itertools.chain.from_iterable(_each_edge(graph, neighbors)), names)
    if weight is not None and any(_attributes(neighbors)) or graph.is_multigraph():
        if graph.is_multigraph():
            together = min if repeated == "least" else sum
            values = (
                together([1 if weight is None else data.get(weight, 1) for data in edges.values()])
                for edges in _attributes(neighbors)
            )
            joined = sum(map(len, _attributes(neighbors))) - m
        else:
            values = map(operator.methodcaller("get", weight, 1), _attributes(neighbors))
        try:
            weights = np.fromiter(values, np.float64, m)
        except (TypeError, ValueError):
            raise InputError(f"attribute {weight!r} of an edge is not a number", option="weight") from None
        _say_without_weight(graph, neighbors, weight)
        if m and weights.min() == 1 and weights.max() == 1:
            weights = None
    made = _of_edges(n, sources, targets, weights, nodes, "networkx", repeated)
    # Edges without a direction are listed from both of their ends
    made.joined = made.joined + joined if graph.is_directed() else joined // 2
    made.directed = graph.is_directed()
    return _told(made, repeated)


def _of_igraph(graph, weight, repeated, names=()):
    edges = np.array(graph.get_edgelist(), np.int32).reshape(-1, 2)
    weight = _weight_among(weight, graph.es.attributes, names)
    weights = graph.es[weight] if weight is not None and weight in graph.es.attributes() else None
    names = graph.vs["name"] if "name" in graph.vs.attributes() else None
    if repeated == "add-listed" and not graph.is_directed():
        repeated = "add"  # an edge is listed once
    if weights is not None:
        try:
            weights = np.array([float(value) for value in weights], np.float64)
        except (TypeError, ValueError):
            raise InputError(f"attribute {weight!r} of an edge is not a number", option="weight") from None
    made = _of_edges(graph.vcount(), edges[:, 0], edges[:, 1], weights, None, "igraph", repeated, names)
    made.directed = graph.is_directed()
    return _told(made, repeated)

# SPDX-License-Identifier: Apache-2.0
"""The hierarchies of a fit in hdbscan's forms."""

import importlib

import numpy as np

from .. import _core

CONDENSED = np.dtype([("parent", np.intp), ("child", np.intp), ("lambda_val", float), ("child_size", np.intp)])


def lambda_of(level):
    """1 / level; infinity at 0."""
    with np.errstate(divide="ignore"):
        return 1 / np.asarray(level, np.float64)


class _WithPlots:
    """What this class lacks of hdbscan's class of the same name, such as plot(), is that one's, where it is installed."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            original = getattr(importlib.import_module("hdbscan.plots"), type(self).__name__)
        except ImportError:
            raise AttributeError(f"{type(self).__name__} has no {name!r} without hdbscan, which is not installed") from None
        return getattr(original, name).__get__(self)

    def __getstate__(self):
        return self.__dict__

    def __setstate__(self, state):
        self.__dict__.update(state)


class CondensedTree(_WithPlots):
    """The hierarchy of the clusters that have min_cluster_size points, as rows (parent, child, lambda_val, child_size); numbers
    below that of the points are points."""

    def __init__(self, rows, selected, labels):
        self._raw_tree, self._selected, self._labels = rows, selected, labels

    def _select_clusters(self):
        if self._selected is not None:
            return self._selected
        points = self._raw_tree[self._raw_tree["child_size"] == 1]  # the topmost cluster with points of each label
        labels = self._labels[points["child"]]
        return [points["parent"][labels == label].min() for label in range(labels.max(initial=-1) + 1)]

    def to_numpy(self):
        """The rows, an array of records."""
        return self._raw_tree.copy()

    def to_pandas(self):
        """The rows, a DataFrame."""
        from pandas import DataFrame

        return DataFrame(self._raw_tree)

    def to_networkx(self):
        """A DiGraph of the rows; an edge weighs lambda_val, and a node has its ``size``."""
        from networkx import DiGraph

        graph = DiGraph()
        for parent, child, weight, size in self._raw_tree.tolist():
            graph.add_edge(parent, child, weight=weight)
            graph.nodes[child]["size"] = size
        return graph


class SingleLinkageTree(_WithPlots):
    """All merges, in SciPy's form."""

    def __init__(self, linkage):
        self._linkage = linkage

    def to_numpy(self):
        """Rows of left child, right child, distance, size."""
        return self._linkage.copy()

    def to_pandas(self):
        """The rows with the number of the node that each makes, a DataFrame."""
        from pandas import DataFrame

        n, (left, right, distance, size) = len(self._linkage) + 1, self._linkage.T
        made = np.arange(n, n + len(self._linkage))
        return DataFrame({"parent": made, "left_child": left, "right_child": right, "distance": distance, "size": size})

    def to_networkx(self):
        """A DiGraph from nodes to what they join; an edge weighs the distance."""
        from networkx import DiGraph

        graph, n = DiGraph(), len(self._linkage) + 1
        for made, (left, right, distance, size) in enumerate(self._linkage.tolist(), n):
            graph.add_edge(made, int(left), weight=distance)
            graph.add_edge(made, int(right), weight=distance)
            graph.nodes[made]["size"] = int(size)
        return graph

    def get_clusters(self, cut_distance, min_cluster_size=5):
        """Labels of the components that are connected below a distance and have so many points; -1: of none."""
        below = float(np.nextafter(cut_distance, 0))
        return _core.cut_linkage(np.ascontiguousarray(self._linkage), len(self._linkage) + 1, below, int(min_cluster_size))


class MinimumSpanningTree(_WithPlots):
    """The edges of the minimum spanning tree by mutual reachability."""

    def __init__(self, edges, data):
        self._mst, self._data = edges, data

    def to_numpy(self):
        """Rows of two points and their distance."""
        return self._mst.copy()

    def to_pandas(self):
        """The rows, a DataFrame."""
        from pandas import DataFrame

        return DataFrame({"from": self._mst[:, 0].astype(int), "to": self._mst[:, 1].astype(int), "distance": self._mst[:, 2]})

    def to_networkx(self):
        """A Graph of the rows; an edge weighs the distance, and a node has its ``data``."""
        from networkx import Graph

        graph = Graph()
        for a, b, weight in self._mst.tolist():
            graph.add_edge(int(a), int(b), weight=weight)
        for node in graph:
            graph.nodes[node]["data"] = tuple(self._data[node])
        return graph


def condensed(tree, points, n):
    """(the rows of a GroupTree's arrays in hdbscan's form, the node of each group). points: for each of the tree's points its
    number among n. A split into more than two is a chain of splits at one lambda, since hdbscan's plots take two."""
    parent, size, birth = tree["parent"], tree["size"], lambda_of(tree["birth"])
    children = {}
    for group, above in enumerate(parent.tolist()):
        children.setdefault(above, []).append(group)
    node_of, rows, links = np.zeros(len(parent), np.intp), [], []
    following = [n]

    def new_node():
        following[0] += 1
        return following[0] - 1

    # Preorder: numbers rise from parents to children, and of clusters in the order of their labels
    waiting = [(0, None)]
    while waiting:
        group, above = waiting.pop()
        if isinstance(group, list):  # the rest of a split
            node = new_node()
            links.append((above, node, birth[group[0]], int(size[group].sum())))
            below = group
        else:
            node = node_of[group] = new_node()
            if above is not None:
                links.append((above, node, birth[group], int(size[group])))
            below = children.get(group, [])
        if len(below) > 2:
            waiting += [(below[1:], node), (below[0], node)]
        else:
            waiting += [(each, node) for each in reversed(below)]
    rows = np.array(links, CONDENSED)
    # Points beside clusters, those that take no part at lambda 0 of the root
    own = np.zeros(n, CONDENSED)
    own["child"], own["child_size"], own["parent"] = np.arange(n), 1, n
    own["parent"][points], own["lambda_val"][points] = node_of[tree["home"]], lambda_of(tree["leaves_at"])
    rows = np.concatenate([own, rows])
    return rows[np.lexsort((rows["child"], rows["lambda_val"], rows["parent"]))], node_of


def spanning_tree(distances_from, core, alpha):
    """Edges (a, b, mutual reachability) of a minimum spanning tree, by Prim; of edges that are equal, those of the least
    distance. distances_from(p): those of p to all points."""
    n = len(core)
    edges = np.zeros((max(n - 1, 0), 3))
    nearest, apart, other = np.full(n, np.inf), np.full(n, np.inf), np.zeros(n, np.intp)
    free, at = np.ones(n, bool), 0
    for row in range(n - 1):
        free[at] = False
        distances = distances_from(at) / alpha
        reach = np.maximum(np.maximum(distances, core), core[at])
        closer = free & ((reach < nearest) | ((reach == nearest) & (distances < apart)))
        nearest[closer], apart[closer], other[closer] = reach[closer], distances[closer], at
        least = nearest[free].min()
        at = int(np.argmin(np.where(free & (nearest == least), apart, np.inf)))
        if not free[at]:  # all others are infinitely far
            at = int(np.argmax(free))
        edges[row] = other[at], at, nearest[at]
    return edges[np.argsort(edges[:, 2], kind="stable")]

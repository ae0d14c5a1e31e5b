# SPDX-License-Identifier: Apache-2.0
"""Nodes of a graph: which are meant by names, numbers or masks, and what values belong to them."""

import numpy as np

from . import _cells, _intake, _tables
from ._errors import InputError
from ._run import say


class Nodes:
    """``nodes``: their names in order, or a range. names: other names of them, such as igraph's, or None."""

    def __init__(self, nodes, names=None):
        self.nodes, self.size = nodes, len(nodes)
        self._names, self._place = names, None

    @property
    def names(self):
        """By which rows are matched: the other names if there are some and all are different, else those of the nodes."""
        names = self._names or ()
        return names if len(set(names)) == self.size > 0 else self.nodes

    def place(self, node):
        if self._place is None:
            names = self._names or ()
            self._place = {each: i for i, each in enumerate(names)} if len(set(names)) == len(names) else {}
            self._place.update({each: i for i, each in enumerate(self.nodes)})
        return self._place[node]

    def _has(self, node):
        try:
            self.place(node)
        except (KeyError, TypeError):
            return False
        return True

    def places(self, nodes, name):
        """Numbers of nodes: of one, of several in any order, or of those of a mask, by place or by node."""
        if isinstance(nodes, dict) or _tables.index_of(nodes) is not None and _is_mask(list(nodes)):
            return self._places_of_mask(nodes, name)
        if isinstance(self.nodes, range) and type(nodes) is np.ndarray and nodes.ndim == 1 and nodes.dtype.kind in "biu":
            return self._places_of_array(nodes, name)
        if self._is_one(nodes):
            nodes = [nodes.item() if isinstance(nodes, np.ndarray) else nodes]
        items = listed(nodes, name)
        if _is_mask(items) and not _is_mask(list(self.nodes)):
            self._require_one_each(len(items), name)
            return np.flatnonzero(np.array(items, bool))
        refuse_zeros_and_ones(items, self.size, name)
        for node in items:
            if not self._has(node):
                raise InputError(f"{name} holds {node!r}, which is not a node of the graph", option=name)
        return np.array([self.place(node) for node in items], np.int64)

    def _places_of_array(self, nodes, name):
        """Of an array of numbers of nodes, or of a mask, where nodes are numbers from 0."""
        if nodes.dtype.kind == "b" and len(nodes):
            self._require_one_each(len(nodes), name)
            return np.flatnonzero(nodes)
        if len(nodes) == self.size and self.size > 2 and nodes.min() >= 0 and nodes.max() <= 1:
            refuse_zeros_and_ones(nodes.tolist(), self.size, name)
        wrong = (nodes < 0) | (nodes >= self.size)
        if wrong.any():
            raise InputError(f"{name} holds {nodes[np.argmax(wrong)]}, which is not a node of the graph", option=name)
        return nodes.astype(np.int64)

    def _require_one_each(self, count, name):
        if count != self.size:
            raise InputError(
                f"{name} has {count} truth values and the graph {self.size} nodes; a mask has one per node", option=name
            )

    def _is_one(self, nodes):
        """Whether this is a node by itself: also a word, or a tuple that is a node and not several."""
        if isinstance(nodes, np.ndarray):
            return nodes.ndim == 0
        if isinstance(nodes, tuple) and all(self._has(node) for node in nodes):
            return False
        is_iterable = hasattr(nodes, "__iter__") or hasattr(nodes, "__len__")
        return not is_iterable or isinstance(nodes, (str, bytes, tuple)) and self._has(nodes)

    def _places_of_mask(self, mask, name):
        """Of truth values by node; nodes without one are not meant."""
        held = listed(mask.values() if isinstance(mask, dict) else mask, name)
        if held and not _is_mask(held):
            raise InputError(
                f"{name} has values by node that are no truth values, such as {held[0]!r}; give the nodes, and places in pos",
                option=name,
            )
        entries = self._entries(list(mask) if isinstance(mask, dict) else list(mask.index), name)
        return np.flatnonzero(np.array([e >= 0 and bool(held[e]) for e in entries], bool))

    def _entries(self, names, name):
        """For each node the number of its entry among names of entries, -1: none."""
        entries = np.full(self.size, -1, np.int64)
        for e, each in enumerate(names):
            if not self._has(each):
                raise InputError(
                    f"{name} has a value of {each!r}, which is not a node of the graph; nodes are {_tables.some(self.nodes)}",
                    option=name,
                )
            if entries[self.place(each)] >= 0:
                raise InputError(f"{name} has two values of node {each!r}; give one", option=name)
            entries[self.place(each)] = e
        return entries

    def named(self, values, name):
        """(names, values) of values by node, or of one value per node in their order."""
        found = _tables.by_name(values)
        if found is None and hasattr(values, "iloc") and all(self._has(row) for row in range(len(values))):
            found = list(range(len(values))), values
        if found is None:
            if len(values) != self.size:
                raise InputError(f"{name} has {len(values)} rows, and the graph {self.size} nodes; give one per node", option=name)
            return list(self.nodes), values
        self._entries(found[0], name)  # each is a node, and once
        return found

    def in_order(self, values, name, missing=False):
        """Numbers by node, of a dict, a Series or a table, in the order of the nodes; other values as they are. missing:
        nodes and cells without a value are NaN."""
        found = _tables.by_name(values)
        if found is None and hasattr(values, "iloc"):
            found = self._by_count(values, name)
        if found is None:
            return values
        names, cells = found
        if len(names) == self.size and names == list(self.nodes):
            return _intake.dense(cells, name, missing)
        entries = self._entries(names, name)
        lone = np.flatnonzero(entries < 0)
        if len(lone) and not missing:
            raise InputError(f"{name} has no value of node {self.nodes[lone[0]]!r}; every node needs one", option=name)
        array = _intake.dense(cells, name, missing)
        if not len(lone):
            return array[entries]
        say(f"{name} has no value of {len(lone)} of the {self.size} nodes, such as {self.nodes[lone[0]]!r}")
        ordered = np.full((self.size, *array.shape[1:]), np.nan)
        ordered[entries >= 0] = array[entries[entries >= 0]]
        return ordered

    def _by_count(self, values, name):
        """(names, values) of pandas' rows that are only counted, where the nodes are these numbers in another order."""
        if isinstance(self.nodes, range):
            return None
        if len(values) == self.size and all(self._has(row) for row in range(self.size)):
            return list(range(self.size)), values
        say(f"{name}: rows are matched by order, since the index of {name} only counts its rows")
        return None

    def rows_of(self, positions, name, dim, frame):
        """Positions by node or in the order of the nodes as a float32 matrix in a Frame."""
        if hasattr(positions, "coords"):  # igraph.Layout
            positions = positions.coords
        if self.size == 0 and len(positions) == 0:
            return np.zeros((0, dim or 2), np.float32)
        return frame.taken(self.in_order(positions, name), name, dim, self.size)

    def values_of(self, values, name):
        """One number per node, of numbers by node or in the order of the nodes, or of one number for all."""
        values = self.in_order(values, name)
        array = _intake.dense(values, name)
        if array.ndim == 2 and array.shape[1] == 1:
            array = array[:, 0]
        return _intake.column(np.full(self.size, array, np.float32) if array.ndim == 0 else array, name, self.size)


def listed(nodes, name):
    """The items of any iterable; a masked or missing one is refused."""
    if hasattr(nodes, "to_pylist"):  # pyarrow
        nodes = nodes.to_pylist()
    nodes = nodes.tolist() if hasattr(nodes, "tolist") else list(nodes)
    for i, node in enumerate(nodes):
        if _cells.is_missing(node) or isinstance(node, float) and node != node:
            raise InputError(f"{name} has no value at place {i}, counted from 0: it is masked or missing", option=name, row=i)
    return [node.index if type(node).__module__.partition(".")[0] == "igraph" else node for node in nodes]


def _is_mask(values):
    return bool(values) and all(isinstance(value, (bool, np.bool_)) for value in values)


def refuse_zeros_and_ones(nodes, n, name):
    """A mask of numbers looks like nodes 0 and 1, named many times."""
    if len(nodes) == n > 2 and all(isinstance(node, (int, float, np.number)) and node in (0, 1) for node in nodes):
        raise InputError(
            f"{name} has a 0 or 1 for each of the {n} nodes; give truth values for a mask, as numpy.array({name}, bool), or "
            "each node once",
            option=name,
        )

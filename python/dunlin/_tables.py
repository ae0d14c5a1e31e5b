# SPDX-License-Identifier: Apache-2.0
"""Tables that are graphs: square ones by the names of rows and columns, lists of edges by the names of columns; and values
by the name of their row."""

import re

import numpy as np

from . import _cells, _match
from ._errors import InputError
from ._kinds import text_of
from ._run import say

# Usual names in lower case without punctuation, as src/io/network/edge_header.cpp has them
_ENDS = (
    ("source", "target"),
    ("source", "destination"),
    ("src", "dst"),
    ("src", "dest"),
    ("from", "to"),
    ("fromid", "toid"),
    ("fromnode", "tonode"),
    ("fromnodeid", "tonodeid"),
    ("srcid", "dstid"),
    ("srcnid", "dstnid"),
    ("sourceid", "targetid"),
    ("sourcenode", "targetnode"),
    ("node1", "node2"),
    ("nodeid1", "nodeid2"),
    ("nodea", "nodeb"),
    ("nodeid", "nodeid"),
    ("id1", "id2"),
    ("vertex1", "vertex2"),
    ("origin", "destination"),
    ("head", "tail"),
    ("subject", "object"),
    ("startid", "endid"),
)
# Parts that tell two ends of one kind apart: source_word and target_word, protein1 and protein2
_PARTS = (("source", "target"), ("src", "dst"), ("from", "to"), ("1", "2"), ("a", "b"), ("i", "j"), ("left", "right"))
# Usual names of weights, the best first, as src/io/network/weight_names.cpp has them; of lengths the second ones, too
_WEIGHTS = ("weight", "weights", "w", "value")
_LENGTHS = ("length", "lengths", "len", "distance", "dist", "cost")
_NODES = ("node", "vertex", "id", "name", "index", "unnamed0")


# Square tables


def is_square(values):
    """Whether a table has the same names on its rows and its columns."""
    rows, table = index_of(values), _cells.columns_in(values)
    return rows is not None and len(rows) == len(table) and _order(rows, [label for label, _ in table]) is not None


def square(values, name):
    """(array, labels) of a square table, its columns in the order of its rows. labels: None where there are none."""
    table = _cells.columns_in(values)
    n, rows = len(values), index_of(values)
    columns = [label for label, _ in table]
    if rows is None and len(columns) == n + 1:  # names of the rows in a first column
        first = list(np.asarray(table[0][1]).tolist())
        if _order(first, columns[1:]) is not None:
            table, columns, rows = table[1:], columns[1:], first
    if len(columns) != n:
        raise InputError(
            f"{name} is a table of shape {(n, len(columns))}; an adjacency matrix is square, and edges have columns such as "
            f"source, target and weight; it has {some(columns)}",
            option=name,
        )
    order, labels = _order_and_labels(rows, columns, name)
    return _cells.of_columns([table[c] for c in order], name), labels


def _order_and_labels(rows, columns, name):
    order = _order(range(len(columns)) if rows is None else rows, columns)
    if order is not None:
        return order, rows
    for what, labels in (("rows", rows or ()), ("columns", columns)):
        twice = _twice(labels)
        if twice is not None:
            raise InputError(f"{twice!r} is twice among the {what} of {name}; names must differ", option=name)
    is_plain = all(str(label) in (str(c), f"column_{c}") for c, label in enumerate(columns))
    if rows is None and is_plain:
        return range(len(columns)), None
    if rows is None or is_plain:
        named, other, labels = ("columns", "rows", columns) if rows is None else ("rows", "columns", rows)
        say(f"the {other} of {name} have no names and are taken in the order of its {named}: {some(labels)}")
        return range(len(columns)), labels
    known = set(map(text_of, columns))
    lone = next((row for row in rows if text_of(row) not in known), rows[0])
    raise InputError(
        f"the rows and columns of {name} have other names: there is a row {lone!r} and no such column, and columns are "
        f"{some(columns)}; give both the same names, or an array without names",
        option=name,
    )


def _order(rows, columns):
    """For each row the column of the same name, as it is or as text; None where the names are not the same."""
    for key in (lambda label: label, text_of):
        try:
            place = {key(label): c for c, label in enumerate(columns)}
            order = [place.get(key(row), -1) for row in rows]
        except TypeError:  # names without a hash
            continue
        if -1 not in order and len(set(order)) == len(order) == len(columns):
            return order
    return None


def _twice(labels):
    seen = set()
    return next((label for label in labels if text_of(label) in seen or seen.add(text_of(label))), None)


# Edges


class Edges:
    """Edges of a table: its columns of sources, targets and weights (None: there are none)."""

    def __init__(self, sources, targets, weights):
        self.sources, self.targets, self.weights = sources, targets, weights


def edges_in(table, weight, name, lengths=False):
    """The Edges of [(name, column)], None if no two columns have names of ends. weight: the name of weights, None: they are
    not read. lengths: weights are lengths. A column that is not read is said."""
    plain = [_plain(label) for label, _ in table]
    ends = _usual_ends(plain) or _ends_by_parts(table, plain)
    if ends is None:
        return None
    source, target = ends
    weighted = None if weight is None else _weight_column(table, plain, weight, ends, name, lengths)
    left = [label for c, (label, _) in enumerate(table) if c not in (source, target, weighted)]
    if weight is None:  # as it is wanted
        left = [label for label in left if _plain(label) not in usual_weights(lengths)]
    if left:
        say(f"columns of {name} that are not read: {some(left)}")
    return Edges(table[source][1], table[target][1], None if weighted is None else table[weighted][1])


def _usual_ends(plain):
    """The columns with usual names of two ends, else None."""
    for source, target in _ENDS:
        if source not in plain:
            continue
        first = plain.index(source)
        rest = plain[first + 1 :] if source == target else plain
        if target in rest:
            return first, rest.index(target) + (first + 1 if source == target else 0)
    return None


def _ends_by_parts(table, plain):
    """Two neighboring columns whose names differ in the part that tells ends apart and that have words or whole numbers,
    else None. Whole numbers in a square table are a matrix."""
    for c in range(1, len(table)):
        if not any(_rest(plain[c - 1], a) and _rest(plain[c - 1], a) == _rest(plain[c], b) for a, b in _PARTS):
            continue
        kinds = {_kind_of(column) for _, column in table[c - 1 : c + 1]}
        is_square_shaped = len(table) - len(table[0][1]) in (0, 1)
        if kinds == {"word"} or kinds == {"whole"} and not is_square_shaped:
            return c - 1, c
    return None


def _rest(name, part):
    """The name without this part at its end, or a longer part at its begin; '' if there is no other."""
    if name.endswith(part):
        return name[: -len(part)]
    return name[len(part) :] if len(part) > 2 and name.startswith(part) else ""


def _kind_of(column):
    """What a column has alone: 'word', 'whole' or another."""
    values = np.asarray(column)
    if values.dtype.kind in "iu":
        return "whole"
    if values.dtype.kind == "U":
        return "word"
    return "word" if values.dtype.kind == "O" and len(values) and all(isinstance(each, str) for each in values) else ""


def usual_weights(lengths):
    return (*_WEIGHTS, *_LENGTHS) if lengths else _WEIGHTS


def _weight_column(table, plain, weight, ends, name, lengths):
    """The column of the name, as it is spelled or in any case, else that of the best usual one if the name is the default."""
    others = [c for c in range(len(table)) if c not in ends]
    exact = next((c for c in others if table[c][0] == weight), None)
    if exact is not None:
        return exact
    if weight != "weight":
        other_case = next((c for c in others if str(table[c][0]).lower() == weight.lower()), None)
        if other_case is not None:
            return other_case
        labels = [label for label, _ in table]
        raise InputError(f"weight is {weight!r}, which is no column of {name}; it has {some(labels)}", option="weight")
    usual = usual_weights(lengths)
    ranks = [(usual.index(plain[c]), str(table[c][0]) != plain[c], c) for c in others if plain[c] in usual]
    return min(ranks)[2] if ranks else None


# Values by the name of their row


def by_name(values):
    """(names, values) of a dict, a Series, or a table with an index or a column of nodes; None where values have no
    names."""
    if isinstance(values, dict):
        return list(values), list(values.values())
    names = index_of(values)
    if names is not None:  # a Series of objects may have positions
        return names, list(values) if getattr(getattr(values, "dtype", None), "kind", "") == "O" else values
    table = _cells.columns_in(values)
    if not table or len(table) < 2:
        return None
    plain = [_plain(label) for label, _ in table]
    node = next((plain.index(each) for each in _NODES if each in plain), None)
    if node is None:
        return None
    rest = _match.take_columns(values, [c for c in range(len(table)) if c != node])
    return list(np.asarray(table[node][1]).tolist()), rest


def index_of(values):
    """The names of the rows of a pandas object, or None where they are only counted."""
    index = getattr(values, "index", None)
    if index is None or callable(index) or not hasattr(values, "iloc"):
        return None
    counts = type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1
    return None if counts else list(index)


def are_truths(values):
    """Whether a Series has truth values."""
    return len(values) > 0 and all(isinstance(value, (bool, np.bool_)) for value in values)


def as_grid(values):
    """A table that is a grid, its rows and columns in the order of their numbers where they are numbers from 0."""
    if not hasattr(values, "iloc"):
        return values
    for axis, labels in enumerate((list(values.index), list(values.columns))):
        if sorted(map(text_of, labels)) == sorted(map(str, range(len(labels)))):
            order = np.argsort([int(text_of(label)) for label in labels])
            values = values.iloc[order] if axis == 0 else values.iloc[:, order]
    return values


def _plain(label):
    return re.sub("[^a-z0-9]", "", str(label).lower())


def some(labels):
    """The first names of a list, for a sentence."""
    labels = list(labels)
    return ", ".join(repr(label) for label in labels[:4]) + (", ..." if len(labels) > 4 else "")

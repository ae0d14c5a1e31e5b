# SPDX-License-Identifier: Apache-2.0
"""Rows and columns of two inputs that both have names are matched by name: the rules of io::match_rows (dunlin/match.hpp).

Names of rows are an index of pandas, obs_names of AnnData, the ids of a file or of a result, the keys of a dict, the
nodes of a drawing. A name is compared as text: 7, 7.0 and "7" are one.
"""

import numpy as np

from . import _cells, _intake, _map_tables
from ._errors import InputError
from ._kinds import columns_of, is_anndata, is_file, is_indexed, only_counts, take_columns, take_rows, text_of
from ._named import Named
from ._partners import number_used, partners, texts
from ._run import logger, say


def ids_of(X):
    """Names of the rows: a sequence, None, or a range where a table of pandas only counts them."""
    if is_indexed(X):
        return _plain_or(X.index)
    if is_anndata(X):
        names = X.obs_names
        return range(len(names)) if only_counts(names) else names
    if isinstance(X, dict):  # a Layout has its rows in the order of its graph's nodes, also after one was set again
        return list(X.graph.nodes if hasattr(X, "graph") else X)
    if hasattr(X, "csr") and hasattr(X, "names"):  # a GraphData
        return X.names
    ids = None if isinstance(X, np.ma.MaskedArray) else getattr(X, "ids", None)  # there `ids` is a method
    return ids if ids is None or isinstance(ids, range) or len(ids) else None


def _plain_or(index):
    """The index, or a range where it is 0, 1, 2, ... of any integer type, as a RangeIndex."""
    if type(index).__name__ == "RangeIndex":
        is_plain = index.start == 0 and index.step == 1
    else:
        is_plain = getattr(index, "inferred_type", "") == "integer" and len(index) > 0
        is_plain = is_plain and index[0] == 0 and index[-1] == len(index) - 1
        is_plain = is_plain and bool(np.array_equal(np.asarray(index), np.arange(len(index))))
    return range(len(index)) if is_plain else index


class Rows:
    """The rows of an input: its name in sentences, their number and their names."""

    def __init__(self, name, count, ids):
        self.name, self.count, self.ids = name, count, ids

    @property
    def only_count(self):
        return isinstance(self.ids, range)


class RowMatch:
    """``rows``: for each row of the first input that of the second, -1: none; or None: they are in the same order.
    ``how``: what a user should know, or ''. ``certain``: not a guess."""

    def __init__(self, rows=None, how="", certain=True):
        self.rows, self.how, self.certain = rows, how, certain

    @property
    def lonely(self):
        return self.rows is not None and bool((self.rows < 0).any())


def match_rows(first, second, lonely):
    """How the rows of the second input belong to those of the first. lonely: whether rows of the first may have no
    partner. Raises InputError with an example of each side."""
    # Inputs that cannot be matched by name, or need not be
    if first.ids is None or second.ids is None:
        nameless, named = (first, second) if first.ids is None else (second, first)
        if named.ids is None or named.only_count:
            return RowMatch()
        return RowMatch(how=f"by order, since {nameless.name} has no ids", certain=second.ids is None)
    if first.only_count and second.only_count or _same(first.ids, second.ids):
        return RowMatch()
    rows, names, others = partners(first.ids, second.ids)
    if rows is None:
        return RowMatch()

    # An index that only counts rows
    found = rows >= 0
    is_common = bool(found.any())
    counting = [
        each
        for each in (first, second)
        if each.only_count or not is_common and (only_counts(each.ids) or only_counts(each.ids, 1))
    ]
    if counting and (not is_common or first.count == second.count and number_used(rows) < first.count):
        return RowMatch(how=f"by order, since the ids of {counting[0].name} only count its rows", certain=False)
    how = ""
    if counting:
        how = f"by index, though that of {counting[0].name} only counts its rows; give arrays to match them by order"

    # The partners
    _refuse_twice(second.name, others)
    alone = np.flatnonzero(~found)
    if len(alone) == len(rows) and len(rows):
        raise InputError(
            f"{second.name} and {first.name} have no id in common, such as "
            f"{text_of(others[0]) if len(others) else 'none'!r} and {text_of(names[0])!r}; give them the same ids, or arrays without ids, which are matched by order",
            option=second.name,
        )
    if len(alone) and not lonely:
        raise InputError(
            f"{second.name} has no row {text_of(names[alone[0]])!r}, which is row {alone[0]} of {first.name} ({len(alone)} "
            "missing in all); add it",
            option=second.name,
            row=int(alone[0]),
        )
    return RowMatch(rows, _leftovers(first, second, rows) or how)


def _same(a, b):
    return a is b or hasattr(a, "equals") and hasattr(b, "equals") and a.equals(b)  # two indexes of pandas


def _refuse_twice(what, names):
    if hasattr(names, "get_indexer") or len(set(names)) == len(names):
        return
    row_of = {}
    for row, name in enumerate(names):
        before = row_of.setdefault(name, row)
        if before != row:
            raise InputError(
                f"{what} has the id {name!r} twice, in rows {before} and {row}; keep one of them, so that rows can be "
                "matched by id",
                option=what,
                row=row,
            )


def _leftovers(first, second, rows):
    unused, alone = second.count - number_used(rows), int((rows < 0).sum())
    parts = []
    if unused:
        parts.append(f"{_rows(unused)} of {second.name} {_are(unused)} not in {first.name} and not used")
    if alone:
        parts.append(f"{alone} of the {_rows(first.count)} of {first.name} {_are(alone)} not in {second.name}")
    return "by id: " + "; ".join(parts) if parts else ""


def _rows(count):
    return f"{count} row{'' if count == 1 else 's'}"


def _are(count):
    return "is" if count == 1 else "are"


def _matched(values, name, of, lonely=False, quiet=False, by_order=False):
    """The RowMatch of an argument with the rows `of`, said where that is due. quiet: that rows have no partner is what the
    argument is for. by_order: rows without names are as usual as with them."""
    if of is None:
        return RowMatch()
    if isinstance(values, dict) and of.ids is None:  # its keys are numbers of rows
        of = Rows(of.name, of.count, list(range(of.count)))
    match = match_rows(of, Rows(name, _len(values), ids_of(values)), lonely)
    if match.how:
        if quiet or match.rows is None and (by_order or match.certain):
            logger.info("%s: rows are matched %s", name, match.how)
        else:
            say(f"{name}: rows are matched {match.how}")
    return match


def _len(values):
    shape = getattr(values, "shape", None)
    if shape:
        return shape[0]
    graph = getattr(values, "graph", values)  # of a NeighborsResult, too
    if isinstance(graph, tuple) and len(graph) in (2, 3) and getattr(graph[0], "ndim", 0) == (1 if len(graph) == 3 else 2):
        return len(graph[0]) - (graph[0].ndim == 1)  # (offsets, targets, weights) or (indices, distances)
    values = values if hasattr(values, "__len__") else ids_of(values)
    return 0 if values is None else len(values)


def rows_of(X, name="X", ids=None):
    """The Rows of an argument, with the names `ids` where it has none of its own; of None: None."""
    if X is None:
        return None
    own = ids_of(X)
    return Rows(name, _len(X), ids if own is None else own)


def rows_drawn(map, graph, ids=None):
    """The Rows of a map that is drawn: with a graph in the order of its nodes; ``ids``: names where it has none."""
    if graph is not None:
        return Rows("map", graph.size, graph.names)
    return rows_of(map, "map", None if ids is None else list(ids))


def names(ids, of):
    """The words of names for the rows `of`, matched where both have names: the values of a Series or a dict."""
    if is_indexed(ids) or isinstance(ids, dict):
        ids = _taken(ids, _matched(ids, "ids", of, by_order=True), None, "ids")
    return _cells.names_in(ids, "ids")


def own_names(of):
    """The words of the names that the rows `of` have themselves, '' for a missing one; [] where they have none or only count."""
    if of is None or of.ids is None or of.only_count:
        return []
    return _cells.names_in(["" if _cells.is_missing(each) or each != each else each for each in of.ids], "ids")


def labels(values, of, name="labels"):
    """Labels in the order of the rows `of`; None for rows without a partner. Files and results of clusters have labels."""
    if not is_indexed(values) and not isinstance(values, (dict, np.ndarray)) and hasattr(values, "labels"):
        if values.labels is None:
            raise InputError(f"{name} has no labels of its own; read them with dunlin.read(..., labels=)", option=name)
        values = Named.of(np.asarray(values.labels), ids_of(values))
    return _taken(values, _matched(values, name, of, lonely=True), None, name)


def column(values, of, name, lonely=False):
    """Numbers in the order of the rows `of`; NaN for rows without a partner, where they may have none."""
    if name not in ("values", "film"):  # colors may be times
        _cells.say_times(values, name)
    return _taken(values, _matched(values, name, of, lonely), np.nan, name)


def matrix(values, of, name, lonely=False):
    """The rows of a map in the order of the rows `of`; NaN for rows without a partner, where they may have none. A dict
    has a row for each name."""
    values = _map_tables.coordinates(values, name)
    match = _matched(values, name, of, lonely, quiet=lonely, by_order=True)
    if match.rows is None:
        return _intake.dense(values, name, lonely) if isinstance(values, dict) else values
    array = _intake.dense(values, name, lonely)
    taken = array[match.rows]
    if match.lonely:
        taken = taken.astype(taken.dtype if taken.dtype.kind == "f" else np.float64)
        taken[match.rows < 0] = np.nan
    return taken


def table(X, of, name, array=None):
    """The rows of X, or of an array that stands for it, in the order of the rows `of`, each of which it has."""
    match = _matched(X, name, of, by_order=True)
    array = X if array is None else array
    return array if match.rows is None else take_rows(array, match.rows)


def rows_of_map(map, X):
    """The Rows of a map, with the names of the points X where it has none: by order they are its own."""
    return rows_of(map, "map", None if X is None else ids_of(X))


def square(values, of, name):
    """A square table in the order of the rows `of`, its columns too."""
    values = in_own_order(values, name)
    match = _matched(values, name, of)
    return values if match.rows is None else np.asarray(values)[np.ix_(match.rows, match.rows)]


def in_own_order(values, name):
    """A square table whose columns have the names of its rows with the columns in the order of the rows."""
    names, rows = columns_of(values), ids_of(values)
    if names is None or rows is None or len(names) != len(rows):
        return values
    rows = rows if isinstance(rows, range) else [text_of(row) for row in rows]
    if isinstance(names, list) and isinstance(rows, list) and set(names) != set(rows):
        row, column = next(pair for pair in zip(rows, names) if pair[0] != pair[1])
        raise InputError(
            f"{name} is a square table whose rows and columns have other names, such as {row!r} and {column!r}; give both "
            "the same, or an array",
            option=name,
        )
    order = column_order(names, rows, name, "its rows")
    return values if order is None else take_columns(values, order)


def graph(knn, of, name):
    """A graph of neighbors as it was given, or (offsets, targets, weights) in the order of the rows `of`; of a table with
    rows and columns in this order the matrix."""
    if is_indexed(knn):
        return square(knn, of, name)
    if of is None or of.ids is None or ids_of(knn) is None:
        return knn
    match = _matched(knn, name, of)
    if match.rows is None:
        return knn
    offsets, targets, weights = knn.graph
    if len(offsets) - 1 != of.count:
        raise InputError(
            f"{name} is of {len(offsets) - 1} rows and {of.name} has {of.count}; neighbors among other rows cannot be "
            "used",
            option=name,
        )
    new_row = np.full(len(match.rows), -1, np.int32)
    new_row[match.rows] = np.arange(len(match.rows), dtype=np.int32)
    if (new_row < 0).any():
        _refuse_twice(of.name, texts(of.ids))
    counts = np.diff(offsets)[match.rows]
    moved = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    entries = np.repeat(offsets[match.rows] - moved[:-1], counts) + np.arange(moved[-1])
    return moved, new_row[targets[entries]], weights[entries]


def _taken(values, match, none, name):
    """One value per row, in the order of the match; ``none`` where there is no partner: NaN of numbers, None of labels."""
    table = _cells.columns_in(values)
    if isinstance(values, dict):
        values = np.array(list(values.values()))
    elif table is not None and len(table) == 1:
        values = table[0][1]
    elif is_file(values) and values.shape[1] == 1:
        values = np.asarray(values)[:, 0]
    if match.rows is None:
        return values
    if none is None and hasattr(getattr(values, "cat", None), "categories"):  # their order stays
        return values.iloc[match.rows].where(match.rows >= 0)
    if match.lonely and none is not None:
        values = _cells.numbers(values, name, missing=True).astype(np.float64)
    array = values.to_numpy() if hasattr(values, "to_numpy") else np.asanyarray(values)  # a mask stays
    taken = array[match.rows]
    if match.lonely:
        if none is None:
            taken = (taken.astype(str) if taken.dtype.kind in "mM" else taken).astype(object)  # times are no numbers
        taken[match.rows < 0] = none
    return taken


def column_order(names, wanted, what, of):
    """For each of the columns `wanted` its number among `names`; None: they are in order, or one side has no names. Raises
    InputError for other names, with an example of each side."""
    if names is None or wanted is None:
        return None
    only_count = isinstance(names, range) or isinstance(wanted, range)
    names, wanted = [text_of(name) for name in names], [text_of(name) for name in wanted]
    if names == wanted or only_count and set(names) != set(wanted):
        return None
    place = {}
    for number, name in enumerate(names):
        if place.setdefault(name, number) != number:
            raise InputError(
                f"{what} has the column {name!r} twice, and its columns are in another order than those of {of}; rename one",
                option=what,
            )
    missing = [name for name in wanted if name not in place]
    known = set(wanted)
    more = [name for name in names if name not in known]
    if missing or more:
        with_it, without, name = (of, what, missing[0]) if missing else (what, of, more[0])
        raise InputError(
            f"{with_it} has the column {name!r}, which {without} lacks ({what} has {names[0]!r}, {of} {wanted[0]!r}); give "
            "both the same columns",
            option=what,
        )
    if len(known) != len(wanted):
        raise InputError(f"{of} has a column twice, and the columns of {what} are in another order; rename one", option=what)
    say(f"{what} has its columns in another order than {of}; they are put in its order, by name")
    return [place[name] for name in wanted]


def in_order_of(X, columns, name, of):
    """X with its columns in the order of the names `columns`, where both have names."""
    order = column_order(columns_of(X), columns, name, of)
    if order is None:
        return X
    return take_columns(_cells.in_memory(X), order)

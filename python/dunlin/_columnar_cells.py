# SPDX-License-Identifier: Apache-2.0
"""Columns of pyarrow as those of a text table."""


class Unwritable(Exception):
    """A column that a text table cannot hold, and the remedy."""


def of_text(table):
    """The table with columns that pyarrow writes as CSV: lists become a column per place, as arrays in .jsonl do."""
    import pyarrow

    names, columns = [], []
    for name, column in zip(table.column_names, table.columns):
        for title, cells in _columns_of(name, column):
            names.append(title)
            columns.append(_cells_of(title, cells))
    if len(columns) == 1 and columns[0].null_count:
        columns = [_without_blank_lines(columns[0])]
    return pyarrow.table(columns, names=names)


def _without_blank_lines(column):
    """The only column with quotes in empty cells: readers skip blank lines."""
    import pyarrow
    from pyarrow import compute

    return compute.fill_null(column.cast(pyarrow.large_string()), "")


def _columns_of(name, column):
    """[(title, cells)]: of lists one per place, of all else the column itself."""
    import pyarrow
    from pyarrow import compute

    column, kind = _stored(column)
    is_view = any(getattr(pyarrow.types, f"is_{size}list_view", lambda _: False)(kind) for size in ("", "large_"))
    if is_view:  # whose cast spoils missing lists
        column = pyarrow.array(column.to_pylist(), pyarrow.large_list(kind.value_type))
    elif not any(getattr(pyarrow.types, f"is_{size}list")(kind) for size in ("", "large_", "fixed_size_")):
        return [(name, column)]
    if pyarrow.types.is_nested(kind.value_type):
        raise Unwritable(f"column {name!r} holds lists of {kind.value_type}; write lists of numbers, or leave it out")
    lengths = compute.list_value_length(column)
    extremes = compute.min_max(lengths).as_py()
    if extremes["max"] is None:  # no row has a list
        return [(name, pyarrow.nulls(len(column), pyarrow.string()))]
    if extremes["min"] != extremes["max"]:
        raise Unwritable(_several_lengths(name, lengths.to_pylist()))
    if extremes["max"] == 0:
        raise Unwritable(f"column {name!r} holds lists that are all empty; leave it out")
    return [(f"{name}.{place}", compute.list_element(column, place)) for place in range(extremes["max"])]


def _several_lengths(name, lengths):
    (first, usual), *rest = [(row, length) for row, length in enumerate(lengths, 1) if length is not None]
    row, other = next(pair for pair in rest if pair[1] != usual)
    return f"column {name!r} has a list of {usual} in row {first} and of {other} in row {row}; give all rows lists of one length"


def _stored(column):
    """(column, type) without what only says how values are stored: extensions, dictionaries, runs of equal values."""
    import pyarrow
    from pyarrow import compute

    while True:
        kind = column.type
        if isinstance(kind, pyarrow.BaseExtensionType):
            column = column.cast(kind.storage_type)
        elif pyarrow.types.is_dictionary(kind):
            column = _taken(column)
        elif getattr(pyarrow.types, "is_run_end_encoded", lambda _: False)(kind):
            column = compute.run_end_decode(column)
        else:
            return column, kind


def _taken(column):
    """A column of a dictionary as its values."""
    import pyarrow

    kind = column.type.value_type
    kind = pyarrow.large_string() if str(kind) == "string_view" else kind  # which has no take()
    chunks = [chunk.dictionary.cast(kind).take(chunk.indices) for chunk in getattr(column, "chunks", [column])]
    return pyarrow.chunked_array(chunks, kind)


def _cells_of(name, column):
    """The column as a type of which pyarrow writes CSV."""
    import pyarrow

    column, kind = _stored(column)
    if pyarrow.types.is_struct(kind):
        raise Unwritable(
            f"column {name!r} is a struct, which a table of text cannot hold; write the file with its fields as columns of their "
            "own (pyarrow: table.flatten(); polars: unnest), or without it"
        )
    if pyarrow.types.is_nested(kind) or str(kind) == "month_day_nano_interval":
        raise Unwritable(f"column {name!r} is of type {kind}, which a table of text cannot hold; write the file without it")
    if "binary" in str(kind) or "string" in str(kind):
        try:
            return column.cast(pyarrow.large_string())
        except pyarrow.ArrowInvalid:
            raise Unwritable(
                f"column {name!r} has bytes that are no text in UTF-8; write the file without it, or as text"
            ) from None
    return column

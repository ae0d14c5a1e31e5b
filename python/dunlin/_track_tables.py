# SPDX-License-Identifier: Apache-2.0
"""Tables of positions: they are read as their text is, so that the rules are those of files."""

import numpy as np

from . import _cells, _core
from ._errors import FileError, InputError
from ._options import translating
from ._run import RUN, logger


def is_table(tracks):
    return _cells.columns_in(tracks) is not None


class Tracks:
    """Tracks as they were read. ``arrays``: (positions, offsets, geographic), as the binding takes them; ``ids``: names in
    the same order, or None."""

    def __init__(self, positions, offsets, geographic, ids):
        self.arrays, self.ids = (positions, offsets, geographic), ids

    def __len__(self):
        return len(self.arrays[1]) - 1


def tracks_of_table(table, run):
    """Tracks of a table of pandas, polars or pyarrow with the columns of a file of tracks."""
    return _read(_text_of(_columns(table)), run)


def tracks_of_tables(tables, ids, run):
    """The same of one table per track, with the same columns."""
    names = None
    parts = []
    for row, table in enumerate(tables):
        columns = _columns(table)
        if names is not None and list(columns) != names:
            raise InputError(
                f"track {row} has the columns {list(columns)} and track 0 {names}; give all the same", option="tracks", row=row
            )
        names = list(columns)
        parts.append({"track": [str(row)] * _length(columns), **{k: v for k, v in columns.items() if k != "track"}})
    joined = {name: [cell for part in parts for cell in part[name]] for name in parts[0]}
    tracks = _read(_text_of(joined), run)
    tracks.ids = ids  # those of the column are numbers of tables
    return tracks


def _read(text, run):
    with translating(RUN):
        try:
            found, raised = _core.tracks_of_table(text, "tracks", {}, run)
        except FileError as error:
            raise InputError(str(error), option="tracks", row=error.row, column=error.column) from None
    if raised is not None:
        raise raised
    for what, _ in found["notes"]:
        logger.info("tracks are %s", what)
    return Tracks(found["positions"], found["offsets"], found["geographic"], found["ids"])


def _length(columns):
    return len(next(iter(columns.values()), ()))


def _columns(table):
    """The cells of each column as texts, by name. An index with names, or of times, is columns, too."""
    index = getattr(table, "index", None)
    if index is not None and not callable(index):
        if any(name is not None for name in index.names):
            table = table.reset_index()
        elif getattr(index.dtype, "kind", "") == "M" or getattr(index.dtype, "tz", None) is not None:
            table = table.rename_axis("time").reset_index()
    found = _cells.columns_in(table)
    names = [str(name) for name, _ in found]
    twice = next((name for c, name in enumerate(names) if name in names[:c]), None)
    if twice is not None:
        raise InputError(f"tracks has two columns {twice!r}; rename or leave out one", option="tracks")
    return {str(name): _texts(column) for name, column in found}


def _texts(column):
    """Texts of a column; a missing value is empty."""
    zone = _zone_of(column)
    if hasattr(column, "to_pylist"):  # pyarrow
        values = column.to_numpy() if zone is not None else column.to_pylist()
    elif zone is not None and hasattr(column, "dt") and hasattr(column.dt, "tz_convert"):  # pandas
        values = column.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()
    elif hasattr(column, "to_list") and not (hasattr(column, "to_numpy") and _is_time(column)):
        values = column.to_list()
    else:
        values = column.to_numpy()
    if isinstance(values, np.ndarray) and values.dtype.kind == "M":
        ends = "Z" if zone is not None else ""
        return ["" if np.isnat(v) else str(np.datetime_as_string(v, unit="ns")) + ends for v in values]
    if isinstance(values, np.ndarray) and values.dtype.kind == "m":
        return ["" if np.isnat(v) else str(v.astype("m8[ns]").astype(np.int64)) for v in values]
    return [_text(value) for value in values]


def _zone_of(column):
    """The time zone of a column of times, or None."""
    kind = getattr(column, "dtype", None)
    if kind is None:
        kind = getattr(column, "type", None)
    for name in ("tz", "time_zone"):
        if getattr(kind, name, None) is not None:
            return getattr(kind, name)
    return None


def _is_time(column):
    kind = str(column.dtype).lower()
    return kind.startswith(("datetime", "timedelta", "duration"))


def _text(value):
    if value is None or str(value) in ("<NA>", "NaT", "nan"):
        return ""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value)).lower()
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return str(value)


def _quoted(text):
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in '",\n\r') or text != text.strip() else text


def _text_of(columns):
    if not columns or not _length(columns):
        raise InputError("tracks is a table without rows; give at least one position", option="tracks")
    lines = [",".join(_quoted(name) for name in columns)]
    lines += [",".join(_quoted(cell) for cell in row) for row in zip(*columns.values())]
    return "\n".join(lines) + "\n"

# SPDX-License-Identifier: Apache-2.0
"""Cells of arrays, lists and tables as numbers.

A cell is missing where it is masked, NaT, None or pandas.NA. It is NaN for callers that take missing values, elsewhere an
error with its place: what lies under a mask is never read. Times are numbers in the unit of their type.
"""

import warnings

import numpy as np

from ._errors import InputError
from ._kinds import AnnotatedRows, is_anndata, utf8_each
from ._run import say


def numbers(values, name, *, missing=False):
    """values as an array of numbers, not copied where they are one already. missing: missing cells are NaN."""
    table = columns_in(values)
    if table is not None and not _is_one_array(table):
        return of_columns(table, name, missing=missing)
    return _filled(*_split(values, name), name, missing, table)


def of_columns(table, name, *, missing=False):
    """The same of [(label, column)]: a matrix."""
    parts = [_split(column, name, (c, label)) for c, (label, column) in enumerate(table)]
    arrays = [array for array, _ in parts]
    if not table:
        return np.empty((0, 0))
    masks = None
    if any(mask is not None for _, mask in parts):
        masks = np.column_stack([np.zeros(array.shape, bool) if mask is None else mask for array, mask in parts])
    return _filled(np.column_stack(arrays), masks, name, missing, table)


def _filled(array, mask, name, missing, table):
    if mask is None or not mask.any():
        return array
    if not missing:
        place = _first(mask)
        raise _no_value(name, place, table[place[1]][0] if table and len(place) == 2 else None)
    array = array.astype(array.dtype if array.dtype.kind == "f" else np.float64)
    array[mask] = np.nan
    return array


def with_diagonal(array, name):
    """A square matrix of dissimilarities with 0 for what its diagonal lacks, copied if it lacks anything."""
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.dtype.kind != "f":
        return array
    missing = np.isnan(np.diagonal(array))
    if not missing.any():
        return array
    if not missing.all():
        say(f"{name} has no value at {missing.sum()} of {len(array)} places of its diagonal, which are 0 here")
    array = array.copy()
    np.fill_diagonal(array, np.where(missing, 0, np.diagonal(array)))
    return array


def require_values(values, name):
    """Raises InputError for a missing cell of what another package is to read, which would drop masks and NaT."""
    table = columns_in(values)
    if table and not _is_one_array(table) or isinstance(values, np.ma.MaskedArray) or _kind(values) in "mM":
        numbers(values, name)


_TIMES = ("date", "timestamp", "timedelta", "duration")


def times_in(X):
    """The places of times in a table or an array, in words: ["column 'when' (datetime64[ns])"]."""
    if hasattr(X, "column_names") and hasattr(X, "schema"):  # pyarrow
        kinds = list(zip(X.column_names, X.schema.types))
    elif hasattr(X, "columns") and hasattr(X, "dtypes") and not isinstance(X, np.ndarray):  # pandas, polars
        kinds = list(zip(X.columns, X.dtypes))
    else:
        dtype = getattr(X, "dtype", None)
        return [f"all cells ({dtype})"] if getattr(dtype, "kind", "O") in "mM" else []
    return [f"column {name!r} ({kind})" for name, kind in kinds if str(kind).lower().startswith(_TIMES)]


def say_times(X, name):
    """Says that times are taken as numbers in the unit of their type; returns whether there are some."""
    found = times_in(X)
    if found:
        say(
            f"{name} has times in {', '.join(found[:4])}{', ...' if len(found) > 4 else ''}, which are numbers in their own unit "
            "here; leave them out, or give numbers that go with the other columns"
        )
    return bool(found)


def require_finite(array, name):
    """The array itself; InputError for a cell that is NaN or infinite."""
    wrong = ~np.isfinite(array)
    if wrong.any():
        place = _first(wrong)
        cell = "NaN" if np.isnan(array[place]) else "infinite"
        raise InputError(f"{name} is {cell} at {shown(place)}; give finite numbers", option=name, **_where(place))
    return array


_EXACT = 2**53  # float64 has all whole numbers up to it


def require_told_apart(array, name):
    """Refuses a column of whole numbers so large that float64, through which they go, makes them equal."""
    if may_be_alike(array[:: max(1, len(array) // 256)] if array.ndim else array):
        refuse_alike(array.min(0), array.max(0), name)


def require_cells_told_apart(X, name):
    """The same of what another package is to read: an array, a list, or a table of whole numbers."""
    table = columns_in(X)
    if table:
        kinds = {str(getattr(column, "dtype", getattr(column, "type", ""))).lower() for _, column in table}
        if kinds <= {"int64", "uint64"}:
            require_told_apart(numbers(X, name), name)
    elif isinstance(X, (np.ndarray, list, tuple)):
        array = X if isinstance(X, np.ndarray) else _array_of(X, name)
        if array.ndim == 2:
            require_told_apart(array, name)


def may_be_alike(some):
    """Whether these rows, some of an array, have whole numbers that float64 may not tell apart."""
    if some.dtype.kind not in "iu" or some.dtype.itemsize < 8 or not some.size:
        return False
    return max(abs(int(some.min())), abs(int(some.max()))) > _EXACT


def refuse_alike(lows, highs, name):
    """Refuses columns with these extremes if float64 makes their whole numbers equal."""
    for c, (low, high) in enumerate(zip(lows.tolist(), highs.tolist())):
        far = max(abs(low), abs(high))
        if low < high and high - low < 1024 * (far // (_EXACT // 2)):
            raise InputError(
                f"column {c} of {name} (counted from 0) has whole numbers from {low} to {high}, which float64 does not tell "
                f"apart; subtract {low} from it",
                option=name,
                column=c,
            )


def columns_in(table):
    """[(name, column)] of a table of pandas, polars or pyarrow; None for anything else."""
    if isinstance(table, (list, tuple, np.ndarray)):
        return None
    if hasattr(table, "column_names") and hasattr(table, "num_rows"):
        return list(zip(table.column_names, table.columns))
    if hasattr(table, "get_columns") and hasattr(table, "schema"):
        return [(column.name, column) for column in table.get_columns()]
    if hasattr(table, "iloc") and hasattr(table, "dtypes") and hasattr(table, "columns"):
        return [(name, table.iloc[:, c]) for c, name in enumerate(table.columns)]
    return None


def in_memory(X, name="X"):
    """The array that an object of anndata stands for, loaded where it lies in a file: that which scanpy takes of an AnnData,
    ``X`` of its ``raw``, a matrix of a backed one. Any other object as it is."""
    if isinstance(X, AnnotatedRows):
        return X.array
    if is_anndata(X):
        from ._anndata import annotated

        return annotated(X, name=name).array
    if type(X).__module__.partition(".")[0] != "anndata":
        return X
    X = X.X if hasattr(X, "var_names") else X
    return X.to_memory() if hasattr(X, "to_memory") else X


def names_in(names, name):
    """The words of a sequence of names, one per row; a missing one is refused."""
    names = names.tolist() if hasattr(names, "tolist") else names
    if isinstance(names, (str, bytes)) or not hasattr(names, "__iter__"):
        raise InputError(f"{name} is {names!r}; give a sequence with a name per row", option=name)
    names = list(names)
    if all(type(each) is str for each in names):
        return utf8_each(names, name)
    for row, each in enumerate(names):
        if is_missing(each) or isinstance(each, float) and each != each:
            raise InputError(f"{name} has no name at row {row}, counted from 0; give '' for a point without one", option=name, row=row)
    return utf8_each([str(each) for each in names], name)


def is_missing(cell):
    """Whether a cell of an array of objects is missing; a float that is NaN is not asked for here."""
    if cell is None or cell is np.ma.masked or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, (np.datetime64, np.timedelta64)) and bool(np.isnat(cell))


def shown(place, label=None):
    """The words for a place in an array: a row, or a row and a column."""
    if not place:
        return "the only place"
    words = ", ".join(f"{axis} {i}" for axis, i in zip(("row", "column", "layer"), place))
    return f"{words}{'' if label is None else f' ({label!r})'}, counted from 0"


def _kind(values):
    return getattr(getattr(values, "dtype", None), "kind", "O")


def _split(values, name, column=None):
    """(array of numbers, mask of its missing cells or None). column: (number, label) of a column of a table."""
    if isinstance(values, (list, tuple)) and any(isinstance(each, np.ma.MaskedArray) for each in values):
        values = np.ma.array(values)
    mask = np.ma.getmask(values)
    array = _array_of(values, name)
    if array.dtype.kind not in "fiub":
        array, more = _converted(array, name, column)
        mask = mask if more is None else more if mask is np.ma.nomask else mask | more
    return array, None if mask is np.ma.nomask else mask


def _is_one_array(table):
    """Whether the columns have numbers of NumPy's types, so that their table is one array of numbers."""
    kinds = {_kind(column) if isinstance(getattr(column, "dtype", None), np.dtype) else "O" for _, column in table}
    return kinds <= set("fiu") or kinds == {"b"}


def _array_of(values, name):
    zone = getattr(getattr(values, "dtype", None), "tz", None)
    if zone is not None:  # pandas' times with a time zone: UTC
        return np.asarray(values, f"datetime64[{getattr(values.dtype, 'unit', 'ns')}]")
    try:
        return np.asarray(values)
    except ValueError:
        lengths = sorted({len(row) if hasattr(row, "__len__") else 1 for row in values})
        raise InputError(f"{name} has rows of several lengths, such as {lengths[0]} and {lengths[-1]}", option=name) from None


def _converted(array, name, column):
    """(float64 array, mask or None) of an array of times, objects or words."""
    kind = array.dtype.kind
    if kind == "c":
        raise InputError(f"{name} has complex numbers (complex data not supported)", option=name)
    if kind in "mM":
        return array.astype(np.int64).astype(np.float64), np.isnat(array)
    mask = None
    if kind == "O":
        numbers = _plain_numbers(array)
        if numbers is not None:
            return numbers, None
        mask = np.frompyfunc(is_missing, 1, 1)(array).astype(bool) if array.ndim else np.bool_(is_missing(array.item()))
        array = np.where(mask, np.nan, array)
    try:
        return array.astype(np.float64), mask
    except (TypeError, ValueError) as error:
        raise _no_number(array, name, column, error) from None


def _plain_numbers(array):
    """An array of objects as float64 if none of them is missing, else None: asking each whether it is takes longer."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # of a masked cell
            numbers = array.astype(np.float64)
    except (TypeError, ValueError, UserWarning):
        return None
    without = array[np.isnan(numbers)]
    return None if any(is_missing(cell) for cell in np.ravel(without)) else numbers


def _no_number(array, name, column, error):
    place = next((place for place, cell in np.ndenumerate(array) if not _is_number(cell)), ())
    if not place:
        return InputError(f"{name} must hold numbers: {error}", option=name)
    c, label = column or (None, None)
    at = (*place, c) if column else place
    cell = repr(array[place].item() if isinstance(array[place], np.generic) else array[place])
    cell = cell if len(cell) <= 40 else cell[:37] + "..."
    return InputError(f"{name} must hold numbers, but {cell} is at {shown(at, label)}", option=name, **_where(at))


def _is_number(cell):
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True


def _first(mask):
    """The place of the first cell of a mask."""
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(mask)), mask.shape))


def _where(place):
    return dict(zip(("row", "column"), place))


def _no_value(name, place, label=None):
    return InputError(
        f"{name} has no value at {shown(place, label)}: the cell is masked, NaT, None or NA; leave the row out or fill the "
        "value in",
        option=name,
        **_where(place),
    )

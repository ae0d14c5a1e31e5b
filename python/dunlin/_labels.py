# SPDX-License-Identifier: Apache-2.0
"""Labels of points as numbers and names of classes."""

from numbers import Real

import numpy as np

from . import _core, _device
from ._errors import InputError
from ._kinds import text_of, utf8_each
from ._run import logger


def labels(values, size, unknown=()):
    """(codes int32, names) of one label per point; names in order of first appearance, numbers ascending, ordered categories of
    pandas in their order.

    The code is -1 where there is no label: None, NaN, pandas.NA, NaT, a null or a mask, the words that the readers of
    files take for missing, and names in ``unknown``. A line of the log counts these.
    """
    array, known = _labels_array(values)
    if array.shape != (size,):
        raise InputError(f"labels has the shape {array.shape}; it must be ({size},), one per point", option="labels")
    codes = np.full(size, -1, np.int32)
    codes[known], names = _numbered(array[known])
    codes, names = _in_order_of_categories(codes, names, getattr(values, "dtype", None))
    codes[np.isin(codes, [code for code, name in enumerate(names) if name in unknown])] = -1
    codes, names, notes = _core.settled_labels(codes, utf8_each(names, "labels"))
    for note in notes:
        logger.info("labels are %s", note)
    return codes, names


def _labels_array(values):
    """Labels as an array, and which of them no mask hides."""
    if _device.is_on_gpu(values):
        values = _device.host(values)  # one number per point
    if hasattr(values, "column_names"):
        raise InputError(f"labels is a table of {len(values.column_names)} columns; give one of them", option="labels")
    package = type(values).__module__.partition(".")[0]
    # As objects, whole numbers stay what they are beside missing ones
    if package == "pyarrow" and hasattr(values, "to_pylist"):
        values = np.array(values.to_pylist(), object if values.null_count else None)
    elif package == "polars" and hasattr(values, "to_list"):
        values = np.array(values.to_list(), object if values.null_count() else None)
    elif package == "pandas" and hasattr(getattr(values, "dtype", None), "categories"):
        codes = np.asarray(getattr(values, "cat", values).codes)
        values = np.append(np.asarray(values.dtype.categories, object), [None])[codes]  # -1: missing
    elif hasattr(values, "to_numpy"):
        is_numpys = isinstance(getattr(values, "dtype", np.dtype(float)), np.dtype)
        values = values.to_numpy() if is_numpys or not values.isna().any() else values.to_numpy(dtype=object)
    elif isinstance(values, (list, tuple)) and any(each is np.ma.masked for each in values):
        values = np.array([None if each is np.ma.masked else each for each in values], object)
    known = ~np.ma.getmaskarray(values) if np.ma.isMaskedArray(values) else slice(None)
    array = np.asarray(values)
    if array.dtype.kind == "c":
        raise _complex_numbers()
    if array.dtype.kind == "S":
        return np.char.decode(array, "utf-8", "replace"), known
    return array.astype(str) if array.dtype.kind in "mM" else array, known


def _in_order_of_categories(codes, names, dtype):
    if not getattr(dtype, "ordered", False):
        return codes, names
    place = {str(category): i for i, category in enumerate(dtype.categories)}
    order = sorted(range(len(names)), key=lambda code: place.get(names[code], len(place)))
    new = np.empty(len(names) + 1, np.int32)
    new[order], new[-1] = np.arange(len(names)), -1
    return new[codes], [names[code] for code in order]


def _complex_numbers():
    return InputError("labels has complex numbers; give names or whole numbers", option="labels")


def _numbered(array):
    """The number of the name of each value, and the names."""
    if array.dtype.kind in "fiub":
        names, codes = np.unique(array, return_inverse=True)
        words = names.tolist()
        if array.dtype.kind == "f" and all(value != value or abs(value) < 2**53 and value == int(value) for value in words):
            words = [value if value != value else int(value) for value in words]  # 1.0 is 1 beside a missing one
        return codes.reshape(len(array)), [str(word) for word in words]
    if array.dtype.kind == "U" or all(type(value) is str for value in array.flat):
        words = {}
        return [words.setdefault(value, len(words)) for value in array.tolist()], list(words)
    codes, names = {}, []
    return [codes[name] if name in codes else _code_of(name, codes, names) for name in _words(array)], names


def _words(array):
    """The values as they are told apart: bytes as text, what is no number as text."""
    for value in array.tolist():
        if isinstance(value, complex):
            raise _complex_numbers()
        if isinstance(value, bytes):
            yield value.decode("utf-8", "replace")
        else:
            yield value if type(value) is str or _is_number(value) else str(value)


def _code_of(value, codes, names):
    """The number of a name that is met first: 1, 1.0, '1' and '1.0' are one beside each other."""
    name = value if isinstance(value, str) else str(value)
    same = text_of(value)
    code = codes.get(name, codes.get(same))
    if code is None:
        code = len(names)
        names.append(name)
    codes.setdefault(name, code), codes.setdefault(same, code)
    return code


def _is_number(value):
    return isinstance(value, Real) and not isinstance(value, bool)

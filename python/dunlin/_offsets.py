# SPDX-License-Identifier: Apache-2.0
"""Offsets of columns far from zero, which are subtracted in double before numbers become float32. A model keeps those of the
rows that it was fitted to, for new rows: a row has one answer, alone or among others."""

import numpy as np

from . import _core
from ._errors import InputError

_HOW = {"threads": 1, "memory": 0}
_OFFSETS = {"euclidean": "subtract", "manhattan": "subtract", "correlation": "common"}


def offsets_of(metric):
    """What is subtracted from the columns of rows that are compared by a metric."""
    return _OFFSETS.get(metric, "keep")


def offsets_in(array):
    """The offsets of the columns of an array of numbers, float64, by the rule of points (src/io/shift.hpp); None: no column is
    far from zero."""
    if array.size == 0:
        return None
    try:
        _, offsets, raised = _core.narrow(np.zeros((1, array.shape[1])), "subtract", _HOW, array)
    except InputError:  # beyond the range of float32, which is said of the numbers themselves
        return None
    return None if raised is not None else offsets


def rows_with(offsets, columns):
    """Two rows of so many columns that have exactly these offsets by that rule, which takes the lower of two numbers, far from
    zero if the upper one is the next that there is; 0 and 1 are not far."""
    offsets = np.zeros(columns) if offsets is None else offsets
    return np.stack([offsets, np.where(offsets == 0, 1.0, np.nextafter(offsets, np.inf))])


def less(array, offsets):
    """The array less offsets in double, or as it is where there are none."""
    return array if offsets is None else array - offsets

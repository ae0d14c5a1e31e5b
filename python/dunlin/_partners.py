# SPDX-License-Identifier: Apache-2.0
"""Which names of two lists are equal."""

import sys
from itertools import repeat

import numpy as np

from ._kinds import text_of


def partners(ids, others):
    """(for each id the number of its equal among the others, the first of several, or -1; the ids; the others). None in place
    of the numbers: both are equal."""
    indexes = _indexes(ids, others)
    if indexes is not None:
        ids, others = indexes
        rows = others.get_indexer(ids)
        return (None if len(ids) == len(others) and np.array_equal(rows, np.arange(len(ids))) else rows), ids, others
    ids, others = texts(ids), texts(others)
    if ids == others:
        return None, ids, others
    row_of = dict(zip(reversed(others), range(len(others) - 1, -1, -1)))
    return np.fromiter(map(row_of.get, ids, repeat(-1)), np.int64, len(ids)), ids, others


def _indexes(ids, others):
    """Both as indexes that pandas matches by the same rules: of one type, whole numbers or words, each name once; or None."""
    given = [each for each in (ids, others) if hasattr(each, "get_indexer") and hasattr(each, "inferred_type")]
    if given and len(given) == 1 and (isinstance(ids, range) or isinstance(others, range)):
        count = sys.modules["pandas"].RangeIndex
        given = [count(len(each)) if isinstance(each, range) else each for each in (ids, others)]
    if len(given) < 2 or given[0].inferred_type != given[1].inferred_type or not all(each.is_unique for each in given):
        return None
    are_numbers = given[0].inferred_type == "integer" and given[0].dtype == given[1].dtype
    return given if are_numbers or given[0].inferred_type == "string" else None


def texts(ids):
    """The names as text, in a list."""
    ids = ids.tolist() if getattr(ids, "inferred_type", None) == "string" else ids
    if isinstance(ids, list) and all(type(each) is str for each in ids):
        return ids
    return [text_of(each) for each in ids]


def number_used(rows):
    """How many rows are named, at least once; -1 is none."""
    used = np.zeros(int(rows.max(initial=-1)) + 1, bool)
    used[rows[rows >= 0]] = True
    return int(used.sum())

# SPDX-License-Identifier: Apache-2.0
"""What a result keeps in order to compute later is its own: the caller may go on with the arrays that were given."""

import numpy as np
from itertools import chain


def owned(kept, *given):
    """``kept``, or a copy of it where the caller could change it later.

    kept : array, SciPy sparse matrix, table of pandas, or anything else, which is returned as it is
        What was made of ``given``, perhaps the same memory.
    given : objects
        What the caller has.

    Memory that nobody can write to is not copied: read-only arrays, and arrays that were made from ``given`` in another
    type or order. Arrays on a GPU are not copied.
    """
    if hasattr(kept, "iloc"):
        return kept.copy()
    if hasattr(kept, "tocsr") and hasattr(kept, "data"):
        of_caller = chain.from_iterable((each, getattr(each, "data", None)) for each in given)
        return kept.copy() if _may_change(kept.data, of_caller) else kept
    return kept.copy() if isinstance(kept, np.ndarray) and _may_change(kept, given) else kept


def _may_change(array, given):
    return _may_be_memory_of(array, tuple(given)) and any(each.flags.writeable for each in _bases_of(array))


def _may_be_memory_of(array, given):
    if all(isinstance(each, np.ndarray) for each in given):
        return any(np.may_share_memory(array, each) for each in given)
    return not array.flags.owndata or any(array is each for each in given)  # of tables and the like


def _bases_of(array):
    """The array and those that it is a view of."""
    while isinstance(array, np.ndarray):
        yield array
        array = array.base

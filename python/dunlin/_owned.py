# SPDX-License-Identifier: Apache-2.0
"""A result that is computed later copies the input that it still needs, because the caller may overwrite these arrays."""

from itertools import chain

import numpy as np

from . import _device
from ._kinds import AnnotatedRows, is_anndata


def owned(kept, *given):
    """``kept``, or a copy of it where the caller could change it later.

    kept : array, SciPy sparse matrix, table of pandas, or anything else, which is returned as it is
        What was made of ``given``, perhaps the same memory.
    given : objects
        What the caller has.

    No copy is made of an array that shares no memory with ``given``, of one whose memory is read-only, base arrays
    included, and of arrays on a GPU.
    """
    if hasattr(kept, "iloc"):
        return kept.copy()
    given = [array for each in given for array in _arrays_of(each)]
    if hasattr(kept, "tocsr") and hasattr(kept, "data"):
        of_caller = chain.from_iterable((each, getattr(each, "data", None)) for each in given)
        return kept.copy() if _may_change(kept.data, of_caller) else kept
    return kept.copy() if isinstance(kept, np.ndarray) and _may_change(kept, given) else kept


def _arrays_of(given):
    """Of an AnnData its arrays in memory; anything else as it is."""
    if isinstance(given, AnnotatedRows):
        return [given.array]
    if not is_anndata(given):
        return [given]
    return [*given.obsm.values(), None if given.isbacked else given.X]


def _may_change(array, given):
    return any(_may_be_memory_of(array, each) for each in given) and any(each.flags.writeable for each in _bases_of(array))


def _may_be_memory_of(array, each):
    if isinstance(each, np.ndarray):
        return np.may_share_memory(array, each)
    if each is None or isinstance(each, (list, tuple, dict)) or hasattr(each, "tocsr") or _device.is_on_gpu(each):
        return False
    if not array.flags.owndata:  # of a table, a result and the like
        return True
    is_table = getattr(each, "ndim", 1) == 2 and hasattr(each, "iloc")  # whose own memory has another shape
    return hasattr(each, "__array__") and not is_table and np.may_share_memory(array, np.asarray(each))


def _bases_of(array):
    """The array and those that it is a view of."""
    while isinstance(array, np.ndarray):
        yield array
        array = array.base

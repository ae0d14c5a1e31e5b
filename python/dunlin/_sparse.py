# SPDX-License-Identifier: Apache-2.0
"""Sparse matrices of SciPy: checked, since SciPy does not check what is written into their arrays."""

import numpy as np

from . import _core
from ._errors import InputError


def is_sparse(X):
    return hasattr(X, "tocsr") and hasattr(X, "nnz")


def rows_of(X, name):
    """A matrix by its rows (CSR). Indices that lead out of it are an error: compiled code follows them."""
    try:
        if hasattr(X, "check_format"):
            _require_indices_within(X)
        elif getattr(X, "format", "") == "coo":
            _require_within(X.row, X.shape[0])
            _require_within(X.col, X.shape[1])
    except (IndexError, TypeError, ValueError) as error:
        raise InputError(f"{name} is no sound sparse matrix: {error}; make it again", option=name) from None
    return X.tocsr()


def _require_indices_within(X):
    """Of CSR, CSC and BSR. check_format would change the types of the caller's arrays."""
    pointers, block = np.asarray(X.indptr), getattr(X, "blocksize", (1, 1))
    major, minor = (1, 0) if X.format == "csc" else (0, 1)
    if len(pointers) != X.shape[major] // block[major] + 1 or pointers[0] != 0 or (np.diff(pointers) < 0).any():
        raise ValueError("indptr does not ascend from 0")
    if len(X.indices) < pointers[-1] or len(X.data) < pointers[-1]:
        raise ValueError(f"indptr ends at {pointers[-1]}, and there are {min(len(X.indices), len(X.data))} entries")
    _require_within(X.indices[: pointers[-1]], X.shape[minor] // block[minor])


def _require_within(indices, size):
    if len(indices) and (indices.min() < 0 or indices.max() >= size):
        wrong = indices[(indices < 0) | (indices >= size)][0]
        raise ValueError(f"an index is {wrong}, where {size} is the number of rows or columns")


def with_sums(X, in_order=False):
    """A CSR matrix in which the entries of one place are their sum, as SciPy defines it: the same where no place has two."""
    if X.has_canonical_format:
        return X
    summed = X.copy()
    summed.sum_duplicates()
    return X if not in_order and summed.nnz == X.nnz else summed


class SparseRows:
    """Rows of a SciPy matrix as the library takes them; ``arrays`` is what the binding takes.

    Sorted columns (int32) without duplicates and float32 values, both SciPy's own arrays where they are that already.
    """

    def __init__(self, X):
        X = rows_of(X, "X")
        if X.dtype.kind not in "fiub":
            raise InputError("X has numbers of a type that cannot be used; give float32 or float64", option="X")
        if max(X.shape) > np.iinfo(np.int32).max:
            raise InputError(f"X has the shape {X.shape}; at most 2147483647 rows and columns can be used", option="X")
        X = with_sums(X, in_order=True)
        self.shape, self.ndim = X.shape, 2
        self.arrays = (
            np.ascontiguousarray(X.indptr, np.int64),
            np.ascontiguousarray(X.indices, np.int32),
            np.ascontiguousarray(X.data, np.float32),
            int(X.shape[1]),
        )

    def __len__(self):
        return self.shape[0]

    def mostly_zero(self):
        return _core.mostly_zero(self.arrays)

# SPDX-License-Identifier: Apache-2.0
"""Kinds of tables: names of their columns, and parts of them."""

import copy
import os
from numbers import Real

import numpy as np

from ._errors import InputError


def is_anndata(X):
    return type(X).__module__.partition(".")[0] == "anndata" and hasattr(X, "obsm")


MANY_VARIABLES = 50  # scanpy.settings.N_PCS: above it X_pca is taken in place of X


def usual_representation(adata):
    """The array of an AnnData that scanpy takes without use_rep: X, or X_pca where X has many columns and X_pca is there."""
    wants_fewer = adata.n_vars > MANY_VARIABLES or adata.X is None
    return "X_pca" if wants_fewer and "X_pca" in adata.obsm else "X"


class AnnotatedRows:
    """An array of an AnnData with the names of its rows and columns. use_rep, n_pcs: which array, and how many of its columns
    (None: all)."""

    def __init__(self, array, ids, columns, use_rep, n_pcs):
        self.array, self.ids, self.columns, self.use_rep, self.n_pcs = array, ids, columns, use_rep, n_pcs
        self.shape = array.shape

    def record(self):
        """What options record of it."""
        return {"use_rep": self.use_rep} | ({} if self.n_pcs is None else {"n_pcs": self.n_pcs})


def recorded(X):
    """What options record of points that are of an AnnData; nothing of others."""
    return X.record() if isinstance(X, AnnotatedRows) else {}


def is_indexed(X):
    """Whether X is a Series or a DataFrame."""
    return hasattr(X, "iloc") and hasattr(X, "index")


def only_counts(names, first=0):
    """Whether names are first, first + 1, ..."""
    return all(text_of(name) == str(row) for row, name in enumerate(names, first))


def columns_of(X, rep=None):
    """Names of the columns of a table, a file or an AnnData (of its obsm[rep]) as text; None, or a range where they only
    count."""
    if is_anndata(X):
        rep = rep or usual_representation(X)
        names = X.var_names if rep == "X" else getattr(X.obsm.get(rep), "columns", None)
    else:
        names = getattr(X, "column_names", None)  # pyarrow
        if names is None:
            names = getattr(X, "columns", None)
    if names is None or isinstance(names, np.ndarray) and names.ndim != 1:
        return None
    names = [text_of(name) for name in names]
    return range(len(names)) if only_counts(names) else names


def text_of(name):
    """A name as files have it."""
    if isinstance(name, str):
        return name
    if isinstance(name, Real) and not isinstance(name, bool) and name == name and abs(name) < 2**62 and name == int(name):
        return str(int(name))
    return str(name)


def utf8(text, name):
    """The text, which must have an encoding in UTF-8: a lone surrogate has none."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(f"{name} has {text!r}; it must be text without lone surrogates", option=name) from None
    return text


def utf8_each(texts, name):
    """The same of a list of texts."""
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        for text in texts:
            utf8(text, name)
    return texts


def path_of(path, name="path"):
    """The path of a file as text."""
    return utf8(os.fsdecode(path), name)


def is_file(X):
    """Whether X is a PointsFile."""
    return hasattr(X, "values") and hasattr(X, "holds")


def take_rows(X, rows):
    """Rows of a table of any kind."""
    if is_indexed(X):
        return X.iloc[rows]
    if not is_file(X):
        return (X.tocsr() if hasattr(X, "tocsr") else np.asarray(X))[rows]
    taken = copy.copy(X)
    taken.values, taken.ids = np.ascontiguousarray(X.values[rows]), [X.ids[row] for row in rows]
    taken.labels = None if X.labels is None else np.asarray(X.labels)[rows]
    return taken


def take_columns(X, order):
    """Columns of a table of any kind, in this order."""
    if is_indexed(X):
        return X.iloc[:, order]
    if hasattr(X, "column_names"):  # pyarrow
        return X.select(order)
    if hasattr(X, "select") and hasattr(X, "columns"):  # polars
        return X.select([X.columns[number] for number in order])
    if is_file(X):
        taken = copy.copy(X)
        taken.values, taken.columns = np.ascontiguousarray(X.values[:, order]), [X.columns[number] for number in order]
        taken.shift = None if X.shift is None else X.shift[order]
        return taken
    return X[:, order] if hasattr(X, "tocsr") else np.asarray(X)[:, order]

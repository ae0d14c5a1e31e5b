# SPDX-License-Identifier: Apache-2.0
"""AnnData: which of its arrays is taken, where the map is written when it is asked for, and what is recorded of a map."""

import numpy as np

from . import _cells
from ._errors import InputError
from ._kinds import MANY_VARIABLES, AnnotatedRows, columns_of, is_anndata, is_indexed, usual_representation
from ._match import ids_of, rows_drawn, table
from ._run import say


_MAPS = ("X_tsne", "X_umap", "X_pacmap", "X_mds", "X_draw_graph", "X_phate", "spatial")  # keys of obsm that have maps
USE_REP = """
use_rep : str, optional
    Of an AnnData: 'X', or the key in obsm of the points. Default, as in scanpy: X, or obsm['X_pca'] where X has more than 50
    columns and it is there.
"""


def annotated(X, use_rep=None, n_pcs=None, name="X"):
    """The AnnotatedRows of an AnnData, by the rule of USE_REP, of obsm the first n_pcs columns; X itself otherwise. What is
    taken beside another choice is said."""
    if not is_anndata(X):
        if use_rep is not None:
            raise InputError(f"use_rep is {use_rep!r}, but {name} is no AnnData", option="use_rep")
        return X
    rep = use_rep
    if rep is None:
        rep = "X" if n_pcs == 0 else usual_representation(X)
    columns = None if rep == "X" or not n_pcs else int(n_pcs)
    rows = Representation(rep, columns).rows_of(X, name)
    if use_rep is None and "X_pca" in X.obsm and X.X is not None:
        other = "X" if rep != "X" else "X_pca"
        say(f"{rep} of the AnnData is taken ({rows.shape[1]} columns), as scanpy does; use_rep={other!r} takes {other}")
    return rows


def refuse_of_annotated(X, X_name="X", **given):
    """Raises InputError for options of an AnnData where X is none."""
    for name, value in given.items():
        if value is not None and not is_anndata(X):
            raise InputError(f"{name} is {value!r}, but {X_name} is no AnnData", option=name)


def _array(adata, rep, columns=None, name="X"):
    if rep == "X":
        if adata.X is None:
            raise InputError(f"{name} is an AnnData without X; give one of its arrays, as use_rep='X_pca'", option=name)
        return _cells.in_memory(adata.X)
    if rep not in adata.obsm:
        of = "" if name == "X" else f" of {name}"
        raise InputError(f"use_rep is {rep!r}; obsm{of} has {sorted(adata.obsm)}", option="use_rep")
    array = _cells.in_memory(adata.obsm[rep])
    if columns is None:
        return array
    if columns > array.shape[1]:
        raise InputError(f"n_pcs is {columns} and obsm[{rep!r}] has {array.shape[1]} columns", option="n_pcs")
    return array.iloc[:, :columns] if is_indexed(array) else array[:, :columns]


class Representation:
    """Which array of an AnnData a map was made from: 'X' or a key of obsm, and how many of its columns (None: all)."""

    def __init__(self, rep, columns=None, where=""):
        self.rep, self.columns, self.where = rep, columns, where

    def of(self, X, name="X"):
        """The array of an AnnData; other points as they are."""
        return _array(X, self.rep, self.columns, name) if is_anndata(X) else _cells.in_memory(X)

    def rows_of(self, X, name="X"):
        """The AnnotatedRows of an AnnData; other points as they are."""
        if not is_anndata(X):
            return X
        array, names = _array(X, self.rep, self.columns, name), columns_of(X, self.rep)
        names = names if names is None or self.columns is None else names[: self.columns]
        return AnnotatedRows(array, ids_of(X), names, self.rep, self.columns)


def representation_of_map(X, map, use_rep, others=(), or_usual=False):
    """The Representation from which the map of X was made: ``use_rep``, else the recorded one, else X if obsm has no other
    matrix. Raises InputError if they contradict each other, and if there are several; or_usual: a line says then that scanpy's
    choice is taken. others: further points, which may be AnnData too."""
    if not any(is_anndata(each) for each in (X, *others)):
        annotated(X, use_rep)
        return Representation("X")
    recorded = _recorded(X, map)
    if use_rep is None:
        if recorded is not None:
            return recorded
        known = X if is_anndata(X) else next(each for each in others if is_anndata(each))
        unknown = (
            "nothing records which array of the AnnData the map was made from; give use_rep='X', or a key of obsm, which has "
            f"{sorted(known.obsm)}"
        )
        if not or_usual and _may_be_points(known, map):
            raise InputError(unknown, option="use_rep")
        rep = usual_representation(known)
        if _may_be_points(known, map):
            say(f"{rep} of the AnnData is taken: {unknown}")
        return Representation(rep)
    if recorded is None or recorded.rep == use_rep:
        return recorded or Representation(use_rep)
    raise InputError(
        f"use_rep is {use_rep!r}, but the map was made from {recorded.rep!r}, as {recorded.where} records; leave use_rep out",
        option="use_rep",
    )


def _may_be_points(adata, map):
    """Keys of obsm that the map may have been made from: not the map itself, and not other maps by their names."""
    return [key for key in adata.obsm if not key.startswith(_MAPS) and not _equal(adata.obsm[key], map)]


def points_of_map(map, X, use_rep, name="X", graph=None):
    """The points that the map was made from, in the order of its rows where both have names; these are the nodes of a graph
    that is drawn with it."""
    made_from = representation_of_map(X, map, use_rep, or_usual=True)
    return table(X, rows_drawn(map, graph), name, made_from.of(X, name))


def scaling_recorded(X, map, given):
    """How the columns of points were scaled for a map in obsm, as uns records it; ``given`` where it is, or None."""
    key = next((key for key in X.obsm if _equal(X.obsm[key], map)), None) if given is None and is_anndata(X) else None
    for name in () if key is None else (key, key.removeprefix("X_")):
        params = _own_record(X, name) or _params(X, name)
        if params is not None and isinstance(params.get("normalize"), str):
            return params["normalize"]
    return given


def _recorded(X, map):
    """The Representation that a result, or uns of the AnnData with this map in obsm, records; or None."""
    rep = getattr(map, "use_rep", None)
    if isinstance(rep, str):
        return Representation(rep, getattr(map, "columns_taken", None), where="the result")
    if not is_anndata(X):
        return None
    key = next((key for key in X.obsm if _equal(X.obsm[key], map)), None)
    if key is None:
        return None
    for name in (key, key.removeprefix("X_")):  # of dunlin or with scanpy's key_added; of scanpy
        own, params = _own_record(X, name), _params(X, name)
        if own is not None and isinstance(own.get("use_rep"), str):
            columns = own.get("columns_taken")
            return Representation(own["use_rep"], None if columns is None else int(columns), f"uns[{name!r}]")
        if params is None:
            continue
        if isinstance(params.get("use_rep"), str):
            return Representation(params["use_rep"], where=f"uns[{name!r}]")
        if name != "tsne":  # scanpy's other maps are of its graph of neighbors
            return of_neighbors(X)
    return None


def _params(adata, name):
    record = adata.uns.get(name)
    params = record.get("params") if hasattr(record, "get") else None
    return params if hasattr(params, "get") else None


def _own_record(adata, name):
    """What dunlin records of a map beside scanpy's params."""
    record = adata.uns.get(name)
    own = record.get("dunlin") if hasattr(record, "get") else None
    return own if hasattr(own, "get") else None


def of_neighbors(adata, names=None):
    """What scanpy's graphs of neighbors, all or those of these keys of uns, were made from, if it is the same."""
    found = {}
    for name in adata.uns if names is None else names:
        params = _params(adata, name)
        if params is None or "connectivities_key" not in adata.uns[name]:
            continue
        rep, columns = params.get("use_rep"), params.get("n_pcs")
        if rep is None and columns is not None:
            rep = "X_pca" if columns else "X"
        if rep is None and (adata.n_vars <= MANY_VARIABLES or "X_pca" in adata.obsm):
            rep = usual_representation(adata)  # as scanpy took it
        found[(rep, None if columns is None or rep == "X" else int(columns))] = name
    if len(found) != 1:
        return None
    ((rep, columns), name) = next(iter(found.items()))
    return Representation(rep, columns, f"uns[{name!r}]") if isinstance(rep, str) else None


def _equal(array, map):
    array, map = np.asarray(array), np.asarray(map)
    return array.shape == map.shape and array.dtype.kind == "f" and np.array_equal(array, map, equal_nan=True)


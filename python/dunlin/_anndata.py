# SPDX-License-Identifier: Apache-2.0
"""AnnData: which of its arrays is taken, where the map is written when it is asked for, and what is recorded of a map."""

import numpy as np

from . import _cells, _match
from ._errors import InputError
from ._match import is_anndata, is_indexed
from ._run import say


_MAPS = ("X_tsne", "X_umap", "X_pacmap", "X_mds", "X_draw_graph", "X_phate", "spatial")  # keys of obsm that have maps


def representation(X, use_rep, key_added=None):
    """The array that X stands for: ``adata.obsm[use_rep]``, ``adata.X`` without ``use_rep``, X itself otherwise."""
    if is_anndata(X):
        return _array(X, use_rep or "X")
    for name, value in (("use_rep", use_rep), ("key_added", key_added)):
        if value is not None:
            raise InputError(f"{name} is {value!r}, but X is no AnnData", option=name)
    return X


def _array(adata, rep, columns=None):
    if rep != "X" and rep not in adata.obsm:
        raise InputError(f"use_rep is {rep!r}; obsm has {sorted(adata.obsm)}", option="use_rep")
    array = _cells.in_memory(adata if rep == "X" else adata.obsm[rep])
    if columns is None:
        return array
    return array.iloc[:, :columns] if is_indexed(array) else array[:, :columns]


class Representation:
    """Which array of an AnnData a map was made from: 'X' or a key of obsm, and how many of its columns (None: all)."""

    def __init__(self, rep, columns=None, where=""):
        self.rep, self.columns, self.where = rep, columns, where

    def of(self, X):
        """The array of an AnnData; other points as they are."""
        return _array(X, self.rep, self.columns) if is_anndata(X) else X


def representation_of_map(X, map, use_rep, others=(), or_x=False):
    """The Representation from which the map of X was made: ``use_rep``, else the recorded one, else X if obsm has no other
    matrix. Raises InputError if they contradict each other, and if there are several; or_x: a line says then that X is
    taken. others: further points, which may be AnnData too."""
    if not any(is_anndata(each) for each in (X, *others)):
        representation(X, use_rep)
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
        if not or_x and _may_be_points(known, map):
            raise InputError(unknown, option="use_rep")
        if _may_be_points(known, map):
            say(f"X of the AnnData is taken: {unknown}")
        return Representation("X")
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
    made_from = representation_of_map(X, map, use_rep, or_x=True)
    return _match.table(X, _match.rows_drawn(map, graph), name, made_from.of(X))


def scaling_recorded(X, map, given):
    """How the columns of points were scaled for a map in obsm, as uns records it; ``given`` where it is, or None."""
    key = next((key for key in X.obsm if _equal(X.obsm[key], map)), None) if given is None and is_anndata(X) else None
    for name in () if key is None else (key, key.removeprefix("X_")):
        params = _params(X, name)
        if params is not None and isinstance(params.get("normalize"), str):
            return params["normalize"]
    return given


def _recorded(X, map):
    """The Representation that a result, or uns of the AnnData with this map in obsm, records; or None."""
    rep = getattr(map, "use_rep", None)
    if isinstance(rep, str):
        return Representation(rep, where="the result")
    if not is_anndata(X):
        return None
    key = next((key for key in X.obsm if _equal(X.obsm[key], map)), None)
    if key is None:
        return None
    for name in (key, key.removeprefix("X_")):  # of dunlin or with scanpy's key_added; of scanpy
        params = _params(X, name)
        if params is None:
            continue
        if isinstance(params.get("use_rep"), str):
            return Representation(params["use_rep"], where=f"uns[{name!r}]")
        if name != "tsne":  # scanpy's other maps are of its graph of neighbors
            return _of_neighbors(X)
    return None


def _params(adata, name):
    record = adata.uns.get(name)
    params = record.get("params") if hasattr(record, "get") else None
    return params if hasattr(params, "get") else None


def _of_neighbors(adata):
    """What scanpy's graphs of neighbors were made from, if all were made from the same."""
    found = {}
    for name in adata.uns:
        params = _params(adata, name)
        if params is None or "connectivities_key" not in adata.uns[name]:
            continue
        rep, columns = params.get("use_rep"), params.get("n_pcs")
        if rep is None and columns is not None:
            rep = "X_pca" if columns else "X"
        found[(rep, None if columns is None or rep == "X" else int(columns))] = name
    if len(found) != 1:
        return None
    ((rep, columns), name) = next(iter(found.items()))
    return Representation(rep, columns, f"uns[{name!r}]") if isinstance(rep, str) else None


def _equal(array, map):
    array, map = np.asarray(array), np.asarray(map)
    return array.shape == map.shape and array.dtype.kind == "f" and np.array_equal(array, map, equal_nan=True)


def keep(adata, key_added, result, cost):
    """As scanpy.tl.tsne with ``key_added``: the map in obsm, the parameters and the result's cost in uns."""
    adata.obsm[key_added] = result.embedding
    params = {name: value for name, value in result.options.items() if value is not None}
    adata.uns[key_added] = {
        "params": params | {"use_rep": result.use_rep},
        "kl_divergence" if cost == "kl" else cost: getattr(result, cost),
    }

# SPDX-License-Identifier: Apache-2.0
"""AnnData in tsne(), umap() and pacmap(): which of its arrays is taken, and where the map is written when it is asked for."""

from ._errors import InputError


def is_anndata(X):
    return type(X).__module__.partition(".")[0] == "anndata" and hasattr(X, "obsm")


def representation(X, use_rep, key_added):
    """The array that X stands for: ``adata.obsm[use_rep]``, ``adata.X`` without ``use_rep``, X itself otherwise."""
    if is_anndata(X):
        if use_rep is None or use_rep == "X":
            return X.X
        if use_rep not in X.obsm:
            raise InputError(f"use_rep is {use_rep!r}; obsm has {sorted(X.obsm)}", option="use_rep")
        return X.obsm[use_rep]
    for name, value in (("use_rep", use_rep), ("key_added", key_added)):
        if value is not None:
            raise InputError(f"{name} is {value!r}, but X is no AnnData", option=name)
    return X


def keep(adata, key_added, result, cost):
    """As scanpy.tl.tsne with ``key_added``: the map in obsm, the parameters and the result's cost in uns."""
    adata.obsm[key_added] = result.embedding
    adata.uns[key_added] = {
        "params": {name: value for name, value in result.options.items() if value is not None},
        "kl_divergence" if cost == "kl" else cost: getattr(result, cost),
    }

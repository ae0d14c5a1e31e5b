# SPDX-License-Identifier: Apache-2.0
"""umap() of the graph of neighbors that an AnnData has, as scanpy.tl.umap."""

from ._anndata import of_neighbors, refuse_of_annotated
from ._anndata_write import connectivities, keep_map, refuse_as_key
from ._errors import InputError
from ._match import ids_of
from ._methods import METHODS, map_of

_MIN_DIST, _MANY_ROWS, _EPOCHS = 0.5, 10_000, 200  # scanpy.tl.umap's defaults; above this many rows fewer iterations


def umap_of_annotated(adata, neighbors_key, key_added, given, options, how):
    """The map of connectivities in obsp. given: parameters of umap() that do not go with a graph; how: those of a call."""
    refuse_of_annotated(adata, neighbors_key=neighbors_key)
    for name, value in given.items():
        if value is not None:
            raise InputError(f"{name} and neighbors_key are given; leave one out", option=name)
    graph, _ = connectivities(adata, neighbors_key)
    made_from = of_neighbors(adata, [neighbors_key])
    refuse_as_key(key_added, None if made_from is None else made_from.rep)
    if options.get("a") is None:
        options.setdefault("min_dist", _MIN_DIST)
    if graph.shape[0] > _MANY_ROWS:
        options.setdefault("n_epochs", _EPOCHS)
    plain = dict.fromkeys(("labels", "fixed", "grow", "use_rep", "key_added"))
    result = map_of(METHODS["umap"], None, None, graph, options, **plain, **how)
    result.ids = ids_of(adata)
    if made_from is not None:
        result.use_rep = result.options["use_rep"] = made_from.rep
        result.columns_taken = made_from.columns
    if key_added is not None:
        keep_map(adata, key_added, "umap", result, "cross_entropy", how["n_jobs"])
    return result

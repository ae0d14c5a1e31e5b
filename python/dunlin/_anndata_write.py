# SPDX-License-Identifier: Apache-2.0
"""What is written into an AnnData where key_added asks for it, under the keys and in the forms of scanpy."""

import numpy as np

from . import _core, _intake
from ._errors import InputError

GRAPH = "neighbors"  # scanpy's key of uns for a graph of neighbors


def keep_map(adata, key_added, method, result, cost, n_jobs=None):
    """A map in obsm and its parameters in uns, as scanpy.tl.tsne and tl.umap; what the library records more is in
    uns[key]["dunlin"]. key_added: a key, or True for scanpy's own, such as obsm['X_umap'] and uns['umap']."""
    of_map, of_record = (f"X_{method}", method) if key_added is True else (key_added, key_added)
    options = result.options
    if method == "umap":
        params = {name: options[name] for name in ("a", "b")}
        params |= {} if result.seed == 0 else {"random_state": result.seed}
    elif method == "tsne":
        names = ("perplexity", "early_exaggeration", "learning_rate", "metric", "use_rep")
        params = {name: options.get(name) for name in names} | {"n_jobs": n_jobs}
    else:
        params = {name: options.get(name) for name in ("n_neighbors", "mid_near", "further", "metric", "use_rep")}
    taken = {"columns_taken": getattr(result, "columns_taken", None)}
    own = {"version": _core.version, "seed": result.seed, **options, **taken, "kl_divergence" if cost == "kl" else cost: getattr(result, cost)}
    adata.obsm[of_map] = np.asarray(result)
    adata.uns[of_record] = {"params": _plain(params), "dunlin": _plain(own)}


def keep_neighbors(adata, key_added, result, memberships, use_rep, n_pcs):
    """A graph of neighbors as scanpy.pp.neighbors writes it: distances without the point itself, memberships as
    connectivities. key_added: True or 'neighbors' for scanpy's own keys, or another."""
    key = GRAPH if key_added is True else key_added
    before = "" if key == GRAPH else f"{key}_"
    params = {
        "n_neighbors": int(np.diff(result.graph[0]).max(initial=0)) + 1,  # scanpy counts the point itself
        "method": "umap",
        "random_state": result.seed,
        "metric": result.options["metric"],
        "use_rep": use_rep,
        "n_pcs": n_pcs,
    }
    adata.uns[key] = {
        "connectivities_key": f"{before}connectivities",
        "distances_key": f"{before}distances",
        "params": _plain(params),
    }
    adata.obsp[f"{before}distances"], adata.obsp[f"{before}connectivities"] = _intake.scipy_csr(result.graph), memberships


def keep_groups(adata, key_added, labels, params, **more):
    """Labels in obs as scanpy.tl.leiden writes them, categories of text; a label below 0 is no category."""
    from pandas import Categorical

    labels = np.asarray(labels)
    names = [str(label) for label in range(int(labels.max(initial=-1)) + 1)]
    adata.obs[key_added] = Categorical.from_codes(np.where(labels < 0, -1, labels), names)
    adata.uns[key_added] = {"params": _plain(params), **_plain(more)}


def connectivities(adata, neighbors_key):
    """(the memberships of a graph in obsp that uns names, its record)."""
    key = neighbors_key or GRAPH
    if key not in adata.uns or "connectivities_key" not in adata.uns[key]:
        raise InputError(
            f"uns has no graph of neighbors {key!r}; scanpy.pp.neighbors or dunlin.neighbors(adata, key_added={key!r}) makes it",
            option="neighbors_key",
        )
    record = adata.uns[key]
    if record["connectivities_key"] not in adata.obsp:
        raise InputError(
            f"obsp has no {record['connectivities_key']!r}, which uns[{key!r}] names as its connectivities", option="neighbors_key"
        )
    return adata.obsp[record["connectivities_key"]], record


def refuse_as_key(key_added, taken):
    """Raises InputError where a map would overwrite the points it is made from, and for what is no key."""
    if key_added is not None and key_added is not True and not isinstance(key_added, str):
        raise InputError(f"key_added is {key_added!r}; it must be a str, or True for scanpy's own keys", option="key_added")
    if key_added is not None and key_added == taken:
        raise InputError(
            f"key_added is {key_added!r}, the points themselves, which the map would overwrite; give it another name",
            option="key_added",
        )


def _plain(values):
    """Values that an .h5ad holds: without None, sequences as arrays."""
    kept = {name: value for name, value in values.items() if value is not None}
    return {name: np.asarray(value) if isinstance(value, (list, tuple)) else value for name, value in kept.items()}

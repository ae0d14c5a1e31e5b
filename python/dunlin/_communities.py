# SPDX-License-Identifier: Apache-2.0
"""leiden(), louvain()."""

import numpy as np

from . import _cells, _core, _graphs, _intake, _results, _sparse
from ._anndata import refuse_of_annotated
from ._anndata_write import connectivities, keep_groups
from ._errors import InputError, OptionError
from ._groups import COMMUNITIES, known_names
from ._kinds import is_anndata
from ._options import refuse_unknown, translating, with_options
from ._run import OWN, RUN, Run, finished, say

_OWN = (
    """
G : graph
    What layout() takes: a graph of NetworkX or igraph, a SciPy sparse matrix (repeated entries add up), a square array,
    a table of edges, neighbors() (every edge weighs 1), or (n, edges) or (n, edges, weights). Of a matrix an entry is an
    edge from its row to its column, ``symmetrize`` joins the two directions, and an entry on the diagonal is a loop; of
    other graphs several edges between two nodes add up, whatever their directions, and loops are left out, with a line. Of an
    AnnData the connectivities of its graph of neighbors.
weight : str or None, default 'weight'
    Edge attribute that holds the weights, at least 0 in a matrix and above 0 elsewhere; None: every edge weighs 1.
initial_membership : array of shape (n,), or dict or Series by node, optional
    Whole numbers, a community for each node, to begin with. Default: each node is alone.
neighbors_key : str, optional
    Of an AnnData: the key in uns of the graph of neighbors; default: 'neighbors'.
key_added : str, optional
    Of an AnnData: write the labels to obs[key_added] and the parameters to uns[key_added], as scanpy.tl.leiden.
"""
    + OWN
)


def _is_matrix(G):
    is_square = isinstance(G, np.ndarray) and G.ndim == 2 and G.shape[0] == G.shape[1]
    return _sparse.is_sparse(G) or is_square and _cells.columns_in(G) is None


def _of_matrix(matrix, weight):
    """(offsets, targets, weights) of a matrix, both directions as they are."""
    if weight not in (None, "weight"):
        raise InputError(f"weight is {weight!r}, and G has no names of weights; leave weight out, or give None", option="weight")
    if _sparse.is_sparse(matrix):
        matrix = _sparse.with_sums(_sparse.rows_of(matrix, "G"))
    else:
        import scipy.sparse

        matrix = scipy.sparse.csr_matrix(_intake.dense(matrix, "G"))
    if matrix.dtype.kind not in "fiub":
        raise InputError(f"G has numbers of the type {matrix.dtype}; an adjacency matrix has real ones", option="G")
    if matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"G has the shape {matrix.shape}; an adjacency matrix is square", option="G")
    weights = np.ascontiguousarray(matrix.data, np.float32)
    if weight is None:
        weights = (weights != 0).astype(np.float32)
    offsets = np.ascontiguousarray(matrix.indptr, np.int64)
    return offsets, np.ascontiguousarray(matrix.indices[: offsets[-1]], np.int32), weights[: offsets[-1]]


def _graph_of(G, weight, symmetrize):
    if _is_matrix(G):
        csr = _of_matrix(G, weight)
        return _graphs.GraphData(csr, range(len(csr[0]) - 1), "array")
    if symmetrize not in (None, "union"):
        raise OptionError(
            f"symmetrize is {symmetrize!r}, and G is no matrix: its edges have no directions; leave symmetrize out",
            option="symmetrize",
        )
    graph = _graphs.graph_of(G, weight)
    if graph.loops:
        say(f"{graph.loops} edges from a node to itself are left out; a SciPy sparse matrix keeps them")
    return graph


def _graph_of_annotated(adata, weight, neighbors_key, symmetrize):
    """The connectivities, whose nodes have the names of the rows."""
    matrix, _ = connectivities(adata, neighbors_key)
    graph, names = _graph_of(matrix, weight, symmetrize), adata.obs_names
    return _graphs.GraphData(graph.csr, list(names), "array") if names.is_unique else graph


def _start_of(membership, graph):
    if membership is None:
        return None
    values = np.asarray(graph.values_of(membership, "initial_membership"))
    whole = np.rint(values)
    wrong = ~((values == whole) & (np.abs(whole) < 2**24))
    if wrong.any():
        node = graph.nodes[int(np.argmax(wrong))]
        raise InputError(
            f"initial_membership of node {node!r} is {values[wrong][0]}; communities are whole numbers below 2**24",
            option="initial_membership",
        )
    return whole.astype(np.int32)


def _find(name, G, weight, initial_membership, neighbors_key, key_added, callbacks, verbose, n_jobs, options):
    known = known_names(COMMUNITIES, own=("weight", "initial_membership", "neighbors_key", "key_added"))
    options["n_jobs"] = n_jobs
    run = Run(options, verbose, callbacks)
    chosen = COMMUNITIES.take(options)
    refuse_unknown(name, options, known)
    refuse_of_annotated(G, "G", neighbors_key=neighbors_key, key_added=key_added)
    with translating(COMMUNITIES, RUN):
        symmetrize = chosen.get("symmetrize")
        if is_anndata(G):
            graph = _graph_of_annotated(G, weight, neighbors_key, symmetrize)
        else:
            graph = _graph_of(G, weight, symmetrize)
        start = _start_of(initial_membership, graph)
        outcome = _core.communities(graph.csr, start, {**chosen, "method": name}, run.core(), run.callback())
        found = finished(
            outcome, lambda values: _results.CommunitiesResult({**values, "nodes": graph.nodes}, COMMUNITIES)
        )
    if key_added is not None:
        params = {"resolution": found.options["resolution"], "random_state": found.seed, "n_iterations": found.options["n_iterations"]}
        keep_groups(G, key_added, found.labels, params, modularity=found.modularity)
    return found


@with_options(COMMUNITIES, RUN, own=_OWN)
def leiden(
    G,
    *,
    weight="weight",
    initial_membership=None,
    neighbors_key=None,
    key_added=None,
    callbacks=None,
    verbose=0,
    n_jobs=None,
    **options,
):
    """Communities of a graph by the Leiden method (Traag, Waltman and van Eck 2019): connected sets of nodes with many edges
    inside and few between them. The same seed gives the same labels for any number of threads.

    ``modularity`` of the result is weighted, at resolution 1: the mean over edges of 1 within communities, less what is
    expected by degrees (Newman and Girvan 2004). ``quality`` is what was maximized, at ``resolution``. Both are NaN without
    edges.

    Returns
    -------
    CommunitiesResult
        ``labels`` (n,), int32, numbered by falling size, equal sizes by their first node; ``nodes``; ``levels``, labels at
        every level, each a union of those before; ``n_communities``, ``modularity``, ``quality``.

    Raises
    ------
    InputError
        For weights below 0 or not finite, with the edge, and for what is no graph.

    Examples
    --------
    >>> import dunlin
    >>> dunlin.leiden((6, [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5)])).labels.tolist()
    [0, 0, 0, 1, 1, 1]
    """
    return _find("leiden", G, weight, initial_membership, neighbors_key, key_added, callbacks, verbose, n_jobs, options)


@with_options(COMMUNITIES, RUN, own=_OWN)
def louvain(
    G,
    *,
    weight="weight",
    initial_membership=None,
    neighbors_key=None,
    key_added=None,
    callbacks=None,
    verbose=0,
    n_jobs=None,
    **options,
):
    """Communities of a graph by the Louvain method (Blondel et al. 2008): leiden() without its refinement, faster and a
    little worse. Communities that are not connected are divided into their components at the end.

    Returns
    -------
    CommunitiesResult
        As leiden().

    Examples
    --------
    >>> import dunlin
    >>> dunlin.louvain((4, [(0, 1), (2, 3)])).n_communities
    2
    """
    return _find("louvain", G, weight, initial_membership, neighbors_key, key_added, callbacks, verbose, n_jobs, options)

# SPDX-License-Identifier: Apache-2.0
"""neighbors(), affinities(), memberships()."""

from . import _core, _intake, _match, _results
from ._anndata import USE_REP, Representation, annotated, refuse_of_annotated
from ._anndata_write import keep_neighbors
from ._methods import known_labels, len_of, perplexity_options
from ._errors import InputError, OptionError
from ._given import say_if_distances
from ._kinds import recorded
from ._groups import NEIGHBORS, NORMALIZE, POINTS_OWN, TSNE, UMAP, known_names
from ._options import flag, refuse_unknown, translating, with_options
from ._run import CHECKPOINT, OWN, RUN, Run, finished


@with_options(
    NEIGHBORS,
    NORMALIZE,
    RUN,
    CHECKPOINT,
    own=POINTS_OWN
    + """
queries : array of shape (m, d), optional
    Rows whose neighbors among the points are found, in place of those of the points. Nothing is excluded: a query that
    equals a point finds it at distance 0. Offsets of float64 columns are those of X. Where both have names of columns
    (tables, files), they are put in the order of X's.
include_self : bool, default False
    Put each point first in its own list, with distance 0. Not with queries.
n_pcs : int, optional
    Of an AnnData: the first columns of the points in obsm; 0: X.
key_added : str or True, optional
    Of an AnnData: write distances and memberships to obsp and what they are to uns, as scanpy.pp.neighbors, with 'neighbors'
    or True under its own keys. scanpy's n_neighbors counts the point itself: 15 there are 14 here.
"""
    + USE_REP
    + OWN,
)
def neighbors(
    X,
    n_neighbors=15,
    *,
    queries=None,
    include_self=False,
    use_rep=None,
    n_pcs=None,
    key_added=None,
    callbacks=None,
    verbose=0,
    n_jobs=None,
    **options,
):
    """The nearest neighbors of each point, or of each query among the points, exact or approximate.

    The list of a query does not depend on the others. ``recall`` of an approximate search is estimated on the points,
    also with queries.

    Returns
    -------
    NeighborsResult
        ``indices`` (n, k) int32, ``distances`` (n, k) float32, nearest first; ``recall``; ``to_csr()``, ``as_umap()``.
        With queries m rows in place of n. ``ids``: names of these rows, where they have them.

    Examples
    --------
    >>> import numpy as np, dunlin
    >>> dunlin.neighbors(np.arange(4.0).reshape(4, 1), 1).indices[:, 0].tolist()
    [1, 0, 1, 2]
    >>> dunlin.neighbors(np.arange(4.0).reshape(4, 1), 2, queries=[[2.8]]).indices.tolist()
    [[3, 2]]
    """
    known = known_names(NEIGHBORS, NORMALIZE, CHECKPOINT, own=("queries", "include_self", "use_rep", "n_pcs", "key_added"))
    options.update(n_neighbors=n_neighbors, n_jobs=n_jobs)
    scaling = options.pop("normalize", None) or "none"
    run = Run(options, verbose, callbacks, checkpoints=True, scaling=scaling)
    chosen = NEIGHBORS.take(options)
    refuse_unknown("neighbors", options, known)
    if flag(include_self, "include_self") and queries is not None:
        raise OptionError("include_self is for the neighbors of points among themselves; leave it out with queries")
    refuse_of_annotated(X, use_rep=use_rep, n_pcs=n_pcs, key_added=key_added)
    if key_added is not None and queries is not None:
        raise InputError("key_added is of the neighbors of points among themselves; leave it out with queries", option="key_added")
    adata, X = X, annotated(X, use_rep, n_pcs)
    queries = queries if adata is X or queries is None else Representation(X.use_rep, X.n_pcs).rows_of(queries, "queries")
    with translating(NEIGHBORS, RUN, CHECKPOINT):
        metric = chosen.get("metric") or "euclidean"
        if queries is None:
            sparse = chosen.get("method") != "approximate"
            say_if_distances(X, "neighbors")
            points, others = _intake.points(X, run, metric=metric, in_place=True, sparse=sparse), None
        else:
            queries = _match.in_order_of(queries, _match.columns_of(X), "queries", "X")
            points, others = _intake.points_and_queries(X, queries, run, metric=metric)
        rows = [_intake.core_of(points.values)] if others is None else [points.values, others.values]
        outcome = _core.neighbors(rows[0], chosen, run.with_checkpoint(), run.callback(), *rows[1:])
        n, ids = len_of(points.values), _match.ids_of(X if queries is None else queries)

        def wrap(values):
            values["options"] |= {"normalize": scaling, **recorded(X)}
            return _results.NeighborsResult(NEIGHBORS, values, include_self, points.home, n, ids)

        found = finished(outcome, wrap)
    if key_added is not None:
        keep_neighbors(adata, key_added, found, memberships(found), use_rep, n_pcs)
    return found


def affinities(knn, perplexity=30.0, *, kind="gaussian", point_weights=None, n_jobs=None):
    """Symmetric t-SNE affinities of a graph of neighbors, as a SciPy CSR matrix whose entries sum to 1.

    Parameters
    ----------
    knn : sparse matrix, (indices, distances), or NeighborsResult
        The nearest neighbors of each point, with distances.
    perplexity : float or sequence of floats, default 30
        Effective number of neighbors; of several the mean of their affinities.
    kind : {'gaussian', 'mixture', 'uniform'}, default 'gaussian'
        mixture: several perplexities as one density. uniform: the same for each neighbor; perplexity is not read.
    point_weights : array of shape (n,), optional
        A weight above 0 per point: its share of the affinities.
    n_jobs : int, optional
        CPU threads.
    """
    run = Run({"n_jobs": n_jobs})
    if point_weights is not None:
        point_weights = _match.column(point_weights, _match.rows_of(knn, "knn"), "point_weights")
    graph = _intake.without_self(_intake.csr_of(knn))
    chosen = {"affinities": kind} if kind == "uniform" else {"affinities": kind, **perplexity_options(perplexity)}
    weights = None if point_weights is None else _intake.column(point_weights, "point_weights", len(graph[0]) - 1)
    with translating(TSNE):
        return finished(_core.affinities(graph, chosen, weights, run.on_cpu(), None), _intake.scipy_csr)


def memberships(knn, *, labels=None, labels_weight=0.5, local_connectivity=1.0, set_op_mix_ratio=1.0, n_jobs=None):
    """UMAP's symmetric memberships of a graph of neighbors, as a SciPy CSR matrix: umap-learn's ``graph_``.

    ``dunlin.umap(memberships=..., init=...)`` takes them.

    Parameters
    ----------
    knn : sparse matrix, (indices, distances), or NeighborsResult
        The nearest neighbors of each point, with distances.
    labels : array of shape (n,), optional
        Classes of the points; -1, or a missing value: unknown.
    labels_weight : float, default 0.5
        With labels: memberships of points with different labels shrink by exp(-2.5 / (1 - labels_weight)), those of a point
        without label by exp(-1).
    local_connectivity : float, default 1.0
        Nearest neighbors of a point that are members in full.
    set_op_mix_ratio : float, default 1.0
        1: union of the memberships of both ends of an edge, 0: intersection.
    n_jobs : int, optional
        CPU threads.
    """
    run = Run({"n_jobs": n_jobs})
    of = _match.rows_of(knn, "knn")
    graph = _intake.without_self(_intake.csr_of(knn))
    classes = None if labels is None else known_labels(_match.labels(labels, of), len(graph[0]) - 1)
    chosen = {"local_connectivity": local_connectivity, "mix": set_op_mix_ratio}
    if labels is not None:
        chosen["labels_weight"] = labels_weight
    with translating(UMAP):
        return finished(_core.memberships(graph, classes, chosen, run.on_cpu(), None), _intake.scipy_csr)

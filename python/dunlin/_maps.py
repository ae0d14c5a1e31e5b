# SPDX-License-Identifier: Apache-2.0
"""tsne(), neighbors(), affinities()."""

from . import _core, _intake, _results
from ._embedding import Method, len_of, map_of
from ._errors import OptionError
from ._groups import NEIGHBORS, POINTS_OWN, TSNE, known_names
from ._options import refuse_unknown, translating, with_options
from ._run import OWN, RUN, Run, finished

METHOD = Method("tsne", TSNE, _results.TSNEResult, edges="affinities", own=("affinities", "preset"))

_TSNE_OWN = (
    """
X : array of shape (n, d), optional
    Points: NumPy, a table of pandas, polars or pyarrow, an array on a GPU (CuPy, torch, JAX: the result is one, too), or
    a sparse matrix (made dense). float64 and other types are narrowed to float32 in parallel, columns far from zero
    less their offset.
knn : sparse matrix, (indices, distances), or NeighborsResult, optional
    The nearest neighbors of each point, with distances.
affinities : sparse matrix, optional
    Symmetric affinities that sum to 1, in place of X. Needs an array for ``init``.
use_rep : str, optional
    Of an AnnData: the key in obsm of the points, such as 'X_pca'; default: its X.
key_added : str, optional
    Of an AnnData: write the map to obsm[key_added] and the options to uns[key_added]. Default: nothing is written.
preset : {'opentsne', 'sklearn', 'fitsne', 'bhtsne'}, optional
    Constants as another program has them. Other parameters override it.
callbacks_every_iters : int, default 50
    Iterations between two calls of ``callbacks``.
"""
    + OWN
)


@with_options(TSNE, RUN, own=_TSNE_OWN)
def tsne(
    X=None,
    *,
    knn=None,
    affinities=None,
    preset=None,
    use_rep=None,
    key_added=None,
    callbacks=None,
    callbacks_every_iters=50,
    verbose=0,
    n_jobs=None,
    **options,
):
    """A t-SNE map of points (van der Maaten and Hinton 2008).

    ``init`` may be an array of shape (n, n_components), which is taken as it is. ``learning_rate`` and
    ``perplexity`` may be 'auto'.

    Returns
    -------
    TSNEResult
        ``embedding``, ``kl``, ``n_iter``, ``stopped``, ``options`` as they were used, ``seconds`` by stage.

    Examples
    --------
    >>> import numpy as np, dunlin
    >>> X = np.random.default_rng(0).normal(size=(200, 10))
    >>> dunlin.tsne(X, perplexity=10).embedding.shape
    (200, 2)
    """
    for name in ("perplexity", "learning_rate", "late_learning_rate"):
        if isinstance(options.get(name), str) and options[name] == "auto":
            options[name] = None
    return map_of(
        METHOD,
        X,
        knn,
        affinities,
        options,
        preset=preset,
        use_rep=use_rep,
        key_added=key_added,
        callbacks=callbacks,
        every=callbacks_every_iters,
        verbose=verbose,
        n_jobs=n_jobs,
    )


@with_options(
    NEIGHBORS,
    RUN,
    own=POINTS_OWN
    + """
queries : array of shape (m, d), optional
    Rows whose neighbors among the points are found, in place of those of the points. Nothing is excluded: a query that
    equals a point finds it at distance 0. Offsets of float64 columns are those of X.
include_self : bool, default False
    Put each point first in its own list, with distance 0. Not with queries.
"""
    + OWN,
)
def neighbors(X, n_neighbors=15, *, queries=None, include_self=False, callbacks=None, verbose=0, n_jobs=None, **options):
    """The nearest neighbors of each point, or of each query among the points, exact or approximate.

    The list of a query does not depend on the others. ``recall`` of an approximate search is estimated on the points,
    also with queries.

    Returns
    -------
    NeighborsResult
        ``indices`` (n, k) int32, ``distances`` (n, k) float32, nearest first; ``recall``; ``to_csr()``, ``as_umap()``.
        With queries m rows in place of n.

    Examples
    --------
    >>> import numpy as np, dunlin
    >>> dunlin.neighbors(np.arange(4.0).reshape(4, 1), 1).indices[:, 0].tolist()
    [1, 0, 1, 2]
    >>> dunlin.neighbors(np.arange(4.0).reshape(4, 1), 2, queries=[[2.8]]).indices.tolist()
    [[3, 2]]
    """
    known = known_names(NEIGHBORS, own=("queries", "include_self"))
    options.update(n_neighbors=n_neighbors, n_jobs=n_jobs)
    run = Run(options, verbose, callbacks)
    chosen = NEIGHBORS.take(options)
    refuse_unknown("neighbors", options, known)
    if include_self and queries is not None:
        raise OptionError("include_self is for the neighbors of points among themselves; leave it out with queries")
    with translating(NEIGHBORS, RUN):
        metric = chosen.get("metric") or "euclidean"
        if queries is None:
            sparse = chosen.get("method") != "approximate"
            points, others = _intake.points(X, run, metric=metric, in_place=True, sparse=sparse), None
        else:
            points, others = _intake.points_and_queries(X, queries, run, metric=metric)
        rows = [_intake.core_of(points.values)] if others is None else [points.values, others.values]
        outcome = _core.neighbors(rows[0], chosen, run.core(), run.callback(), *rows[1:])
        n = len_of(points.values)
        return finished(
            outcome, lambda values: _results.NeighborsResult(NEIGHBORS, values, include_self, points.home, n)
        )


def affinities(knn, perplexity=30.0, *, n_jobs=None):
    """Symmetric t-SNE affinities of a graph of neighbors, as a SciPy CSR matrix whose entries sum to 1.

    Parameters
    ----------
    knn : sparse matrix, (indices, distances), or NeighborsResult
        The nearest neighbors of each point, with distances.
    perplexity : float, default 30
        Effective number of neighbors.
    n_jobs : int, optional
        CPU threads.
    """
    run = Run({"n_jobs": n_jobs})
    graph = _intake.without_self(_intake.csr_of(knn))
    return finished(_core.affinities(graph, float(perplexity), run.on_cpu(), None), _intake.scipy_csr)

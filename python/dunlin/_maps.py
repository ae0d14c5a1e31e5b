# SPDX-License-Identifier: Apache-2.0
"""tsne(), neighbors(), affinities()."""

import numpy as np

from . import _core, _intake, _results
from ._anndata import keep, representation
from ._errors import InputError, OptionError
from ._groups import NEIGHBORS, POINTS_OWN, TSNE, known_names
from ._options import refuse_unknown, translating, with_options
from ._run import OWN, RUN, Run, finished


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
    known = known_names(
        TSNE, own=("knn", "affinities", "preset", "use_rep", "key_added", "callbacks_every_iters")
    )
    options["n_jobs"] = n_jobs
    run = Run(options, verbose, callbacks, callbacks_every_iters)
    adata, X = X, representation(X, use_rep, key_added)
    start = options.get("init")
    if isinstance(start, str) or start is None:
        start = None
    else:
        options.pop("init")
    for name in ("perplexity", "learning_rate", "late_learning_rate"):
        if isinstance(options.get(name), str) and options[name] == "auto":
            options[name] = None
    chosen = TSNE.take(options)
    refuse_unknown("tsne", options, known)
    with translating(TSNE, RUN):
        if affinities is not None:
            if X is not None or knn is not None:
                raise InputError("affinities are given in place of X and knn; give one of them", option="affinities")
            graph = _intake.csr_of(affinities, name="affinities")
            if start is None:
                raise InputError(
                    "affinities need a start: give init an array of shape (n, n_components)", option="init"
                )
            return embed(None, graph, None, start, chosen, preset, run)
        if X is None and knn is None:
            raise OptionError("tsne() needs X, knn or affinities", option="X")
        graph = None if knn is None else _intake.without_self(_intake.csr_of(knn, None if X is None else len_of(X)))
        if X is None:
            points = _intake.Points(np.zeros((len(graph[0]) - 1, 1), np.float32))
            if start is None and chosen.get("start") not in ("random",):
                raise InputError("without X there is no init by PCA; give init='random' or an array", option="init")
        else:
            metric = chosen.get("metric") or "euclidean"
            sparse = chosen.get("neighbors") != "approximate"
            points = _intake.points(X, run, metric=metric, in_place=stays_on_gpu(chosen), sparse=sparse)
        result = embed(points, None, graph, start, chosen, preset, run)
        if key_added is not None:
            keep(adata, key_added, result)
        return result


def stays_on_gpu(chosen):
    """Whether a GPU makes this map from points in its memory; repulsion adaptive and maps on a line are for the host."""
    return chosen.get("repulsion") != "adaptive" and chosen.get("dim") != 1


def len_of(X):
    return X.shape[0] if hasattr(X, "shape") else len(X)


def embed(points, affinities, knn, start, chosen, preset, run):
    """Calls the binding.

    points : Points, or None where there are affinities
    """
    source, points = points, None if points is None else points.values
    dim = chosen.get("dim")
    n = len(points) if points is not None else len(affinities[0]) - 1
    if start is not None:
        start = _intake.plain(start, "init", 2 if dim is None else int(dim), n)
    callback = run.callback(has_map=True)
    if affinities is not None:
        outcome = _core.tsne_of_affinities(affinities, start, chosen, preset or "", run.core(), callback, run.every)
    else:
        outcome = _core.tsne(_intake.core_of(points), knn, start, chosen, preset or "", run.core(), callback, run.every)

    def wrap(values):
        if source is not None and source.home is not None:
            values["embedding"] = source.taken(values["embedding"])
        return _results.TSNEResult(TSNE, values)

    return finished(outcome, wrap)


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

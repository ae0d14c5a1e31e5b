# SPDX-License-Identifier: Apache-2.0
"""mds()."""

from . import _core, _graphs, _intake, _results
from ._errors import InputError, OptionError
from ._groups import MDS, MDS_POINTS, known_names
from ._options import refuse_unknown, translating, with_options
from ._run import CHECKPOINT, OWN, RUN, Run, finished


def items_of(X, dissimilarities, distance, graph, n, points_options, run, weight="weight"):
    """The library's Dissimilarities of one of four sources."""
    given = [
        name
        for name, value in (("X", X), ("dissimilarities", dissimilarities), ("distance", distance), ("graph", graph))
        if value is not None
    ]
    if len(given) != 1:
        raise OptionError(
            f"give one of X, dissimilarities, distance and graph; {' and '.join(given) or 'none'} "
            f"{'are' if given else 'is'} given",
            option=given[1] if given else "X",
        )
    if points_options and X is None:
        raise OptionError(f"{next(iter(points_options))} is for points; give X", option=next(iter(points_options)))
    core = run.narrowing()
    if X is not None:
        metric = points_options.get("metric") or "euclidean"
        # zscore and minmax do not depend on offsets
        normalized = points_options.get("normalize") not in (None, "none")
        points = _intake.points(X, run, metric=metric, offsets="subtract" if normalized else None)
        return _core.Dissimilarities.of_points(points.values, points_options, core)
    if dissimilarities is not None:
        if _intake.is_sparse(dissimilarities):
            raise InputError(
                "dissimilarities is sparse; MDS needs a full square matrix, or graph=", option="dissimilarities"
            )
        array = _intake.dense(dissimilarities, "dissimilarities")
        if array.ndim == 1:
            from scipy.spatial.distance import squareform

            array = squareform(array)
        return _core.Dissimilarities.of_matrix(_intake.plain(array, "dissimilarities", array.shape[0]), core)
    if graph is not None:
        return _core.Dissimilarities.of_graph(_graphs.graph_of(graph, weight).csr, core)
    if n is None:
        raise OptionError("distance needs n, the number of items", option="n")
    return _core.Dissimilarities.of_function(n, distance)


_MDS_OWN = (
    """
X : array of shape (n, d), optional
    Points, whose distances are dissimilarities.
dissimilarities : array of shape (n, n) or condensed, optional
    The dissimilarities themselves; NaN: missing.
distance : callable, optional
    ``distance(i, j)`` for two int arrays returns as many dissimilarities. Needs ``n``.
graph : graph, optional
    Lengths of shortest paths; edges' weights are lengths.
n : int, optional
    Number of items, with ``distance``.
fixed : array of shape (n, n_components), optional
    Items that stay where they are; NaN: to be placed.
weights : array of shape (n, n), optional
    How much a pair's error counts.
max_distances : int, optional
    With ``distance`` or ``graph``: most distances to compute.
callbacks_every_iters : int, default 50
    Iterations between two calls of ``callbacks``.
"""
    + OWN
)


@with_options(MDS_POINTS, MDS, RUN, CHECKPOINT, own=_MDS_OWN)
def mds(
    X=None,
    *,
    dissimilarities=None,
    distance=None,
    graph=None,
    n=None,
    fixed=None,
    weights=None,
    max_distances=None,
    callbacks=None,
    callbacks_every_iters=50,
    verbose=0,
    n_jobs=None,
    **options,
):
    """A map of items by multidimensional scaling.

    ``init`` may be an array of shape (n, n_components).

    Returns
    -------
    MDSResult
        ``embedding``; ``stress()`` computes normalized stress, Kruskal's stress-1 and scaled stress-1.

    Examples
    --------
    >>> import numpy as np, dunlin
    >>> result = dunlin.mds(dissimilarities=[[0, 3, 4], [3, 0, 5], [4, 5, 0]])
    >>> bool(result.stress()["stress1"][0] < 1e-3)
    True
    """
    known = known_names(
        MDS, MDS_POINTS, CHECKPOINT, own=("dissimilarities", "distance", "graph", "n", "fixed", "weights", "max_distances")
    )
    options["n_jobs"] = n_jobs
    run = Run(options, verbose, callbacks, callbacks_every_iters, checkpoints=True)
    start = options.get("init")
    start = None if isinstance(start, str) else options.pop("init", None)
    point_options = MDS_POINTS.take(options)
    chosen = MDS.take(options)
    refuse_unknown("mds", options, known)
    with translating(MDS, MDS_POINTS, RUN, CHECKPOINT):
        items = items_of(X, dissimilarities, distance, graph, n, point_options, run)
        if max_distances is not None:
            items.allow(int(max_distances))
        dim = chosen.get("dim") or 2
        start = None if start is None else _intake.plain(start, "init", dim, len(items))
        fixed = None if fixed is None else _intake.plain(fixed, "fixed", dim, len(items))
        weights = None if weights is None else _intake.plain(weights, "weights", len(items), len(items))
        outcome = _core.mds(items, start, fixed, weights, chosen, run.with_checkpoint(), run.callback(has_map=True), run.every)
        return finished(outcome, lambda values: _results.MDSResult(MDS, values, items, run))

# SPDX-License-Identifier: Apache-2.0
"""mds()."""

import math
import operator

import numpy as np

from . import _cells, _core, _graphs, _intake, _match, _results, _sequences, _sparse
from ._anndata import USE_REP, annotated
from ._errors import InputError, OptionError
from ._frames import Frame
from ._given import say_if_distances
from ._groups import MDS, MDS_POINTS, SEQUENCES, SEQUENCES_BESIDE_POINTS, known_names
from ._kinds import recorded
from ._options import refuse_unknown, translating, with_options
from ._owned import owned
from ._run import CHECKPOINT, OWN, RUN, Run, finished


def items_of(given, n, options, run, weight="weight", keep=False):
    """The library's Dissimilarities of one source, removed with its options from ``options``. given: the sources by name,
    None where a source is not given. keep: they are read again when the caller may have changed the source."""
    present = [name for name, value in given.items() if value is not None]
    if len(present) != 1:
        *names, last = given
        raise OptionError(
            f"give one of {', '.join(names)} and {last}; {' and '.join(present) or 'none'} "
            f"{'are' if present else 'is'} given",
            option=present[1] if present else "X",
        )
    source, value = present[0], given[present[0]]
    if n is not None and source != "distance":
        raise OptionError(f"n is the number of items of distance; {source} has its own", option="n")
    core = run.narrowing()
    if source in ("strings", "tracks"):
        _refuse_options_of_points(options)
        return _sequences.items_of(source, value, SEQUENCES.take(options), run.core())
    refuse_sequence_options(options)
    points_options = MDS_POINTS.take(options)
    if points_options and source != "X":
        raise OptionError(f"{next(iter(points_options))} is for points; give X", option=next(iter(points_options)))
    if source == "X":
        metric = points_options.get("metric") or "euclidean"
        if hasattr(value, "shape"):
            say_if_distances(value, "items")
        # zscore and minmax do not depend on offsets
        normalized = points_options.get("normalize") not in (None, "none")
        points = _intake.points(value, run, metric=metric, offsets="subtract" if normalized else None)
        rows = owned(points.values, value) if keep else points.values
        return _core.Dissimilarities.of_points(rows, points_options, core)
    if source == "dissimilarities":
        if _sparse.is_sparse(value):
            raise InputError(
                "dissimilarities is sparse; MDS needs a full square matrix, or graph=", option="dissimilarities"
            )
        array = _intake.dense(_match.in_own_order(value, "dissimilarities"), "dissimilarities", missing=True)
        array = _squared(array) if array.ndim == 1 else array
        matrix = _cells.with_diagonal(_intake.plain(array, "dissimilarities", array.shape[0]), "dissimilarities")
        return _core.Dissimilarities.of_matrix(owned(matrix, value) if keep else matrix, core)
    if source == "graph":
        return _core.Dissimilarities.of_graph(_graphs.graph_of(value, weight, lengths=True, usual=True).csr, core)
    if n is None:
        raise OptionError("distance needs n, the number of items", option="n")
    if isinstance(n, (bool, np.bool_)) or not hasattr(n, "__index__"):
        raise OptionError(f"n is {n!r}; it must be a whole number", option="n")
    if not 0 <= operator.index(n) < 2**31:
        raise InputError(f"n is {n}; it must be from 0 to {2**31 - 1}", option="n")
    return _core.Dissimilarities.of_function(n, lambda i, j: _intake.dense(value(i, j), "distance(i, j)", missing=True))


def _refuse_options_of_points(options):
    for name in MDS_POINTS.rows:
        if options.get(name) is not None and name not in SEQUENCES.rows:
            raise OptionError(f"{name} is for points; give X", option=name)


def _squared(condensed):
    """The square matrix of the pairs above the diagonal, row by row."""
    from scipy.spatial.distance import squareform

    n = (1 + math.isqrt(1 + 8 * len(condensed))) // 2
    if n * (n - 1) // 2 != len(condensed):
        raise InputError(
            f"dissimilarities has {len(condensed)} numbers, which are not the pairs of any number of items; {n} items have "
            f"{n * (n - 1) // 2}",
            option="dissimilarities",
        )
    return squareform(condensed) if n > 1 else np.zeros((n, n))


def with_names_read(given, run):
    """The sources by name, a graph and tracks as they are read: these have the names of nodes and tracks, and what there is
    to say about them is said once."""
    graph, tracks = given["graph"], given["tracks"]
    return {
        **given,
        "graph": None if graph is None else _graphs.graph_of(graph, lengths=True, usual=True),
        "tracks": None if tracks is None else _sequences.tracks_of(tracks, run.core()),
    }


def rows_of_items(given):
    """The _match.Rows of the source that is given, with the names of its rows: of points, of a square table, of strings in a
    Series, of a graph or tracks that were read."""
    source, value = next((name, value) for name, value in given.items() if value is not None)
    if source == "distance":
        return None
    return _match.Rows(source, value.size if source == "graph" else _match.rows_of(value).count, _match.ids_of(value))


def without_options_of_items(options):
    """The options that items_of does not take."""
    return {name: value for name, value in options.items() if name not in MDS_POINTS.rows and name not in SEQUENCES.rows}


def refuse_sequence_options(options):
    for name in SEQUENCES_BESIDE_POINTS.names():
        if name in options:
            raise OptionError(f"{name} is for strings and tracks; give these", option=name)


SOURCES_OWN = USE_REP + """
X : array of shape (n, d), optional
    Points, whose distances are dissimilarities.
dissimilarities : array of shape (n, n) or condensed, optional
    The dissimilarities themselves. Of a table with the same names of rows and columns, columns follow the order of rows. A missing
    diagonal is 0.
distance : callable, optional
    ``distance(i, j)`` for two int arrays returns as many dissimilarities. Needs ``n``.
graph : graph, optional
    Lengths of shortest paths; edges' weights are lengths.
strings : sequence of str or of sequences of words, optional
    Texts, whose edit distances are dissimilarities.
tracks : sequence of arrays of shape (positions, d), optional
    Trajectories or time series; ``metric`` is 'dtw', 'frechet' (default), 'hausdorff' or 'great-circle'. A tuple
    (tracks, 'geographic'): latitudes and longitudes in degrees. Or a table with the columns of a file of tracks (id,
    time, lat, lon or x, y), whose items are in the order of their first rows, or ascend if all ids are numbers, or a list of
    one per track.
n : int, optional
    Number of items, with ``distance``.
max_distances : int, optional
    With ``distance``, ``graph``, and ``pairs='on-demand'``: most distances to compute.
"""


_MDS_OWN = (
    SOURCES_OWN
    + """
fixed : array of shape (n, n_components), optional
    Items that stay where they are; NaN: to be placed.
weights : array of shape (n, n), optional
    How much a pair's error counts. Tables with names, here and in ``fixed`` and ``init``, are matched by name.
callbacks_every_iters : int, default 50
    Iterations between two calls of ``callbacks``.
"""
    + OWN
)


@with_options(MDS_POINTS, SEQUENCES_BESIDE_POINTS, MDS, RUN, CHECKPOINT, own=_MDS_OWN)
def mds(
    X=None,
    *,
    dissimilarities=None,
    distance=None,
    graph=None,
    strings=None,
    tracks=None,
    n=None,
    fixed=None,
    weights=None,
    max_distances=None,
    use_rep=None,
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
        ``embedding``, ``ids`` (names of its rows, where the items have them); ``stress()`` computes normalized stress,
        Kruskal's stress-1 and scaled stress-1 later, of what was given: a float32 array in C order is copied for it, unless
        it is read-only (``X.flags.writeable = False`` saves the memory). ``distance`` is called again.

    Examples
    --------
    >>> import numpy as np, dunlin
    >>> result = dunlin.mds(dissimilarities=[[0, 3, 4], [3, 0, 5], [4, 5, 0]])
    >>> bool(result.stress()["stress1"][0] < 1e-3)
    True
    """
    sources = {
        "X": annotated(X, use_rep),
        "dissimilarities": dissimilarities,
        "distance": distance,
        "graph": graph,
        "strings": strings,
        "tracks": tracks,
    }
    known = known_names(
        MDS,
        MDS_POINTS,
        SEQUENCES,
        CHECKPOINT,
        own=(*sources, "n", "fixed", "weights", "max_distances", "use_rep"),
    )
    options["n_jobs"] = n_jobs
    run = Run(options, verbose, callbacks, callbacks_every_iters, checkpoints=True)
    start = options.get("init")
    start = None if isinstance(start, str) else options.pop("init", None)
    chosen = MDS.take(options)
    refuse_unknown("mds", without_options_of_items(options), known)
    with translating(MDS, MDS_POINTS, SEQUENCES, RUN, CHECKPOINT):
        sources = with_names_read(sources, run)
        items = items_of(sources, n, options, run, keep=True)
        if max_distances is not None:
            items.allow(int(max_distances))
        dim, of = chosen.get("dim") or 2, rows_of_items(sources)
        frame, stay = Frame(), None if fixed is None else True
        if fixed is not None:
            fixed = _match.matrix(fixed, of, "fixed", lonely=True)
            fixed = frame.taken(fixed, "fixed", dim, len(items), missing=True)
        if start is not None:
            start = frame.taken(_match.matrix(start, of, "init"), "init", dim, len(items))
        if weights is not None:
            weights = _intake.plain(_match.square(weights, of, "weights"), "weights", len(items), len(items))
        tell, ids = run.callback(has_map=True, frame=frame), None if of is None else of.ids
        outcome = _core.mds(items, start, fixed, weights, chosen, run.with_checkpoint(), tell, run.every, ids)

        def wrap(values):
            values["embedding"] = frame.restored(values["embedding"], stay)
            values["options"] |= recorded(sources["X"])
            return _results.MDSResult(MDS, values, items, run, ids, weights)

        return finished(outcome, wrap)

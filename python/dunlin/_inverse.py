# SPDX-License-Identifier: Apache-2.0
"""inverse(): rows of data for places in a map of UMAP."""

from . import _core, _intake, _match, _results
from ._errors import InputError
from ._frames import Frame
from ._given import yield_to_lists
from ._groups import INVERSE, known_names
from ._options import refuse_unknown, translating, with_options
from ._run import OWN, RUN, Run, finished

_OWN = (
    """
places : array of shape (m, dim)
    Places in the map.
X : array of shape (n, d)
    The points of the map.
map : array of shape (n, dim), or the result of umap()
    A result has the options that it was made with; others that are given override them. Where X and the map have names of
    rows, they are matched by name.
knn : sparse matrix, (indices, distances), or NeighborsResult, optional
    The nearest neighbors of each point of X, with distances, in place of a search: of more than ``n_neighbors`` the
    nearest.
normalize : {'none', 'standardize', 'minmax'}, optional
    Scaling of the columns of X, as for tsne(). Default: as the map was made, where it is a result. The rows have the units of
    X.
"""
    + OWN
)
# Options of a map that the rows follow from, too
_OF_MAPS = ("n_neighbors", "neighbors", "recall", "min_dist", "spread", "a", "b", "local_connectivity")


@with_options(INVERSE, RUN, own=_OWN)
def inverse(places, X, map, *, knn=None, normalize=None, callbacks=None, verbose=0, n_jobs=None, **options):
    """Rows of data for places in a map of UMAP: what lies there.

    A row is a mixture of the rows of the nearest points of the map, whose memberships to these are as alike as can be to those
    of the place in the map. It depends on no other place. Distances are euclidean.

    Returns
    -------
    InverseResult
        ``rows`` (m, d), and for each ``distance`` of its place to the nearest point of the map; ``neighbor_distance``, what this
        is for points of the map: far from these a row is a mean of what lies around.

    Examples
    --------
    >>> import numpy as np, dunlin
    >>> X = np.random.default_rng(0).normal(size=(200, 10))
    >>> map = dunlin.umap(X)
    >>> dunlin.inverse(map.embedding[:5] + 0.1, X, map).rows.shape
    (5, 10)
    """
    options["n_jobs"] = n_jobs
    run = Run(options, verbose, callbacks, scaling=_results.scaling_for(normalize, map, knn, must_match=True))
    k_is_chosen = options.get("n_neighbors") is not None
    for name, value in _options_of(map).items():
        options.setdefault(name, value)
    chosen = INVERSE.take(options)
    refuse_unknown("inverse", options, known_names(INVERSE, own=("knn",)))
    with translating(INVERSE, RUN):
        of = _match.rows_of(X)
        map, knn = _match.matrix(map, of, "map"), _match.graph(knn, of, "knn")
        if knn is not None:
            knn = _intake.without_self(_intake.csr_of(knn, of.count))
            if chosen.get("k") is not None and not k_is_chosen:
                yield_to_lists(chosen, knn, "umap")
        return of_points(places, X, map, knn, chosen, run)


def of_points(places, X, map, knn, chosen, run):
    """An InverseResult; options and lists as the library takes them."""
    points = _intake.points_of(_intake._numbers(X, run, "X"), run, "euclidean", _intake.columns_of(X))
    n = len(points.values)
    frame = Frame()
    map = frame.taken(map, "map")
    if len(map) != n:
        raise InputError(f"map has {len(map)} rows; it must have one for each of {n} points", option="map")
    places = frame.taken(places, "places", map.shape[1])
    outcome = _core.inverse(points.values, map, places, knn, chosen, run.core(), run.callback())

    def wrap(values):
        values["rows"] = points.restored(values["rows"])
        return _results.InverseResult(INVERSE, values)

    return finished(outcome, wrap)


def _options_of(map):
    """The options of a result of umap(); none of another map."""
    if not isinstance(map, _results.MapResult):
        return {}
    metric = map.options.get("metric", "euclidean")
    if not isinstance(map, _results.UMAPResult):
        raise InputError("map is not of umap(); rows are found for maps of UMAP alone", option="map")
    if metric != "euclidean":
        raise InputError(f"the map is of metric {metric!r}; rows are found for 'euclidean' alone", option="map")
    return {name: map.options[name] for name in _OF_MAPS if map.options.get(name) is not None}

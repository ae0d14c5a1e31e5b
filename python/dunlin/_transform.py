# SPDX-License-Identifier: Apache-2.0
"""transform(): places of new points in a map that stays."""

import numpy as np

from . import _core, _intake, _match, _results
from ._anndata import _equal, is_anndata, representation_of_map, scaling_recorded
from ._methods import METHODS
from ._errors import InputError
from ._frames import Frame
from ._given import yield_to_lists
from ._groups import PLACE, known_names
from ._options import refuse_unknown, translating, with_options
from ._run import OWN, RUN, Run, finished, say

_OWN = (
    """
queries : array of shape (m, d)
    The new points. Where both have names of columns (tables, files, AnnData), they are put in the order of X's.
X : array of shape (n, d)
    The points of the map.
map : array of shape (n, 1), (n, 2) or (n, 3), or the result of tsne(), umap() or pacmap()
    The map, which is not changed. A result has the method and the options that it was made with; others that are given
    override them. Where X and the map have names of rows, they are matched by name.
knn : sparse matrix, (indices, distances), or NeighborsResult, optional
    The nearest neighbors of each point of X, with distances, in place of a search: of more than ``n_neighbors`` the
    nearest.
normalize : {'none', 'standardize', 'minmax'}, optional
    Scaling of the columns of X, as for tsne(). Default: as the map was made, where it is a result.
use_rep : str, optional
    Of an AnnData: 'X' or the key in obsm of the points that the map was made from. Default: what the result, or uns for a
    map of obsm, records; an error if nothing does.
"""
    + OWN
)


# Options of a map, under the names of its function, that placing reads too
_OF_MAPS = (
    "perplexity",
    "n_neighbors",
    "n_pcs",
    "metric",
    "neighbors",
    "recall",
    "min_dist",
    "spread",
    "a",
    "b",
    "local_connectivity",
    "set_op_mix_ratio",
    "negative_sample_rate",
    "repulsion_strength",
    "softening",
    "further",
)


def options_of(map):
    """The options of placing in a map that is a result of a function; none of another map."""
    method = next((name for name, known in METHODS.items() if isinstance(map, known.result)), None)
    if method is None:
        return {}
    options = {name: map.options[name] for name in _OF_MAPS if map.options.get(name) is not None}
    if method == "tsne":
        _refuse_other_losses(map)
        options["freedom"] = map.options["freedom"]
        options["exaggeration"] = map.options["late_exaggeration"]
    return {"map_method": method, **options}


def _refuse_other_losses(map):
    """Raises InputError for a t-SNE map whose loss placing does not have."""
    plain = {"perplexities": None, "affinities": "gaussian", "anchor": "none"}
    set_ones = [name for name, value in plain.items() if map.options[name] != value]
    set_ones += [name for name in getattr(map, "given", ()) if name not in set_ones]
    if set_ones:
        raise InputError(
            f"the map was made with {' and '.join(set_ones)}; new points are placed only in maps of one perplexity and "
            "Gaussian affinities of the points, without anchors",
            option="map",
        )


class Placer:
    """A map made ready: places() is a search for the queries and their places, no more."""

    def __init__(self, X, map, chosen, run, knn=None, state=None):
        self._metric = chosen.get("metric") or "euclidean"
        self._array = _intake._numbers(X, run, "X")
        self._points = _intake.points_of(self._array, run, self._metric, _intake.columns_of(X))
        n = len(self._points.values)
        self.map = _intake.dense(map, "map")
        if self.map.ndim != 2 or len(self.map) != n:
            raise InputError(f"map has the shape {self.map.shape}; it must have a row for each of {n} points", option="map")
        self._frame = Frame()
        places = self._frame.taken(self.map, "map")  # which the library copies
        if knn is not None:
            knn = _intake.without_self(_intake.csr_of(knn, n))
        made = _core.placer(self._points.values, places, knn, state, chosen, run.core(), run.callback())
        self._core = finished(made, lambda placer: placer)

    def state(self):
        return self._core.state()

    def places(self, queries, run, ids=None):
        """A PlacedResult. ids: names of the queries."""
        others = _intake._numbers(queries, run, "queries")
        columns = self._array.shape[1]
        if others.shape[1] != columns:
            raise InputError(
                f"queries have {others.shape[1]} columns and X has {columns}; both must have the same", option="queries"
            )
        rows = _intake.rows_like(others, self._array, self._points, run, self._metric)
        with translating(PLACE, RUN):
            outcome = self._core.place(rows.values, run.core(), run.callback())

            def wrap(values):
                values["embedding"], values["ids"] = self._frame.restored(values["embedding"]), ids
                return _results.PlacedResult(PLACE, values)

            return finished(outcome, wrap)


@with_options(PLACE, RUN, own=_OWN)
def transform(queries, X, map, *, knn=None, normalize=None, use_rep=None, callbacks=None, verbose=0, n_jobs=None, **options):
    """Places of new points in a map by t-SNE, UMAP or PaCMAP, which stays as it is.

    A place minimizes the loss of the map as a function of the new point's position. It depends on no other query: row by
    row gives the bytes of a batch. Of a map that is an array, give ``map_method`` and the options as it was made
    (``exaggeration``: the late one).

    Returns
    -------
    PlacedResult
        ``embedding`` (m, dim), ``ids`` of the queries, and for each query ``cost``, ``gap`` to the next minimum, ``distance`` to
        the nearest point and ``remoteness``, above 1 for points far from the data of the map; their number ``far``, and beside it
        ``far_of_map``, the share of the map's own points that are so. ``preservation``: mean share of the 15 nearest
        points that are among the 15 nearest in the map. ``affinity="best"`` chooses each place by the same share;
        ``by_own``: for each query whether its place is the one by ``"own"``, None with another affinity.

    Examples
    --------
    >>> import numpy as np, dunlin
    >>> X = np.random.default_rng(0).normal(size=(200, 10))
    >>> map = dunlin.tsne(X[:190], perplexity=10)
    >>> dunlin.transform(X[190:], X[:190], map).embedding.shape
    (10, 2)
    """
    known = known_names(PLACE, own=("knn", "use_rep"))
    options["n_jobs"] = n_jobs
    run = Run(options, verbose, callbacks, scaling=_results.scaling_for(scaling_recorded(X, map, normalize), map, knn, must_match=True))
    k_is_chosen = options.get("n_neighbors") is not None
    for name, value in options_of(map).items():
        options.setdefault(name, value)
    chosen = PLACE.take(options)
    refuse_unknown("transform", options, known)
    with translating(PLACE, RUN):
        made_from = representation_of_map(X, map, use_rep, (queries,))
        if made_from.columns is not None:
            chosen.pop("pca", None)  # columns of obsm that were taken
        _say_other_method(X, map, chosen.get("method") or "tsne")
        of, ids = _match.rows_of(X), _match.ids_of(queries)
        map, knn = _match.matrix(map, of, "map"), _match.graph(knn, of, "knn")
        queries, X = _in_columns_of(queries, X, made_from)
        if knn is not None:
            knn = _intake.without_self(_intake.csr_of(knn, of.count))
            if chosen.get("k") is not None and not k_is_chosen:
                yield_to_lists(chosen, knn, chosen.get("method"))
        return Placer(X, map, chosen, run, knn=knn).places(queries, run, ids)


def _say_other_method(X, map, method):
    """Says that uns of the AnnData records the map, which is in obsm, as one by another method."""
    key = next((key for key in X.obsm if _equal(X.obsm[key], map)), None) if is_anndata(X) else None
    for name in () if key is None else dict.fromkeys((key, key.removeprefix("X_"))):
        record = X.uns.get(name)
        if not hasattr(record, "get"):
            continue
        record = record if not hasattr(record.get("dunlin"), "get") else record["dunlin"]
        costs = {"kl_divergence": "tsne", "cross_entropy": "umap", "loss": "pacmap"}
        made_by = next((by for cost, by in costs.items() if cost in record), name if name in METHODS else method)
        if made_by != method:
            say(
                f"new points are placed by {method}, but the map is by {made_by}, as uns[{name!r}] records; give "
                f"map_method={made_by!r}, and the options that it was made with"
            )
        return


def _in_columns_of(queries, X, made_from):
    """The queries with their columns in the order of those of X, and X, both as arrays of the Representation."""
    names, others = _match.columns_of(queries, made_from.rep), _match.columns_of(X, made_from.rep)
    order = _match.column_order(names, others, "queries", "X")
    queries = made_from.of(queries, "queries")
    return queries if order is None else _match.take_columns(queries, order), made_from.of(X)

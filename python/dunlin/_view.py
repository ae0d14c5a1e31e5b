# SPDX-License-Identifier: Apache-2.0
"""view(), watch(), live(): maps in a notebook, and while they form."""

import copy
import importlib
import os
import pathlib
import sys
import tempfile

import numpy as np

from . import _cells, _embedding, _graphs, _intake, _item_names, _match, _methods, _results, _sparse
from ._anndata import points_of_map
from ._drawings import color
from ._errors import InputError, OptionError
from ._groups import HULLS, LANDSCAPE, NEIGHBORS, PAGE
from ._options import refuse_unknown, translating, with_options
from ._owned import owned
from ._pages import ShownPoints, html_with
from ._run import Run
from ._watching import Watching

_METRICS = NEIGHBORS.rows["metric"][7]
_POINTS = """
labels : array of shape (n,), optional
    Classes of the points, a color each. Missing ones (None, NaN, pandas.NA, a mask) are gray.
values : array of shape (n,), optional
    A number per point, in place of labels' colors. NaN: missing.
ids : sequence of str, or Series or dict by the names of rows, optional
    Names of the points, shown on hover and found by search. Where the map, labels and values have names of rows, these are
    matched by name.
"""
_WIDGET = """
metric : {'euclidean', 'manhattan', 'cosine', 'correlation'}, default 'euclidean'
    Distance between two of those points.
frame_height : int, default 480
    Height in the notebook, pixels.
"""
_RATE = """
rate : float, default 8
    Most megabytes per second that are sent to the notebook while the map moves; a map has 4 bytes per point, in space 6.
n_jobs : int, optional
    CPU threads of the page's own work.
"""


@with_options(
    PAGE,
    LANDSCAPE,
    own="""
map : array of shape (n, 1 to 3), or a result
    The map.
"""
    + _POINTS
    + """
graph : graph, optional
    Its edges are drawn under the points; of a result of layout() they are its own.
of : array of shape (n, d), optional
    The points that the map was made from: a point's card names its neighbors among them and says how many the map kept.
use_rep : str, optional
    Of an AnnData ``of``: as for transform().
hulls : bool or dict, default False
    Hulls around the points of each label of a 3-D map; a dict has options of hulls().
weight : str or None, default 'weight'
    As for layout().
"""
    + _item_names.DOC.lstrip("\n")
    + _WIDGET.lstrip("\n")
    + """
n_jobs : int, optional
    CPU threads.
""",
)
def view(
    map,
    *,
    labels=None,
    values=None,
    ids=None,
    names_from=None,
    graph=None,
    of=None,
    use_rep=None,
    hulls=False,
    weight="weight",
    metric="euclidean",
    frame_height=480,
    n_jobs=None,
    **options,
):
    """Shows a map: in a notebook as an interactive view, elsewhere as a page in the browser (docs/jupyter.md).

    In a notebook it needs anywidget. Elsewhere the page is a file in the folder of temporary files, without a link back.

    Returns
    -------
    View, or the path of the file
        ``selected``: row numbers of the points that are selected in the view.
    """
    run, options = Run({"n_jobs": n_jobs}), dict(options)
    item_names = _item_names.ItemNames(options, names_from)
    style, landscape = PAGE.take(options), LANDSCAPE.take(options)
    own = ["labels", "values", "ids", "names_from", "graph", "of", "use_rep", "hulls", "weight", "metric", "frame_height"]
    refuse_unknown("view", options, PAGE.names() + LANDSCAPE.names() + own)
    if isinstance(map, _results.Layout) and graph is None:
        graph = map.graph
    with translating(PAGE, LANDSCAPE, HULLS):
        edges = None if graph is None else _graphs.graph_of(graph, weight)
        placed = owned(_placed(map, edges), map)
        if landscape.get("style") == "landscape" and (edges is not None or placed.shape[1] == 3):
            raise OptionError("a landscape is for maps of 2 dimensions without edges; leave out style", option="style")
        if not isinstance(hulls, (bool, dict)):
            raise OptionError(f"hulls is {hulls!r}; it must be True, False or a dict of options of hulls()", option="hulls")
        if hulls is not False and placed.shape[1] != 3:
            raise OptionError(f"hulls are for maps of 3 dimensions; this one has {placed.shape[1]}", option="hulls")
        hull = None if hulls is False else HULLS.take(dict(hulls) if isinstance(hulls, dict) else {})
        if isinstance(hulls, dict):
            refuse_unknown("hulls", {k: v for k, v in hulls.items() if k not in HULLS.names()}, HULLS.names())
        titles = edges.titles if edges is not None and ids is None else None
        if edges is not None and ids is None and not isinstance(edges.names, range):
            ids = edges.names
        ids = None if ids is None else _match.names(ids, _match.rows_drawn(map, edges))
        rows = _match.rows_drawn(map, edges, ids)
        ids = _match.own_names(rows) if ids is None else ids
        of = None if of is None else points_of_map(map, of, use_rep, "of", edges)
        shown = shown_points(rows, run, labels, values, ids, edges, of, metric, style, landscape, hull)
        shown.first, shown.item_names, shown.ranks = item_names.of(rows)
        shown.item_names = shown.item_names or _cells.names_in(titles or [], "names_from")
        if not in_notebook():
            return _opened_in_browser(placed, shown)
        widget = _widget("view")

        def picture():
            from ._drawings import draw

            classes = None if shown.codes is None else [None if code < 0 else shown.names[code] for code in shown.codes]
            return draw(placed, labels=classes, values=shown.values, graph=edges, **widget.PICTURE).data

        return widget.View(shown, map=placed, height=_whole(frame_height, "frame_height"), picture=picture)


@with_options(
    PAGE,
    own="""
X : array of shape (n, d), a graph, or int
    What the map is made of, or the number of its points.
"""
    + _POINTS
    + _WIDGET
    + _RATE,
)
def watch(
    X, *, labels=None, values=None, ids=None, metric="euclidean", frame_height=480, rate=8.0, n_jobs=None, **options
):
    """A context: the notebook's cell shows the maps that the functions of this thread make while they form.

    Methods need no parameter for it, so it works for all that make maps: tsne(), umap(), pacmap(), mds(), layout(), and
    the classes with scikit-learn's interface. Results are the same to the byte, and a run never waits for the page.

    Returns
    -------
    Watch
        Its context is the View: ``with dunlin.watch(X, labels=y) as view: result = dunlin.tsne(X)``.
    """
    own = ["labels", "values", "ids", "metric", "frame_height", "rate"]
    item_names = _item_names.ItemNames(options)
    style = PAGE.take(options)
    refuse_unknown("watch", options, PAGE.names() + own)
    if not in_notebook():
        raise InputError(
            "dunlin.watch() shows maps in a notebook, and this is none; the command shows them in a browser: "
            "dunlin tsne FILE --watch"
        )
    widget, run = _widget("watch"), Run({"n_jobs": n_jobs})
    with translating(PAGE):
        points, edges, data = _watched(X)
        if edges is not None and ids is None and not isinstance(edges.names, range):
            ids = edges.names
        rows = _match.Rows("X", points, _match.ids_of(X) if edges is None else edges.names)
        if ids is not None:
            ids = _match.names(ids, rows)
            rows.ids = ids if rows.ids is None else rows.ids
        shown = shown_points(rows, run, labels, values, ids, edges, data, metric, style)
        shown.first, shown.item_names, shown.ranks = item_names.of(rows)
    height, rate = _whole(frame_height, "frame_height"), _above_zero(rate, "rate")
    return Watch(widget.View(shown, height=height, rate=1e6 * rate), points)


class Watch:
    """Of watch(): ``view``; may be entered again."""

    def __init__(self, view, points):
        self.view, self._watching, self._is_shown = view, Watching(view._session, points), False

    def __enter__(self):
        if not self._is_shown:
            from IPython.display import display

            display(self.view)
            self._is_shown = True
        self._watching.__enter__()
        return self.view

    def __exit__(self, *error):
        self._watching.__exit__(*error)


def live(method="tsne", *, labels=None, values=None, ids=None, frame_height=480, rate=8.0, **options):
    """A map of rows whose values change, such as the activations of a network in each epoch of its training.

    The first update() makes a map. Each further one starts from the last map (``grow`` of tsne(), umap() and pacmap()),
    which takes a fraction of the time, and points that have not changed stay about where they are. In a notebook the
    view follows, and is shown by the cell of the first update(); elsewhere update() only returns results.

    Parameters
    ----------
    method : {'tsne', 'umap', 'pacmap'}, default 'tsne'
        Of the maps.
    labels, values, ids, frame_height, rate : optional
        As for watch().
    options
        Parameters of the method.

    Examples
    --------
    >>> import numpy as np, dunlin
    >>> live = dunlin.live(labels=np.repeat([0, 1], 50), max_iter=50)
    >>> X = np.random.default_rng(0).normal(size=(100, 5))
    >>> live.update(X).embedding.shape, live.update(X + 0.1).embedding.shape
    ((100, 2), (100, 2))
    """

    if method not in _methods.METHODS:
        raise InputError(f"method is {method!r}; it must be 'tsne', 'umap' or 'pacmap'", option="method")
    for name in ("fixed", "grow", "knn"):
        if name in options:
            raise OptionError(f"{name} is chosen by live() for each update; leave it out", option=name)
    of_points = copy.deepcopy({"labels": labels, "values": values, "ids": ids})  # read by the first update()
    shown = of_points | {"frame_height": frame_height, "rate": rate}
    return LiveMap(getattr(_embedding, method), options, shown)


class LiveMap:
    """Of live(): ``update(X)``; ``result``: that of the last one; ``view`` and ``selected``."""

    def __init__(self, make, options, shown):
        self._make, self._options, self._shown = make, options, shown
        self._watch = self._rows = self.result = None

    @property
    def view(self):
        """The View, None before the first update and outside a notebook."""
        return None if self._watch is None else self._watch.view

    @property
    def selected(self):
        """Row numbers of the points that are selected in the view."""
        return np.empty(0, np.int32) if self.view is None else self.view.selected

    def update(self, X, **options):
        """The map of the same rows with new values, as the method returns it. ``options`` override those of live()."""
        n = _methods.len_of(X)
        options = self._options | options
        if self.result is not None:
            if n != len(self.result):
                raise InputError(f"X has {n} rows and the map {len(self.result)} points; rows stay the same", option="X")
            if _match.match_rows(self._rows, _match.rows_of(X), False).rows is not None:
                raise InputError("X has its rows in another order than before; rows stay the same", option="X")
            options.pop("init", None)
            options["grow"] = self.result
        else:
            self._rows = _match.rows_of(X)
        if not in_notebook():
            self.result = self._make(X, **options)
            return self.result
        if self._watch is None:
            self._watch = watch(n, **self._shown_of(X))
        with self._watch:
            self.result = self._make(X, **options)
        return self.result

    def _shown_of(self, X):
        """What is shown, in the order of the rows of X."""
        rows, shown = _match.rows_of(X), dict(self._shown)
        for name, ordered in (("labels", _match.labels), ("values", _match.column)):
            if shown[name] is not None:
                shown[name] = ordered(shown[name], rows, name)
        shown["ids"] = None if shown["ids"] is None else _match.names(shown["ids"], rows)
        return shown


def in_notebook():
    """Whether this is a kernel of a notebook: IPython's, or marimo's."""
    if "IPython" in sys.modules:
        shell = sys.modules["IPython"].get_ipython()
        if shell is not None and getattr(shell, "kernel", None) is not None:
            return True
    marimo = sys.modules.get("marimo")
    return marimo is not None and marimo.running_in_notebook()


def _widget(function):
    """The module of the widget."""
    try:
        return importlib.import_module("._widget", __package__)
    except ImportError as error:
        raise ImportError(
            f"dunlin.{function}() in a notebook needs anywidget 0.9 or newer: pip install anywidget, then restart the kernel "
            f"and load the notebook again ({error}); dunlin.draw() does without"
        ) from error


def _placed(map, edges):
    placed = _graphs.map_of(map, edges)
    if placed.shape[1] not in (1, 2, 3):
        raise InputError(f"map has {placed.shape[1]} columns; a page shows 1, 2 or 3 dimensions", option="map")
    if len(placed) == 0:
        raise InputError("map has no points; a map of one or more is shown", option="map")
    return placed


def _watched(X):
    """Number of points, edges, and the points themselves if they are given."""
    if isinstance(X, (int, np.integer)) and not isinstance(X, bool):
        if X < 0:
            raise InputError(f"X is {X}; a number of points is at least 0", option="X")
        return int(X), None, None
    if hasattr(X, "shape") and not _sparse.is_sparse(X) and len(X.shape) == 2:
        return X.shape[0], None, X
    if hasattr(X, "to_numpy") or isinstance(X, list):
        X = np.asarray(X)
        return len(X), None, X
    edges = _graphs.graph_of(X)
    return edges.size, edges, None


def shown_points(rows, run, labels, values, ids, edges, data, metric, style, landscape=None, hulls=None):
    n = rows.count
    codes, names = (None, []) if labels is None else _intake.labels(_match.labels(labels, rows), n)
    if values is not None and labels is not None:
        raise OptionError("labels and values are both given; a point has one color, leave one out", option="values")
    numbers = None if values is None else owned(color(values, rows, "values"), values)
    ids = [] if ids is None else _cells.names_in(ids, "ids")
    if ids and len(ids) != n:
        raise InputError(f"ids has {len(ids)} names; it must have {n}, one per point", option="ids")
    if metric not in _METRICS:
        raise InputError(f"metric is {metric!r}; it must be one of {', '.join(_METRICS)}", option="metric")
    if data is not None and _methods.len_of(data) != n:
        rows = _methods.len_of(data)
        raise InputError(f"of has {rows} rows and the map {n} points; give the points of the map", option="of")
    return ShownPoints(
        run,
        codes=codes,
        names=names,
        ids=ids,
        values=numbers,
        value_name=str(getattr(values, "name", None) or "value"),
        edges=edges,
        data=data,
        metric=metric,
        style=style,
        landscape=landscape,
        hulls=hulls,
    )


def _opened_in_browser(map, shown):
    """Writes the page into a file, which a browser reads after this has returned."""
    import webbrowser

    has_desktop = sys.platform != "linux" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    failure = InputError("there is no notebook and no browser here; dunlin.draw(map, 'map.html') writes the page to a file")
    if not has_desktop:
        raise failure
    path = pathlib.Path(tempfile.mkdtemp(prefix="dunlin-")) / "map.html"
    path.write_text(html_with(shown.content(map)), encoding="utf-8")
    try:
        if webbrowser.open(path.as_uri()):
            return path
    except webbrowser.Error:
        pass
    raise failure


def _whole(value, name):
    if isinstance(value, bool) or not hasattr(value, "__index__") or not 100 <= value <= 16000:
        raise InputError(f"{name} is {value!r}; it must be a number of pixels from 100 to 16000", option=name)
    return int(value)


def _above_zero(value, name):
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 < value < float("inf"):
        raise InputError(f"{name} is {value!r}; it must be a number above 0", option=name)
    return float(value)

# SPDX-License-Identifier: Apache-2.0
"""layout(), draw(), remove_overlaps()."""

import os
import tempfile

import numpy as np

from . import _cells, _core, _graphs, _intake, _item_names, _match, _panels, _results
from ._errors import InputError, OptionError
from ._frames import Frame
from ._groups import DRAW, LANDSCAPE, LAYOUT, known_names
from ._kinds import path_of
from ._options import refuse_unknown, translating, with_options
from ._palettes import own_colors
from ._run import CHECKPOINT, OWN, RUN, Run, finished, say


_LAYOUT_OWN = (
    """
G : graph
    A graph of NetworkX or igraph, a SciPy sparse matrix (repeated entries add up), a square array, a square table with
    the names of nodes on rows and columns, a table of edges with columns such as source, target and weight, or (n, edges)
    or (n, edges, weights) with an array of edges (m, 2). Undirected: directions are ignored, several edges between two
    vertices are one: their weights add up, of lengths the least counts, and a line in the log says how many.
weight : str or None, default 'weight'
    Edge attribute that holds the weights; None: every edge weighs 1.
pos : array, or dict, Series or table by node, optional
    First positions. A name that is no node is an error, and a node without a position.
fixed : nodes, or truth values per node, optional
    Nodes that stay at ``pos``: any iterable of them, a mask, or a dict or Series of truth values by node.
node_size : float, array, or dict or Series by node, optional
    Radii of nodes, in map units, read by ``prevent_overlap`` of 'forceatlas2' and where components are put side by side.
node_mass : float, array, or dict or Series by node, optional
    Masses of nodes for method 'forceatlas2', above 0; default: degree + 1.
callbacks_every_iters : int, default 50
    Iterations between two calls of ``callbacks``.
"""
    + OWN
)


_LAYOUT_METHODS = {
    "spring": "fruchterman-reingold",
    "fr": "fruchterman-reingold",
    "fa2": "forceatlas2",
    "kk": "stress",
    "kamada-kawai": "stress",
    "sfdp": "multilevel",
}


@with_options(LAYOUT, RUN, CHECKPOINT, own=_LAYOUT_OWN)
def layout(
    G,
    *,
    weight="weight",
    pos=None,
    fixed=None,
    node_size=None,
    node_mass=None,
    callbacks=None,
    callbacks_every_iters=50,
    verbose=0,
    n_jobs=None,
    **options,
):
    """Positions of a graph's nodes by forces or stress.

    ``method`` may also be 'spring', 'fr', 'fa2', 'kk' or 'sfdp', names of methods elsewhere.

    Returns
    -------
    Layout, or igraph.Layout for a graph of igraph
        A dict from node to position for a graph of NetworkX, with ``.pos``, the array. Of other graphs nodes are
        numbers from 0.

    Examples
    --------
    >>> import dunlin
    >>> len(dunlin.layout((3, [(0, 1), (1, 2)])))
    3
    """
    known = known_names(LAYOUT, CHECKPOINT, own=("weight", "pos", "fixed", "node_size", "node_mass", "callbacks_every_iters"))
    options["n_jobs"] = n_jobs
    run = Run(options, verbose, callbacks, callbacks_every_iters, checkpoints=True)
    if isinstance(options.get("method"), str):
        options["method"] = _LAYOUT_METHODS.get(options["method"], options["method"])
    chosen = LAYOUT.take(options)
    refuse_unknown("layout", options, known)
    with translating(LAYOUT, RUN, CHECKPOINT):
        graph = _graphs.graph_of(G, weight, lengths=chosen.get("weights") == "length")
        n = graph.size
        dim = chosen.get("dim") or 2
        frame = Frame()
        start = None if pos is None else graph.rows_of(pos, "pos", dim, frame)
        pinned = None
        if fixed is not None:
            if start is None:
                raise InputError("fixed needs pos, the positions of the nodes that stay", option="fixed")
            pinned = np.zeros(n, np.uint8)
            pinned[graph.places(fixed, "fixed")] = 1
        radii = None if node_size is None else graph.values_of(node_size, "node_size")
        if radii is not None and not chosen.get("prevent_overlap") and n > 1 and _core.components(graph.csr, {})[0] == 1:
            say("node_size has no effect on a connected graph, but with method='forceatlas2' and prevent_overlap=True")
        masses = None if node_mass is None else graph.values_of(node_mass, "node_mass")
        tell = run.callback(has_map=True, frame=frame)
        outcome = _core.layout(graph.csr, start, pinned, radii, masses, chosen, run.with_checkpoint(), tell, run.every)

        def wrap(values):
            values["pos"] = frame.restored(values["pos"], None if pinned is None else np.flatnonzero(pinned))
            return _results.Layout(LAYOUT, values, graph)

        return graph.returned(finished(outcome, wrap))


@with_options(
    DRAW,
    LANDSCAPE,
    own="""
map : array of shape (n, 2 or more), a result, or None
    The map; None: a page (.html) plays the ``film`` of a line or a grid.
path : str or path, optional
    File to write: .png, .svg, .pdf or .html. None: PNG in memory.
graph : graph, optional
    Its edges are drawn under the points.
labels : array of shape (n,), optional
    Classes of the points, a color each. Missing ones (None, NaN, pandas.NA, a mask) are gray. Where the map, labels and
    values have names of rows, these are matched by name.
values : array of shape (n,), optional
    A number per point: its color, with a continuous legend that has the name of a Series; in a landscape the bands are
    those of its kernel-weighted mean. NaN: missing. In place of labels' colors.
film : sequence of (caption, array of shape (n,)), optional
    Other values of the points, which a page (.html) plays; it begins with the colors of ``values``. Without a map: values
    of a line (n,) or a grid (rows, columns), such as the snapshots of waves().
spacing : float, default 1
    Without a map: distance of neighboring nodes.
ids : sequence of str, or Series or dict by the names of the map's rows, optional
    Names of the points, shown on hover (HTML) and beside points (``names``); by default those that the map or the graph has.
placed_in : array of shape (m, 2 or more), or a result, optional
    The map in which these are new points, as transform() places them: it is pale gray and below, they have a rim.
"""
    + _item_names.DOC.lstrip("\n")
    + """format : {'png', 'svg', 'pdf', 'html'}, default 'png'
    Of a picture in memory.
weight : str or None, default 'weight'
    As for layout().
""",
)
def draw(
    map,
    path=None,
    *,
    graph=None,
    labels=None,
    values=None,
    film=None,
    spacing=1.0,
    ids=None,
    names_from=None,
    placed_in=None,
    format="png",
    weight="weight",
    n_jobs=None,
    **options,
):
    """A picture of a map: its points, or with style='landscape' their density (docs/density.md).

    A list, dict or table of ``color`` makes a panel of each, at the same places: words, categories and truth values are
    classes, numbers a scale; 'labels' are ``labels``. A page shows the first.

    Returns
    -------
    Picture
        ``data``: bytes; ``format``; ``save(path)``. A notebook shows it.
    """
    run = Run({"n_jobs": n_jobs})
    item_names = _item_names.ItemNames(options, names_from)
    colorings = _panels.colorings(options.get("color"))
    if colorings is not None:
        del options["color"]
    chosen = DRAW.take(options)
    palette = own_colors(chosen)
    landscape = LANDSCAPE.take(options)
    own = ["graph", "labels", "values", "film", "spacing", "ids", "names_from", "placed_in", "format", "weight"]
    refuse_unknown("draw", options, DRAW.names() + LANDSCAPE.names() + own)
    distance = _intake.number(spacing, "spacing")
    if map is None:
        given = {"graph": graph, "labels": labels, "values": values, "ids": ids, "placed_in": placed_in, "color": colorings}
        given |= {"names_from": names_from, "palette": palette or None, **chosen, **landscape}
        return _grid_film(film, path, format, distance, given, run)
    if distance != 1:
        raise OptionError("spacing is of the nodes of a line or grid; a map has its own places", option="spacing")
    is_landscape = landscape.get("style") == "landscape"
    if is_landscape and graph is not None:
        raise OptionError("a landscape has no edges; leave out graph, or style='landscape'", option="graph")
    if isinstance(map, _results.Layout) and graph is None and not is_landscape:
        graph = map.graph
    edges = None if graph is None else _graphs.graph_of(graph, weight)
    frame = Frame()  # of the map and its new points
    below = None if placed_in is None else _graphs.map_of(placed_in, None, frame)
    placed = _graphs.map_of(map, edges, frame)
    if placed_in is not None and (is_landscape or edges is not None or film is not None):
        raise OptionError("placed_in is of new points, without edges, landscape and film; leave it out", option="placed_in")
    ids = None if ids is None else _match.names(ids, _match.rows_drawn(map, edges))
    of = _match.rows_drawn(map, edges, ids)
    codes, names = (None, []) if labels is None else _intake.labels(_match.labels(labels, of), len(placed))
    if colorings is not None and (is_landscape or values is not None or film is not None or placed_in is not None):
        raise OptionError(
            "color has several colorings, a panel each, without values, film, placed_in and landscape; leave these out",
            option="color",
        )
    if values is not None and labels is not None and not is_landscape:
        raise OptionError("labels and values are both given; a point has one color, leave one out", option="values")
    name = str(getattr(values, "name", None) or "value")
    colors = None if values is None else color(values, of, "values")
    if film is not None and (values is None or format_of(path, format) != "html"):
        raise OptionError("film is played by a page and begins with its colors; give values, and format 'html'", option="film")
    frames = [(str(caption), color(each, of, "film")) for caption, each in film or ()]
    first, shown, ranks = item_names.of(of)
    if ids is None:
        ids = edges.names if edges is not None else _match.own_names(of)
        shown = shown or (edges.titles if edges is not None else None) or []
    ids = [] if ids is None or isinstance(ids, range) else _cells.names_in(ids, "ids")
    if format not in ("png", "svg", "pdf", "html"):
        raise InputError(f"format is {format!r}; it must be 'png', 'svg', 'pdf' or 'html'", option="format")
    with translating(DRAW, LANDSCAPE), tempfile.TemporaryDirectory(prefix="dunlin-") as folder:
        file = path_of(path) if path is not None else os.path.join(folder, "map." + format)
        named = first, _cells.names_in(shown, "names_from"), ranks
        if colorings is not None:
            panels = _panels.panels(colorings, of, len(placed), (codes, names))
            csr = None if edges is None else edges.csr
            _, raised = _core.draw_panels(file, placed, csr, panels, ids, named, chosen, palette, run.on_cpu())
        else:
            _, raised = _core.draw(
                file,
                placed,
                None if edges is None else edges.csr,
                codes,
                names,
                ids,
                named,
                colors,
                name,
                frames,
                chosen,
                palette,
                landscape,
                below,
                run.on_cpu(),
                None,
            )
        if raised is not None:
            raise raised
        with open(file, "rb") as picture:
            return _results.Picture(picture.read(), os.path.splitext(file)[1][1:])


def _grid_film(film, path, format, spacing, given, run):
    """The page that plays values of a line or a grid."""
    for name, value in given.items():
        if value is not None and name not in ("title", "dark"):
            raise OptionError(f"{name} is of a map; a film of a line or grid has none", option=name)
    if film is None or format_of(path, format) != "html":
        raise OptionError("map is None: give film, the states of a line or grid, and format 'html'", option="film")
    if spacing <= 0:
        raise OptionError(f"spacing is {spacing:g}; it must be above 0", option="spacing")
    frames = [(str(caption), _intake.dense(frame, "film")) for caption, frame in film]
    shape = frames[0][1].shape if frames else (0,)
    if len(shape) not in (1, 2) or any(frame.shape != shape for _, frame in frames) or not all(shape):
        raise InputError("film: give states of one shape, (n,) or (rows, columns), with at least one node", option="film")
    frames = [(caption, np.ascontiguousarray(frame, np.float64).reshape(-1)) for caption, frame in frames]
    nodes = (1, *shape)[-2:]
    with translating(DRAW), tempfile.TemporaryDirectory(prefix="dunlin-") as folder:
        file = os.fspath(path) if path is not None else os.path.join(folder, "film.html")
        chosen = {name: value for name, value in given.items() if name in ("title", "dark") and value is not None}
        _, raised = _core.draw_film(file, frames, nodes, spacing, chosen, run.on_cpu())
        if raised is not None:
            raise raised
        with open(file, "rb") as page:
            return _results.Picture(page.read(), "html")


def drawn_shepard(diagram, path, format, options):
    """The picture of a Shepard diagram, or None for a file of its pairs."""
    allowed = ("title", "width", "height", "dark")
    refuse_unknown("draw", [name for name in options if name not in allowed], allowed)
    chosen = DRAW.take({"title": diagram.title, **options})
    ids = [] if diagram.ids is None else [str(name) for name in diagram.ids]
    items = np.ascontiguousarray(diagram.first, np.int32), np.ascontiguousarray(diagram.second, np.int32)
    with translating(DRAW), tempfile.TemporaryDirectory(prefix="dunlin-") as folder:
        file = path_of(path) if path is not None else os.path.join(folder, "shepard." + format)
        pairs = np.ascontiguousarray(np.asarray(diagram), np.float32)
        line = np.asarray(diagram.line).reshape(-1).tolist()
        raised = _core.write_shepard(file, items, pairs, diagram.disparity, line, ids, chosen, Run({}).on_cpu())
        if raised is not None:
            raise raised
        kind = os.path.splitext(file)[1][1:]
        if kind in ("csv", "tsv"):
            return None
        with open(file, "rb") as picture:
            return _results.Picture(picture.read(), kind)


def color(values, of, name):
    """A number per point of the map, in the order of its rows; NaN: missing."""
    return _intake.column(_match.column(values, of, name, lonely=True), name, of.count, np.float64, missing=True)


def format_of(path, format):
    return format if path is None else os.path.splitext(path_of(path))[1][1:]


def remove_overlaps(pos, node_size, gap=0.0, *, n_jobs=None):
    """Moves discs apart until no two are nearer than ``gap``, keeping their arrangement. Returns the new positions.

    Parameters
    ----------
    pos : array of shape (n, 1, 2 or 3), dict or table
        Centers. The new ones are an array in the same order.
    node_size : float, array of shape (n,), dict or Series
        Radii, in the unit of the positions. Where both have names, they are matched by name.
    gap : float, default 0
        Least distance between two discs.
    n_jobs : int, optional
        CPU threads.
    """
    run = Run({"n_jobs": n_jobs})
    is_by_name = isinstance(pos, dict) and not hasattr(pos, "pos")
    frame = Frame()
    placed = frame.taken(list(pos.values()) if is_by_name else pos, "pos")
    sizes = _intake.dense(_match.column(node_size, _match.rows_of(pos, "pos"), "node_size"), "node_size")
    sizes = _intake.column(np.full(len(placed), sizes) if sizes.ndim == 0 else sizes, "node_size", len(placed))
    moved, _, raised = _core.remove_overlaps(placed, sizes, _intake.number(gap, "gap"), run.on_cpu())
    moved = frame.restored(moved)
    if raised is not None:
        raised.partial = moved
        raise raised
    return moved

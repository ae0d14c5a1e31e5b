# SPDX-License-Identifier: Apache-2.0
"""Maps in axes of matplotlib, which is loaded by the first plot: result.plot(), colored as the pictures of draw() are."""

import json

import numpy as np

from . import _graphs, _match
from ._cells import names_in
from ._errors import InputError, OptionError
from ._frames import Frame
from ._run import Run

MOST_NAMES = 60  # points of a map whose names are shown without being asked for
MOST_VECTORS = 50000  # beyond, points and edges are an image within a PDF or SVG
_MISSING = "#b4b4b4"  # points without a label or value, as in pictures


class Plotted:
    """Of results with a map."""

    def plot(self, ax=None, **options):
        """Draws the map into axes of matplotlib, with equal axes and without ticks.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            For a map of 3 dimensions one with projection='3d'. None: a new figure.
        labels, values, ids, graph : optional
            As for dunlin.draw(): classes, which have Dunlin's colors and a legend with their whole names, or numbers, which
            have viridis and a colorbar; names of the points; edges. Those with names of rows are matched by name.
        names : {'auto', 'all', 'none'} or sequence of ids, default 'auto'
            Which points have their names beside them; 'auto': all, of at most 60.
        palette : dict from label to color, or sequence of colors, optional
            In place of Dunlin's.
        legend : bool, default True
            Whether there is a legend or a colorbar.
        options
            Of Axes.scatter: s, alpha, marker, cmap, vmin, vmax, norm, zorder ...

        Returns
        -------
        matplotlib.axes.Axes
        """
        return plot(self, ax, **options)


class PlottedClusters:
    """Of results with a cluster per point."""

    def plot(self, map, ax=None, **options):
        """Draws a map of the same points, such as the result of tsne(), in the colors of the clusters: map.plot(ax, labels=self).
        Of an array with 2 or 3 columns its rows are drawn. Parameters and return as those of MapResult.plot()."""
        if "labels" in options or "values" in options:
            raise OptionError("the colors are those of the clusters; leave labels and values out", option="labels")
        return plot(map, ax, labels=self, **options)


def plot(
    map,
    ax=None,
    *,
    labels=None,
    values=None,
    ids=None,
    graph=None,
    names="auto",
    palette=None,
    legend=True,
    **scatter,
):
    """The plot of Plotted.plot()."""
    from ._view import shown_points

    _load()
    if isinstance(map, dict) and graph is None:
        graph = getattr(map, "graph", None)
    edges = None if graph is None else _graphs.graph_of(graph)
    given = _match.rows_drawn(map, edges)
    ids = None if ids is None else _match.names(ids, given)
    rows = _match.rows_drawn(map, edges, ids)
    frame = Frame()
    placed = _graphs.map_of(map, edges, frame)
    places = frame.restored(placed)
    if places.shape[1] not in (1, 2, 3):
        raise InputError(
            f"map has {places.shape[1]} columns; plot() shows maps of 1, 2 or 3 dimensions, such as tsne(X) makes", option="map"
        )
    shown = shown_points(rows, Run({}), labels, values, ids, edges, None, "euclidean", {})
    is_own = ax is None
    ax = _axes(ax, places.shape[1])
    if len(places):
        if places.shape[1] == 1:
            places = np.column_stack([places, np.zeros(len(places))])
        facts = json.loads(shown.content(placed)["facts"])
        if edges is not None:
            _draw_edges(ax, places, edges.csr, facts["gray"])
        try:
            _draw_points(ax, places, shown, facts, palette, legend, getattr(values, "name", None), scatter)
        except AttributeError as error:
            if "unexpected keyword" not in str(error):
                raise
            raise OptionError(f"plot() gives what it does not know to matplotlib: {error}") from None
    _lay_out(ax)
    if is_own and ax.get_legend():
        figure, width = ax.figure, ax.get_legend().get_window_extent().width / ax.figure.dpi
        figure.set_figwidth(figure.get_figwidth() + width)  # the map keeps its size
    named = _named(names, shown.ids or getattr(edges, "titles", None) or _match.own_names(rows), len(places))
    if named:
        from ._plot_names import place_names

        place_names(ax, places, named)
    return ax


def _load():
    try:
        import matplotlib.pyplot
    except ImportError as error:
        raise ImportError(
            f"plot() needs the package matplotlib: pip install matplotlib ({error}); draw() does without"
        ) from error
    return matplotlib.pyplot


def axes_of(ax):
    """The axes that were given, or new ones in a figure of their own."""
    pyplot = _load()
    if ax is None:
        return pyplot.subplots(layout="constrained")[1]
    if not hasattr(ax, "scatter") or not hasattr(ax, "figure"):
        what = "an array; give one Axes, as axes[0]" if hasattr(ax, "shape") else f"{ax!r}; it must be an Axes of matplotlib, or None"
        hint = "; draw() writes files" if isinstance(ax, str) or hasattr(ax, "__fspath__") else ""
        raise OptionError(f"ax is {what}{hint}", option="ax")
    return ax


def _axes(ax, dim):
    if ax is None and dim == 3:
        return _load().figure(layout="constrained").add_subplot(projection="3d")
    ax = axes_of(ax)
    if hasattr(ax, "get_zlim") != (dim == 3):
        wanted = "one with projection='3d'" if dim == 3 else "one without projection='3d'"
        raise InputError(f"ax: the map has {dim} dimensions; give {wanted}, or leave it out", option="ax")
    return ax


def _draw_edges(ax, places, csr, color):
    """The edges of a graph, each once."""
    offsets, targets, _ = csr
    sources = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    once = sources < targets
    lines = places[np.column_stack([sources[once], targets[once]])]
    style = {"colors": color, "linewidths": 0.8, "zorder": 1, "alpha": min(1.0, max(0.1, 60 / max(len(lines), 1) ** 0.5))}
    style["rasterized"] = len(lines) > MOST_VECTORS
    if places.shape[1] == 3:
        from mpl_toolkits.mplot3d.art3d import Line3DCollection

        ax.add_collection3d(Line3DCollection(lines, **style))
    else:
        from matplotlib.collections import LineCollection

        ax.add_collection(LineCollection(lines, **style))


def _draw_points(ax, places, shown, facts, palette, legend, title, scatter):
    for name in ("c", "color"):
        if name in scatter and (shown.codes is not None or shown.values is not None):
            raise OptionError(f"{name} and the colors of labels or values are both given; leave one out", option=name)
    n = len(places)
    style = {"linewidths": 0, "rasterized": n > MOST_VECTORS, "zorder": 2}
    if "sizes" not in scatter:
        style["s"] = min(36.0, max(1.0, 24000 / n))
    style |= {"linewidths" if name in ("lw", "linewidth") else name: value for name, value in scatter.items()}
    if palette is not None and shown.codes is None:
        raise OptionError("palette is of labels; give labels, or cmap with values", option="palette")
    if shown.values is not None:
        return _draw_values(ax, places, shown.values, legend, title, style)
    if shown.codes is None:
        if not {"c", "color", "facecolor", "facecolors", "edgecolors"} & set(scatter):
            style["color"] = facts["ramp"][1]
        return ax.scatter(*places.T, **style)
    colors, names, group = _grouped(shown, facts, palette)
    ax.scatter(*places.T, c=np.array(colors, object)[group].tolist(), **style)
    handles = [
        ax.scatter(*[[]] * places.shape[1], color=color, s=36, marker=style.get("marker"), label=name)
        for color, name in zip(colors, names)
    ]
    if legend and handles:
        drawn = ax.legend(handles, names, loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False)
        for text in drawn.get_texts():
            text.set_parse_math(False)


def _draw_values(ax, places, values, legend, title, style):
    from matplotlib import colormaps

    finite = np.isfinite(values)
    colors = colormaps.get_cmap(style.pop("cmap", None) or "viridis").with_extremes(bad=_MISSING)
    if style.get("norm") is None and not finite.any():
        style |= {"vmin": 0, "vmax": 1}
    order = np.argsort(finite, kind="stable")  # points without a value are below the others
    values = np.where(finite, values, np.nan)[order]
    drawn = ax.scatter(*places[order].T, c=values, cmap=colors, plotnonfinite=True, **style)
    if legend:
        ax.figure.colorbar(drawn, ax=ax).set_label("" if title is None else str(title), parse_math=False)


def _grouped(shown, facts, palette):
    """Colors and names of the groups, and the group of each point: as in pictures, or a color of the palette per label."""
    if palette is None:
        groups = facts["groups"]
        group_of = np.array([*facts["groupOfLabel"], len(groups) - 1])  # the last: -1, no label
        return [each["color"] for each in groups], [each["name"] for each in groups], group_of[shown.codes]
    used = np.unique(shown.codes[shown.codes >= 0])
    names = [shown.names[code] for code in used]
    colors = _colors_of(palette, names)
    if (shown.codes < 0).any():
        names, colors = [*names, "no label"], [*colors, _MISSING]
    group_of = np.full(len(shown.names) + 1, len(names) - 1)
    group_of[used] = np.arange(len(used))
    return colors, names, group_of[shown.codes]


def _colors_of(palette, names):
    from matplotlib.colors import to_hex

    if isinstance(palette, dict):
        palette = {str(label): color for label, color in palette.items()}
        missing = [name for name in names if name not in palette]
        if missing:
            raise InputError(f"palette has no color for the label {missing[0]!r} ({len(missing)} in all)", option="palette")
        palette = [palette[name] for name in names]
    elif isinstance(palette, str) or not hasattr(palette, "__len__"):
        raise OptionError(f"palette is {palette!r}; it must be a dict from label to color, or a sequence of colors", option="palette")
    elif len(palette) < len(names):
        raise InputError(f"palette has {len(palette)} colors for {len(names)} labels", option="palette")
    try:
        return [to_hex(color, keep_alpha=True) for color, _ in zip(palette, names)]
    except ValueError as error:
        raise InputError(f"palette: {error}", option="palette") from None


def _lay_out(ax):
    """Equal axes without ticks."""
    if hasattr(ax, "get_zlim"):
        ax.set_aspect("equal")
        return ax.set(xticks=[], yticks=[], zticks=[])
    is_shared = any(len(group.get_siblings(ax)) > 1 for group in (ax.get_shared_x_axes(), ax.get_shared_y_axes()))
    ax.set_aspect("equal", adjustable="box" if is_shared else "datalim")
    ax.set(xticks=[], yticks=[])
    ax.autoscale_view()


def _named(names, ids, n):
    """{row: name} of the points that have their names beside them."""
    if isinstance(names, str):
        if names not in ("auto", "all", "none"):
            raise InputError(f"names is {names!r}; it must be 'auto', 'all', 'none' or a sequence of ids", option="names")
        if names == "none" or names == "auto" and n > MOST_NAMES:
            return {}
        if not len(ids) and names == "all":
            raise InputError("names is 'all' and the map has no names of its points; give ids", option="names")
        return {row: name for row, name in enumerate(ids) if name}
    wanted = set(names_in(names, "names"))
    found = {row: name for row, name in enumerate(ids) if name in wanted}
    unknown = wanted - set(found.values())
    if unknown:
        raise InputError(f"names has {min(unknown)!r}, which is no id of the map ({len(unknown)} in all)", option="names")
    return found

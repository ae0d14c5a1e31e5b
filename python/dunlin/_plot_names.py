# SPDX-License-Identifier: Apache-2.0
"""Names beside the points of a plot, where they cover the fewest other names and points. It loads matplotlib."""

import numpy as np
from matplotlib.artist import Artist

_GAP = 4  # points (1/72 inch) between a point and its name
# Where a name may be: direction from its point, in the order of preference
_SIDES = [(1, 0), (1, 1), (1, -1), (0, 1), (0, -1), (-1, 0), (-1, 1), (-1, -1)]
_ACROSS, _UPRIGHT = {-1: "right", 0: "center", 1: "left"}, {-1: "top", 0: "center", 1: "bottom"}
_MOST_REVISED = 500  # names that are placed again beside all others


def place_names(ax, places, named):
    """named: {row: name}. Every name is drawn."""
    named = {row: " ".join(name.split()) for row, name in named.items()}
    style = {"fontsize": "small", "parse_math": False}
    if hasattr(ax, "get_zlim"):
        for row, name in named.items():
            ax.text(*places[row], f" {name}", **style)
        return
    ax.margins(0.1)
    ax.autoscale_view()
    style |= {"textcoords": "offset points", "va": "center", "zorder": 3.1}
    texts = [ax.annotate(name, places[row], (_GAP, 0), **style) for row, name in named.items()]
    ax.add_artist(_Places(texts, places, list(named)))


class _Places(Artist):
    """Draws nothing, but chooses the sides of the names before they are drawn: only then is the size of the axes known."""

    def __init__(self, texts, places, rows):
        super().__init__()
        self._texts, self._places, self._rows = texts, places, rows
        self.set_zorder(3)
        self.set_in_layout(False)

    def draw(self, renderer):
        points = self.axes.transData.transform(self._places)
        extents = [text.get_window_extent(renderer) for text in self._texts]
        gap, frame = renderer.points_to_pixels(_GAP), self.axes.get_window_extent(renderer)
        taken, best = np.full((len(extents), 4), np.nan), [None] * len(extents)
        for _ in range(3 if len(extents) <= _MOST_REVISED else 1):
            for i, (row, extent) in enumerate(zip(self._rows, extents)):
                taken[i] = np.nan
                boxes = [_box(points[row], extent, side, gap) for side in _SIDES]
                costs = [_cost(box, taken, points, frame) for box in boxes]
                k = costs.index(min(costs))
                taken[i], best[i] = boxes[k], _SIDES[k]
        for text, (across, upright) in zip(self._texts, best):
            shift = _GAP * _share(across, upright)
            text.set(position=(across * shift, upright * shift), ha=_ACROSS[across], va=_UPRIGHT[upright])


def _share(across, upright):
    """Of the gap, along each axis: aslant a name is as near."""
    return 0.7 if across and upright else 1


def _box(point, extent, side, gap):
    """Left, bottom, right, top of a name in pixels."""
    left, bottom = (
        place + along * gap * _share(*side) - size * (1 - along) / 2
        for place, along, size in zip(point, side, (extent.width, extent.height))
    )
    return left, bottom, left + extent.width, bottom + extent.height


def _cost(box, taken, points, frame):
    left, bottom, right, top = box
    names = (taken[:, 0] < right) & (taken[:, 2] > left) & (taken[:, 1] < top) & (taken[:, 3] > bottom)
    x, y = points.T
    covered = (x > left) & (x < right) & (y > bottom) & (y < top)
    is_outside = left < frame.x0 or right > frame.x1 or bottom < frame.y0 or top > frame.y1
    return 10 * names.sum() + 20 * is_outside + covered.sum()

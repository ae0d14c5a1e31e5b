# SPDX-License-Identifier: Apache-2.0
"""Shepard diagrams in axes of matplotlib."""

import numpy as np

from ._plots import axes_of

_MOST_CIRCLES, _GRAY = 2000, "#8a8a8a"


class ShepardPlotted:
    """Of results with shepard()."""

    def plot_shepard(self, ax=None, pairs=20000):
        """A Shepard diagram in axes of matplotlib: each pair's dissimilarity to the right and its distance in the map upwards, with
        the best transformation of the dissimilarities as a line. The title has the stress-1 of these pairs.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            None: a new figure.
        pairs : int, default 20000
            Most pairs that are drawn; of more, random ones.

        Returns
        -------
        matplotlib.axes.Axes
        """
        ax = axes_of(ax)
        dissimilarities, distances = np.asarray(self.shepard(pairs), np.float64).T
        order = np.lexsort((distances, dissimilarities))
        dissimilarities, distances = dissimilarities[order], distances[order]
        kind = self.options.get("transform") or "ratio"
        fitted = fitted_disparities(dissimilarities, distances, kind)
        _draw_pairs(ax, dissimilarities, distances)
        _draw_line(ax, dissimilarities, fitted, kind)
        total = (distances**2).sum()
        stress = (((distances - fitted) ** 2).sum() / total) ** 0.5 if total else 0.0
        ax.set_title(f"stress-1 {stress:.4g}, 1 \N{MINUS SIGN} stress² {1 - stress**2:.4g}, {len(order):,} pairs")
        ax.set(xlabel="dissimilarity", ylabel="distance in the map")
        ax.set_xlim(left=0)
        ax.set_ylim(bottom=0)
        return ax


def fitted_disparities(dissimilarities, distances, kind):
    """The transformation of a kind that is nearest to the distances, at dissimilarities that ascend; equal ones are in the order
    of their distances, as they may differ in ordinal scaling (Kruskal's primary approach)."""
    if not len(distances):
        return distances
    if kind == "ordinal":
        return _ascending(distances)
    slope, height = _proportional(dissimilarities, distances), 0.0
    if kind != "ratio":
        slope, height = _linear(dissimilarities, distances)
        if height < 0 and kind == "interval-bounded":
            slope, height = _proportional(dissimilarities, distances), 0.0
        elif height + slope * dissimilarities[0] < 0:  # no disparity is below 0
            slope = _proportional(dissimilarities - dissimilarities[0], distances)
            height = -slope * dissimilarities[0]
    return height + slope * dissimilarities


def _proportional(x, y):
    total = (x**2).sum()
    return (x * y).sum() / total if total else 0.0


def _linear(x, y):
    """Slope, not below 0, and height at 0."""
    slope = max(_proportional(x - x.mean(), y - y.mean()), 0.0)
    return slope, y.mean() - slope * x.mean()


def _ascending(values):
    """Isotonic regression: means of blocks that are joined while they descend."""
    means, counts = [], []
    for value in values.tolist():
        count = 1
        while means and means[-1] > value:
            value = (value * count + means[-1] * counts[-1]) / (count + counts[-1])
            count += counts.pop()
            means.pop()
        means.append(value)
        counts.append(count)
    return np.repeat(means, counts)


def _draw_pairs(ax, dissimilarities, distances):
    if len(distances) <= _MOST_CIRCLES:
        style = {"s": 25, "facecolors": "none", "edgecolors": _GRAY, "linewidths": 0.8}
    else:
        style = {"s": 2, "color": _GRAY, "linewidths": 0, "rasterized": True}
    ax.scatter(dissimilarities, distances, **style)


def _draw_line(ax, dissimilarities, fitted, kind):
    if kind == "ratio" and len(fitted):
        dissimilarities, fitted = np.append(0, dissimilarities), np.append(0, fitted)
    style = "steps-post" if kind == "ordinal" else "default"
    ax.plot(dissimilarities, fitted, color="black", linewidth=1.2, drawstyle=style)

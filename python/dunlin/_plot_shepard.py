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
        ax, diagram = axes_of(ax), self.shepard(pairs)
        if len(diagram) <= _MOST_CIRCLES:
            style = {"s": 25, "facecolors": "none", "edgecolors": _GRAY, "linewidths": 0.8}
        else:
            style = {"s": 2, "color": _GRAY, "linewidths": 0, "rasterized": True}
        ax.scatter(*np.asarray(diagram).T, **style)
        ax.plot(*diagram.line.T, color="black", linewidth=1.2)
        ax.set_title(f"stress-1 {diagram.stress1:.4g}, 1 \N{MINUS SIGN} stress² {diagram.fit:.4g}, {len(diagram):,} pairs")
        ax.set(xlabel="dissimilarity", ylabel="distance in the map")
        ax.set_xlim(left=0)
        ax.set_ylim(bottom=0)
        return ax

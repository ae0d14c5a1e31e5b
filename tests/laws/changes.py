# SPDX-License-Identifier: Apache-2.0
"""Changes of inputs under which the laws say what happens to the answers."""

import numpy as np

OF_POINTS = {"X": ("X", "Q", "C"), "Y": ("Y", "P"), "D": ("D",), "V": ("V",), "pos": ("pos",), "tracks": ("tracks",),
             "anchor": ("anchor",), "fixed": ("fixed",), "start": ("start",)}
BY_ROW = ("X", "Y", "V", "labels", "weights", "values", "start", "anchor", "fixed")
BY_VERTEX = ("pos", "v")


def mapped(case, name, change):
    """Applies change(array) to all inputs in the space of `name`."""
    return case.but(**{each: _each(case[each], change) for each in OF_POINTS[name] if each in case})


def _each(value, change):
    return [change(part) for part in value] if isinstance(value, list) else change(value)


def in_order(case, order):
    """The same rows, items, vertices in another order: the first becomes order[0]."""
    changed = {name: case[name][order] for name in BY_ROW if name in case}
    if "D" in case:
        changed["D"] = case.D[np.ix_(order, order)]
    if "W" in case:
        changed["W"] = case.W[np.ix_(order, order)]
    for name in ("strings", "tracks"):
        if name in case:
            changed[name] = [case[name][i] for i in order]
    if "G" in case:
        changed["G"] = renumbered(case.G, order)
        changed.update({name: case[name][order] for name in BY_VERTEX if name in case})
    elif "pos" in case:
        changed["pos"] = case.pos[order]
    return case.but(**changed)


def renumbered(G, order):
    """Vertex order[i] becomes i; edges in the reverse order, every second one turned round."""
    n, edges, weights = G
    edges = np.argsort(order)[edges][::-1].copy().reshape(-1, 2)
    edges[::2] = edges[::2, ::-1]
    return n, edges, weights[::-1].copy()


def turned(array):
    """By a quarter, which is exact."""
    return np.column_stack([-array[:, 1], array[:, 0]])

# SPDX-License-Identifier: Apache-2.0
"""Maps that are tables of pandas, polars or pyarrow: which columns are coordinates, by the rules of files of maps."""

import re

from ._run import say

_MAPS = {"map", "obj", "init", "start", "anchor", "fixed", "grow", "X_embedded", "pos"}  # arguments that are maps
_NAMES = {"id", "ids", "label", "labels", "class", "node", "vertex", "cell", "name"}
_COUNTS = {"index", "row", "level_0", "cluster", "clusters", "seurat_clusters", "leiden", "louvain", "group", "groups"} | {
    "batch", "community", "kmeans", "hdbscan", "cluster_id", "component", "size", "weight", "degree", "topic"
}


def coordinates(map, name):
    """The columns of a table that are coordinates, in their order; other maps as they are. Columns that are not used are
    said in a line."""
    columns = _columns_of(map)
    if name not in _MAPS or columns is None or not all(isinstance(each, str) for each in columns):
        return map
    chosen = _chosen(columns)
    if chosen is None or chosen == list(columns):
        return map
    others = [each for each in columns if each not in chosen]
    if others:
        say(f"{name} is read with the coordinates {', '.join(chosen)}; {', '.join(others)} not used")
    return map[chosen] if hasattr(map, "iloc") else map.select(chosen)


def _columns_of(map):
    if hasattr(map, "column_names"):
        return list(map.column_names)
    return list(map.columns) if hasattr(map, "columns") and (hasattr(map, "iloc") or hasattr(map, "select")) else None


def _chosen(columns):
    """Names of the coordinates: x, y and z; else one series such as UMAP1, UMAP2; else those that neither count nor name
    rows, if there are 2 or 3; else None."""
    lower = {each.lower(): each for each in columns}
    axes = [lower[axis] for axis in "xyz" if axis in lower]
    if len(axes) in (2, 3):
        return axes
    series = [found for found in _series(columns).values() if len(found) > 1]
    if len(series) == 1:
        return series[0]
    rest = [each for each in columns if each.lower() not in _NAMES | _COUNTS]
    return rest if len(rest) in (2, 3) and not series else None


def _series(columns):
    """By stem, the columns numbered from 0 or 1 on."""
    numbered = {}
    for each in columns:
        match = re.fullmatch(r"(.*?)[ _.-]*(\d{1,4})", each)
        if match:
            numbered.setdefault(match[1].lower(), {}).setdefault(int(match[2]), each)
    series = {}
    for stem, by_number in numbered.items():
        number = min(by_number)
        found = series.setdefault(stem, [])
        while number in by_number and min(by_number) <= 1:
            found.append(by_number[number])
            number += 1
    return series

# SPDX-License-Identifier: Apache-2.0
"""Maps that are tables of pandas, polars or pyarrow: which columns are coordinates, by the rules of files of maps
(src/io/map_read.cpp)."""

import re

import numpy as np

from ._errors import InputError
from ._run import say

# Arguments that are maps
_MAPS = {"map", "obj", "init", "start", "anchor", "fixed", "grow", "X_embedded", "pos", "initialization"}
# Names of columns that name, count or group rows
_NAMES = {"", "id", "ids", "label", "labels", "class", "node", "vertex", "cell", "name", "unnamed: 0"}
_COUNTS = {"index", "row", "rownames", "row_names", "level_0", "cluster", "clusters", "seurat_clusters", "leiden", "louvain"} | {
    "group", "groups", "batch", "community", "kmeans", "hdbscan", "cluster_id", "component", "size", "weight", "degree"
} | {"n_genes", "n_counts", "topic"}
_NUMBERS = ("int", "uint", "float", "double", "half", "decimal", "sparse")  # types of pandas, polars and pyarrow


def coordinates(map, name):
    """The columns of a table that are coordinates, in their order; other maps as they are. Columns that are not used are
    said in a line."""
    kinds = _kinds_of(map) if name in _MAPS else None
    if not kinds:
        return map
    names = [str(each) for each, _ in kinds]
    numbers = [c for c, (_, kind) in enumerate(kinds) if _holds_numbers(map, c, str(kind).lower())]
    chosen = _chosen(names, numbers, name)
    if not chosen or chosen == list(range(len(names))):
        return map
    others = [names[c] or "''" for c in range(len(names)) if c not in chosen]
    if others:
        say(f"{name} is read with the coordinates {', '.join(names[c] for c in chosen)}; {', '.join(others)} not used")
    if hasattr(map, "iloc"):
        return map.iloc[:, chosen]
    return map.select(chosen) if hasattr(map, "column_names") else map.select([names[c] for c in chosen])


def _kinds_of(map):
    """[(name, type)] of the columns of a table, else None."""
    if hasattr(map, "column_names") and hasattr(map, "schema"):  # pyarrow
        return list(zip(map.column_names, map.schema.types))
    is_table = hasattr(map, "columns") and hasattr(map, "dtypes") and (hasattr(map, "iloc") or hasattr(map, "get_columns"))
    return list(zip(map.columns, map.dtypes)) if is_table else None


def _holds_numbers(map, c, kind):
    if kind != "object" or not hasattr(map, "iloc"):
        return kind.startswith(_NUMBERS)
    try:
        np.asarray(map.iloc[:, c].dropna(), np.float64)
    except (TypeError, ValueError):
        return False
    return True


def _chosen(names, numbers, name):
    """Numbers of the columns of coordinates: x, y and z; else x1, x2, ...; else the one series of 2 or 3, such as UMAP1,
    UMAP2; else all columns of numbers that neither name nor count rows."""
    lower = [each.lower() for each in names]
    axes = [c for axis in "xyz" for c in numbers if lower[c] == axis]
    if len(axes) in (2, 3):
        if len({lower[c] for c in axes}) < len(axes):
            raise InputError(f"{name} has two columns with the name of one axis, of {', '.join(names)}; rename one", option=name)
        return axes
    series = _series(names, numbers)
    if "x" in series:
        return series["x"]
    maps = [found for found in series.values() if len(found) in (2, 3)]
    if len(maps) > 1:
        first, second = (", ".join(names[c] for c in found) for found in maps[:2])
        raise InputError(f"{name} has several maps, columns {first} and {second}; give the columns of one", option=name)
    if maps:
        return maps[0]
    rest = [c for c in numbers if lower[c] not in _NAMES | _COUNTS]
    return next((found for found in series.values() if set(found) == set(rest)), rest)


def _series(names, numbers):
    """By stem, the columns of numbers that are numbered from 0 or 1 on, of two and more."""
    numbered = {}
    for c in numbers:
        match = re.fullmatch(r"(.*?)[ _.-]*(?<!\d)(\d{1,4})", names[c])
        if match and names[c].lower() not in _NAMES:
            numbered.setdefault(match[1].lower(), {}).setdefault(int(match[2]), c)
    series = {}
    for stem, by_number in numbered.items():
        first = min(by_number)
        last = next(number for number in range(first, first + len(by_number) + 1) if number not in by_number)
        if first <= 1 and last - first > 1:
            series[stem] = [by_number[number] for number in range(first, last)]
    return series

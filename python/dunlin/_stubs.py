# SPDX-License-Identifier: Apache-2.0
"""python -m dunlin._stubs FILE: writes type stubs of the functions, from the lists that make their signatures."""

import inspect
import sys

from . import _functions, _groups
from ._run import RUN

_TYPES = {
    "X": "Any",
    "map": "Any",
    "G": "Any",
    "seed": "int",
    "device": "str",
    "memory": "int | str | None",
    "n_jobs": "int | None",
    "checkpoint": "str | PathLike[str] | None",
    "verbose": "int",
    "callbacks": "Callable[..., Any] | Sequence[Callable[..., Any]] | None",
    "callbacks_every_iters": "int",
    "init": "str | Any | None",
    "num_iters": "str | Sequence[int]",
    "perplexity": "float | Sequence[float] | str | None",
    "anchor": "str | Any | None",
    "learning_rate": "float | str | None",
    "columns": "str | Iterable[str | int]",
    "fill": "str | float",
}
_RETURNS = {
    "tsne": "TSNEResult",
    "umap": "UMAPResult",
    "transform": "PlacedResult",
    "inverse": "InverseResult",
    "pacmap": "PaCMAPResult",
    "neighbors": "NeighborsResult",
    "kmeans": "KMeansResult",
    "assign": "Assignment",
    "choose_k": "KMeansChoice",
    "mixture": "MixtureResult",
    "choose_mixture": "MixtureChoice",
    "kmedoids": "KMedoidsResult",
    "leiden": "CommunitiesResult",
    "louvain": "CommunitiesResult",
    "clusters": "ClustersResult",
    "group_names": "GroupNames",
    "rank_features": "RankedFeatures",
    "sequence_distances": "Any",
    "mds": "MDSResult",
    "layout": "Layout | Any",
    "reliability": "ReliabilityResult",
    "density": "DensityResult",
    "surface": "SurfaceResult",
    "hulls": "HullsResult",
    "score": "Scores",
    "draw": "Picture",
    "trustworthiness": "float",
    "show_versions": "None",
    "view": "View | Path",
    "watch": "Watch",
    "live": "LiveMap",
}
_KINDS = {"int": "int", "float": "float", "bool": "bool", "str": "str"}


def _kinds():
    """Types of the options by function and name."""
    found = {}
    for name, groups in _groups.GROUPS.items():
        for group in (*groups, RUN):
            for option, row in group.rows.items():
                kind = _KINDS[row[6].rstrip("?")]
                if row[7]:
                    kind = "Literal[" + ", ".join(repr(word) for word in row[7]) + "] | str"
                found.setdefault((name, option), kind + (" | None" if row[6].endswith("?") else ""))
    return found


def text():
    kinds = _kinds()
    lines = [
        "# Written by dunlin._stubs",
        "from collections.abc import Callable, Iterable, Sequence",
        "from os import PathLike",
        "from pathlib import Path",
        "from typing import Any, Literal",
        "",
        "from ._results import (Assignment, KMeansChoice, KMeansResult, KMedoidsResult, Layout, MDSResult, MixtureChoice, MixtureResult, "
        "InverseResult, NeighborsResult, PaCMAPResult, Picture, PlacedResult, Scores, TSNEResult, UMAPResult)",
        "from ._density import DensityResult",
        "from ._density_clusters import ClustersResult",
        "from ._names import GroupNames, RankedFeatures",
        "from ._reliability import ReliabilityResult",
        "from ._surface import HullsResult, SurfaceResult",
        "from ._view import LiveMap, Watch",
        "from ._widget import View",
        "",
    ]
    for name in _functions.__all__:
        function = getattr(_functions, name)
        parts, starred = [], False
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind is parameter.KEYWORD_ONLY and not starred:
                parts.append("*")
                starred = True
            kind = _TYPES.get(parameter.name) or kinds.get((name, parameter.name), "Any")
            default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
            stars = "**" if parameter.kind is parameter.VAR_KEYWORD else ""
            parts.append(f"{stars}{parameter.name}: {kind}{default}")
        lines.append(f"def {name}({', '.join(parts)}) -> {_RETURNS.get(name, 'Any')}: ...")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(text())

# SPDX-License-Identifier: Apache-2.0
"""The functions of the package. Their options come from the library's lists (see _options.py)."""

from ._clusters import assign, choose_k, kmeans, mixture
from ._drawings import draw, layout, remove_overlaps
from ._files import read, write
from ._machine import gpus, options, show_versions
from ._maps import affinities, neighbors, tsne
from ._scaling import mds
from ._scores import score, trustworthiness
from ._waves import waves

__all__ = [
    "affinities",
    "assign",
    "choose_k",
    "draw",
    "gpus",
    "kmeans",
    "layout",
    "mds",
    "mixture",
    "neighbors",
    "options",
    "read",
    "remove_overlaps",
    "score",
    "show_versions",
    "trustworthiness",
    "tsne",
    "waves",
    "write",
]

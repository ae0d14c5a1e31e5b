# SPDX-License-Identifier: Apache-2.0
"""The functions of the package. Their options come from the library's lists (see _options.py).

Each is imported when it is first used: all together they take longer than the rest of `import dunlin`.
"""

import importlib

_MODULES = {
    "_clusters": ("assign", "choose_k", "choose_mixture", "kmeans", "mixture"),
    "_communities": ("leiden", "louvain"),
    "_density": ("density",),
    "_density_clusters": ("clusters",),
    "_drawings": ("draw", "layout", "remove_overlaps"),
    "_embedding": ("pacmap", "tsne", "umap"),
    "_files": ("documents", "read", "write"),
    "_inverse": ("inverse",),
    "_kmedoids": ("kmedoids",),
    "_machine": ("gpus", "options", "show_versions"),
    "_names": ("group_names", "rank_features"),
    "_neighbors": ("affinities", "memberships", "neighbors"),
    "_reliability": ("reliability",),
    "_scaling": ("mds",),
    "_scores": ("score", "trustworthiness"),
    "_sequences": ("sequence_distances",),
    "_surface": ("hulls", "surface"),
    "_transform": ("transform",),
    "_view": ("live", "view", "watch"),
    "_waves": ("waves",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = sorted(_MODULE_OF)


def __getattr__(name):
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_MODULE_OF[name]}", __package__), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})

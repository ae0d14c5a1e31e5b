# SPDX-License-Identifier: Apache-2.0
"""patch(): puts the package's classes and functions in the place of scikit-learn's and NetworkX's, on request only."""

import importlib

from ._errors import InputError

_PLACES = {
    "sklearn": [
        ("sklearn.manifold", "TSNE"),
        ("sklearn.manifold", "MDS"),
        ("sklearn.manifold", "ClassicalMDS"),
        ("sklearn.cluster", "KMeans"),
        ("sklearn.neighbors", "KNeighborsTransformer"),
    ],
    "networkx": [
        (place, name)
        for place in ("networkx", "networkx.drawing", "networkx.drawing.layout")
        for name in ("spring_layout", "fruchterman_reingold_layout", "kamada_kawai_layout", "forceatlas2_layout")
    ],
}
_originals = {}


class _Patched:
    """What patch() returns: a context that ends with unpatch()."""

    def __init__(self, names):
        self.names = names

    def __enter__(self):
        return self

    def __exit__(self, *error):
        unpatch(*self.names)


def patch(*names):
    """Replaces names of 'sklearn' (TSNE, MDS, ClassicalMDS, KMeans, KNeighborsTransformer) and 'networkx' (its
    force-directed layouts). Without names: of both, where they are installed. What was imported by name before keeps
    the original. A parameter or a value that the package does not take raises: the original is not called in its place.
    Usable as ``with dunlin.patch("sklearn"):``.
    """
    chosen = names or tuple(_PLACES)
    for name in chosen:
        if name not in _PLACES:
            raise InputError(f"patch() knows 'sklearn' and 'networkx', not {name!r}")
    for name in chosen:
        try:
            importlib.import_module(name)
        except ImportError:
            if names:
                raise
            continue
        ours = importlib.import_module("dunlin.networkx" if name == "networkx" else "dunlin._estimators")
        for place, attribute in _PLACES[name]:
            module = importlib.import_module(place)
            if (place, attribute) in _originals or not hasattr(module, attribute):
                continue
            _originals[place, attribute] = getattr(module, attribute)
            setattr(module, attribute, getattr(ours, attribute))
    return _Patched(chosen)


def unpatch(*names):
    """Puts the originals back."""
    for name in names or tuple(_PLACES):
        for place, attribute in _PLACES[name]:
            original = _originals.pop((place, attribute), None)
            if original is not None:
                setattr(importlib.import_module(place), attribute, original)

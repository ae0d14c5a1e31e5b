# SPDX-License-Identifier: Apache-2.0
"""patch(): puts the package's classes and functions in the place of scikit-learn's and NetworkX's, on request only."""

import importlib
import threading

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
_OURS = {"sklearn": "dunlin._estimators", "networkx": "dunlin.networkx"}
_lock = threading.RLock()
_originals = {}  # (place, attribute): what was there
_holders = {name: set() for name in _PLACES}  # the patches that hold the names of a package replaced


class _Patched:
    """What patch() returns: a context whose end is the end of this patch, not of others of the same names."""

    def __init__(self, names):
        self.names, self._depth = names, 0
        self._hold()

    def __enter__(self):
        with _lock:
            if self._depth == 0:
                self._hold()  # also when it is entered again
            self._depth += 1
        return self

    def __exit__(self, *error):
        with _lock:
            self._depth -= 1
            if self._depth == 0:
                self.end()

    def _hold(self):
        with _lock:
            for name in self.names:
                if not _holders[name]:
                    _replace(name)
                _holders[name].add(self)

    def end(self):
        """Ends this patch: the originals are back when no other one holds."""
        with _lock:
            for name in self.names:
                if self in _holders[name]:
                    _holders[name].remove(self)
                    if not _holders[name]:
                        _restore(name)


def _replace(name):
    ours = importlib.import_module(_OURS[name])
    for place, attribute in _PLACES[name]:
        module = importlib.import_module(place)
        if hasattr(module, attribute):
            _originals[place, attribute] = getattr(module, attribute)
            setattr(module, attribute, getattr(ours, attribute))


def _restore(name):
    for place, attribute in _PLACES[name]:
        if (place, attribute) in _originals:
            setattr(importlib.import_module(place), attribute, _originals.pop((place, attribute)))


def _is_installed(name):
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


def patch(*names):
    """Replaces names of 'sklearn' (TSNE, MDS, ClassicalMDS, KMeans, KNeighborsTransformer) and 'networkx' (its
    force-directed layouts). Without names: of both, where they are installed. What was imported by name before keeps
    the original. A parameter or a value that the package does not take raises: the original is not called in its place.

    Usable as ``with dunlin.patch("sklearn"):``, also inside another such block, after patch() and in several threads: the
    end of a block ends its own patch, and the originals are back when no patch is left. Names are replaced for the whole
    process.
    """
    for name in names:
        if name not in _PLACES:
            raise InputError(f"patch() knows 'sklearn' and 'networkx', not {name!r}")
    for name in names:
        importlib.import_module(name)  # raises before anything is replaced
    return _Patched(names or tuple(filter(_is_installed, _PLACES)))


def unpatch(*names):
    """Puts the originals back, whatever patch() is in effect, also inside its block."""
    for name in names:
        if name not in _PLACES:
            raise InputError(f"unpatch() knows 'sklearn' and 'networkx', not {name!r}")
    with _lock:
        for name in names or tuple(_PLACES):
            _holders[name].clear()
            _restore(name)

# SPDX-License-Identifier: Apache-2.0
"""patch(): puts the library's work behind the names of other packages, on request only."""

import importlib
import importlib.util
import sys
import threading

from ._errors import InputError

_LAYOUTS = ("spring_layout", "fruchterman_reingold_layout", "kamada_kawai_layout", "forceatlas2_layout")
_UMAP_FUNCTIONS = ("nearest_neighbors", "fuzzy_simplicial_set", "simplicial_set_embedding")
_UMAP_MODULES = ("umap.umap_", "umap", "umap.aligned_umap")
_NEIGHBORS = ("sklearn.neighbors", "KNeighborsTransformer")
_DESCENT = [("pynndescent", "PyNNDescentTransformer"), ("pynndescent.pynndescent_", "PyNNDescentTransformer")]
_LEIDEN, _PARTITION = ("igraph", "Graph.community_leiden"), ("leidenalg", "find_partition")
_FUNCTIONS_OF_UMAP = [(module, name) for module in _UMAP_MODULES for name in _UMAP_FUNCTIONS]
# What is replaced for each package: (module, attribute), or (module, class.attribute)
_PLACES = {
    "sklearn": [
        ("sklearn.manifold", "TSNE"),
        ("sklearn.manifold", "MDS"),
        ("sklearn.manifold", "ClassicalMDS"),
        ("sklearn.cluster", "KMeans"),
        _NEIGHBORS,
    ],
    "networkx": [
        (place, name) for place in ("networkx", "networkx.drawing", "networkx.drawing.layout") for name in _LAYOUTS
    ],
    "umap": [*((module, "UMAP") for module in _UMAP_MODULES), *_FUNCTIONS_OF_UMAP],
    "pacmap": [("pacmap.pacmap", "PaCMAP"), ("pacmap", "PaCMAP")],
    "openTSNE": [("openTSNE.tsne", "TSNE"), ("openTSNE", "TSNE")],
    "hdbscan": [("hdbscan.hdbscan_", f"_hdbscan_{way}_{tree}tree") for way in ("boruvka", "prims") for tree in ("kd", "ball")],
    "igraph": [_LEIDEN],
    "leidenalg": [_PARTITION],
    "scanpy": [*_FUNCTIONS_OF_UMAP, ("sklearn.manifold", "TSNE"), _NEIGHBORS, *_DESCENT, _LEIDEN, _PARTITION],
}
_ALL = list(dict.fromkeys(place for places in _PLACES.values() for place in places))
_MODULES = frozenset(module for module, _ in _ALL)
_lock = threading.RLock()
_originals = {}  # place: what was there
_now = {}  # place: whether what is there is strict
_made = {}  # (id of an original, strict): (the original, what stands for it)
_settling = []  # calls of _settle that are not answered yet
_holders = {name: [] for name in _PLACES}  # the patches that hold the names of a package replaced


class _Patched:
    """What patch() returns: a context whose end is the end of this patch, not of others of the same names."""

    def __init__(self, names, strict):
        self.names, self.strict, self._depth = names, strict, 0
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
        if {"sklearn", "scanpy"} & set(self.names):
            importlib.import_module(f"{__package__}._estimators")  # whole before its own imports are looked at
        with _lock:
            for name in self.names:
                if self not in _holders[name]:
                    _holders[name].append(self)
            _settle()

    def end(self):
        """Ends this patch: the originals are back when no other one holds."""
        with _lock:
            for name in self.names:
                if self in _holders[name]:
                    _holders[name].remove(self)
            _settle()


class _Finder:
    """Replaces names in modules that are imported later: patch() itself imports none of the packages."""

    _searching = threading.local()

    def find_spec(self, name, path=None, target=None):
        if name not in _MODULES or getattr(self._searching, "name", None) == name:
            return None
        self._searching.name = name
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._searching.name = None
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def execute_and_settle(module):
            execute(module)
            with _lock:
                _settle()

        spec.loader.exec_module = execute_and_settle
        return spec


_finder = _Finder()


def _settle():
    """Puts in all places of loaded modules what the patches that hold want there."""
    _settling.append(None)
    if len(_settling) > 1:  # a module was imported by what makes a replacement; it is looked at below
        return
    try:
        while _settling:
            _settling.clear()
            _settling.append(None)
            _settle_once()
            del _settling[0]
    finally:
        _settling.clear()


def _settle_once():
    wanted = {}
    for name, holders in _holders.items():
        for place in _PLACES[name] if holders else ():
            wanted[place] = wanted.get(place, False) or any(holder.strict for holder in holders)
    for place in _ALL:
        owner, name = _owner_of(*place)
        if not hasattr(owner, name) or _now.get(place) == wanted.get(place):
            continue
        if place in wanted:
            original = _originals.setdefault(place, _unreplaced(getattr(owner, name)))
            setattr(owner, name, _replacement(place, original, wanted[place]))
            _now[place] = wanted[place]
        else:
            setattr(owner, name, _originals.pop(place))
            del _now[place]
    if wanted and _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    elif not wanted and _finder in sys.meta_path:
        sys.meta_path.remove(_finder)


def _owner_of(module, attribute):
    """(the loaded module or its class that has an attribute, or None; the attribute)."""
    *above, name = attribute.split(".")
    owner = sys.modules.get(module)
    for each in above:
        owner = getattr(owner, each, None)
    return owner, name


def _unreplaced(found):
    """The original of what a module took from another one in which it was replaced."""
    return next((original for original, made in _made.values() if made is found), found)


def _replacement(place, original, strict):
    key = (id(original), strict)
    if key not in _made:
        _made[key] = original, _make(place, original, strict)
    return _made[key][1]


def _make(place, original, strict):
    package, name = place[0].partition(".")[0], place[1]
    if package == "sklearn":
        from . import _estimators, _proxies

        ours = getattr(_estimators, name)
        return ours if strict or issubclass(ours, original) else _proxies.estimator(original, ours, strict)
    if package == "networkx":
        from . import _proxies, networkx

        ours = getattr(networkx, name)
        return ours if strict else _proxies.layout(original, ours, strict)
    if package == "umap":
        from . import _proxy_umap, _proxy_umap_functions

        if name == "UMAP":
            return _proxy_umap.proxy(original, strict)
        return _proxy_umap_functions.proxy(name, sys.modules["umap.umap_"], original, strict)
    if package in ("igraph", "leidenalg"):
        from . import _proxy_communities

        return getattr(_proxy_communities, package)(original, strict)
    if package == "hdbscan":
        from . import _proxy_hdbscan

        return _proxy_hdbscan.spanning_tree(original, strict)
    from . import _proxy_others

    makers = {"pacmap": _proxy_others.pacmap, "openTSNE": _proxy_others.opentsne}
    return makers.get(package, _proxy_others.neighbors_transformer)(original, strict)


def _is_installed(name):
    try:
        return name in sys.modules and sys.modules[name] is not None or importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _require_known(function, names):
    for name in names:
        if name not in _PLACES:
            known = ", ".join(map(repr, _PLACES))
            raise InputError(f"{function}() knows {known}, not {name!r}")


def patch(*names, strict=False):
    """Lets the library do what code asks of other packages. Without names: of all that are installed.

    'sklearn': TSNE, MDS, ClassicalMDS, KMeans, KNeighborsTransformer. 'networkx': its force-directed layouts. 'umap': UMAP,
    nearest_neighbors, fuzzy_simplicial_set, simplicial_set_embedding. 'pacmap': PaCMAP. 'openTSNE': TSNE. 'hdbscan':
    the spanning trees of HDBSCAN. 'igraph': Graph.community_leiden. 'leidenalg': find_partition. 'scanpy': what
    pp.neighbors, tl.umap, tl.tsne and tl.leiden call.

    A class is a subclass of the original. Where the library lacks what is asked for, the original works, and the logger
    ``dunlin.accel`` says why, once for each reason; ``dunlin.accel.report()`` counts all calls. With ``strict=True`` the
    library's error is raised instead. What was imported by name before keeps the original.

    Usable as ``with dunlin.patch("sklearn"):``, also inside another such block, after patch() and in several threads: the
    end of a block ends its own patch, and the originals are back when no patch is left. Names are replaced for the whole
    process.
    """
    _require_known("patch", names)
    for name in names:
        if not _is_installed(name):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    return _Patched(names or tuple(filter(_is_installed, _PLACES)), strict)


def unpatch(*names):
    """Puts the originals back, whatever patch() is in effect, also inside its block."""
    _require_known("unpatch", names)
    with _lock:
        for name in names or tuple(_PLACES):
            _holders[name].clear()
        _settle()

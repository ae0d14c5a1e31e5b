# SPDX-License-Identifier: Apache-2.0
"""Results of the functions: plain values, arrays that share the library's memory, pictures in notebooks."""

import operator

import numpy as np

from . import _core, _device
from ._array_like import ArrayLike
from ._errors import InputError
from ._frames import Frame
from ._group_tree import GroupTree
from ._output import replacing
from ._plot_shepard import ShepardPlotted
from ._plots import Plotted, PlottedClusters


class Result:
    """Values under their names. ``options`` has the parameters as they were used.

    ``ids``, of the results that list it: names of the rows of the input, None where it has none, or a range where a table
    only counts its rows.

    Results may be edited: their methods and dunlin.draw, write and score take what they hold then.
    """

    def __init__(self, values, group=None):
        values = dict(values)
        if group is not None and "options" in values:
            renamed = {row[0]: name for name, row in group.rows.items()}
            values["options"] = {renamed.get(name, name): value for name, value in values["options"].items()}
        self.__dict__.update(values)

    def __repr__(self):
        shown = []
        for name, value in self.__dict__.items():
            if name.startswith("_") or name in ("options", "seconds", "engines", "varies_because", "checkpoint", "graph"):
                continue
            if name in ("ids", "columns") and not isinstance(value, dict):
                continue
            if hasattr(value, "shape") and hasattr(value, "dtype"):
                value = f"<{'x'.join(map(str, value.shape))} {value.dtype}>"
            elif isinstance(value, float):
                value = f"{value:.6g}"
            shown.append(f"{name}={value}")
        return f"{type(self).__name__}({', '.join(shown)})"


class MapResult(Plotted, ArrayLike, Result):
    """A result with an ``embedding``, float32, or float64 beside a given map far from zero. It may be used as this array: by
    indices, operators, NumPy and data frames, without a copy. A notebook shows it. Of points on a GPU it is there, too."""

    def __array__(self, dtype=None, copy=None):
        if _device.is_on_gpu(self.embedding):
            return _device.host(self.embedding).astype(dtype or np.float32, copy=False)
        if dtype is None or dtype == self.embedding.dtype:
            return self.embedding.copy() if copy else self.embedding
        return self.embedding.astype(dtype)

    def draw(self, path=None, **options):
        """A picture, as dunlin.draw makes it."""
        from ._drawings import draw

        return draw(self, path, **options)

    def _repr_png_(self):
        if len(self.embedding) == 0:
            return None
        return self.draw(width=600, height=600).data


def scaling_for(given, *results, must_match=False):
    """How columns of points are scaled beside results: as given, else as they were for the first result that tells, such as a
    map or neighbors. must_match: all that tell must have the same; the neighbors must in any case."""
    told = {type(result).__name__: result.options["normalize"] for result in results if _tells_scaling(result)}
    wanted = given if given is not None else next(iter(told.values()), None)
    for kind, made_by in told.items():
        if made_by != wanted and (must_match or kind == "NeighborsResult"):
            what = "neighbors were found" if kind == "NeighborsResult" else "map was made"
            raise InputError(
                f"normalize is {wanted!r} and the {what} with {made_by!r}; give both the same, or leave normalize out",
                option="normalize",
            )
    return wanted


def _tells_scaling(result):
    return isinstance(result, (MapResult, NeighborsResult)) and result.options.get("normalize") is not None


class TSNEResult(MapResult):
    """Of tsne(): ``embedding``, ``ids``, ``kl`` (``kl_se``: standard error), ``n_iter``, ``stopped`` ('converged', 'budget'
    or 'cancelled'), ``recall`` of the neighbors' search, ``seconds`` by stage, ``options`` as used, ``device``,
    ``seed``."""

    def __init__(self, group, values):
        super().__init__(values, group)


class PlacedResult(MapResult):
    """Of transform(): ``embedding``, ``ids`` of the queries, and for each ``cost``, ``gap``, ``distance``, ``remoteness``,
    and with ``affinity="best"`` ``by_own``, whether its place is the one by ``"own"`` (else None); ``far``, ``far_of_map``,
    ``preservation`` (``preservation_se``: standard error), ``neighbor_distance`` of the map, ``recall`` of the search,
    ``seconds`` by stage, ``options`` as used, ``device``, ``seed``."""

    def __init__(self, group, values):
        super().__init__(values, group)


class UMAPResult(MapResult):
    """Of umap(): ``embedding``, ``ids``, ``cross_entropy`` (``cross_entropy_se``: standard error), ``n_iter``, ``stopped``
    ('budget' or 'cancelled'), ``recall`` of the neighbors' search, ``seconds`` by stage, ``options`` as used, with the
    curve ``a`` and ``b``, ``device``, ``seed``."""

    def __init__(self, group, values):
        super().__init__(values, group)


class PaCMAPResult(MapResult):
    """Of pacmap(): ``embedding``, ``ids``, ``loss`` (``loss_se``: standard error), ``n_iter``, ``stopped`` ('budget' or
    'cancelled'), ``recall`` of the neighbors' search, ``seconds`` by stage, ``options`` as used, ``device``, ``seed``."""

    def __init__(self, group, values):
        super().__init__(values, group)


class MDSResult(ShepardPlotted, MapResult):
    """Of mds(): ``embedding``, ``ids``, ``n_iter``, ``stopped``, ``starts``, ``seconds``, ``options`` as used."""

    def __init__(self, group, values, items, run, ids=None, weights=None):
        super().__init__(values, group)
        self.ids = ids
        self._items, self._weights, self._run = items, weights, run

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name not in ("_items", "_weights", "_run")}

    def _need_items(self):
        if "_items" not in self.__dict__:
            raise InputError("the dissimilarities are not pickled; use dunlin.score(map, dissimilarities=...)")
        return self._items

    def stress(self, **options):
        """A dict of normalized_stress, map_normalized_stress, stress1, scaled_stress1 and, of a map with ``weights``,
        normalized_stress_weighted (the objective), each (value, standard error); options as in score()."""
        from ._groups import STRESS
        from ._run import finished

        chosen = STRESS.take(options)
        items, run = self._need_items(), self._run.on_first_gpu()
        return finished(_core.stress(items, self._map(), self._weights, chosen, run, None), dict)

    def stress_per_point(self):
        """Each item's own normalized stress."""
        return _core.stress_per_point(self._need_items(), self._map(), {}, self._run.on_first_gpu())

    def shepard(self, pairs=20000):
        """A Shepard diagram of up to ``pairs`` pairs: a ShepardDiagram, which is drawn by its ``draw()``."""
        items, transform = self._need_items(), self.options["transform"]
        found = _core.shepard(items, self._map(), pairs, transform, self._weights, {}, self._run.on_first_gpu())
        return ShepardDiagram.of(found, transform, self.ids)

    def _map(self):
        return Frame().taken(self.embedding, "embedding")


class ShepardDiagram(np.ndarray):
    """Of MDSResult.shepard(): an array (pairs, 2) of dissimilarity and distance in the map. ``first``, ``second``: the items
    of each pair; ``disparity``: its fitted disparity, NaN where its weight is 0; ``line`` (corners, 2): the fitted line;
    ``stress1`` of these pairs; ``fit`` = 1 - stress1**2; ``transform``; ``title``. Slices are plain places."""

    @classmethod
    def of(cls, found, transform, ids):
        self = found.pop("pairs").view(cls)
        self.__dict__.update(found, transform=transform, ids=ids)
        return self

    def draw(self, path=None, format="png", **options):
        """A Picture of the pairs and the line (.png, .svg, .pdf, .html; ``title``, ``width``, ``height`` as of dunlin.draw): to 2,000
        pairs a circle each, to 20,000 a dot, of more their density. A ``path`` of .csv or .tsv takes the pairs; returns None."""
        from ._drawings import drawn_shepard

        return drawn_shepard(self, path, format, options)

    def __reduce__(self):  # without what an array does not pickle
        return np.asarray(self).__reduce__()


class InverseResult(Result):
    """Of inverse(): ``rows``, float32 or, far from zero, float64; ``distance`` of each place to the nearest point of the map,
    ``neighbor_distance`` of the map's own points, ``seconds`` by stage, ``options`` as used, ``device``."""

    def __init__(self, group, values):
        super().__init__(values, group)


class NeighborsResult(Result):
    """Of neighbors(): ``indices`` (n, k) int32, ``distances`` (n, k) float32, nearest first; ``ids``; ``recall``. Of points
    on a GPU the arrays are there, too; ``graph`` (offsets, targets, weights) and ``to_csr`` copy them to the host."""

    def __init__(self, group, values, include_self=False, home=None, points=None, ids=None):
        super().__init__(values, group)
        self._points, self._is_self_first, self.ids = points, include_self, ids
        if home is not None:
            self.indices, self.distances = home.take(self.indices), home.take(self.distances)
            n = self.indices.shape[0]
            if include_self:
                self.indices = home.beside(np.arange(n, dtype=np.int32), self.indices)
                self.distances = home.beside(np.zeros(n, np.float32), self.distances)
            return
        offsets, targets, weights = self.__dict__.pop("graph")
        n = len(offsets) - 1
        k = len(targets) // n if n else 0
        self.indices, self.distances = targets.reshape(n, k), weights.reshape(n, k)
        if include_self:
            self.indices = np.column_stack([np.arange(n, dtype=np.int32), self.indices])
            self.distances = np.column_stack([np.zeros(n, np.float32), self.distances])

    @property
    def graph(self):
        """(offsets, targets, weights) of the lists as they are now, without the points that include_self put first."""
        lists = (_on_host(self.indices), np.int32), (_on_host(self.distances), np.float32)
        targets, weights = (
            np.ascontiguousarray(array[:, 1:] if self._is_self_first else array, dtype) for array, dtype in lists
        )
        n, k = targets.shape
        return np.arange(n + 1, dtype=np.int64) * k, targets.reshape(-1), weights.reshape(-1)

    def to_csr(self):
        """The graph as a SciPy CSR matrix of distances: a row per point or query, a column per point."""
        from scipy.sparse import csr_matrix

        indices, distances = _on_host(self.indices), _on_host(self.distances)
        n, k = indices.shape
        offsets = np.arange(0, n * k + 1, max(k, 1) if k else 1)[: n + 1] if k else np.zeros(n + 1, np.int64)
        return csr_matrix((distances.reshape(-1), indices.reshape(-1), offsets), shape=(n, self._points))

    def as_umap(self):
        """(indices, distances, None), as UMAP's ``precomputed_knn`` wants them; ask for include_self=True."""
        return self.indices, self.distances, None


def _on_host(array):
    return _device.host(array) if _device.is_on_gpu(array) else array


class KMeansResult(PlottedClusters, Result):
    """Of kmeans(): ``labels``, ``ids``, ``centers`` in the units of X, ``counts``, ``inertia``, ``n_iter``, ``stopped``;
    ``columns``, names of columns where X has them. Of points on a GPU ``labels`` and ``centers`` are there, too."""

    def __init__(self, group, values):
        super().__init__(values, group)


class KMedoidsResult(PlottedClusters, Result):
    """Of kmedoids(): ``labels``, ``ids``, ``medoids`` (the item of each cluster), ``counts``, ``inertia``, ``silhouette``,
    ``swaps``, ``n_iter``, ``stopped``."""

    def __init__(self, group, values):
        super().__init__(values, group)


class CommunitiesResult(Result):
    """Of leiden() and louvain(): ``labels``, int32, in the order of the graph's nodes; ``nodes``, their names; ``levels``, labels
    at every level, the finest first; ``n_communities``, ``modularity``, ``quality``, ``n_iter``, ``stopped``; ``names`` of the
    communities, after group_names()."""

    names = None

    @property
    def tree(self):
        """The communities of all levels as a GroupTree; its layers are the levels."""
        tree = GroupTree(_core.tree_of_levels(list(self.levels)))
        names = self.__dict__.get("_tree_names")
        tree.names = names if names is not None and len(names) == len(tree) else None
        return tree

    def communities(self):
        """A list of the nodes of each community."""
        found = [[] for _ in range(self.n_communities)]
        for node, label in zip(self.nodes, self.labels.tolist()):
            found[label].append(node)
        return found


class KMeansChoice:
    """Of choose_k(): ``curve``, a list of (clusters, inertia, value), and ``best``, a KMeansResult."""

    def __init__(self, curve, best):
        self.curve, self.best = curve, best

    def __repr__(self):
        return f"KMeansChoice(curve of {len(self.curve)}, best={self.best!r})"


class MixtureChoice:
    """Of choose_mixture(): ``curve``, a list of (components, log likelihood of a row, free parameters, BIC, AIC), and
    ``best``, a MixtureResult."""

    def __init__(self, curve, best):
        self.curve, self.best = curve, best

    def __repr__(self):
        return f"MixtureChoice(curve of {len(self.curve)}, best={self.best!r})"


class Assignment(PlottedClusters, Result):
    """Of assign(): ``labels``, ``ids``, ``counts``, ``inertia``."""


class MixtureResult(PlottedClusters, Result):
    """Of mixture(): ``labels``, ``ids``, ``weights``, ``means``, ``covariances``, ``log_likelihood`` of a row, ``bic``,
    ``aic``, and ``responsibilities`` where they are wanted."""

    def __init__(self, group, values):
        super().__init__(values, group)


class Layout(Plotted, dict):
    """Of layout(): a dict from node to position. ``pos``: the array, float32, or float64 far from zero; ``n_iter``, ``stopped``,
    ``seconds``; ``component_scale`` of all components but the largest.

    Positions may be edited, in the dict or in the array, which are one: its methods and dunlin.draw, write and score take
    what it holds then. It has a position for each node of its graph; dict(layout) is a dict for other uses.
    """

    def __init__(self, group, values, graph):
        self.__dict__.update(Result(values, group).__dict__)
        self.graph = graph
        self._hold(self.__dict__.pop("pos"))

    def _hold(self, array):
        """Positions are the rows of the array, in the order of the graph's nodes."""
        self._array, self._rows = array, list(array)
        self.update(zip(self.graph.nodes, self._rows))

    @property
    def pos(self):
        """The positions in the order of the graph's nodes; shares their memory."""
        if not self._holds_rows():
            self.pos = self._gathered()
        return self._array

    @pos.setter
    def pos(self, positions):
        if np.shape(positions) != self._array.shape:
            raise InputError(f"pos has the shape {np.shape(positions)}; it must be {self._array.shape}", option="pos")
        self._array[...] = positions
        self.update(zip(self.graph.nodes, self._rows))

    def _holds_rows(self):
        """Whether no position was set since."""
        return len(self) == len(self._rows) and all(map(operator.is_, self.values(), self._rows))

    def _gathered(self):
        """Positions that were set, as an array of their own: they may be rows of this one, exchanged."""
        gathered, dim = np.empty_like(self._array), self._array.shape[1]
        for row, node in zip(gathered, self.graph.nodes):
            if node not in self:
                raise InputError(f"the layout has no position of node {node!r} any more; take dict(layout) to leave some out")
            if np.shape(self[node]) != (dim,):
                raise InputError(f"the position of node {node!r} is {self[node]!r}; it must be {dim} numbers")
            row[:] = self[node]
        if len(self) > len(gathered):
            other = next(iter(self.keys() - set(self.graph.nodes)))
            raise InputError(f"the layout has a position of {other!r}, which is no node of its graph; take dict(layout) to add some")
        return gathered

    def __array__(self, dtype=None, copy=None):
        if dtype is None or dtype == self.pos.dtype:
            return self.pos.copy() if copy else self.pos
        return self.pos.astype(dtype)

    def __reduce__(self):
        attributes = {name: value for name, value in self.__dict__.items() if name not in ("_array", "_rows")}
        return _restored_layout, (None if self._holds_rows() else dict(self), self._array, attributes)

    def draw(self, path=None, **options):
        """A picture of the drawing, as dunlin.draw makes it."""
        from ._drawings import draw

        return draw(self.pos, path, graph=self.graph, **options)

    def _repr_png_(self):
        return self.draw(width=600, height=600).data if len(self) else None


def _restored_layout(positions, array, attributes):
    layout = Layout.__new__(Layout)
    layout.__dict__.update(attributes)
    layout._hold(np.array(array))
    if positions is not None:
        layout.clear()
        layout.update(positions)
    return layout


class Scores(dict):
    """Of score(): a dict from name to value.

    ``se``: standard errors, 0 where a score is exact. ``rnx_curve``: R_NX(K), the neighbors kept at every scale K = 1 to
    n - 2, whose weighted mean is ``rnx_auc``; None without points. ``device``: where the scores of points ran, "cpu" or
    "cuda".
    """

    def __init__(self, found):
        found = dict(found)
        self.rnx_curve = found.pop("rnx_curve", None)
        self.device = found.pop("ran_on", "cpu")
        super().__init__({name: value for name, (value, _) in found.items()})
        self.se = {name: error for name, (_, error) in found.items()}

    def __reduce__(self):
        return _restored_scores, (dict(self), self.se, self.rnx_curve, self.device)


def _restored_scores(values, errors, curve=None, device="cpu"):
    scores = Scores({"rnx_curve": curve, "ran_on": device})
    scores.update(values)
    scores.se = errors
    return scores


class Picture:
    """Of draw(): ``data`` (bytes) in a ``format``. A notebook shows it."""

    def __init__(self, data, format):
        self.data, self.format = data, format

    def save(self, path):
        """Writes the bytes; the file is complete or unchanged."""
        with replacing(path) as file:
            file.write(self.data)

    def _repr_png_(self):
        return self.data if self.format == "png" else None

    def _repr_svg_(self):
        return self.data.decode() if self.format == "svg" else None

    def _repr_html_(self):
        if self.format != "html":
            return None
        import html

        page = html.escape(self.data.decode(), quote=True)
        return f'<iframe sandbox="allow-scripts" width="100%" height="640" style="border:0" srcdoc="{page}"></iframe>'

    def __repr__(self):
        return f"Picture({self.format}, {len(self.data)} bytes)"

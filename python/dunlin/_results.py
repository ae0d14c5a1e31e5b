# SPDX-License-Identifier: Apache-2.0
"""Results of the functions: plain values, arrays that share the library's memory, pictures in notebooks."""

import numpy as np

from . import _core, _device
from ._errors import InputError
from ._output import replacing


class Result:
    """Values under their names. ``options`` has the parameters as they were used."""

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
            if hasattr(value, "shape") and hasattr(value, "dtype"):
                value = f"<{'x'.join(map(str, value.shape))} {value.dtype}>"
            elif isinstance(value, float):
                value = f"{value:.6g}"
            shown.append(f"{name}={value}")
        return f"{type(self).__name__}({', '.join(shown)})"


class MapResult(Result):
    """A result with an ``embedding``; np.asarray gives it, a notebook shows it. Of points on a GPU it is there, too."""

    def __array__(self, dtype=None, copy=None):
        if _device.is_on_gpu(self.embedding):
            return _device.host(self.embedding).astype(dtype or np.float32, copy=False)
        if dtype is None or dtype == self.embedding.dtype:
            return self.embedding.copy() if copy else self.embedding
        return self.embedding.astype(dtype)

    def __len__(self):
        return len(self.embedding)

    def draw(self, path=None, **options):
        """A picture, as dunlin.draw makes it."""
        from ._drawings import draw

        return draw(self.embedding, path, **options)

    def _repr_png_(self):
        if len(self.embedding) == 0:
            return None
        return self.draw(width=600, height=600).data


class TSNEResult(MapResult):
    """Of tsne(): ``embedding``, ``kl`` (``kl_se``: standard error), ``n_iter``, ``stopped`` ('converged', 'budget' or
    'cancelled'), ``recall`` of the neighbors' search, ``seconds`` by stage, ``options`` as used, ``device``,
    ``seed``."""

    def __init__(self, group, values):
        super().__init__(values, group)


class PlacedResult(MapResult):
    """Of transform(): ``embedding``, and for each query ``cost``, ``gap``, ``distance``, ``remoteness``, and with
    ``affinity="best"`` ``by_own``, whether its place is the one by ``"own"`` (else None); ``far``, ``far_of_map``,
    ``preservation`` (``preservation_se``: standard error), ``neighbor_distance`` of the map, ``recall`` of the search,
    ``seconds`` by stage, ``options`` as used, ``device``, ``seed``."""

    def __init__(self, group, values):
        super().__init__(values, group)


class UMAPResult(MapResult):
    """Of umap(): ``embedding``, ``cross_entropy`` (``cross_entropy_se``: standard error), ``n_iter``, ``stopped``
    ('budget' or 'cancelled'), ``recall`` of the neighbors' search, ``seconds`` by stage, ``options`` as used, with the
    curve ``a`` and ``b``, ``device``, ``seed``."""

    def __init__(self, group, values):
        super().__init__(values, group)


class PaCMAPResult(MapResult):
    """Of pacmap(): ``embedding``, ``loss`` (``loss_se``: standard error), ``n_iter``, ``stopped`` ('budget' or
    'cancelled'), ``recall`` of the neighbors' search, ``seconds`` by stage, ``options`` as used, ``device``, ``seed``."""

    def __init__(self, group, values):
        super().__init__(values, group)


class MDSResult(MapResult):
    """Of mds(): ``embedding``, ``n_iter``, ``stopped``, ``starts``, ``seconds``, ``options`` as used."""

    def __init__(self, group, values, items, run):
        super().__init__(values, group)
        self._items, self._run = items, run

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name not in ("_items", "_run")}

    def _need_items(self):
        if "_items" not in self.__dict__:
            raise InputError("the dissimilarities are not pickled; use dunlin.score(map, dissimilarities=...)")
        return self._items

    def stress(self, **options):
        """A dict of normalized_stress, stress1, scaled_stress1, each (value, standard error); options as in score()."""
        from ._groups import STRESS
        from ._run import finished

        chosen = STRESS.take(options)
        return finished(_core.stress(self._need_items(), _padded(self.embedding), chosen, self._run.on_first_gpu(), None), dict)

    def stress_per_point(self):
        """Each item's own normalized stress."""
        return _core.stress_per_point(self._need_items(), self.embedding, {}, self._run.on_first_gpu())

    def shepard(self, pairs=20000):
        """(dissimilarity, distance in the map) of up to ``pairs`` pairs: a Shepard diagram."""
        return _core.shepard(self._need_items(), self.embedding, pairs, {}, self._run.on_first_gpu())


def _padded(map):
    return np.ascontiguousarray(map)


class NeighborsResult(Result):
    """Of neighbors(): ``indices`` (n, k) int32, ``distances`` (n, k) float32, nearest first; ``recall``. Of points on a
    GPU the arrays are there, too; ``graph`` (offsets, targets, weights) and ``to_csr`` copy them to the host."""

    def __init__(self, group, values, include_self=False, home=None, points=None):
        super().__init__(values, group)
        self._points = points
        if home is not None:
            self.indices, self.distances = home.take(self.indices), home.take(self.distances)
            n = self.indices.shape[0]
            if include_self:
                self.indices = home.beside(np.arange(n, dtype=np.int32), self.indices)
                self.distances = home.beside(np.zeros(n, np.float32), self.distances)
            return
        n = len(self.graph[0]) - 1
        k = len(self.graph[1]) // n if n else 0
        self.indices, self.distances = self.graph[1].reshape(n, k), self.graph[2].reshape(n, k)
        if include_self:
            self.indices = np.column_stack([np.arange(n, dtype=np.int32), self.indices])
            self.distances = np.column_stack([np.zeros(n, np.float32), self.distances])

    def __getattr__(self, name):
        if name != "graph" or "indices" not in self.__dict__:
            raise AttributeError(name)
        indices, distances = _on_host(self.indices), _on_host(self.distances)
        n, k = indices.shape
        return np.arange(n + 1, dtype=np.int64) * k, indices.reshape(-1), distances.reshape(-1)

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


class KMeansResult(Result):
    """Of kmeans(): ``labels``, ``centers`` in the units of X, ``counts``, ``inertia``, ``n_iter``, ``stopped``. Of points
    on a GPU ``labels`` and ``centers`` are there, too."""

    def __init__(self, group, values):
        super().__init__(values, group)


class KMedoidsResult(Result):
    """Of kmedoids(): ``labels``, ``medoids`` (the item of each cluster), ``counts``, ``inertia``, ``silhouette``,
    ``swaps``, ``n_iter``, ``stopped``."""

    def __init__(self, group, values):
        super().__init__(values, group)


class KMeansChoice:
    """Of choose_k(): ``curve``, a list of (clusters, inertia, value), and ``best``, a KMeansResult."""

    def __init__(self, curve, best):
        self.curve, self.best = curve, best

    def __repr__(self):
        return f"KMeansChoice(curve of {len(self.curve)}, best={self.best!r})"


class Assignment(Result):
    """Of assign(): ``labels``, ``counts``, ``inertia``."""


class MixtureResult(Result):
    """Of mixture(): ``labels``, ``weights``, ``means``, ``covariances``, ``log_likelihood`` of a row, ``bic``, and
    ``responsibilities`` where they are wanted."""

    def __init__(self, group, values):
        super().__init__(values, group)


class Layout(dict):
    """Of layout(): a dict from node to position. ``pos``: the array; ``n_iter``, ``stopped``, ``seconds``."""

    def __init__(self, group, values, graph):
        result = Result(values, group)
        super().__init__(zip(graph.nodes, result.pos))
        self.__dict__.update(result.__dict__)
        self.graph = graph

    def __array__(self, dtype=None, copy=None):
        return self.pos.astype(dtype) if dtype is not None and dtype != self.pos.dtype else self.pos

    def __reduce__(self):
        return _restored_layout, (dict(self), dict(self.__dict__))

    def draw(self, path=None, **options):
        """A picture of the drawing, as dunlin.draw makes it."""
        from ._drawings import draw

        return draw(self.pos, path, graph=self.graph, **options)

    def _repr_png_(self):
        return self.draw(width=600, height=600).data if len(self) else None


def _restored_layout(positions, attributes):
    layout = Layout.__new__(Layout)
    layout.update(positions)
    layout.__dict__.update(attributes)
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
    found = {name: (value, errors[name]) for name, value in values.items()}
    return Scores(found | {"rnx_curve": curve, "ran_on": device})


class ReliabilityResult(Result):
    """Of reliability(): ``columns``, a dict from name to an array of shape (n,), whose entries are attributes too. NaN:
    undefined for the point, or not in the sample.

    ``points_elsewhere``, ``points_torn``, ``points_unheld``: shares of the points, with ``.._se``, their standard errors
    (0: all points). ``median_newton_step`` in map units; ``nn_distance``: the unit of home and perturbation. ``stopped``
    ('converged' or 'cancelled'), ``seconds``, ``options`` as used.
    """

    def __init__(self, group, values):
        super().__init__(values, group)

    def __getattr__(self, name):
        columns = self.__dict__.get("columns", {})
        if name in columns:
            return columns[name]
        raise AttributeError(f"{type(self).__name__!r} has no {name!r}")

    def __dir__(self):
        return [*super().__dir__(), *self.columns]

    def to_frame(self):
        """The columns as a pandas DataFrame."""
        from pandas import DataFrame

        return DataFrame(self.columns)


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

# SPDX-License-Identifier: Apache-2.0
"""umap-learn's functions, which scanpy, AlignedUMAP and others call: neighbors, memberships and the descent by the library.

As in umap-learn a point is first in its own list of neighbors.
"""

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.utils import check_random_state

from . import _accel_report, _core, _intake, _methods, _umap_graph, _umap_metrics
from ._errors import UnsupportedError
from ._options import translating
from ._proxies import function
from ._run import RUN, Run, finished
from ._shared import search
from ._umap_fit import MOST_DIMENSIONS, _in_box


def proxy(name, module, original, strict):
    """The function in the place of one of ``module``, umap.umap_."""
    make = {
        "nearest_neighbors": _nearest_neighbors,
        "fuzzy_simplicial_set": _fuzzy_simplicial_set,
        "simplicial_set_embedding": _simplicial_set_embedding,
    }
    return function(original, make[name](module), f"umap.{name}", strict, rows=_rows_of)


def _rows_of(*args, **named):
    graph = named.get("graph", args[1] if len(args) > 1 else None)
    given = graph if issparse(graph) else named.get("X", args[0] if args else None)
    return _accel_report.rows_of(given)


def _run(n_jobs=None, seed=1):
    return Run({"n_jobs": None if n_jobs in (None, -1) else n_jobs, "seed": seed})


def _native(metric, params):
    native = _umap_metrics.native(metric, params)
    if native is None:
        raise UnsupportedError(f"metric is {metric if isinstance(metric, str) else 'a function'!r}")
    return native


def _nearest_neighbors(module):
    def nearest_neighbors(
        X,
        n_neighbors,
        metric,
        metric_kwds,
        angular,
        random_state,
        low_memory=True,
        use_pynndescent=True,
        n_jobs=-1,
        verbose=False,
    ):
        native = _native(metric, metric_kwds)
        if n_neighbors < 2 or n_neighbors > X.shape[0]:
            raise UnsupportedError(f"n_neighbors is {n_neighbors} and there are {X.shape[0]} rows")
        index = _index(X, n_neighbors, native, n_jobs)
        return (*index.neighbor_graph, index)

    return nearest_neighbors


def _fuzzy_simplicial_set(module):
    def fuzzy_simplicial_set(
        X,
        n_neighbors,
        random_state,
        metric,
        metric_kwds={},
        knn_indices=None,
        knn_dists=None,
        angular=False,
        set_op_mix_ratio=1.0,
        local_connectivity=1.0,
        apply_set_operations=True,
        verbose=False,
        return_dists=None,
    ):
        if return_dists:
            raise UnsupportedError("return_dists is set")
        if knn_indices is None or knn_dists is None:
            native = _native(metric, metric_kwds)
            knn_indices, knn_dists = _index(X, int(n_neighbors), native, -1).neighbor_graph
        n, k = np.shape(knn_indices)
        if k < 2 or np.any(np.asarray(knn_indices)[:, 0] != np.arange(n)):
            raise UnsupportedError("lists of neighbors that do not begin with the point itself")
        lists = _umap_graph.cut_at(_umap_graph.precomputed(knn_indices, knn_dists, k), np.inf)[0]
        run = _run()
        if apply_set_operations:
            chosen = {"mix": float(set_op_mix_ratio), "local_connectivity": float(local_connectivity)}
            graph = finished(_core.memberships(lists, None, chosen, run.on_cpu(), None), _intake.scipy_csr)
        else:
            graph = _intake.scipy_csr(_umap_graph.directed(lists, n, local_connectivity, run), n)
        rho, sigma = _umap_graph.local_scales(lists, k, local_connectivity, run).T
        found = graph, np.ascontiguousarray(sigma), np.ascontiguousarray(rho)
        return found if return_dists is None else (*found, None)

    return fuzzy_simplicial_set


def _simplicial_set_embedding(module):
    def simplicial_set_embedding(
        data,
        graph,
        n_components,
        initial_alpha,
        a,
        b,
        gamma,
        negative_sample_rate,
        n_epochs,
        init,
        random_state,
        metric,
        metric_kwds,
        densmap,
        densmap_kwds,
        output_dens,
        output_metric=None,
        output_metric_kwds={},
        euclidean_output=True,
        parallel=False,
        verbose=False,
        tqdm_kwds=None,
    ):
        _require_plain_descent(n_components, n_epochs, densmap or output_dens, euclidean_output)
        n = graph.shape[0]
        random_state = check_random_state(random_state)
        start = _start(module, data, graph, int(n_components), init, random_state, metric, metric_kwds)
        run = Run({"seed": int(random_state.randint(2**31 - 1))}, verbose=1 if verbose else 0)
        chosen = {
            "dim": int(n_components),
            "iterations": int(n_epochs) if n_epochs is not None else 500 if n <= 10_000 else 200,
            "learning_rate": float(initial_alpha),
            "a": float(a),
            "b": float(b),
            "repulsion_strength": float(gamma),
            "negatives": float(negative_sample_rate),
        }
        edges = csr_matrix(graph, dtype=np.float32, copy=True)
        edges.data = np.clip(edges.data, 0, 1)
        edges.eliminate_zeros()
        method = _methods.METHODS["umap"]
        with translating(method.group, RUN):
            edges = _intake.csr_of(edges, name="graph")
            result = _methods.embed(method, None, edges, None, start, chosen, None, run)
        return result.embedding, {}

    return simplicial_set_embedding


def _require_plain_descent(n_components, n_epochs, has_densities, euclidean_output):
    if n_components > MOST_DIMENSIONS:
        raise UnsupportedError(f"n_components is {n_components}; the library makes maps of 1 to {MOST_DIMENSIONS} dimensions")
    if has_densities:
        raise UnsupportedError("densmap or output_dens is set")
    if not euclidean_output:
        raise UnsupportedError("output_metric is not 'euclidean'")
    if np.ndim(n_epochs):
        raise UnsupportedError("n_epochs is a list")


def _start(module, data, graph, dim, init, random_state, metric, metric_kwds):
    """The start map: umap-learn's spectral one of these memberships, a random one, the principal components, or an array."""
    if not isinstance(init, str):
        start = np.asarray(init, np.float64)
    elif init == "random":
        start = random_state.uniform(-10, 10, (graph.shape[0], dim))
    elif init == "pca":
        from sklearn.decomposition import PCA, TruncatedSVD

        reduction = TruncatedSVD if issparse(data) else PCA
        start = reduction(n_components=dim, random_state=random_state).fit_transform(data)
    else:
        layout = module.tswspectral_layout if init == "tswspectral" else module.spectral_layout
        start = layout(data, graph.tocoo(), dim, random_state, metric=metric, metric_kwds=metric_kwds)
    if start.shape != (graph.shape[0], dim):
        raise ValueError(f"init has the shape {start.shape}; it must be {(graph.shape[0], dim)}")
    return _in_box(start, int(random_state.randint(2**31 - 1)))


def _index_class():
    from pynndescent import NNDescent

    class Index(NNDescent):
        """What umap-learn takes for an index: neighbors of rows and of queries by the library."""

        def __init__(self, X, n_neighbors, metric, n_jobs=-1):
            self._raw_data, self.n_neighbors, self.metric, self.n_jobs = X, int(n_neighbors), metric, n_jobs
            self._angular_trees = metric in ("cosine", "correlation")

        def query(self, query_data, k=10, epsilon=0.1):
            run = _run(self.n_jobs)
            (_, targets, distances), _ = search(self._raw_data, int(k), run, self.metric, queries=query_data)
            shape = (query_data.shape[0], -1)
            return targets.reshape(shape), distances.reshape(shape)

        @property
        def neighbor_graph(self):
            n = self._raw_data.shape[0]
            (_, targets, distances), _ = search(self._raw_data, self.n_neighbors - 1, _run(self.n_jobs), self.metric)
            offsets = np.arange(n + 1, dtype=np.int64) * (len(targets) // n)
            return _umap_graph.as_arrays((offsets, targets, distances), self.n_neighbors)

        def prepare(self):
            pass

        def update(self, X_fresh=None, **others):
            from ._umap_methods import _stacked

            self._raw_data = _stacked(self._raw_data, X_fresh)

        def __getstate__(self):
            return dict(self.__dict__)

        def __setstate__(self, state):
            self.__dict__.update(state)

    Index.__module__, Index.__qualname__ = __name__, "Index"
    return Index


def __getattr__(name):
    if name == "Index":  # of pickles; it imports pynndescent
        return globals().setdefault("Index", _index_class())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _index(*given):
    return (globals().get("Index") or __getattr__("Index"))(*given)


def index_of(fitted):
    """The index of a UMAP that the library fitted."""
    return _index(fitted._made["points"], fitted._n_neighbors, fitted._native_metric(), fitted.n_jobs)

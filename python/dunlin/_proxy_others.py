# SPDX-License-Identifier: Apache-2.0
"""pacmap's PaCMAP, openTSNE's TSNE and pynndescent's transformer, by the library where it has what they ask for."""

import inspect
import sys

import numpy as np
from scipy.sparse import csr_matrix

from . import _accel_report, _umap_metrics
from ._errors import InputError, OptionError, UnsupportedError
from ._proxies import Proxy, by_dunlin, dressed
from ._run import Run
from ._shared import search, seed_of

_DISTANCES = {"euclidean": "euclidean", "manhattan": "manhattan", "angular": "cosine"}


def pacmap(original, strict):
    class PaCMAP(PacmapProxy, original):
        _strict = strict

    return dressed(PaCMAP, original)


class PacmapProxy(Proxy):
    def fit(self, X, init=None, save_pairs=True):
        """See pacmap; by Dunlin where it has what is asked for (dunlin.patch). Pairs are not kept."""
        self.__dict__.pop("_dunlin", None)
        original = super()

        def by_ours():
            self._require_known(init)
            self._fit_by_dunlin(X, init)
            return self

        rows = _accel_report.rows_of(X)
        return by_dunlin("pacmap.PaCMAP.fit", rows, by_ours, lambda: original.fit(X, init, save_pairs), self._strict)

    def transform(self, X, basis=None, init=None, save_pairs=True):
        """See pacmap; by Dunlin in a map that it made, without a need for the basis."""
        original, fitted = super(), self.__dict__.get("_dunlin")

        def by_ours():
            if fitted is None:
                raise UnsupportedError("the map is pacmap's own")
            return fitted.transform(self._prepared_like(X))

        def by_theirs():
            return original.transform(X, basis, init, save_pairs)

        return by_dunlin("pacmap.PaCMAP.transform", _accel_report.rows_of(X), by_ours, by_theirs, self._strict)

    def _require_known(self, init):
        if self.n_components > 3:
            raise UnsupportedError(f"n_components is {self.n_components}; the library makes maps of 1, 2 and 3 dimensions")
        if self.distance not in _DISTANCES:
            raise UnsupportedError(f"distance is {self.distance!r}")
        for name in ("pair_neighbors", "pair_MN", "pair_FP"):
            if getattr(self, name) is not None:
                raise UnsupportedError(f"{name} is given")
        for name in ("intermediate", "save_tree"):
            if getattr(self, name):
                raise UnsupportedError(f"{name} is set")
        if isinstance(init, str) and init not in ("pca", "random"):
            raise UnsupportedError(f"init is {init!r}")

    def _fit_by_dunlin(self, X, init):
        from ._estimators import PaCMAP

        module, X = sys.modules[self._original.__module__], np.array(X, np.float32)
        n, columns = X.shape
        if n <= 1:
            raise ValueError(f"X has {n} rows; PaCMAP needs two or more")
        how = self.distance, self.apply_pca, self.verbose, self.random_state, columns, self.n_components
        X, self.pca_solution, self.tsvd_transformer, self.xmin, self.xmax, self.xmean = module.preprocess_X(X, *how)
        self.decide_num_pairs(n)
        if init is not None and not isinstance(init, str):  # as pacmap scales a given start
            init = np.asarray(init, np.float64)
            init = (init - init.mean(axis=0)) / np.maximum(init.std(axis=0), 1e-12) * 1e-4
        fitted = PaCMAP(
            n_components=self.n_components,
            n_neighbors=int(self.n_neighbors),
            MN_ratio=self.n_MN / self.n_neighbors,
            FP_ratio=self.n_FP / self.n_neighbors,
            metric=_DISTANCES[self.distance],
            lr=self.lr,
            num_iters=self.num_iters,
            init="pca" if init is None else init,
            random_state=self.random_state if getattr(module, "_RANDOM_STATE", None) is not None else None,
            verbose=bool(self.verbose),
        ).fit(X)
        self.num_instances, self.num_dimensions = X.shape
        self.embedding_, self.intermediate_states, self._dunlin = fitted.embedding_, None, fitted

    def _prepared_like(self, X):
        module = sys.modules[self._original.__module__]
        how = self.distance, self.xmin, self.xmax, self.xmean, self.tsvd_transformer, self.apply_pca, self.verbose
        return module.preprocess_X_new(np.array(X, np.float32), *how)

    def _state_to_pickle(self):
        return {name: value for name, value in dict(self.__getstate__()).items() if name != "_dunlin"}


def opentsne(original, strict):
    class TSNE(Proxy, original):
        def fit(self, X=None, affinities=None, initialization=None):
            """See openTSNE; by Dunlin where it has what is asked for (dunlin.patch)."""

            def by_ours():
                from .opentsne import TSNE as Ours

                if affinities is not None:
                    raise UnsupportedError("affinities are given")
                names = inspect.signature(Ours.__init__).parameters
                parameters = {name: getattr(self, name) for name in names if name != "self" and hasattr(self, name)}
                try:
                    return Ours(**parameters).fit(X, None, initialization)
                except (InputError, OptionError) as error:
                    if error.option in parameters or error.option == "method":
                        raise UnsupportedError(str(error), option=error.option) from None
                    raise

            def by_theirs():
                return super(TSNE, self).fit(X, affinities, initialization)

            return by_dunlin("openTSNE.TSNE.fit", _accel_report.rows_of(X), by_ours, by_theirs, strict)

    return dressed(TSNE, original)


def neighbors_transformer(original, strict):
    """pynndescent's PyNNDescentTransformer, which scanpy calls for the neighbors of many cells."""

    class PyNNDescentTransformer(Proxy, original):
        def fit(self, X, *given, **more):
            self.__dict__.pop("_points", None)
            return super().fit(X, *given, **more)

        def fit_transform(self, X, y=None, **fit_params):
            """The graph of neighbors, each row itself first; by Dunlin where it has the metric."""
            self.__dict__.pop("_points", None)

            def by_ours():
                native = _umap_metrics.native(self.metric, self.metric_kwds)
                if native is None or self.n_neighbors >= X.shape[0]:
                    raise UnsupportedError(f"metric is {self.metric!r}, n_neighbors {self.n_neighbors} of {X.shape[0]} rows")
                self.n_samples_fit = X.shape[0]
                graph = _graph_of_neighbors(X, self.n_neighbors, native, self.n_jobs, seed_of(self.random_state))
                self._points = X
                return graph

            def by_theirs():
                return super(PyNNDescentTransformer, self).fit_transform(X, y, **fit_params)

            name = "pynndescent.PyNNDescentTransformer.fit_transform"
            return by_dunlin(name, _accel_report.rows_of(X), by_ours, by_theirs, strict)

        def transform(self, X, y=None):
            if "_points" in self.__dict__:  # the original's index is made when it is needed
                super().fit(self.__dict__.pop("_points"))
            return super().transform(X, y)

    return dressed(PyNNDescentTransformer, original)


def _graph_of_neighbors(X, k, metric, n_jobs, seed):
    run = Run({"n_jobs": n_jobs, "seed": seed})
    (_, targets, distances), _ = search(X, k, run, metric)
    n = X.shape[0]
    indices = np.column_stack([np.arange(n, dtype=np.int32), targets.reshape(n, k)])
    weights = np.column_stack([np.zeros(n, np.float32), distances.reshape(n, k)])
    return csr_matrix((weights.ravel(), indices.ravel(), np.arange(0, n * (k + 1) + 1, k + 1)), shape=(n, n))

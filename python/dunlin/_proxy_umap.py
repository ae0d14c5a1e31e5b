# SPDX-License-Identifier: Apache-2.0
"""umap-learn's class UMAP, whose fits are the library's where it has what they ask for.

After a fit by the library the map and the parameters are set at once, and what else umap-learn keeps when it is first
read, so that its other methods go on from there.
"""

import numpy as np
from scipy.sparse import issparse

from . import _accel_report
from ._errors import UnsupportedError
from ._proxies import Proxy, by_dunlin, dressed

# Attributes of umap-learn that are made when they are first read
_LATER = ("graph_", "_sigmas", "_rhos", "_knn_indices", "_knn_dists", "_input_hash")
_NAME = "umap.UMAP"
_FEW_ROWS = 4096  # below it umap-learn computes the distances of all pairs


def proxy(original, strict):
    class UMAP(UmapProxy, original):
        _strict = strict

    return dressed(UMAP, original)


class UmapProxy(Proxy):
    def fit(self, X, y=None, ensure_all_finite=True, **more):
        """See umap-learn; by Dunlin where it has what is asked for (dunlin.patch)."""
        for name in (*_LATER, "_dunlin", "_by_dunlin", "_knn_search_index"):
            self.__dict__.pop(name, None)
        original = super()

        def by_theirs():
            for name in ("_dunlin", "_by_dunlin", "_knn_search_index"):
                self.__dict__.pop(name, None)
            return original.fit(X, y, ensure_all_finite, **more)

        def by_ours():
            self._fit_by_dunlin(X, y, ensure_all_finite, more)
            return self

        return by_dunlin(f"{_NAME}.fit", _accel_report.rows_of(X), by_ours, by_theirs, self._strict)

    def transform(self, X, ensure_all_finite=True):
        """See umap-learn; by Dunlin in a map that it made."""
        original, fitted = super(), self._fitted_by_dunlin()

        def by_ours():
            if fitted is None:
                raise UnsupportedError("the map is umap-learn's own")
            if self.__dict__.get("_knn_search_index", 0) is None:
                raise UnsupportedError("precomputed_knn without an index")
            rows = self._rows(X, ensure_all_finite)
            if self.transform_mode == "embedding":
                fitted.embedding_ = self.embedding_
            return fitted.transform(rows)

        def by_theirs():
            return original.transform(X, ensure_all_finite)

        return by_dunlin(f"{_NAME}.transform", _accel_report.rows_of(X), by_ours, by_theirs, self._strict)

    def update(self, X, ensure_all_finite=True):
        """See umap-learn; by Dunlin in a map that it made."""
        original, fitted = super(), self._fitted_by_dunlin()

        def by_ours():
            if fitted is None:
                raise UnsupportedError("the map is umap-learn's own")
            fitted.embedding_ = self.embedding_
            fitted.update(self._rows(X, ensure_all_finite))
            self._adopt(fitted, self._supervised)
            self._raw_data = fitted._raw_data

        def by_theirs():
            self.__dict__.pop("_dunlin", None)
            self.__dict__.pop("_by_dunlin", None)
            return original.update(X, ensure_all_finite)

        return by_dunlin(f"{_NAME}.update", _accel_report.rows_of(X), by_ours, by_theirs, self._strict)

    def __getattr__(self, name):
        fitted = self.__dict__.get("_dunlin")
        if fitted is None or name not in (*_LATER, "_knn_search_index"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if name == "_knn_search_index":
            if self._small_data or self.metric == "precomputed":
                raise AttributeError(name)
            from ._proxy_umap_functions import index_of

            value = index_of(fitted)
        else:
            value = getattr(fitted, name)
        self.__dict__[name] = value
        return value

    def _state_to_pickle(self):
        """That of umap-learn, which goes on by distances of all pairs, since it has no index."""
        if self.__dict__.get("_dunlin") is None:
            return self.__getstate__()
        for name in _LATER:
            getattr(self, name)
        state = dict(self.__getstate__())
        state.pop("_dunlin")
        index = state.get("_knn_search_index", self)
        if index is self or type(index).__module__.startswith("dunlin"):
            state.pop("_knn_search_index", None)
            state["_small_data"] = True
        return state

    def _fit_by_dunlin(self, X, y, ensure_all_finite, more):
        self._refuse_overrides(more)
        X = self._checked(X, ensure_all_finite)
        if y is not None:
            y = y if self.target_metric == "categorical" else np.asarray(y)
        from ._estimators import UMAP

        parameters = {name: value for name, value in self.get_params(deep=False).items() if name in UMAP._parameter_constraints}
        parameters["precomputed_knn"] = (self.knn_indices, self.knn_dists)
        if self.a is None or self.b is None:  # umap-learn reads both or neither
            parameters.update(a=None, b=None)
        fitted = UMAP(**parameters)
        fitted.fit(X, y)
        self._raw_data = fitted._raw_data  # its own copy
        self._adopt(fitted, y is not None)

    def _refuse_overrides(self, more):
        if more:
            raise UnsupportedError(f"fit() is given {', '.join(more)}")
        own = UmapProxy.fit, self._original._fit_embed_data
        if (type(self).fit, type(self)._fit_embed_data) != own:
            raise UnsupportedError(f"{type(self).__name__} has a fit of its own")

    def _rows(self, X, ensure_all_finite):
        """X as umap-learn takes it."""
        from sklearn.utils.validation import check_array

        if self.metric in ("bit_hamming", "bit_jaccard"):
            raise UnsupportedError(f"metric is {self.metric!r}, whose distances umap-learn scales otherwise")
        X = check_array(X, dtype=np.float32, accept_sparse="csr", order="C", ensure_all_finite=ensure_all_finite)
        if ensure_all_finite is not True and not np.isfinite(X.data if issparse(X) else X).all():
            raise UnsupportedError("X has NaN or infinity")
        return X

    def _checked(self, X, ensure_all_finite):
        """X after umap-learn's own checks of it and of the parameters."""
        self._require_pairs_of_function(X)
        X = self._rows(X, ensure_all_finite)
        if X.shape[0] == 1:
            raise UnsupportedError("there is one row")
        self._raw_data, self._initial_alpha = X, self.learning_rate
        self._a, self._b = self._curve()
        knn = (*self.precomputed_knn, None)[:3]
        self.knn_indices, self.knn_dists, self.knn_search_index = knn
        self._with_any_n_jobs(self._validate_parameters)
        if self.knn_dists is not None:
            self._knn_search_index = self.knn_search_index
        return X

    def _require_pairs_of_function(self, X):
        """A metric that is a function is taken where umap-learn, too, computes the distances of all pairs."""
        if not callable(self.metric):
            return
        if issparse(X):
            raise UnsupportedError("metric is a function, of sparse rows")
        if _accel_report.rows_of(X) >= _FEW_ROWS or self.force_approximation_algorithm:
            raise UnsupportedError("metric is a function, and neighbors are searched with it")

    def _curve(self):
        if self.a is not None and self.b is not None:
            return self.a, self.b
        from . import _core

        if not 0 <= self.min_dist <= self.spread:
            return None, None  # which the check of parameters refuses
        return _core.curve(self.min_dist, self.spread)

    def _with_any_n_jobs(self, check):
        """umap-learn makes n_jobs 1 where there is a seed, which here changes nothing."""
        n_jobs = self.n_jobs
        if n_jobs == -1 or n_jobs > 1:
            self.n_jobs = 1
        try:
            check()
        finally:
            self.n_jobs = n_jobs

    def _adopt(self, fitted, supervised):
        """Takes what the library made."""
        for name in _LATER:
            self.__dict__.pop(name, None)
        self._dunlin, self._by_dunlin, self._supervised = fitted, True, supervised
        self._n_neighbors, self.graph_dists_ = fitted._n_neighbors, None
        self._small_data = self._raw_data.shape[0] < _FEW_ROWS and not self.force_approximation_algorithm
        for name in ("embedding_", "embedding_list_", "_unique_inverse_", "rad_orig_", "rad_emb_"):
            self.__dict__.pop(name, None)
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))
        self._n_features_out = fitted._n_features_out

    def _fitted_by_dunlin(self):
        """The library's estimator; made again of what a pickle had, where its map needs no more."""
        fitted = self.__dict__.get("_dunlin")
        if fitted is None and self.__dict__.get("_by_dunlin") and self.transform_mode == "embedding" and not self.unique:
            from ._estimators import UMAP

            names = set(UMAP._parameter_constraints)
            fitted = UMAP(**{name: value for name, value in self.get_params(deep=False).items() if name in names})
            if fitted._native_metric() is not None and np.isfinite(self.embedding_).all():
                fitted._resume(self._raw_data, self.embedding_)
                self._dunlin = fitted
            else:
                fitted = None
        return fitted

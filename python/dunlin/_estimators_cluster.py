# SPDX-License-Identifier: Apache-2.0
"""KMeans and GaussianMixture with scikit-learn's interface."""

import warnings
from numbers import Integral, Real

import numpy as np
import sklearn.cluster
import sklearn.mixture
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import euclidean_distances
from sklearn.mixture._gaussian_mixture import _compute_precision_cholesky
from sklearn.preprocessing import normalize
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.sparsefuncs import mean_variance_axis
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, check_random_state

from . import _clusters, _core, _device, _groups, _intake, _match, _offsets
from ._densities import log_gaussians
from ._errors import InputError
from ._given import say_if_distances
from ._options import translating
from ._run import CHECKPOINT, finished, say
from ._shared import (
    CHECKPOINT_CONSTRAINTS,
    given,
    in_fitted_order,
    named_rows,
    run_of,
    seed_of,
    validate_data,
    validated,
)


def _weights(sample_weight, X, dtype):
    if not isinstance(sample_weight, Real):
        sample_weight = _intake.dense(sample_weight, "sample_weight")
    return _check_sample_weight(sample_weight, X, dtype=dtype)


def _float_type(X, offsets=None):
    """The type of centers: float64 for such points of any package, and for points far from zero, where float32 has no digits for
    a mean; else float32."""
    return np.dtype(np.float64 if offsets is not None or str(X.dtype).endswith("float64") else np.float32)


class KMeans(sklearn.cluster.KMeans):
    """sklearn.cluster.KMeans, fitted by the library. ``transform`` is scikit-learn's, with metric='cosine' of rows that
    are scaled to length 1, of columns far from zero less the offsets of the rows that were fitted.

    Parameters
    ----------
    n_clusters, init, n_init, max_iter, tol, verbose, random_state, copy_x, algorithm
        As in scikit-learn. Both algorithms give the same result, that of Lloyd's iteration; ``copy_x`` has no effect,
        since X is never written to. ``init`` may also be 'k-means||'.
    metric : {'euclidean', 'cosine'}, default 'euclidean'
        cosine: rows and centers are scaled to length 1.
    n_jobs : int, optional
        CPU threads; the result does not depend on it.
    device, memory
        As in dunlin.kmeans. Points on a GPU are used there: ``labels_`` and what ``predict`` returns are arrays of their
        package, ``cluster_centers_`` is a NumPy array.
    checkpoint, checkpoint_every, resume
        As in dunlin.kmeans. A run is resumed with the same random_state, which must be an int.
    """

    _parameter_constraints = {
        **sklearn.cluster.KMeans._parameter_constraints,
        "init": [StrOptions({"k-means++", "k-means||", "random"}), callable, "array-like"],
        "metric": [StrOptions({"euclidean", "cosine"})],
        "n_jobs": [None, Integral],
        "device": [str],
        "memory": [None, str, Interval(Real, 0, None, closed="left")],
        **CHECKPOINT_CONSTRAINTS,
    }

    def __init__(
        self,
        n_clusters=8,
        *,
        init="k-means++",
        n_init="auto",
        max_iter=300,
        tol=1e-4,
        verbose=0,
        random_state=None,
        copy_x=True,
        algorithm="lloyd",
        metric="euclidean",
        n_jobs=None,
        device="auto",
        memory=None,
        checkpoint=None,
        checkpoint_every=60.0,
        resume=False,
    ):
        super().__init__(
            n_clusters,
            init=init,
            n_init=n_init,
            max_iter=max_iter,
            tol=tol,
            verbose=verbose,
            random_state=random_state,
            copy_x=copy_x,
            algorithm=algorithm,
        )
        self.metric = metric
        self.n_jobs = n_jobs
        self.device = device
        self.memory = memory
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume

    def fit(self, X, y=None, sample_weight=None):
        """Computes the clusters. A ``sample_weight`` with names of rows, and an ``init`` with names of columns, are put in the
        order of those of X."""
        self._validate_params()
        (X, of), columns = named_rows(X), _match.columns_of(X)
        init = self.init
        if not isinstance(init, str) and not callable(init):
            init = _intake.dense(_clusters.centers_like(init, columns, "init"), "init")
        if sample_weight is not None:
            sample_weight = _match.column(sample_weight, of, "sample_weight")
        X = validated(
            self, X, True, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", accept_large_sparse=False
        )
        if _device.is_on_gpu(X):
            self._check_params_vs_input(np.zeros((X.shape[0], 1), _float_type(X)))  # it reads the number of rows
        else:
            self._check_params_vs_input(X)
            sample_weight = None if sample_weight is None else _weights(sample_weight, X, _float_type(X))
        say_if_distances(X, "kmeans")
        result = self._clusters_of(X, init, sample_weight)
        self._keep(result, X, init)
        found = np.count_nonzero(result.counts)
        if found < self.n_clusters:
            warnings.warn(
                f"Number of distinct clusters ({found}) found smaller than n_clusters ({self.n_clusters}). "
                "Possibly due to duplicate points in X.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _clusters_of(self, X, init, weights):
        """The KMeansResult of checked points, from the start that ``init`` says, is or makes."""
        generator = check_random_state(self.random_state)
        self.seed_ = seed_of(self.random_state)
        run = run_of(self, self.seed_, verbose=self.verbose, checkpoints=True)
        points = _intake.points(X, run, metric=self.metric, in_place=True, sparse=True)
        self._offsets = points.shift if issparse(X) or _device.is_on_gpu(X) else _offsets.offsets_in(X)
        options = {"clusters": self.n_clusters, "metric": self.metric, "iterations": self.max_iter, "tolerance": self.tol}
        with translating(_groups.KMEANS, CHECKPOINT):
            if isinstance(init, str):
                options |= {"start": _clusters.KMEANS_STARTS.get(init, init), "restarts": self._n_init}
                return _clusters.cluster(points, None, weights, options, run)
            if self.checkpoint and self._n_init > 1:
                raise InputError(
                    "a checkpoint is of one run, and a callable init with n_init above 1 makes several",
                    option="checkpoint",
                )
            best = None
            for _ in range(self._n_init):
                centers = init(X, self.n_clusters, random_state=generator) if callable(init) else init
                centers = _intake.dense(centers, "init")
                self._validate_center_shape(X, centers)
                tried = _clusters.cluster(points, centers, weights, options, run)
                if best is None or tried.inertia < best.inertia:
                    best = tried
            return best

    def _keep(self, result, X, init):
        """Sets the attributes of a result."""
        centers = _device.host(result.centers) if _device.is_on_gpu(result.centers) else result.centers
        self.cluster_centers_ = np.ascontiguousarray(centers, _float_type(X, self._offsets))
        self._n_features_out = self.cluster_centers_.shape[0]
        self.labels_, self.inertia_ = result.labels, result.inertia
        # scikit-learn also counts the iteration that finds no label changed, but not where centers moved too little
        moved = result.n_iter != 1 or self._moved_from_start(X, init)
        self.n_iter_ = min(max(1, result.n_iter + (result.stopped == "converged" and moved)), self.max_iter)
        self.device_, self.stopped_ = result.device, result.stopped

    def _moved_from_start(self, X, init):
        """Whether centers that were given moved by more than the tolerance in the only iteration."""
        if isinstance(init, str) or callable(init):
            return True
        shift = float(np.sum((init.astype(np.float64) - self.cluster_centers_) ** 2))
        variances = mean_variance_axis(X, axis=0)[1] if issparse(X) else np.var(_intake.dense(X), axis=0)
        return shift > self.tol * float(variances.mean())

    def _check_test_data(self, X):
        return super()._check_test_data(given(in_fitted_order(self, X)))  # of transform()

    def _assigned(self, X):
        check_is_fitted(self)
        X = validated(
            self,
            X,
            True,
            accept_sparse="csr",
            reset=False,
            dtype=[np.float64, np.float32],
            order="C",
            accept_large_sparse=False,
        )
        centers, offsets = self.cluster_centers_, getattr(self, "_offsets", None)
        like = _offsets.rows_with(offsets, centers.shape[1])
        return _clusters.assigned(X, centers, self.metric, run_of(self), like), X

    def predict(self, X):
        """The nearest center of each row."""
        return self._assigned(X)[0]["labels"]

    def score(self, X, y=None, sample_weight=None):
        """Minus the inertia of X."""
        if sample_weight is not None:
            sample_weight = _match.column(sample_weight, named_rows(X)[1], "sample_weight")
        found, X = self._assigned(X)
        if sample_weight is None:
            return -found["inertia"]
        if _device.is_on_gpu(X):
            X, found = _intake.dense(X), {"labels": _device.host(found["labels"])}
        weights = _weights(sample_weight, X, X.dtype)
        return -sum(weights[rows] @ squares for rows, squares in self._squared_distances(X, found["labels"]))

    def _squared_distances(self, X, labels):
        """(slice of rows, their squared distances to their centers in double), a block at a time."""
        step = max(1, 2**22 // max(1, X.shape[1]))
        for begin in range(0, X.shape[0], step):
            rows = slice(begin, begin + step)
            block = self._as_compared(X[rows].toarray() if issparse(X) else X[rows])
            differences = block.astype(np.float64) - self.cluster_centers_[labels[rows]]
            yield rows, np.einsum("ij,ij->i", differences, differences)

    def _as_compared(self, X):
        """Rows as the metric compares them with centers."""
        return normalize(X) if self.metric == "cosine" else X

    def _transform(self, X):
        offsets = getattr(self, "_offsets", None)
        if offsets is None or issparse(X) or self.metric == "cosine":
            return super()._transform(self._as_compared(X))
        return euclidean_distances(X - offsets, self.cluster_centers_ - offsets).astype(X.dtype, copy=False)


class GaussianMixture(sklearn.mixture.GaussianMixture):
    """sklearn.mixture.GaussianMixture, fitted by the library; all else is scikit-learn's, but for densities, which are of
    differences in float64.

    Parameters
    ----------
    n_components, covariance_type, tol, reg_covar, max_iter, n_init, random_state, verbose, verbose_interval
        As in scikit-learn.
    init_params, weights_init, means_init, precisions_init, warm_start
        Only their defaults: the library starts from its k-means.
    n_jobs : int, optional
        CPU threads.
    memory : int or str, optional
        Most bytes to use.
    """

    _parameter_constraints = {
        **sklearn.mixture.GaussianMixture._parameter_constraints,
        "n_jobs": [None, Integral],
        "memory": [None, str, Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_components=1,
        *,
        covariance_type="full",
        tol=1e-3,
        reg_covar=1e-6,
        max_iter=100,
        n_init=1,
        init_params="kmeans",
        weights_init=None,
        means_init=None,
        precisions_init=None,
        random_state=None,
        warm_start=False,
        verbose=0,
        verbose_interval=10,
        n_jobs=None,
        memory=None,
    ):
        super().__init__(
            n_components,
            covariance_type=covariance_type,
            tol=tol,
            reg_covar=reg_covar,
            max_iter=max_iter,
            n_init=n_init,
            init_params=init_params,
            weights_init=weights_init,
            means_init=means_init,
            precisions_init=precisions_init,
            random_state=random_state,
            warm_start=warm_start,
            verbose=verbose,
            verbose_interval=verbose_interval,
        )
        self.n_jobs = n_jobs
        self.memory = memory

    def predict(self, X):
        """The likeliest component of each row."""
        return super().predict(given(in_fitted_order(self, X)))

    def predict_proba(self, X):
        """The probability of each component for each row."""
        return super().predict_proba(given(in_fitted_order(self, X)))

    def score_samples(self, X):
        """The log likelihood of each row."""
        return super().score_samples(given(in_fitted_order(self, X)))

    def _estimate_log_prob(self, X, **_):
        covariances, count = self.covariances_, len(self.means_)
        if self.covariance_type == "spherical":
            covariances = np.repeat(covariances[:, None], X.shape[1], axis=1)
        elif self.covariance_type == "tied":
            covariances = [covariances] * count
        return log_gaussians(X, self.means_, covariances).astype(X.dtype)

    def _refuse_unsupported(self):
        for name, default in (
            ("init_params", "kmeans"),
            ("weights_init", None),
            ("means_init", None),
            ("precisions_init", None),
            ("warm_start", False),
        ):
            given_value = getattr(self, name)
            if given_value is not default and not (isinstance(given_value, (str, bool)) and given_value == default):
                raise InputError(
                    f"{name} is given, but the library starts from its own k-means; leave it out", option=name
                )

    def fit(self, X, y=None):
        """Fits the mixture."""
        self.fit_predict(X)
        return self

    def fit_predict(self, X, y=None):
        """Fits the mixture and returns each row's likeliest component."""
        self._validate_params()
        self._refuse_unsupported()
        X = validate_data(self, X, dtype=[np.float64, np.float32], ensure_min_samples=2)
        say_if_distances(X, "mixture")
        if X.shape[0] < self.n_components:
            raise ValueError(
                "Expected n_samples >= n_components but got "
                f"n_components = {self.n_components}, n_samples = {X.shape[0]}"
            )
        seed = seed_of(self.random_state)
        options = {
            "components": self.n_components,
            "iterations": self.max_iter,
            "tolerance": self.tol,
            "covariance": "diagonal" if self.covariance_type == "diag" else self.covariance_type,
            "floor": self.reg_covar or 1e-15,  # above 0, and less than any digit of float64
            "floor_unit": "data" if self.reg_covar else "spread",
        }
        best, said = None, ()
        with translating(_groups.MIXTURE):
            for i in range(self.n_init):
                run = run_of(self, (seed + i) % 2**63, verbose=self.verbose)
                points = _intake.points(X, run)
                names = getattr(self, "feature_names_in_", None)
                outcome = _core.mixture(points.values, options, run.core(), run.callback(), False, names)
                of_this = outcome[0].pop("said")
                tried = finished(outcome, dict)
                if best is None or tried["log_likelihood"] > best["log_likelihood"]:
                    best, said = tried, of_this
        for sentence in said:
            say(sentence)
        _clusters.say_if_few_distinct(points.values, self.n_components, "components")
        self.seed_ = seed
        self.weights_ = best["weights"]
        self.means_ = points.restored(best["means"]).astype(_float_type(X, points.shift))
        self.covariances_ = best["covariances"].astype(X.dtype)
        self.precisions_cholesky_ = _compute_precision_cholesky(self.covariances_, self.covariance_type)
        if self.covariance_type == "tied":
            self.precisions_ = self.precisions_cholesky_ @ self.precisions_cholesky_.T
        elif self.covariance_type == "full":
            self.precisions_ = np.array([factor @ factor.T for factor in self.precisions_cholesky_])
        else:
            self.precisions_ = self.precisions_cholesky_**2
        self.converged_ = best["stopped"] == "converged"
        self.n_iter_, self.lower_bound_ = best["n_iter"], best["log_likelihood"]
        self.lower_bounds_ = [self.lower_bound_]
        if not self.converged_ and self.max_iter > 0:
            warnings.warn(
                "Best performing initialization did not converge. Try different init parameters, or increase "
                "max_iter, tol, or check for degenerate data.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return best["labels"].astype(np.int64)

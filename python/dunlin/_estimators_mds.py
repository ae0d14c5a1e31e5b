# SPDX-License-Identifier: Apache-2.0
"""MDS and ClassicalMDS with scikit-learn's interface."""

import warnings
from numbers import Integral, Real

import numpy as np
from scipy.spatial.distance import pdist, squareform
from sklearn.base import BaseEstimator
from sklearn.utils import check_symmetric
from sklearn.utils._param_validation import Hidden, Interval, StrOptions

from . import _core, _groups, _intake, _match
from ._errors import InputError
from ._frames import Frame
from ._options import translating
from ._owned import owned
from ._run import CHECKPOINT, finished
from ._shared import (
    CHECKPOINT_CONSTRAINTS,
    distances_elsewhere,
    named_rows,
    native_metric,
    offsets_among,
    run_of,
    seed_of,
    validate_data,
)


class _Scaling(BaseEstimator):
    """What both share: dissimilarities of points or given ones."""

    def _items(self, X, metric, run):
        """The library's Dissimilarities and, where they were computed here, the matrix."""
        native = None if metric == "precomputed" else native_metric(metric, self.metric_params)
        if native is not None:
            points = _intake.points(X, run, metric=native)
            return _core.Dissimilarities.of_points(points.values, {"metric": native}, run.narrowing()), None
        if metric == "precomputed":
            matrix = check_symmetric(X, raise_exception=True)
        else:
            matrix = distances_elsewhere(X, None, metric, self.metric_params, offsets_among(X, metric))
        clean = np.array(matrix, np.float64)
        np.fill_diagonal(clean, 0)
        return _core.Dissimilarities.of_matrix(clean.astype(np.float32), run.narrowing()), matrix

    def _remember(self, X, metric, matrix, given):
        """What dissimilarity_matrix_ needs; X and the matrix may be what was ``given``."""
        self.__dict__.pop("_points", None)
        self.__dict__.pop("_matrix", None)
        if matrix is None:
            self._points = (owned(X, given), metric, self.metric_params or {})
        else:
            self._matrix = owned(matrix, X, given)

    @property
    def dissimilarity_matrix_(self):
        """Dissimilarities of all pairs; of points they are computed when they are first looked at."""
        if "_matrix" not in self.__dict__:
            if "_points" not in self.__dict__:
                raise AttributeError("dissimilarity_matrix_")
            X, metric, params = self._points
            self._matrix = distances_elsewhere(X, None, metric, params, offsets_among(X, metric))
        return self._matrix


class MDS(_Scaling):
    """Multidimensional scaling with the parameters and attributes of sklearn.manifold.MDS.

    Parameters
    ----------
    n_components, metric_mds, n_init, init, max_iter, verbose, eps, n_jobs, random_state, dissimilarity, metric,
    metric_params, normalized_stress
        As in scikit-learn. ``eps`` bounds the relative fall of stress in an iteration.
    method : {'smacof', 'dunlin', 'landmark', 'pivot', 'stochastic', 'gpu-sf', 'glimmer', 'hybrid'}, default 'smacof'
        How the map is found.
    n_landmarks : int, optional
        Of methods with landmarks.
    device, memory
        As in dunlin.mds.
    checkpoint, checkpoint_every, resume
        As in dunlin.mds. A run is resumed with the same random_state, which must be an int.

    Attributes
    ----------
    embedding_ : array of shape (n, n_components), float64
    stress_ : float
        Kruskal's stress-1 of the disparities if normalized_stress, else half the sum of squared errors over all pairs.
    n_iter_, dissimilarity_matrix_, n_features_in_, feature_names_in_, seed_, stopped_
    """

    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "metric_mds": ["boolean"],
        "n_init": [Interval(Integral, 1, None, closed="left"), Hidden(StrOptions({"warn"}))],
        "init": [StrOptions({"random", "classical_mds"}), Hidden(StrOptions({"warn"}))],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "verbose": ["verbose"],
        "eps": [Interval(Real, 0.0, None, closed="left")],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
        "dissimilarity": [StrOptions({"euclidean", "precomputed"}), Hidden(StrOptions({"deprecated"}))],
        "metric": [str, callable, Hidden("boolean")],
        "metric_params": [dict, None],
        "normalized_stress": ["boolean", StrOptions({"auto"})],
        "method": [str],
        "n_landmarks": [None, Interval(Integral, 1, None, closed="left")],
        "device": [str],
        "memory": [None, str, Interval(Real, 0, None, closed="left")],
        **CHECKPOINT_CONSTRAINTS,
    }

    def __init__(
        self,
        n_components=2,
        *,
        metric_mds=True,
        n_init=1,
        init="warn",
        max_iter=300,
        verbose=0,
        eps=1e-6,
        n_jobs=None,
        random_state=None,
        dissimilarity="deprecated",
        metric="euclidean",
        metric_params=None,
        normalized_stress="auto",
        method="smacof",
        n_landmarks=None,
        device="auto",
        memory=None,
        checkpoint=None,
        checkpoint_every=60.0,
        resume=False,
    ):
        self.n_components = n_components
        self.metric_mds = metric_mds
        self.n_init = n_init
        self.init = init
        self.max_iter = max_iter
        self.verbose = verbose
        self.eps = eps
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.dissimilarity = dissimilarity
        self.metric = metric
        self.metric_params = metric_params
        self.normalized_stress = normalized_stress
        self.method = method
        self.n_landmarks = n_landmarks
        self.device = device
        self.memory = memory
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume

    def fit(self, X, y=None, init=None):
        """Fits the map. ``init``: a start of shape (n, n_components)."""
        self.fit_transform(X, init=init)
        return self

    def _settled(self):
        """(metric, metric_mds), with scikit-learn's rules for what it deprecates."""
        if self.init == "warn":
            warnings.warn(
                "The default value of `init` will change from 'random' to 'classical_mds' in 1.10. To "
                "suppress this warning, provide some value of `init`.",
                FutureWarning,
                stacklevel=4,
            )
        metric, metric_mds = self.metric, self.metric_mds
        if isinstance(metric, (bool, np.bool_)):
            warnings.warn(
                f"Use metric_mds={metric} instead of metric={metric}. The support for metric={{True/False}} "
                "will be dropped in 1.10.",
                FutureWarning,
                stacklevel=4,
            )
            metric, metric_mds = "euclidean", bool(metric)
        if self.dissimilarity != "deprecated":
            if not isinstance(self.metric, (bool, np.bool_)) and self.metric != "euclidean":
                raise ValueError("You provided both `dissimilarity` and `metric`. Please use only `metric`.")
            warnings.warn(
                "The `dissimilarity` parameter is deprecated and will be removed in 1.10. Use `metric` instead.",
                FutureWarning,
                stacklevel=4,
            )
            metric = self.dissimilarity
        return metric, metric_mds

    def fit_transform(self, X, y=None, init=None):
        """Fits the map and returns it."""
        self._validate_params()
        metric, metric_mds = self._settled()
        given, (X, of) = X, named_rows(X, metric)
        X = validate_data(self, X, dtype=[np.float64, np.float32])
        if X.shape[0] == X.shape[1] and metric != "precomputed":
            warnings.warn(
                "The provided input is a square matrix. Note that ``fit`` constructs a dissimilarity matrix "
                "from data and will treat rows as samples and columns as features. To use a pre-computed "
                "dissimilarity matrix, set ``metric='precomputed'``.",
                stacklevel=2,
            )
        normalized = not metric_mds if self.normalized_stress == "auto" else bool(self.normalized_stress)
        self.seed_ = seed_of(self.random_state)
        run = run_of(self, self.seed_, verbose=self.verbose, checkpoints=True)
        transform = "ratio" if metric_mds else "ordinal"
        options = {"dim": self.n_components, "method": self.method}
        if self.method in ("smacof", "dunlin"):
            options.update(
                iterations=self.max_iter, tolerance=float(self.eps), starts=self.n_init if init is None else 1
            )
        if self.method != "smacof" and not metric_mds:
            raise InputError(
                f"metric_mds is False, which only method 'smacof' supports; method is {self.method!r}", option="metric_mds"
            )
        if self.method == "smacof":
            options["transform"] = transform
            options["start"] = "random"
        if self.n_landmarks is not None:
            options["landmarks"] = self.n_landmarks
        with translating(_groups.MDS, CHECKPOINT):
            items, matrix = self._items(X, metric, run)
            start, frame = None, Frame()
            if init is not None:
                start = frame.taken(_match.matrix(init, of, "init"), "init", None, len(items))
                if start.shape[1] != self.n_components:
                    warnings.warn(
                        f"Explicit initial positions passed: n_components is {start.shape[1]}, not {self.n_components}",
                        stacklevel=2,
                    )
                    options["dim"] = start.shape[1]
            elif self.init == "classical_mds" and self.method == "smacof":
                classical = {"dim": self.n_components, "method": "classical"}
                start = finished(_core.mds(items, None, None, None, classical, run.on_first_gpu(), None, 0), dict)["embedding"]
            if start is not None:
                options["start"] = "auto"
                options["starts"] = 1
            try:
                outcome = _core.mds(items, start, None, None, options, run.with_checkpoint(), run.callback(), 0)
                found = finished(outcome, dict)
            except BaseException as error:
                if getattr(error, "partial", None):
                    self.embedding_ = frame.restored(error.partial["embedding"].astype(np.float64))
                    self.stopped_ = "cancelled"
                raise
            self._remember(X, metric, matrix, given)
            self.stress_ = self._stress(items, found["embedding"], transform, normalized, run)
        self.embedding_ = frame.restored(found["embedding"].astype(np.float64))
        self.n_iter_, self.stopped_ = max(found["n_iter"], 1), found["stopped"]
        return self.embedding_

    def _stress(self, items, placed, transform, normalized, run):
        """Stress over all pairs: up to 5,000 items in double from the data as given, else by the library."""
        if len(items) < 2:
            return 0.0
        squares = _squares(placed)
        if transform != "ratio":
            error = _core.transformed_stress1(items, placed, transform, run.on_first_gpu()) ** 2
        elif len(items) <= 5000:
            distances = pdist(placed.astype(np.float64))
            given = squareform(np.asarray(self.dissimilarity_matrix_, np.float64), checks=False)
            error = float(np.nansum((distances - given) ** 2))
            if not normalized:
                return error
            error /= squares if squares > 0 else 1.0
        else:
            error = finished(_core.stress(items, placed, None, {"scores": "full"}, run.on_first_gpu(), None), dict)["stress1"][0] ** 2
        return float(np.sqrt(error)) if normalized else error * squares

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = "precomputed" in (self.dissimilarity, self.metric)
        return tags


def _squares(placed):
    """Sum of the squared distances of all pairs i < j: n times the sum of squares about the mean."""
    wide = placed.astype(np.float64)
    return float(len(wide) * np.sum((wide - wide.mean(0)) ** 2))


class ClassicalMDS(_Scaling):
    """Classical scaling (Torgerson 1952) with the parameters and attributes of sklearn.manifold.ClassicalMDS.

    Parameters
    ----------
    n_components : int, default 2
    metric, metric_params
        As in MDS.
    n_jobs, device, memory
        As in dunlin.mds.

    Attributes
    ----------
    embedding_, eigenvalues_, dissimilarity_matrix_, n_features_in_, feature_names_in_
    """

    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "metric": [str, callable],
        "metric_params": [dict, None],
        "n_jobs": [None, Integral],
        "device": [str],
        "memory": [None, str, Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self, n_components=2, *, metric="euclidean", metric_params=None, n_jobs=None, device="auto", memory=None
    ):
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.device = device
        self.memory = memory

    def fit(self, X, y=None):
        """Fits the map."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X, y=None):
        """Fits the map and returns it."""
        self._validate_params()
        given, (X, _) = X, named_rows(X, self.metric)
        X = validate_data(self, X, dtype=[np.float64, np.float32])
        run = run_of(self)
        with translating(_groups.MDS):
            items, matrix = self._items(X, self.metric, run)
            options = {"dim": self.n_components, "method": "classical"}
            found = finished(_core.mds(items, None, None, None, options, run.core(), None, 0), dict)
        self._remember(X, self.metric, matrix, given)
        embedding = found["embedding"].astype(np.float64)
        largest = np.argmax(np.abs(embedding), axis=0)
        signs = np.sign(embedding[largest, np.arange(embedding.shape[1])])
        self.embedding_ = embedding * np.where(signs == 0, 1, signs)
        self.eigenvalues_ = np.sum(self.embedding_**2, axis=0)
        return self.embedding_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags

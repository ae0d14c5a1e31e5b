# SPDX-License-Identifier: Apache-2.0
"""t-SNE with openTSNE's names: ``TSNE``, ``TSNEEmbedding``, ``PartialTSNEEmbedding``, ``affinity``, ``initialization``,
``callbacks``.

``transform`` places by the map's own loss, with Newton's method in place of gradient descent (docs/transform.md). What the
library does not have raises: more than 3 dimensions, an own function of the gradient.
"""

import warnings

import numpy as np

from .. import _cells, _intake, _match
from .._errors import InputError
from .._frames import in_double
from .._tables import some
from . import _checks, affinity, callbacks, initialization
from . import initialization as starts
from ._embeddings import (
    OptimizationInterrupt,
    PartialTSNEEmbedding,
    TSNEEmbedding,
    _optimized,
    _options,
    _restored,  # noqa: F401  pickles of before name it here
)

__all__ = ["OptimizationInterrupt", "PartialTSNEEmbedding", "TSNE", "TSNEEmbedding", "affinity", "callbacks", "initialization"]


class TSNE:
    """openTSNE.TSNE, computed by the library.

    Parameters are openTSNE's, in its order. ``n_interpolation_points``, ``min_num_intervals`` and ``ints_in_interval``
    must have their defaults: the library's grid has its own rule (dunlin.tsne's grid_spacing).
    """

    def __init__(
        self,
        n_components=2,
        perplexity=30,
        learning_rate="auto",
        early_exaggeration_iter=250,
        early_exaggeration="auto",
        n_iter=500,
        exaggeration=None,
        dof=1,
        theta=0.5,
        n_interpolation_points=3,
        min_num_intervals=50,
        ints_in_interval=1,
        initialization="pca",
        metric="euclidean",
        metric_params=None,
        initial_momentum=0.8,
        final_momentum=0.8,
        max_grad_norm=None,
        max_step_norm=5,
        n_jobs=1,
        neighbors="auto",
        knn_kwargs=None,
        negative_gradient_method="auto",
        callbacks=None,
        callbacks_every_iters=50,
        random_state=None,
        verbose=False,
    ):
        self.n_components = n_components
        self.perplexity = perplexity
        self.learning_rate = learning_rate
        self.early_exaggeration_iter = early_exaggeration_iter
        self.early_exaggeration = early_exaggeration
        self.n_iter = n_iter
        self.exaggeration = exaggeration
        self.dof = dof
        self.theta = theta
        self.n_interpolation_points = n_interpolation_points
        self.min_num_intervals = min_num_intervals
        self.ints_in_interval = ints_in_interval
        self.initialization = initialization
        self.metric = metric
        self.metric_params = metric_params
        self.initial_momentum = initial_momentum
        self.final_momentum = final_momentum
        self.max_grad_norm = max_grad_norm
        self.max_step_norm = max_step_norm
        self.n_jobs = n_jobs
        self.neighbors = neighbors
        self.knn_kwargs = knn_kwargs
        self.negative_gradient_method = negative_gradient_method
        self.callbacks = callbacks
        self.callbacks_every_iters = callbacks_every_iters
        self.random_state = random_state
        self.verbose = verbose
        _checks.constructor(self)
        if not isinstance(initialization, str) and _cells.columns_in(initialization) is None:  # a table may have more columns
            shape = getattr(initialization, "shape", None)
            shape = _intake.dense(initialization, "initialization").shape if shape is None else tuple(shape)
            if shape[1:] != (n_components,):
                raise InputError(
                    f"initialization has the shape {shape}; it must have {n_components} columns", option="initialization"
                )

    def _parameters(self):
        names = (
            "learning_rate",
            "dof",
            "theta",
            "max_grad_norm",
            "max_step_norm",
            "n_jobs",
            "negative_gradient_method",
            "callbacks",
            "callbacks_every_iters",
            "verbose",
            "final_momentum",
        )
        parameters = {name: getattr(self, name) for name in names}
        return {**parameters, "random_state": self.random_state, "seed": _checks.seed(self.random_state)}

    def fit(self, X=None, affinities=None, initialization=None):
        """The map of points or affinities: a TSNEEmbedding.

        ``initialization``: an array, 'pca', 'random' or 'spectral', in place of that of the constructor. A table is
        matched by the names of the rows of X, and so are affinities of rows with names: the map has the order of X.
        """
        map = self.prepare_initial(X, affinities, initialization)
        late = _checks.exaggeration(self.exaggeration)
        early = max(12.0, late)
        if self.early_exaggeration != "auto":
            early = _checks.exaggeration(self.early_exaggeration, "early_exaggeration", late)
        parameters = map._parameters
        options = _options(
            parameters,
            int(self.n_components),
            int(self.early_exaggeration_iter + self.n_iter),
            int(self.early_exaggeration_iter),
            early,
            late,
            self.initial_momentum,
            self.final_momentum,
        )
        return _optimized(map.affinities, np.asarray(map), options, parameters, keeps_start=False)[0]

    def prepare_initial(self, X=None, affinities=None, initialization=None):
        """The start of a run with its affinities, as a TSNEEmbedding."""
        if X is None and affinities is None:
            raise InputError("fit() needs X or affinities", option="X")
        _checks.constructor(self)
        if self.metric == "precomputed":
            X = _match.in_own_order(X, "X")
        parameters = self._parameters()
        if affinities is None:
            kind = affinity.PerplexityBasedNN if np.ndim(self.perplexity) == 0 else affinity.MultiscaleMixture
            affinities = kind(
                X,
                self.perplexity,
                method=self.neighbors,
                metric=self.metric,
                metric_params=self.metric_params,
                n_jobs=self.n_jobs,
                random_state=self.random_state,
                verbose=self.verbose,
                knn_kwargs=self.knn_kwargs,
            )
        elif not hasattr(affinities, "P"):
            affinities = affinity.PrecomputedAffinities(affinities)
        if X is not None and hasattr(affinities, "_in_order_of"):
            affinities = affinities._in_order_of(X)
        chosen = self.initialization if initialization is None else initialization
        n = affinities.P.shape[0]
        if not isinstance(chosen, str):
            of = _match.rows_of(X) if X is not None else getattr(affinities, "_rows", lambda: None)()
            start = in_double(_match.matrix(chosen, of, "initialization"), "initialization")
            if start.shape != (n, self.n_components):
                table = _cells.columns_in(chosen)
                columns = "" if table is None else f"; its columns are {some([label for label, _ in table])}"
                raise InputError(
                    f"initialization has the shape {start.shape}; it must be {(n, self.n_components)}{columns}",
                    option="initialization",
                )
            _cells.require_finite(start, "initialization")
            if np.any(np.std(start, axis=0) > 1e-2):
                warnings.warn(
                    "Standard deviation of embedding is greater than 0.0001. Initial embeddings with high "
                    "variance may have display poor convergence.",
                    stacklevel=2,
                )
        elif chosen == "pca" and X is not None and self.metric != "precomputed":
            start = starts.pca(X, self.n_components)
        elif chosen == "spectral" or chosen == "pca":
            start = starts.spectral(affinities.P, self.n_components, random_state=self.random_state)
        elif chosen == "random":
            start = starts.random(n, self.n_components, self.random_state)
        else:
            raise InputError(
                f"initialization is {chosen!r}; it must be 'pca', 'random', 'spectral' or an array",
                option="initialization",
            )
        return TSNEEmbedding._of(start, affinities, None, parameters)

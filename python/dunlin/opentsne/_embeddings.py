# SPDX-License-Identifier: Apache-2.0
"""Maps that can be optimized further, and places of new points in them, with openTSNE's names."""

import numpy as np
from scipy.sparse import csr_matrix

from .. import _core, _groups, _intake, _match
from .._errors import InputError, OptionError
from .._options import translating
from .._run import Run
from .._shared import native_metric
from .._transform import Placer
from . import affinity
from . import initialization as starts

_METHODS = {
    "auto": "auto",
    "bh": "tree",
    "barnes-hut": "tree",
    "fft": "grid",
    "interpolation": "grid",
    "exact": "exact",
}


class OptimizationInterrupt(InterruptedError):
    """Raised by ``optimize(propagate_exception=True)`` when a callback ends the run. ``final_embedding``: the map."""

    def __init__(self, error, final_embedding):
        super().__init__("a callback ended the optimization")
        self.error, self.final_embedding = error, final_embedding


def _method(name, n_components):
    if not isinstance(name, str):
        raise InputError(
            "negative_gradient_method is a function; the library sums repulsion by its own methods: give "
            "'auto', 'exact', 'bh' or 'fft'",
            option="negative_gradient_method",
        )
    if name.lower() not in _METHODS:
        raise InputError(
            f"negative_gradient_method is {name!r}; it must be 'auto', 'exact', 'bh' or 'fft'",
            option="negative_gradient_method",
        )
    return _METHODS[name.lower()]


class TSNEEmbedding(np.ndarray):
    """A map (n x n_components, float32) that can be optimized further.

    Attributes
    ----------
    affinities : object with ``P``
    kl_divergence : float
        Without exaggeration.
    """

    def __new__(cls, embedding, affinities, kl_divergence=float("nan"), **parameters):
        map = np.array(embedding, dtype=np.float32).view(cls)
        map.affinities, map.kl_divergence, map._parameters = affinities, kl_divergence, parameters
        return map

    def __array_finalize__(self, source):
        self.affinities = getattr(source, "affinities", None)
        self.kl_divergence = getattr(source, "kl_divergence", float("nan"))
        self._parameters = getattr(source, "_parameters", {})

    @property
    def random_state(self):
        return self._parameters.get("random_state")

    def __reduce__(self):
        return _restored, (np.asarray(self), self.affinities, self.kl_divergence, self._parameters)

    def optimize(self, n_iter, inplace=False, propagate_exception=False, **gradient_descent_params):
        """``n_iter`` more iterations; returns the map, itself if ``inplace``. Gains start anew.

        Parameters are those of TSNE that concern the optimization, and ``exaggeration`` and ``momentum``.
        """
        parameters = {**self._parameters, **gradient_descent_params}
        if self.affinities is None or self.shape[0] != self.affinities.P.shape[0]:
            raise InputError("this is a part of a map; only a whole map can be optimized")
        exaggeration = parameters.get("exaggeration") or 1.0
        momentum = parameters.get("momentum", parameters.get("final_momentum", 0.8))
        options = _options(parameters, self.shape[1], n_iter, 0, exaggeration, exaggeration, momentum, momentum)
        map, stopped = _optimized(self.affinities, np.asarray(self), options, parameters)
        if inplace:
            self[:] = map
            self.kl_divergence = map.kl_divergence
            map = self
        if stopped and propagate_exception:
            raise OptimizationInterrupt(map.kl_divergence, map)
        return map

    def transform(self, X, perplexity=None, initialization="median", k=25, exaggeration=None, n_iter=50, **ignored):
        """Places of new points, by the loss of this map as a function of each (docs/transform.md). Columns with names are
        put in the order of those of the map's points.

        Unlike openTSNE's, they use this map's own perplexity and exaggeration unless others are given, and the map is not
        moved. Of gradient descent, which it does not need, it takes ``learning_rate``, ``momentum``, ``max_grad_norm`` and
        the like without effect. ``n_iter``: most Newton steps.

        Returns
        -------
        PartialTSNEEmbedding
        """
        _refuse_unknown_steps(ignored)
        own = perplexity is None and isinstance(initialization, str) and initialization == "median"
        searched = getattr(self.affinities, "_searched", None)
        if own and searched is not None and isinstance(self.affinities, affinity.PerplexityBasedNN):
            placed = self._placed(X, searched, exaggeration, n_iter)
            if placed is not None:
                return PartialTSNEEmbedding(placed, self, None)
        several = isinstance(self.affinities, affinity.MultiscaleMixture)
        given = {} if perplexity is None else {"perplexities" if several else "perplexity": perplexity}
        part = self.prepare_partial(X, initialization=initialization, k=k, **given)
        return part.optimize(n_iter, exaggeration=exaggeration)

    def _placed(self, X, searched, exaggeration, n_iter):
        """Places by points and metric of the affinities; None where the library lacks the metric."""
        points, metric, metric_params, method, run = searched
        native = native_metric(metric, metric_params)
        if native is None:
            return None
        late = self._parameters.get("exaggeration") or 1.0
        chosen = {
            "perplexity": max(1.0, float(self.affinities.effective_perplexity_)),
            "metric": native,
            "neighbors": {"auto": "auto", "exact": "exact"}.get(method, "approximate"),
            "exaggeration": float(exaggeration or late),
            "freedom": float(self._parameters.get("dof", 1)),
            "steps": int(n_iter),
            "score": False,
        }
        with translating(_groups.PLACE):
            placer = Placer(points, np.asarray(self), chosen, run, knn=self.affinities.knn_graph)
            return placer.places(self.affinities._in_columns(X), run).embedding

    def prepare_partial(self, X, initialization="median", k=25, **affinity_params):
        """New points at their start: 'median' or 'weighted' (by nearness) mean of the places of the k nearest, 'random', or
        an array, or a table by the names of the rows of X. ``optimize`` of the result moves them; parameters of ``affinities.to_new`` may be given."""
        P, near, distances = self.affinities.to_new(X, return_distances=True, **affinity_params)
        reference = np.asarray(self)
        if not isinstance(initialization, str):
            initialization = _match.matrix(initialization, _match.rows_of(X), "initialization")
            start = _intake.dense(initialization, "initialization").astype(np.float32)
            if start.shape != (P.shape[0], self.shape[1]):
                raise InputError(
                    f"initialization has the shape {start.shape}; it must be {(P.shape[0], self.shape[1])}",
                    option="initialization",
                )
        elif initialization == "median":
            start = np.median(reference[near[:, :k]], axis=1)
        elif initialization == "weighted":
            weights = 1 / np.maximum(distances[:, :k], 1e-12 + 1e-12 * distances[:, :k].max(1, keepdims=True))
            start = np.einsum("mk,mkd->md", weights / weights.sum(1, keepdims=True), reference[near[:, :k]])
        elif initialization == "random":
            start = starts.random(P.shape[0], self.shape[1], self.random_state)
        else:
            raise InputError(
                f"initialization is {initialization!r}; it must be 'median', 'weighted', 'random' or an array",
                option="initialization",
            )
        return PartialTSNEEmbedding(start, self, P)


_STEPS = {
    "learning_rate",
    "momentum",
    "initial_momentum",
    "final_momentum",
    "early_exaggeration",
    "early_exaggeration_iter",
    "max_grad_norm",
    "max_step_norm",
    "negative_gradient_method",
    "n_jobs",
    "callbacks",
    "callbacks_every_iters",
    "verbose",
    "theta",
    "dof",
    "min_gain",
    "n_interpolation_points",
    "min_num_intervals",
    "ints_in_interval",
}


def _refuse_unknown_steps(given):
    unknown = set(given) - _STEPS
    if unknown:
        raise OptionError(f"transform() has no parameter {sorted(unknown)[0]!r}", option=sorted(unknown)[0])


class PartialTSNEEmbedding(np.ndarray):
    """Places of new points in a map (m x n_components, float32), which stays.

    Attributes
    ----------
    reference_embedding : TSNEEmbedding
    P : sparse matrix (m, n), or None after transform()
    """

    def __new__(cls, embedding, reference_embedding, P=None):
        part = np.array(embedding, dtype=np.float32).view(cls)
        part.reference_embedding, part.P = reference_embedding, P
        return part

    def __array_finalize__(self, source):
        self.reference_embedding = getattr(source, "reference_embedding", None)
        self.P = getattr(source, "P", None)

    def __reduce__(self):
        return PartialTSNEEmbedding, (np.asarray(self), self.reference_embedding, self.P)

    def optimize(self, n_iter, inplace=False, propagate_exception=False, exaggeration=None, **ignored):
        """Moves each point towards the minimum of its loss by up to ``n_iter`` Newton steps from where it is; returns the
        places, itself if ``inplace``. Parameters of gradient descent are taken without effect."""
        _refuse_unknown_steps(ignored)
        if self.P is None:
            raise InputError("these places are minima already; prepare_partial() gives places that can be optimized")
        callbacks = ignored.get("callbacks")
        callbacks = [] if callbacks is None else list(callbacks) if isinstance(callbacks, (list, tuple)) else [callbacks]
        run = Run({"n_jobs": ignored.get("n_jobs"), "seed": 1})
        dof = self.reference_embedding._parameters.get("dof", 1)
        options = {
            "steps": int(n_iter),
            "exaggeration": float(exaggeration or 1.0),
            "freedom": float(dof),
            "score": False,
        }
        with translating(_groups.PLACE):
            values, raised = _core.place_affinities(
                np.ascontiguousarray(self.reference_embedding, np.float32),
                _rectangular(self.P),
                np.ascontiguousarray(self, np.float32),
                options,
                run.core(),
                None,
            )
        if raised is not None:
            raise raised
        part = PartialTSNEEmbedding(values["embedding"], self.reference_embedding, self.P)
        if inplace:
            self[:] = part
            part = self
        for callback in callbacks:
            if hasattr(callback, "optimization_about_to_start"):
                callback.optimization_about_to_start()
            if callback(int(n_iter), float(np.mean(values["cost"])), np.asarray(part)) and propagate_exception:
                raise OptimizationInterrupt(float(np.mean(values["cost"])), part)
        return part


def _rectangular(P):
    """(offsets, targets, weights) of a sparse matrix of any shape."""
    P = csr_matrix(P)
    return (
        np.ascontiguousarray(P.indptr, np.int64),
        np.ascontiguousarray(P.indices, np.int32),
        np.ascontiguousarray(P.data, np.float32),
    )


def _restored(embedding, affinities, kl_divergence, parameters):
    return TSNEEmbedding(embedding, affinities, kl_divergence, **parameters)


def _options(given, dim, n_iter, early_iter, early, late, initial_momentum, momentum):
    for name in ("max_grad_norm",):
        if given.get(name) is not None:
            raise InputError(f"{name} is not in the library; max_step_norm bounds steps", option=name)
    method = _method(given.get("negative_gradient_method", "auto"), dim)
    options = {
        "dim": dim,
        "iterations": n_iter,
        "exaggerated_iterations": early_iter,
        "exaggeration": early,
        "late_exaggeration": late,
        "first_momentum": initial_momentum,
        "momentum": momentum,
        "repulsion": method,
        "longest_step": given.get("max_step_norm", 5) or 0,
        "freedom": float(given.get("dof", 1)),
    }
    if "min_gain" in given:
        options["least_gain"] = given["min_gain"]
    rate = given.get("learning_rate", "auto")
    if not isinstance(rate, str):
        options["learning_rate"] = options["late_learning_rate"] = rate
    if method == "tree":
        options["theta"] = given.get("theta", 0.5)
        if options["theta"] == 0:
            options["repulsion"] = "exact"
            del options["theta"]
    return options


def _optimized(affinities, start, options, given):
    """(TSNEEmbedding, whether a callback ended the run)."""
    every = given.get("callbacks_every_iters") or 50
    listed = given.get("callbacks")
    listed = [] if listed is None else list(listed) if isinstance(listed, (list, tuple)) else [listed]
    for callback in listed:
        if hasattr(callback, "optimization_about_to_start"):
            callback.optimization_about_to_start()
    run = Run(
        {"n_jobs": given.get("n_jobs"), "seed": given.get("seed", 1)}, 1 if given.get("verbose") else 0, listed, every
    )
    ended = []
    tell = run.callback(has_map=True)

    def look(*progress):
        if tell(*progress):
            ended.append(True)
            return True
        return False

    with translating(_groups.TSNE):
        graph = _intake.csr_of(affinities.P, name="affinities", sums=True)
        values, raised = _core.tsne_of_affinities(
            graph,
            np.ascontiguousarray(start, np.float32),
            options,
            "",
            run.core(),
            None if tell is None else look,
            run.every,
        )
    kept = {name: value for name, value in given.items() if name not in ("exaggeration", "momentum")}
    map = TSNEEmbedding(values["embedding"], affinities, values["kl"], **kept)
    if raised is not None:
        raised.partial = map
        raise raised
    return map, bool(ended)

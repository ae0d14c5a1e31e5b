# SPDX-License-Identifier: Apache-2.0
"""Maps that can be optimized further, and places of new points in them, with openTSNE's names."""

import hashlib

import numpy as np
from scipy.sparse import csr_matrix

from .. import _cells, _core, _groups, _intake, _map_tables, _match
from .._errors import InputError, OptionError
from .._frames import Frame, in_double
from .._options import translating
from .._run import Run, say
from .._shared import native_metric
from .._transform import Placer
from . import _checks, affinity
from . import initialization as starts

class OptimizationInterrupt(InterruptedError):
    """Raised by ``optimize(propagate_exception=True)`` when a callback ends the run. ``final_embedding``: the map."""

    def __init__(self, error, final_embedding):
        super().__init__("a callback ended the optimization")
        self.error, self.final_embedding = error, final_embedding


class _Places(np.ndarray):
    """Places whose rows are those of affinities. Only a copy has these, too: in what NumPy makes of it otherwise (a part, a
    view, a sum) rows may be other points."""

    def copy(self, order="C"):
        made = super().copy(order)
        made.__dict__.update(self.__dict__)
        return made

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()


class TSNEEmbedding(_Places):
    """A map (n x n_components, float32; float64 far from zero) that can be optimized further.

    Parameters
    ----------
    embedding : array, or table by the names of the rows of the affinities
    affinities : object with ``P``
    dof, negative_gradient_method, random_state, learning_rate, momentum, exaggeration, theta, n_jobs, callbacks, ...
        As of TSNE, for ``optimize``.

    Attributes
    ----------
    affinities : object with ``P``, or None
        None of what NumPy made of a map (a part, another order, a sum), whose rows may be other points: give its places to
        TSNEEmbedding with affinities of these.
    kl_divergence : float or None
        Without exaggeration, of the places that the map holds, also after an edit. None for what NumPy made of a map (a
        part, a sum) unless it holds the same places.
    """

    def __new__(
        cls,
        embedding,
        affinities,
        dof=1,
        n_interpolation_points=3,
        min_num_intervals=50,
        ints_in_interval=1,
        negative_gradient_method="auto",
        random_state=None,
        **parameters,
    ):
        parameters |= {"dof": dof, "negative_gradient_method": negative_gradient_method, "random_state": random_state}
        grid = {"n_interpolation_points": n_interpolation_points, "min_num_intervals": min_num_intervals}
        _checks.steps("TSNEEmbedding", {**parameters, **grid, "ints_in_interval": ints_in_interval})
        if not hasattr(affinities, "P"):
            raise OptionError(f"affinities is a {type(affinities).__name__}; it must be an object with P", option="affinities")
        parameters.pop("optimizer", None)
        of = getattr(affinities, "_rows", lambda: None)()
        embedding = _match.matrix(_map_tables.coordinates(embedding, "map"), of, "embedding")
        start = _cells.require_finite(in_double(embedding, "embedding"), "embedding")
        n = affinities.P.shape[0]
        if start.ndim != 2 or len(start) != n:
            message = f"embedding has the shape {start.shape}; it must have a row for each of {n} points"
            raise InputError(message, option="embedding")
        return cls._of(start, affinities, None, parameters)

    @classmethod
    def _of(cls, places, affinities, kl_divergence, parameters):
        """A map of what was checked."""
        map = in_double(places).view(cls)
        map.affinities, map._parameters = affinities, parameters
        if kl_divergence is not None and not np.isnan(kl_divergence):
            map.kl_divergence = kl_divergence
        return map

    def __array_finalize__(self, source):
        self.affinities = None
        self._parameters = getattr(source, "_parameters", {})
        self._known = getattr(source, "_known", None)  # (digest of the places, their divergence)

    def _require_affinities(self):
        if self.affinities is None:
            raise InputError(
                "this array was made of a map by NumPy (a part, another order, a sum), so that its rows may be other points "
                "than those of the affinities; give TSNEEmbedding(places, affinities) with those of its rows"
            )

    def _digest(self):
        return self.shape, hashlib.blake2b(np.ascontiguousarray(self).tobytes(), digest_size=16).digest()

    @property
    def kl_divergence(self):
        digest = self._digest()
        if self._known is not None and self._known[0] == digest:
            return self._known[1]
        if self.affinities is None or not np.isfinite(self).all():
            return None
        options = _options(self._parameters, self.shape[1], 0, 0, 1.0, 1.0, 0.8, 0.8)
        quiet = {"n_jobs": self._parameters.get("n_jobs")}
        self._known = digest, _optimized(self.affinities, np.asarray(self), options, quiet)[0]._known[1]
        return self._known[1]

    @kl_divergence.setter
    def kl_divergence(self, value):
        self._known = None if value is None else (self._digest(), value)

    @property
    def random_state(self):
        return self._parameters.get("random_state")

    def __reduce__(self):
        known = self._known is not None and self._known[0] == self._digest()
        return _restored, (np.asarray(self), self.affinities, self._known[1] if known else None, self._parameters)

    def optimize(self, n_iter, inplace=False, propagate_exception=False, **gradient_descent_params):
        """``n_iter`` more iterations; returns the map, itself if ``inplace``. Gains start anew.

        Parameters are those of TSNE that concern the optimization, and ``exaggeration`` and ``momentum``.
        """
        _checks.steps("optimize", gradient_descent_params)
        n_iter = _checks.whole(n_iter, "n_iter")
        parameters = {**self._parameters, **gradient_descent_params}
        self._require_affinities()
        exaggeration = _checks.exaggeration(parameters.get("exaggeration"))
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
        _checks.steps("transform", ignored, of_new_points=True)
        self._require_affinities()
        late = _checks.exaggeration(self._parameters.get("exaggeration"))
        n_iter, exaggeration = _checks.whole(n_iter, "n_iter"), _checks.exaggeration(exaggeration, default=late)
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
        chosen = {
            "perplexity": max(1.0, float(self.affinities.effective_perplexity_)),
            "metric": native,
            "neighbors": _checks.SEARCHES[method],
            "exaggeration": exaggeration,
            "freedom": float(self._parameters.get("dof", 1)),
            "steps": n_iter,
            "score": False,
        }
        with translating(_groups.PLACE):
            placer = Placer(points, np.asarray(self), chosen, run, knn=self.affinities.knn_graph)
            return placer.places(self.affinities._in_columns(X), run).embedding

    def prepare_partial(self, X, initialization="median", k=25, **affinity_params):
        """New points at their start: 'median' or 'weighted' (by nearness) mean of the places of the k nearest, 'random', or
        an array, or a table by the names of the rows of X. ``optimize`` of the result moves them; parameters of
        ``affinities.to_new`` may be given."""
        k = _checks.whole(k, "k", 1)
        self._require_affinities()
        P, near, distances = self.affinities.to_new(X, return_distances=True, **affinity_params)
        reference = np.asarray(self)
        if not isinstance(initialization, str):
            initialization = _match.matrix(initialization, _match.rows_of(X), "initialization")
            start = _intake.dense(initialization, "initialization")
            if start.shape != (P.shape[0], self.shape[1]):
                raise InputError(
                    f"initialization has the shape {start.shape}; it must be {(P.shape[0], self.shape[1])}",
                    option="initialization",
                )
            _cells.require_finite(start, "initialization")
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


class PartialTSNEEmbedding(_Places):
    """Places of new points in a map (m x n_components, of its type), which stays.

    Attributes
    ----------
    reference_embedding : TSNEEmbedding
    P : sparse matrix (m, n), or None after transform(), and of what NumPy made of such places
    """

    def __new__(cls, embedding, reference_embedding, P=None):
        part = np.array(embedding, dtype=getattr(reference_embedding, "dtype", np.float32)).view(cls)
        part.reference_embedding, part.P = reference_embedding, P
        return part

    def __array_finalize__(self, source):
        self.reference_embedding = getattr(source, "reference_embedding", None)
        self.P = None

    def __reduce__(self):
        return PartialTSNEEmbedding, (np.asarray(self), self.reference_embedding, self.P)

    def optimize(self, n_iter, inplace=False, propagate_exception=False, exaggeration=None, **ignored):
        """Moves each point towards the minimum of its loss by up to ``n_iter`` Newton steps from where it is; returns the
        places, itself if ``inplace``. Parameters of gradient descent are taken without effect."""
        _checks.steps("optimize", ignored, of_new_points=True)
        n_iter, exaggeration = _checks.whole(n_iter, "n_iter"), _checks.exaggeration(exaggeration)
        if self.P is None:
            raise InputError(
                "these places are minima of transform(), or NumPy made them of others (a part, another order, a sum); places of "
                "prepare_partial(X, initialization=places) can be optimized"
            )
        callbacks = ignored.get("callbacks")
        callbacks = [] if callbacks is None else list(callbacks) if isinstance(callbacks, (list, tuple)) else [callbacks]
        run = Run({"n_jobs": ignored.get("n_jobs"), "seed": 1})
        dof = self.reference_embedding._parameters.get("dof", 1)
        options = {
            "steps": n_iter,
            "exaggeration": exaggeration,
            "freedom": float(dof),
            "score": False,
        }
        frame = Frame()
        reference, start = (frame.taken(np.asarray(map), "map") for map in (self.reference_embedding, self))
        with translating(_groups.PLACE):
            values, raised = _core.place_affinities(reference, _rectangular(self.P), start, options, run.core(), None)
        if raised is not None:
            raise raised
        part = PartialTSNEEmbedding(frame.restored(values["embedding"]), self.reference_embedding, self.P)
        if inplace:
            self[:] = part
            part = self
        for callback in callbacks:
            if hasattr(callback, "optimization_about_to_start"):
                callback.optimization_about_to_start()
            if callback(n_iter, float(np.mean(values["cost"])), np.asarray(part)) and propagate_exception:
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
    return TSNEEmbedding._of(embedding, affinities, kl_divergence, parameters)


def _options(given, dim, n_iter, early_iter, early, late, initial_momentum, momentum):
    if given.get("max_grad_norm") is not None:
        message = "max_grad_norm is not in the library; max_step_norm bounds steps"
        raise InputError(message, option="max_grad_norm")
    method = _checks.gradient_method(given.get("negative_gradient_method", "auto"))
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


def _seed(given):
    """That of TSNE, or of an int of a map that was made without it."""
    random_state = given.get("random_state")
    return given.get("seed", random_state if isinstance(random_state, (int, np.integer)) else 1)


def _optimized(affinities, start, options, given, keeps_start=True):
    """(TSNEEmbedding, whether a callback ended the run). keeps_start: it is a map, which is not scaled."""
    every = given.get("callbacks_every_iters", 50)
    listed = given.get("callbacks")
    listed = [] if listed is None else list(listed) if isinstance(listed, (list, tuple)) else [listed]
    for callback in listed:
        if hasattr(callback, "optimization_about_to_start"):
            callback.optimization_about_to_start()
    run = Run(
        {"n_jobs": given.get("n_jobs"), "seed": _seed(given)}, 1 if given.get("verbose") else 0, listed, every
    )
    ended, frame = [], Frame()
    start = frame.taken(start, "embedding")
    tell = run.callback(has_map=True, frame=frame)

    def look(*progress):
        if tell(*progress):
            ended.append(True)
            return True
        return False

    with translating(_groups.TSNE):
        graph = _intake.csr_of(affinities.P, name="affinities", sums=True)
        values, raised = _core.tsne_of_affinities(
            graph,
            start,
            keeps_start,
            options,
            "",
            run.core(),
            None if tell is None else look,
            run.every,
        )
    if "start_note" in values:
        say(f"initialization is {values['start_note']}")
    kept = {name: value for name, value in given.items() if name not in ("exaggeration", "momentum")}
    map = TSNEEmbedding._of(frame.restored(values["embedding"]), affinities, values["kl"], kept)
    if raised is not None:
        raised.partial = map
        raise raised
    return map, bool(ended)

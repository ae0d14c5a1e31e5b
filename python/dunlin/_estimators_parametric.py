# SPDX-License-Identifier: Apache-2.0
"""ParametricTSNE with scikit-learn's interface."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from . import _core, _device, _intake
from ._estimators_embedding import ABOVE_0, AT_LEAST_0, POSITIVE
from ._groups import PARAMETRIC
from ._kinds import path_of
from ._options import translating
from ._run import CHECKPOINT, RUN, finished, say, used_gpu
from ._shared import CHECKPOINT_CONSTRAINTS, run_of, seed_of, validated

_COUNT = Interval(Integral, 0, None, closed="left")

# The library's options by the estimator's parameters; None: the library's default
_OPTIONS = {
    "n_components": "dim",
    "pretrain": "pretrain",
    "perplexity": "perplexity",
    "freedom": "freedom",
    "activation": "activation",
    "visible": "visible",
    "divergence": "divergence",
    "gibbs_steps": "gibbs_steps",
    "pretrain_epochs": "pretrain_epochs",
    "pretrain_rate": "pretrain_rate",
    "loss": "loss",
    "optimizer": "optimizer",
    "batch_size": "batch",
    "max_iter": "epochs",
    "learning_rate": "rate",
    "weight_decay": "weight_decay",
    "n_prototypes": "prototypes",
    "noise": "noise",
    "line_searches": "line_searches",
}


class ParametricTSNE(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Parametric t-SNE (van der Maaten 2009): a network that takes rows, also new ones, to their places in a map.

    Parameters
    ----------
    n_components : int, default 2
        Dimensions of the map; above 3 only with pretrain 'rbm' or 'none'.
    hidden_layer_sizes : sequence of int, default (500, 500, 2000)
        Units of the hidden layers.
    pretrain : {'map', 'rbm', 'none'}, default 'map'
        What the network learns before the KL divergence: a t-SNE map of the points, a stack of restricted Boltzmann
        machines, or nothing.
    perplexity : float, optional
        Default: 30, or (m - 1) / 3 if that is smaller, for m points or rows of a batch.
    freedom : float, default 1.0
        Degrees of freedom of the map's kernel, as of TSNE.
    activation : {'relu', 'logistic'}, optional
        Units of the hidden layers; default relu, with pretrain 'rbm' always logistic.
    visible : {'binary', 'gaussian'}, optional
        With 'rbm': visible units of the first machine; default binary for values from 0 to 1 and for bytes.
    divergence : {'cd', 'pcd'}, default 'cd'
        With 'rbm': contrastive divergence, or persistent.
    gibbs_steps : int, default 1
        With 'rbm': k of CD-k.
    pretrain_epochs : int, optional
        Passes over the points before the KL divergence.
    pretrain_rate : float, optional
        With 'rbm': learning rate of a machine.
    loss : {'whole', 'batch'}, optional
        KL divergence of the map of all points, default with pretrain 'map', or of each batch by itself.
    optimizer : {'adam', 'conjugate-gradients'}, optional
        Default adam, with pretrain 'rbm' conjugate gradients.
    batch_size : int, optional
        Most rows of a batch.
    max_iter : int, optional
        Passes over the points that lower the KL divergence.
    learning_rate : float, optional
        Of Adam, at the beginning; default 0.001.
    weight_decay : float, optional
        Of Adam; more: smoother maps.
    n_prototypes : int, optional
        With pretrain 'map': number of prototypes: places of the t-SNE map, whose weighted mean is the place of a row;
        0: the last layer outputs the place. Default: 256, or half the points if they are fewer.
    noise : float, optional
        With pretrain 'map': random shift of a row each time it is learned: up to this multiple of the difference of two
        of its neighbors, and normal noise of this multiple of the distance to its fifth neighbor; more: smoother maps.
        Default 1; 0: none.
    line_searches : int, optional
        Per batch, with conjugate gradients; default 3.
    random_state : int, RandomState or None
        The same int gives the same network, for any n_jobs.
    n_jobs : int, optional
        CPU threads.
    device : str, default 'auto'
        'auto', 'cpu', 'cuda' or 'cuda:1', for training and new rows. On a GPU the network stays in its memory between
        calls of transform, whose result is where the rows are.
    memory : int or str, optional
        Most bytes to use, such as '4GB'.
    verbose : int, default 0
        1: a progress bar.
    checkpoint, checkpoint_every, resume
        As in dunlin.tsne, of fit. A run is resumed with the same random_state, which must be an int.

    Attributes
    ----------
    embedding_ : array of shape (n, n_components), float32
    kl_divergence_ : float
        Of the map; with loss 'batch' the mean over the batches.
    model_ : dict
        Of NumPy arrays: ``layers`` (weights, biases), ``shift``, ``scale``, ``activation``, ``prototypes``. The first
        layer sees (x - shift) * scale. If there are prototypes, a place is their mean, weighted by the softmax of the
        last layer's outputs.
    n_iter_ : int
        Steps of Adam, or line searches, that lowered the KL divergence.
    seed_, stopped_, pretrain_error_, n_features_in_, feature_names_in_

    Examples
    --------
    >>> import numpy as np, dunlin
    >>> X = np.random.default_rng(0).normal(size=(200, 10)).astype(np.float32)
    >>> model = dunlin.ParametricTSNE(hidden_layer_sizes=(20,), pretrain_epochs=2, max_iter=1, random_state=0)
    >>> model.fit(X[:150]).transform(X[150:]).shape
    (50, 2)
    """

    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, 1024, closed="both")],
        "hidden_layer_sizes": ["array-like"],
        "pretrain": [StrOptions({"map", "rbm", "none"})],
        "perplexity": [None, Interval(Real, 1, None, closed="left")],
        "freedom": [Interval(Real, 0.1, 100, closed="both")],
        "activation": [None, StrOptions({"relu", "logistic"})],
        "visible": [None, StrOptions({"binary", "gaussian"})],
        "divergence": [StrOptions({"cd", "pcd"})],
        "gibbs_steps": [POSITIVE],
        "pretrain_epochs": [None, _COUNT],
        "pretrain_rate": [None, ABOVE_0],
        "loss": [None, StrOptions({"whole", "batch"})],
        "optimizer": [None, StrOptions({"adam", "conjugate-gradients"})],
        "batch_size": [None, Interval(Integral, 4, None, closed="left")],
        "max_iter": [None, _COUNT],
        "learning_rate": [None, ABOVE_0],
        "weight_decay": [None, AT_LEAST_0],
        "n_prototypes": [None, Interval(Integral, 0, 65_536, closed="both")],
        "noise": [None, AT_LEAST_0],
        "line_searches": [None, POSITIVE],
        "random_state": ["random_state"],
        "n_jobs": [None, Integral],
        "device": [str],
        "memory": [None, str, AT_LEAST_0],
        "verbose": ["verbose"],
        **CHECKPOINT_CONSTRAINTS,
    }

    def __init__(
        self,
        n_components=2,
        *,
        hidden_layer_sizes=(500, 500, 2000),
        pretrain="map",
        perplexity=None,
        freedom=1.0,
        activation=None,
        visible=None,
        divergence="cd",
        gibbs_steps=1,
        pretrain_epochs=None,
        pretrain_rate=None,
        loss=None,
        optimizer=None,
        batch_size=None,
        max_iter=None,
        learning_rate=None,
        weight_decay=None,
        n_prototypes=None,
        noise=None,
        line_searches=None,
        random_state=None,
        n_jobs=None,
        device="auto",
        memory=None,
        verbose=0,
        checkpoint=None,
        checkpoint_every=60.0,
        resume=False,
    ):
        self.n_components = n_components
        self.hidden_layer_sizes = hidden_layer_sizes
        self.pretrain = pretrain
        self.perplexity = perplexity
        self.freedom = freedom
        self.activation = activation
        self.visible = visible
        self.divergence = divergence
        self.gibbs_steps = gibbs_steps
        self.pretrain_epochs = pretrain_epochs
        self.pretrain_rate = pretrain_rate
        self.loss = loss
        self.optimizer = optimizer
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.n_prototypes = n_prototypes
        self.noise = noise
        self.line_searches = line_searches
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.device = device
        self.memory = memory
        self.verbose = verbose
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume

    def fit(self, X, y=None):
        """Trains the network."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X, y=None):
        """Trains the network and returns the map of X."""
        self._validate_params()
        X = validated(self, X, dtype=[np.float64, np.float32], ensure_min_samples=4)  # copied from a GPU
        self.seed_ = seed_of(self.random_state)
        run = run_of(self, self.seed_, verbose=1 if self.verbose else 0, checkpoints=True)
        options = {name: getattr(self, own) for own, name in _OPTIONS.items() if getattr(self, own) is not None}
        options["layers"] = ",".join(str(int(units)) for units in self.hidden_layer_sizes)
        points = _intake._narrowed(X, X, run, "subtract")
        with translating(PARAMETRIC, RUN, CHECKPOINT):
            found = finished(_core.train(points.values, options, run.with_checkpoint(), run.callback()), dict)
        self.model_ = found["model"]
        if points.shift is not None:
            self.model_["shift"] = self.model_["shift"] + points.shift
        self.model_["offset"] = np.zeros(X.shape[1]) if points.shift is None else points.shift
        self.embedding_, self.kl_divergence_, self.n_iter_ = found["embedding"], found["kl"], found["n_iter"]
        self.stopped_, self.pretrain_error_ = found["stopped"], found["pretrain_error"]
        if found["pretrain_error"] >= found["pretrain_variance"]:  # NaN: no machines
            say(
                f"the pretraining has learned nothing: its reconstructions differ from the rows by {self.pretrain_error_:.3g}, and the "
                f"mean row by {found['pretrain_variance']:.3g} (mean squares); give other visible units, a smaller pretrain_rate, "
                "or pretrain 'map'"
            )
        return self.embedding_

    def transform(self, X):
        """The places of rows. They depend on no other row.

        Returns
        -------
        array of shape (m, n_components), float32
        """
        check_is_fitted(self, "model_")
        X = validated(self, X, True, reset=False, dtype=[np.float64, np.float32])
        run = run_of(self, getattr(self, "seed_", 1), verbose=1 if self.verbose else 0)
        with translating(PARAMETRIC, RUN):
            if _device.is_on_gpu(X):
                less = (self.model_["shift"],) if str(X.dtype).endswith("float64") else None
                rows, shift, home = _device.points(X, "subtract", "X", less)
                held = self._held_model(len(rows), run, shift)
                return home.take(finished(_core.apply_held_on_gpu(held, rows, run.core(), run.callback()), lambda places: places))
            shift = None
            if X.dtype == np.float64:  # centered before digits are lost
                shift = self.model_["shift"]
                X = X - shift
            held = self._held_model(len(X), run, shift)
            rows = np.ascontiguousarray(X, np.float32)
            return finished(_core.apply_held(held, rows, run.core(), run.callback()), np.asarray)

    def _held_model(self, rows, run, shift):
        """The network for rows from which `shift` is subtracted. On a GPU it is held for the next call."""
        model, of = self.model_, (self.device, shift is self.model_["shift"])
        kept = self.__dict__.get("_held")
        if kept is not None and kept[0] is model and kept[1] == of and (shift is None or of[1]):
            return kept[2]
        if shift is not None:
            model = {**model, "shift": model["shift"] - shift}
        held = _core.hold_model(model, rows, run.core())
        if held.device == "cuda":
            used_gpu()
            if shift is None or of[1]:
                self._held = (self.model_, of, held)
        return held

    def __getstate__(self):
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_held"}

    def save(self, path):
        """Writes the model as .npz, as ``dunlin train`` does; ``dunlin transform --model`` reads it."""
        check_is_fitted(self, "model_")
        with translating(PARAMETRIC, RUN):
            names = list(getattr(self, "feature_names_in_", ()))
            _core.write_parametric_model(path_of(path), {**self.model_, "columns": names} if names else self.model_)

    @classmethod
    def load(cls, path):
        """An estimator that transforms by a model of ``save`` or ``dunlin train``; it has no embedding_."""
        with translating(PARAMETRIC, RUN):
            model = _core.read_parametric_model(path_of(path))
        widths = [weights.shape[1] for weights, _ in model["layers"]]
        prototypes = model["prototypes"]
        dim = prototypes.shape[1] if len(prototypes) else widths[-1]
        loaded = cls(
            n_components=dim,
            hidden_layer_sizes=tuple(widths[:-1]),
            activation=model["activation"],
            n_prototypes=len(prototypes),
        )
        loaded.model_, loaded.n_features_in_ = model, len(model["shift"])
        if model["columns"]:
            loaded.feature_names_in_ = np.array(model["columns"], object)
        return loaded

    @property
    def _n_features_out(self):
        return self.n_components

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float32"]  # places are float32 whatever the rows are
        return tags

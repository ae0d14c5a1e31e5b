# SPDX-License-Identifier: Apache-2.0
"""Arguments of openTSNE's names: numbers, words, steps of gradient descent. Errors name the argument."""

from numbers import Integral, Real

import numpy as np
from sklearn.neighbors import VALID_METRICS
from sklearn.utils import check_random_state

from .._errors import InputError, OptionError
from .._options import refuse_unknown
from .._shared import seed_of

METHODS = {
    "auto": "auto",
    "bh": "tree",
    "barnes-hut": "tree",
    "fft": "grid",
    "interpolation": "grid",
    "exact": "exact",
}
# openTSNE's names of searches, and the library's
SEARCHES = {
    "auto": "auto",
    "exact": "exact",
    "approx": "approximate",
    "approximate": "approximate",
    "annoy": "approximate",
    "pynndescent": "approximate",
    "hnsw": "approximate",
}
_GRID = {"n_interpolation_points": 3, "min_num_intervals": 50, "ints_in_interval": 1}


def number(value, name, above=None, least=None, below=None, most=None):
    """value as a float within the bounds."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    words = [f"above {above:g}" for _ in (1,) if above is not None]
    words += [f"at least {least:g}" for _ in (1,) if least is not None]
    words += [f"below {below:g}" for _ in (1,) if below is not None]
    words += [f"at most {most:g}" for _ in (1,) if most is not None]
    wanted = "a number" + (f" {' and '.join(words)}" if words else "")
    if not isinstance(value, Real) or isinstance(value, (bool, np.bool_)):
        raise OptionError(f"{name} is {value!r}; it must be {wanted}", option=name)
    fits = np.isfinite(value) and (above is None or value > above) and (least is None or value >= least)
    if not (fits and (below is None or value < below) and (most is None or value <= most)):
        raise InputError(f"{name} is {value}; it must be {wanted}", option=name)
    return float(value)


def whole(value, name, least=0):
    """value as an int, at least ``least``."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    words = f"a whole number, at least {least}"
    if not isinstance(value, Real) or isinstance(value, (bool, np.bool_)):
        raise OptionError(f"{name} is {value!r}; it must be {words}", option=name)
    if not isinstance(value, Integral) and value != np.floor(value) or not np.isfinite(value) or value < least:
        raise InputError(f"{name} is {value}; it must be {words}", option=name)
    return int(value)


def exaggeration(value, name="exaggeration", default=1.0):
    """A factor above 0; None: the default."""
    return default if value is None else number(value, name, above=0)


def perplexities(value, name):
    """One perplexity as it is, or a list of several."""
    if np.ndim(value) == 0:
        number(value, name, above=0)
        return value
    values = np.asarray(value).reshape(-1).tolist()
    for each in values:
        number(each, name, above=0)
    if not values:
        raise InputError(f"{name} is empty; it must have a number above 0", option=name)
    return values


def learning_rate(value, name="learning_rate"):
    if isinstance(value, str):
        if value != "auto":
            raise OptionError(f"{name} is {value!r}; it must be 'auto' or a number above 0", option=name)
    else:
        number(value, name, above=0)


def gradient_method(name, option="negative_gradient_method"):
    """The library's name of a way to sum repulsion."""
    if not isinstance(name, str):
        raise InputError(
            f"{option} is a function; the library sums repulsion by its own methods: give 'auto', 'exact', 'bh' or 'fft'",
            option=option,
        )
    if name.lower() not in METHODS:
        raise InputError(f"{option} is {name!r}; it must be 'auto', 'exact', 'bh' or 'fft'", option=option)
    return METHODS[name.lower()]


def neighbor_search(method, name="method"):
    """The library's name of a way to find neighbors."""
    if not isinstance(method, str):
        raise InputError(
            f"{name} is an index of openTSNE; give 'auto', 'exact' or 'approx', or affinities with "
            "knn_index=(indices, distances)",
            option=name,
        )
    if method not in SEARCHES:
        raise InputError(f"{name} is {method!r}; it must be 'auto', 'exact' or 'approx'", option=name)
    return SEARCHES[method]


def metric(name):
    """Of one that the library does not have: a function, or one of scikit-learn's."""
    known = sorted(set(sum((list(names) for names in VALID_METRICS.values()), [])))
    if not callable(name) and name not in known:
        raise InputError(f"metric is {name!r}; it must be a function or one of {', '.join(known)}", option="metric")


def seed(random_state):
    _random_state(random_state)
    return seed_of(random_state)


def _random_state(random_state, name="random_state"):
    """Draws nothing."""
    try:
        check_random_state(random_state)
    except (TypeError, ValueError):
        raise InputError(
            f"{name} is {random_state!r}; it must be a whole number, a numpy.random.RandomState or None", option=name
        ) from None


def _grid(value, name):
    if value != _GRID[name]:
        raise InputError(f"{name} is {value}; the library's grid has its own rule, leave it out", option=name)


def _momentum(value, name):
    number(value, name, least=0, below=1)


def _bound(value, name):
    if value is not None:
        number(value, name, least=0)


def _optimizer(value, name):
    if value is not None:
        raise OptionError(f"{name} is given, and gains start anew in each optimize(); leave it out", option=name)


def _any(value, name):
    pass


# What a map takes in its constructor and in optimize(). n_jobs and callbacks are checked by the run
_STEPS = {
    "learning_rate": learning_rate,
    "momentum": _momentum,
    "final_momentum": _momentum,
    "exaggeration": exaggeration,
    "dof": lambda value, name: number(value, name, least=0.1, most=100),
    "min_gain": _bound,
    "max_grad_norm": _bound,
    "max_step_norm": _bound,
    "theta": lambda value, name: number(value, name, least=0),
    "negative_gradient_method": gradient_method,
    "n_interpolation_points": _grid,
    "min_num_intervals": _grid,
    "ints_in_interval": _grid,
    "n_jobs": _any,
    "callbacks": _any,
    "callbacks_every_iters": lambda value, name: whole(value, name, 1),
    "verbose": _any,
    "random_state": _random_state,
    "seed": _any,
    "optimizer": _optimizer,
}
# What places of new points take without effect, beside n_jobs and callbacks
_IGNORED = {
    **{name: check for name, check in _STEPS.items() if name not in ("exaggeration", "random_state", "seed", "optimizer")},
    "initial_momentum": _momentum,
    "early_exaggeration": lambda value, name: value == "auto" or exaggeration(value, name),
    "early_exaggeration_iter": whole,
    "negative_gradient_method": lambda value, name: callable(value) or gradient_method(value, name),
    **{name: lambda value, name: whole(value, name, 1) for name in _GRID},
}


def steps(function, given, of_new_points=False):
    """Raises OptionError for a name that ``function`` lacks, and an error for a value that cannot be used."""
    known = _IGNORED if of_new_points else _STEPS
    refuse_unknown(function, [name for name in given if name not in known], known)
    for name, value in given.items():
        known[name](value, name)


def constructor(tsne):
    """The parameters of a TSNE."""
    whole(tsne.n_components, "n_components", 1)
    if tsne.n_components > 3:
        raise InputError(f"n_components is {tsne.n_components}; it must be 1, 2 or 3", option="n_components")
    perplexities(tsne.perplexity, "perplexity")
    neighbor_search(tsne.neighbors, "neighbors")
    whole(tsne.n_iter, "n_iter")
    whole(tsne.early_exaggeration_iter, "early_exaggeration_iter")
    exaggeration(tsne.exaggeration)
    if not isinstance(tsne.early_exaggeration, str) or tsne.early_exaggeration != "auto":
        exaggeration(tsne.early_exaggeration, "early_exaggeration")
    _momentum(tsne.initial_momentum, "initial_momentum")
    given = {name: getattr(tsne, name) for name in _STEPS if hasattr(tsne, name) and name != "negative_gradient_method"}
    steps("TSNE", given)

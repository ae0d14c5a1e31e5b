# SPDX-License-Identifier: Apache-2.0
"""Classes and functions in the place of others: the library's work where it has what is asked for, else the original's.

A class is a subclass of the original, with its name, module and signature. Only UnsupportedError and OutOfMemoryError, and
parameters that the package's class does not take, lead to the original; other errors are shown.
"""

import copyreg
import functools
import inspect
import sys

from . import _accel_report
from ._errors import OutOfMemoryError, UnsupportedError

FALLING = (UnsupportedError, OutOfMemoryError)


class Proxy:
    """Before the original among the bases of a proxy."""

    _original = None

    def __reduce_ex__(self, protocol):
        # By the name of the original, so that who reads it need not have this package
        cls = getattr(sys.modules.get(self._original.__module__), self._original.__qualname__, self._original)
        return copyreg._reconstructor, (cls, object, None), self._state_to_pickle()

    def _state_to_pickle(self):
        return self.__getstate__()


def dressed(cls, original):
    """A proxy with the names and the words of the original."""
    cls._original = original
    for name in ("__module__", "__name__", "__qualname__", "__doc__"):
        setattr(cls, name, getattr(original, name))
    return cls


def by_dunlin(name, rows, ours, theirs, strict):
    """ours(), or theirs() where it raises one of FALLING."""
    try:
        with _accel_report.timed(name, rows):
            return ours()
    except FALLING as error:
        if strict:
            raise
        reason = str(error)
    with _accel_report.timed(name, rows, reason):
        return theirs()


def estimator(original, ours, strict):
    """A proxy of a class of scikit-learn, whose parameters the package's class has and perhaps others."""

    class Estimator(Proxy, original):
        def fit(self, X, y=None, **more):
            self.fit_transform(X, y, **more)
            return self

        def fit_transform(self, X, y=None, **more):
            def by_ours():
                self._validate_params()
                fitted = _accepted(ours, self).fit(X, y, **more)
                public = {key: value for key, value in vars(fitted).items() if key.endswith("_") and key[0] != "_"}
                self.__dict__.update(public)
                return self.embedding_

            def by_theirs():
                return super(Estimator, self).fit_transform(X, y, **more)

            name = f"{original.__module__.partition('.')[0]}.{original.__name__}.fit"
            return by_dunlin(name, _accel_report.rows_of(X), by_ours, by_theirs, strict)

    return dressed(Estimator, original)


def _accepted(ours, given):
    """The package's estimator with the parameters of another; UnsupportedError for those that it does not take. A word that
    the caller left at its default is not passed where the package's own default is 'auto'."""
    own, theirs = (inspect.signature(made.__init__).parameters for made in (ours, given))

    def is_left(name, value):
        chooses = name in own and name in theirs and own[name].default == "auto"
        return chooses and isinstance(value, str) and value == theirs[name].default

    made = ours(**{name: value for name, value in given.get_params(deep=False).items() if not is_left(name, value)})
    try:
        made._validate_params()
    except (ValueError, TypeError) as error:  # scikit-learn's InvalidParameterError is both
        raise UnsupportedError(str(error)) from None
    return made


def function(original, ours, name, strict, lacks=None, rows=None):
    """A function in the place of another. lacks: of its arguments, the reason for the original or None; rows: how many
    rows they have."""

    @functools.wraps(original)
    def replaced(*args, **more):
        def by_ours():
            reason = lacks(*args, **more) if lacks else None
            if reason:
                raise UnsupportedError(reason)
            return ours(*args, **more)

        count = rows(*args, **more) if rows else _accel_report.rows_of(args[0] if args else None)
        return by_dunlin(name, count, by_ours, lambda: original(*args, **more), strict)

    return replaced


def layout(original, ours, strict):
    """A layout function of NetworkX; arguments that the package's function does not have are the original's."""
    known = inspect.signature(ours)

    def lacks(*args, **more):
        try:
            dim = known.bind(*args, **more).arguments.get("dim", 2)
        except TypeError as error:
            return str(error)
        return f"dim is {dim}; the library places nodes in 1, 2 or 3 dimensions" if _is_above(dim, 3) else None

    return function(original, ours, f"networkx.{original.__name__}", strict, lacks)


def _is_above(value, most):
    return isinstance(value, int) and value > most

# SPDX-License-Identifier: Apache-2.0
"""What the laws share: the entries of a law as parameters, examples, and the comparison of answers."""

import functools
import inspect
import os

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from commands import BY_COMMAND
from entry import ENTRIES, Refused
from generate import POINTS, cases
from roles import difference

MORE = float(os.environ.get("DUNLIN_LAWS", "1"))


class Breach(BaseException):
    """Ends the test of a known breach at its first failure: Hypothesis would look for a smaller one."""


known_is_running = False  # conftest.py


def examples(count):
    """A check(.., data) as a test on that many examples; by the command, which is slower, on a third of them."""

    def decorate(check):
        @functools.wraps(check)
        def checked(*args, **more):
            try:
                check(*args, **more)
            except hypothesis.errors.HypothesisException:
                raise
            except Exception as error:
                if known_is_running:
                    raise Breach(str(error)) from error
                raise

        def limited(few):
            drawn = hypothesis.given(data=st.data())(functools.wraps(check)(lambda *args, **more: checked(*args, **more)))
            return hypothesis.settings(max_examples=max(1, round(few * MORE)))(drawn)

        doors = {"python": limited(count), "command": limited(count / 3)}

        def test(**parameters):
            try:
                doors[getattr(parameters.get("entry"), "through", "python")](**parameters)
            except Breach as breach:
                raise AssertionError(str(breach)) from None

        test.__name__, test.__doc__ = check.__name__, check.__doc__
        test.__signature__ = inspect.signature(doors["python"])
        return test

    return decorate


BY_COMMAND_TOO = ("order", "columns", "scale", "units", "batch", "threads")


def obeying(law, chosen=lambda entry: True):
    """Parameters: the entries that obey a law in some form, by Python and, of laws that need no objects, by the command."""
    table = ENTRIES + BY_COMMAND if law in BY_COMMAND_TOO else ENTRIES
    found = [entry for entry in table if chosen(entry) and not entry.form(law).broken]
    return pytest.mark.parametrize("entry", found, ids=lambda entry: entry.name)


def case_of(data, entry, law, only=(), **more):
    points = only or entry.form(law).points or POINTS
    case = data.draw(cases(entry.takes, entry.least, entry.most, entry.dims, points=points, **more), "case")
    return case


def answers_or_refusal(entry, case, **run):
    try:
        return entry.answers(case, **run)
    except Refused as refused:
        return refused


def minima_of(entry, case, count=4):
    """The answers of the case with X moved by 2^-22 of itself: other minima, where rounding decides."""
    for seed in range(count):
        generator = np.random.default_rng(seed)
        yield answers_or_refusal(entry, case.but(X=case.X * (1 + generator.uniform(-1, 1, case.X.shape) * 2.0**-22)))


def assert_same(entry, law, expected, found, roles=None, what="", allowed=None, case=None):
    """That two answers of an entry are the same in the form of the law, or differ by what is allowed(role). case: the input of
    the first, of a law whose form admits its other minima."""
    form = entry.form(law)
    if isinstance(expected, Refused) or isinstance(found, Refused):
        assert isinstance(expected, Refused) and isinstance(found, Refused), f"{what}: {show(expected)}, but {show(found)}"
        return
    for name, role in (entry.gives if roles is None else roles).items():
        if form.only and name not in form.only or name not in expected and name not in found:
            continue
        assert name in expected and name in found, f"{what}: {name} is missing in one of {show(expected)} and {show(found)}"
        gap = difference(expected[name], found[name], role, allowed(role) if allowed else 0.0)
        if gap > form.bound and form.minima and case is not None:
            others = [each for each in minima_of(entry, case) if not isinstance(each, Refused)]
            gap = min(gap, *(difference(each[name], found[name], role) for each in others))
        if gap > form.bound:
            raise AssertionError(f"{what}: {name} differs by {gap:.3g} of its size, allowed {form.bound:g}\n{expected[name]}\n{found[name]}")


def show(answers):
    return f"refused: {answers}" if isinstance(answers, Refused) else sorted(answers)


def is_limit(refused):
    """Whether an error names the limit: it has a number."""
    return any(character.isdigit() for character in str(refused))

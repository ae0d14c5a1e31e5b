# SPDX-License-Identifier: Apache-2.0
"""Law 2, units and origin: data in another unit or from another origin have the same answers, in that unit; or an error
names the limit. Units are powers of two and origins whole numbers, so that the numbers compared are the same ones."""

import warnings

import dunlin
import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from changes import mapped, turned
from entry import Refused
from generate import cases
from law import answers_or_refusal, assert_same, case_of, examples, is_limit, obeying

MODERATE = st.integers(-40, 40)
POWERS = st.integers(-100, 66)  # 1e-30 to 1e20
ORIGINS = st.sampled_from([1, 1000, 10**6, 20240101, 10**9, -(10**9)])


def check(entry, case, changed, adjust, what, expected=None, roles=None, allowed=None):
    expected = answers_or_refusal(entry, case) if expected is None else expected
    found = answers_or_refusal(entry, changed)
    if isinstance(found, Refused) and not isinstance(expected, Refused):
        assert is_limit(found), f"{what}: refused without a limit: {found}"
        return
    if not isinstance(expected, Refused):
        expected = {name: adjust(value, entry.gives[name]) for name, value in expected.items() if name in entry.gives}
        check_moved(entry, expected, found, what)
    assert_same(entry, "units", expected, found, roles, what, allowed, case=case)


def check_moved(entry, expected, found, what):
    """What moves with its input is compared as far as its own type resolves it; all else in the form of the law."""
    only = entry.form("units").only
    for name, value in list(expected.items()):
        if isinstance(value, Moved) and name in found:
            here, origin = found.pop(name), value.origin
            expected.pop(name)
            if only and name not in only and name != "held":
                continue
            step = np.spacing(here.dtype.type(origin)) if here.dtype.kind == "f" else 0
            allowed = max(1e-4, entry.form("units").bound) * np.abs(value.value).max(initial=0) + abs(step)
            moved = here.astype(np.float64) - origin
            assert moved.shape == value.value.shape, f"{what}: {name} has the shape {moved.shape}, not {value.value.shape}"
            assert np.abs(moved - value.value).max(initial=0) <= allowed, f"{what}: {name} less the origin\n{moved}\nfor\n{value.value}"


class Moved:
    def __init__(self, value, origin):
        self.value, self.origin = value, origin


def changing(sign):
    """The entries that a change leaves alone, and a draw of the input that it changes."""
    return obeying("units", lambda entry: any(change[-1] == sign for change in entry.free))


def draw_input(data, entry, sign):
    return data.draw(st.sampled_from([change[:-1] for change in entry.free if change[-1] == sign]), "input")


def assume_a_unit(values):
    """Equal points and dissimilarities of 0 have no unit."""
    arrays = values if isinstance(values, list) else [values]
    hypothesis.assume(any(np.ptp(array, axis=0).any() for array in arrays))


@changing("*")
@examples(3)
def test_scale(entry, data):
    """Powers of two that leave float32 room for squares: no digit changes."""
    case, name = case_of(data, entry, "scale"), draw_input(data, entry, "*")
    assume_a_unit(case[name])
    expected = answers_or_refusal(entry, case)
    for power in (20, -20, data.draw(MODERATE, "power of two")):
        factor = 2.0**power
        found = answers_or_refusal(entry, mapped(case, name, lambda array: array * factor))
        if isinstance(found, Refused) and not isinstance(expected, Refused):
            assert is_limit(found), f"{name} * 2^{power}: refused without a limit: {found}"
            continue
        scaled = expected
        if not isinstance(expected, Refused):
            scaled = {each: role.scaled(expected[each], name, factor) for each, role in entry.gives.items() if each in expected}
        assert_same(entry, "scale", scaled, found, what=f"{name} * 2^{power}")


@changing("*")
@examples(3)
def test_unit(entry, data):
    case, name = case_of(data, entry, "units"), draw_input(data, entry, "*")
    assume_a_unit(case[name])
    expected = answers_or_refusal(entry, case)
    for power in (66, -100, data.draw(POWERS, "power of two")):
        factor = 2.0**power
        changed = mapped(case, name, lambda array: array * factor)
        check(entry, case, changed, lambda value, role: role.scaled(value, name, factor), f"{name} * 2^{power}", expected)


@changing("+")
@examples(3)
def test_origin(entry, data):
    case, name = case_of(data, entry, "units"), draw_input(data, entry, "+")
    expected = answers_or_refusal(entry, case)
    for origin in (10**9, 10**6, data.draw(ORIGINS, "origin")):
        changed = mapped(case, name, lambda array: array + origin)
        adjust = lambda value, role: Moved(value, origin) if role.moves == name else value  # noqa: E731
        check(entry, case, changed, adjust, f"{name} + {origin}", expected, allowed=lambda role: resolved(case[name], name, role))


def resolved(values, name, role):
    """What an offset may change of an answer in the unit of an input, or its square, summed over rows: up to 256 times the
    spread of a column is not subtracted (docs/formats.md), and float32 keeps 2^-24 of it."""
    power = role.units.get(name, 0)
    return len(values) * (2.0**-16 * np.ptp(values)) ** power if power > 0 else 0.0


@changing("@")
@examples(6)
def test_turn(entry, data):
    case = case_of(data, entry, "units")
    name = draw_input(data, entry, "@")
    check(entry, case, mapped(case, name, turned), lambda value, role: value, f"{name} turned")


@changing("^")
@examples(4)
def test_constant_of_a_row(entry, data):
    """A correlation does not change if a constant is added to each row, and a constant row stays one."""
    case = case_of(data, entry, "units", only=("readings",) if "neighbors" in entry.name else ())
    for origin in (1013, 10**6, data.draw(ORIGINS, "origin")):
        check(entry, case, mapped(case, "X", lambda array: array + origin), lambda value, role: value, f"rows + {origin}")


@obeying("units", lambda entry: "X|" in entry.free)
@examples(6)
def test_unit_of_a_column(entry, data):
    """Methods that claim not to care for the units of columns: one column of clusters far apart in another unit. (Where
    clusters are near, the first k-means of a mixture does care, and another maximum may be found.)"""
    case, power = case_of(data, entry, "units", only=("far clusters",)), data.draw(st.integers(-30, 30), "power of two")
    factor = np.ones(case.X.shape[1])
    factor[0] = 2.0**power
    unitless = {name: role for name, role in entry.gives.items() if not role.units}
    expected = answers_or_refusal(entry, case)
    found = answers_or_refusal(entry, mapped(case, "X", lambda array: array * factor))
    assert_same(entry, "units", expected, found, unitless, what=f"column 0 * 2^{power}")
    if "covariances" in found:
        full = entry.name.endswith(("full", "tied"))
        expected, found = expected["covariances"], found["covariances"] / (np.outer(factor, factor) if full else factor**2)
        assert np.allclose(found, expected, rtol=1e-3, atol=1e-6), f"covariances\n{expected}\nand with column 0 * 2^{power}\n{found}"


LOSS = {"tsne": "kl", "umap": "cross_entropy", "pacmap": "loss"}


@pytest.mark.parametrize("method", LOSS)
@examples(4)
def test_unit_of_a_start(method, data):
    """A start says where points lie to each other: in another unit it leads to about the same loss, or a warning says so."""
    case = data.draw(cases(("X",), 40, 60, (3, 6), points=("clusters",)), "case")
    power = data.draw(st.sampled_from([-4, 3, 12]), "power of two")
    start = case.X[:, :2] / np.abs(case.X[:, :2]).max()
    losses, said = [], []
    for factor in (1.0, 2.0**power):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            losses.append(getattr(getattr(dunlin, method)(case.X, init=start * factor, n_jobs=1), LOSS[method]))
            said = caught
    near = abs(losses[1] - losses[0]) <= 0.25 * abs(losses[0])
    assert near or said, f"start * 2^{power}: {LOSS[method]} {losses[1]:.4g} for {losses[0]:.4g}, and nothing said"

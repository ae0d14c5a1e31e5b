# SPDX-License-Identifier: Apache-2.0
"""Law 2, units and origin: data in another unit or from another origin have the same answers, in that unit; or an error
names the limit. Units are powers of two and origins whole numbers, so that the numbers compared are the same ones."""

import warnings

import dunlin
import numpy as np
import pytest
from hypothesis import strategies as st

from changes import mapped, turned
from entry import Refused
from generate import cases
from law import answers_or_refusal, assert_same, case_of, examples, is_limit, obeying

POWERS = st.integers(-100, 66)  # 1e-30 to 1e20
ORIGINS = st.sampled_from([1, 1000, 10**6, 20240101, 10**9, -(10**9)])


def check(entry, case, changed, adjust, what):
    expected, found = answers_or_refusal(entry, case), answers_or_refusal(entry, changed)
    if isinstance(found, Refused) and not isinstance(expected, Refused):
        assert is_limit(found), f"{what}: refused without a limit: {found}"
        return
    if not isinstance(expected, Refused):
        expected = {name: adjust(value, entry.gives[name]) for name, value in expected.items() if name in entry.gives}
    assert_same(entry, "units", expected, found, what=what)


@obeying("units", lambda entry: any(change[-1] == "*" for change in entry.free))
@examples(6)
def test_unit(entry, data):
    case, power = case_of(data, entry, "units"), data.draw(POWERS, "power of two")
    name = data.draw(st.sampled_from([change[:-1] for change in entry.free if change[-1] == "*"]), "input")
    factor = 2.0**power
    check(entry, case, mapped(case, name, lambda array: array * factor), lambda value, role: role.scaled(value, name, factor), f"{name} * 2^{power}")


@obeying("units", lambda entry: any(change[-1] == "+" for change in entry.free))
@examples(6)
def test_origin(entry, data):
    case, origin = case_of(data, entry, "units"), data.draw(ORIGINS, "origin")
    name = data.draw(st.sampled_from([change[:-1] for change in entry.free if change[-1] == "+"]), "input")
    changed = mapped(case, name, lambda array: array + origin)
    # what moves with its input is compared less the origin, as far as its own type resolves it
    expected, found = answers_or_refusal(entry, case), answers_or_refusal(entry, changed)
    if isinstance(found, Refused) and not isinstance(expected, Refused):
        assert is_limit(found), f"moved by {origin}: refused without a limit: {found}"
        return
    if not isinstance(found, Refused) and not isinstance(expected, Refused):
        for each, role in entry.gives.items():
            if role.moves == name and each in found:
                step = np.spacing(found[each].dtype.type(origin)) if found[each].dtype.kind == "f" else 0
                moved = found[each].astype(np.float64) - origin
                assert moved.shape == expected[each].shape and np.abs(moved - expected[each]).max(initial=0) <= max(1e-4, entry.form("units").bound) * np.abs(expected[each]).max(initial=0) + step, (
                    f"{each} moved by {origin}:\n{expected[each]}\n{moved}"
                )
    stays = {each: role for each, role in entry.gives.items() if role.moves != name}
    assert_same(entry, "units", expected, found, stays, what=f"{name} + {origin}")


@obeying("units", lambda entry: any(change[-1] == "@" for change in entry.free))
@examples(6)
def test_turn(entry, data):
    case = case_of(data, entry, "units")
    name = data.draw(st.sampled_from([change[:-1] for change in entry.free if change[-1] == "@"]), "input")
    check(entry, case, mapped(case, name, turned), lambda value, role: value, f"{name} turned")


@obeying("units", lambda entry: any(change[-1] == "^" for change in entry.free))
@examples(6)
def test_constant_of_a_row(entry, data):
    """A correlation does not change if a constant is added to each row."""
    case, origin = case_of(data, entry, "units"), data.draw(ORIGINS, "origin")
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

# SPDX-License-Identifier: Apache-2.0
"""Law 10, sameness: the same numbers on one thread and two, again, and in other types, layouts and containers."""

import numpy as np
import pytest
from hypothesis import strategies as st

from commands import BY_COMMAND
from entry import ENTRIES, Refused
from generate import disguises
from law import answers_or_refusal, assert_same, case_of, examples, obeying


@obeying("threads")
@examples(3)
def test_threads(entry, data):
    case = case_of(data, entry, "threads")
    expected = answers_or_refusal(entry, case)
    assert_same(entry, "threads", expected, answers_or_refusal(entry, case, n_jobs=2), what="by two threads")
    assert_same(entry, "threads", expected, answers_or_refusal(entry, case), what="a second time")


@obeying("disguise", lambda entry: any(name in ("X", "Q", "C", "Y", "V", "start", "D", "pos", "weights", "values", "v") for name in entry.takes))
@examples(6)
def test_disguise(entry, data):
    case = case_of(data, entry, "disguise")
    names = [name for name in entry.takes if isinstance(case[name], np.ndarray) and case[name].dtype.kind == "f"]
    name = data.draw(st.sampled_from(names), "input")
    forms = disguises(case[name])
    form = data.draw(st.sampled_from(sorted(forms)), "as")
    expected, found = answers_or_refusal(entry, case), answers_or_refusal(entry, case.but(**{name: forms[form]}))
    assert_same(entry, "disguise", expected, found, what=f"{name} as {form}")


@pytest.mark.parametrize("entry", BY_COMMAND, ids=lambda entry: entry.name)
@examples(4)
def test_command(entry, data):
    """The command has the bytes of Python. Of what one of them does not tell nothing is compared."""
    python = next(each for each in ENTRIES if "dunlin " + each.name == entry.name)
    case = case_of(data, python, "command")
    expected, found = answers_or_refusal(python, case), answers_or_refusal(entry, case)
    if not isinstance(expected, Refused) and not isinstance(found, Refused):
        roles = {name: role for name, role in entry.gives.items() if name in expected and name in found}
        assert roles, "nothing to compare"
    else:
        roles = {}
    assert_same(entry, "command", expected, found, roles, what="by the command")

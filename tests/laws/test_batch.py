# SPDX-License-Identifier: Apache-2.0
"""Law 3, batch: a row alone has the answer that it has among others."""

import numpy as np
from hypothesis import strategies as st

from changes import mapped
from entry import Refused
from law import answers_or_refusal, assert_same, case_of, examples, obeying
from roles import reordered


@obeying("batch", lambda entry: entry.alone)
@examples(8)
def test_batch(entry, data):
    case = case_of(data, entry, "batch")
    origin = data.draw(st.sampled_from([0, 10**6, 10**9]), "origin")
    if "X+" in entry.free:
        case = mapped(case, "X", lambda array: array + origin)
    name = entry.alone
    row = data.draw(st.integers(0, len(case[name]) - 1), "row")
    together = answers_or_refusal(entry, case)
    alone = answers_or_refusal(entry, case.but(**{name: case[name][row : row + 1]}))
    roles = {each: role for each, role in entry.gives.items() if role.kind == "rows" and role.of == name}
    if not isinstance(together, Refused):
        together = {each: together[each][row : row + 1] for each in roles if each in together}
    assert_same(entry, "batch", together, alone, roles, what="a row alone")

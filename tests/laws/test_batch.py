# SPDX-License-Identifier: Apache-2.0
"""Law 3, batch: a row alone has the answer that it has among others."""

from hypothesis import strategies as st

from changes import mapped
from entry import Refused
from law import answers_or_refusal, assert_same, case_of, examples, obeying


@obeying("batch", lambda entry: entry.alone)
@examples(5)
def test_batch(entry, data):
    near, name = case_of(data, entry, "batch"), entry.alone
    row = data.draw(st.integers(0, len(near[name]) - 1), "row")
    roles = {each: role for each, role in entry.gives.items() if role.kind == "rows" and role.of == name}
    for origin in (0, 10**9) if "X+" in entry.free else (0,):
        case = mapped(near, "X", lambda array: array + origin)
        together = answers_or_refusal(entry, case)
        alone = answers_or_refusal(entry, case.but(**{name: case[name][row : row + 1]}))
        if not isinstance(together, Refused):
            together = {each: together[each][row : row + 1] for each in roles if each in together}
        assert_same(entry, "batch", together, alone, roles, what=f"row {row} alone, + {origin}")

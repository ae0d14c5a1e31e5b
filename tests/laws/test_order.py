# SPDX-License-Identifier: Apache-2.0
"""Law 1, order: rows, items, vertices and edges in another order have the same answers."""

from hypothesis import given, strategies as st

from changes import in_order
from generate import orders
from law import answers_or_refusal, assert_same, case_of, examples, obeying
from entry import Refused
from roles import reordered


@obeying("order")
@examples(6)
@given(data=st.data())
def test_order(entry, data):
    case = case_of(data, entry, "order")
    order = data.draw(orders(case.recipe["n"]), "order")
    expected, found = answers_or_refusal(entry, case), answers_or_refusal(entry, in_order(case, order))
    if not isinstance(found, Refused):
        found = {name: back(value, entry.gives[name], order) for name, value in found.items() if name in entry.gives}
    assert_same(entry, "order", expected, found, what="in another order")


def back(value, role, order):
    return value if role.of == "Q" else reordered(value, role, order)

# SPDX-License-Identifier: Apache-2.0
"""Law 1, order: rows, items, vertices and edges in another order have the same answers."""


import hypothesis
import numpy as np
from changes import in_order, mapped
from generate import UNTIED, orders
from law import answers_or_refusal, assert_same, case_of, examples, obeying
from entry import Refused
from roles import reordered


@obeying("order")
@examples(6)
def test_order(entry, data):
    case = case_of(data, entry, "order")
    hypothesis.assume(entry.form("order").points != UNTIED or "X" not in case or untied(case.X))
    order = data.draw(orders(case.recipe["n"]), "order")
    expected, found = answers_or_refusal(entry, case), answers_or_refusal(entry, in_order(case, order))
    if not isinstance(found, Refused):
        found = {name: back(value, entry.gives[name], order) for name, value in found.items() if name in entry.gives}
    assert_same(entry, "order", expected, found, what="in another order", case=case)


def untied(X):
    """Whether no row has two others at one distance, as float32 has it, straight or along the axes."""
    for distances in (np.abs(X[:, None] - X[None]).sum(2), np.sqrt(((X[:, None] - X[None]) ** 2).sum(2))):
        if (np.diff(np.sort(distances.astype(np.float32), axis=1), axis=1) == 0).any():
            return False
    return True


@obeying("columns", lambda entry: "X" in entry.takes)
@examples(3)
def test_columns(entry, data):
    """Columns in another order: the answers of rows, but for what has columns itself. Sums of columns may round otherwise."""
    case = case_of(data, entry, "columns")
    order = data.draw(orders(case.X.shape[1]), "order of columns")
    expected, found = answers_or_refusal(entry, case), answers_or_refusal(entry, mapped(case, "X", lambda array: array[:, order]))
    roles = {name: role for name, role in entry.gives.items() if name not in ("means", "centers", "covariances")}
    if entry.form("columns").only == ("ids",):
        share = np.abs(expected["ids"] - found["ids"]).sum() / 2 / expected["ids"].sum()
        assert share <= entry.form("columns").bound, f"columns in another order: {share:.0%} of the nearest are others"
        return
    assert_same(entry, "columns", expected, found, roles, what="columns in another order", case=case)


def back(value, role, order):
    return value if role.of == "Q" else reordered(value, role, order)

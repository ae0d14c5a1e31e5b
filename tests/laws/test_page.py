# SPDX-License-Identifier: Apache-2.0
"""docs/laws.md has the table of calls as it is, and what is known of breaches names tests that exist."""

import page
import pytest
from commands import BY_COMMAND, TABLE
from entry import ENTRIES
from generate import make


def test_page():
    text = page.PAGE.read_text()
    assert page.written(text) == text, "docs/laws.md is not that of the table; run tests/laws/page.py"


def test_names():
    names = [entry.name for entry in ENTRIES]
    assert len(set(names)) == len(names) and set(TABLE) <= set(names)


def test_known_names_tests_that_exist(request):
    ran = {item.name for item in request.session.items}
    if len(ran) < 300:  # a part of the tests was asked for
        return
    wanted = {f"{test}[{case}]" if case else test for test, cases, _ in page.KNOWN for case in cases}
    assert wanted <= ran, f"known.py names what is no test: {sorted(wanted - ran)}"


@pytest.mark.parametrize("entry", ENTRIES + BY_COMMAND, ids=lambda entry: entry.name)
def test_each_call_answers(entry):
    """A call that is refused for usual inputs would obey every law."""
    recipe = {"n": entry.least + 4, "d": entry.dims[1], "points": "normal", "graph": "path", "labels": "kinds", "seed": 1}
    missing = set(entry.gives) - set(entry.answers(make(entry.takes, recipe)))
    assert len(missing) < len(entry.gives) and (not missing or entry.through == "command" or missing <= MAY_LACK), f"no {missing}"


MAY_LACK = {"centroid_neighbors", "w"}  # of six classes; of models of two species

# SPDX-License-Identifier: Apache-2.0
"""docs/laws.md has the table of calls as it is, and what is known of breaches names tests that exist."""

import page
from entry import ENTRIES
from commands import TABLE


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

# SPDX-License-Identifier: Apache-2.0
"""Tolerances that the tests and these scripts share: the numbers of tests/cases/cases.hpp."""

import re
from pathlib import Path

CASES = Path(__file__).resolve().parent.parent / "tests" / "cases" / "cases.hpp"


def tolerance(name):
    """The value of a `constexpr double`."""
    found = re.search(rf"^constexpr double {name} = ([-+.\de]+);", CASES.read_text(), re.MULTILINE)
    if not found:
        raise KeyError(f"{CASES} has no number {name}")
    return float(found[1])

# SPDX-License-Identifier: Apache-2.0
"""Inputs that people brought give the right values: the checks of tests/inputs by the package."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "inputs"))
import harness  # noqa: E402
import table  # noqa: E402, F401  registers the checks


@pytest.mark.parametrize("folder, check", harness.PYTHON, ids=[f"{f}-{c.__name__}" for f, c in harness.PYTHON])
def test_input(folder, check):
    with harness.inputs(folder):
        check()

# SPDX-License-Identifier: Apache-2.0
"""Law 9, ownership: a call changes neither its inputs nor global state, and its results do not change with its inputs."""

import os
import pathlib
import random
import warnings

import numpy as np
from hypothesis import strategies as st

from entry import Refused
from law import answers_or_refusal, assert_same, case_of, examples, obeying


def world():
    """Global state that a library must leave alone."""
    kind, keys, *place = np.random.get_state()
    return {
        "numpy.random": (kind, keys.tobytes(), *place),
        "random": random.getstate(),
        "errors of numpy": np.geterr(),
        "print options": {name: str(value) for name, value in np.get_printoptions().items()},
        "warning filters": list(warnings.filters),
        "environment": dict(os.environ),
        "folder": os.getcwd(),
        "files": sorted(path.name for path in pathlib.Path().iterdir()),
    }


def frozen(value):
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.strides, value.flags.writeable, value.tobytes()
    return [frozen(part) for part in value] if isinstance(value, (list, tuple)) else repr(value)


def overwrite(value):
    """Other numbers in the arrays and lists of an input, in place."""
    if isinstance(value, np.ndarray):
        value[...] = value[::-1].copy() if value.dtype.kind not in "f" else np.arange(value.size).reshape(value.shape) % 5 + 0.25
    elif isinstance(value, (list, tuple)):
        for part in value:
            overwrite(part)
        if isinstance(value, list) and value and isinstance(value[0], str):
            value[:] = ["zzz"] * len(value)


@obeying("ownership")
@examples(4)
def test_ownership(entry, data):
    case = case_of(data, entry, "ownership")
    kind = data.draw(st.sampled_from(["float64", "float32"]), "type")
    case = case.but(**{name: case[name].astype(kind) for name in entry.takes if _is_float(case[name])})
    later = {name: case[name] for name in entry.takes if name != "Q"}  # new rows are given later
    inputs, state = frozen([case[name] for name in entry.takes]), world()
    expected = answers_or_refusal(entry, case)
    assert frozen([case[name] for name in entry.takes]) == inputs, "an input was changed"
    now = world()
    assert now == state, f"global state was changed: {[name for name in state if now[name] != state[name]]}"
    if isinstance(expected, Refused):
        return
    copy = case.copy()
    result = entry.begin(copy)
    for name in later:
        overwrite(copy[name])
    found = entry.finish(result, case)
    assert_same(entry, "ownership", expected, found, what="after the inputs were overwritten")


def _is_float(value):
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"

# SPDX-License-Identifier: Apache-2.0
"""Law 11, shape: a second input of another size, number of dimensions or type, or with a number that is none, is refused
before it is touched. Each call runs in a process of its own: what is read beyond its end may kill it."""

import os
import pickle

import numpy as np
from hypothesis import given, strategies as st

from entry import Refused
from law import case_of, examples, obeying

BESIDE = ("Q", "C", "Y", "start", "anchor", "fixed", "labels", "weights", "values", "pos", "v", "W")
WIDE = ("Q", "C")  # as many columns as X, and any number of rows
GIVEN = ("start", "anchor", "fixed", "W")  # as many columns as the map has axes; a map itself may have three


def wrong_ones(name, value):
    """What a second input may wrongly be."""
    found = {"three axes": np.zeros((*value.shape, 2, 2))}
    if value.ndim == 2:
        if name in WIDE + GIVEN:
            found["a column more"] = np.column_stack([value, value[:, :1]])
        if name not in WIDE:
            found["of text"] = value.astype(str).astype(object) + "x"
    if name not in WIDE:
        found |= {"a row less": value[:-1], "a row more": np.concatenate([value, value[-1:]]), "no rows": value[:0]}
    if value.dtype.kind == "f":
        for bad in (np.nan, np.inf, -np.inf, *([1e38] if name in GIVEN else [])):
            found[f"with {bad:g}"] = value.copy()
            found[f"with {bad:g}"].flat[-1] = bad
        found["complex"] = value + 1j
    if name in ("weights",):
        found["a negative one"] = -value
    return found


# What is allowed
MEANT = {
    ("density", "values"): ("with nan",),
    **{(method, "fixed"): ("with nan", "a row less") for method in ("tsne", "umap", "pacmap", "mds")},
}


def alone(work):
    """work() in a child: its outcome, or the signal that ended it."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            answer = pickle.dumps(work())
        except Refused as refused:
            answer = pickle.dumps(refused)
        except BaseException as error:  # noqa: BLE001 the parent tells
            answer = pickle.dumps(f"{type(error).__name__}: {error}")
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(answer)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    return pickle.loads(answer) if answer else f"ended by signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else status


@obeying("shape", lambda entry: len(entry.takes) > 1)
@examples(8)
@given(data=st.data())
def test_shape(entry, data):
    case = case_of(data, entry, "shape", only=("normal",), graphs=("path", "random"))
    name = data.draw(st.sampled_from([each for each in entry.takes[1 if entry.takes[0] != "pos" else 0 :] if each in BESIDE] or [entry.takes[0]]), "input")
    wrong = wrong_ones(name, case[name])
    for meant in (entry.name, entry.name.split()[0]):
        wrong = {each: value for each, value in wrong.items() if each not in MEANT.get((meant, name), ())}
    what = data.draw(st.sampled_from(sorted(wrong)), "wrong")
    found = alone(lambda: entry.answers(case.but(**{name: wrong[what]})))
    assert isinstance(found, Refused), f"{name} {what}: not refused, but {found}"

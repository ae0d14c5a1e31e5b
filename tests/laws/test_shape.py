# SPDX-License-Identifier: Apache-2.0
"""Law 11, shape: a second input of another size, number of dimensions or type, or with a number that is none, is refused
before it is touched."""


import numpy as np

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
        for bad in (np.nan, np.inf, -np.inf, *([1e38] if name in GIVEN[:3] else [])):
            found[f"with {bad:g}"] = value.copy()
            found[f"with {bad:g}"].flat[-1] = bad
        found["complex"] = value + 1j
    if name in ("weights",):
        found["a negative one"] = -value
    return found


# What is allowed
MEANT = {
    ("density", "values"): ("with nan",),
    # Of a map with a column more, unless the number of axes is given, a map in space is made
    **{(method, "fixed"): ("with nan", "a row less", "a column more") for method in ("tsne", "umap", "pacmap")},
    ("mds", "fixed"): ("with nan", "a row less"),
    ("HDBSCAN", "Q"): ("with nan", "with inf", "with -inf"),  # labels of their own, as in scikit-learn
}


def outcome(work):
    try:
        return " ".join(str(work()).split())[:160]
    except Refused:
        return None
    except BaseException as error:  # noqa: BLE001 the parent tells
        return f"{type(error).__name__}: {error}"


@obeying("shape", lambda entry: any(name in BESIDE for name in entry.takes[1:]))
@examples(1)
def test_shape(entry, data):
    case = case_of(data, entry, "shape", only=("normal",), graphs=("random",))
    wrong = {}
    for name in (name for name in entry.takes if name in BESIDE):
        meant = MEANT.get((entry.name.split()[0], name), ())
        wrong |= {(name, what): value for what, value in wrong_ones(name, case[name]).items() if what not in meant}
    found = [outcome(lambda name=name, value=value: entry.answers(case.but(**{name: value}))) for (name, _), value in wrong.items()]
    accepted = [f"{name} {what}: {answer}" for (name, what), answer in zip(wrong, found) if answer is not None]
    if accepted:
        raise AssertionError("not refused:\n" + "\n".join(accepted))

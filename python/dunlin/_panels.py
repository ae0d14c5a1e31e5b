# SPDX-License-Identifier: Apache-2.0
"""color= of pictures: several colorings of a map, a panel each."""

from collections.abc import Mapping

import numpy as np

from . import _cells, _intake, _match
from ._errors import InputError, OptionError
from ._kinds import columns_of

WORDS = ("labels", "community", "degree")


def colorings(color):
    """Pairs of a name and a coloring, if this is a list, a dict or a table of them; else None."""
    if isinstance(color, Mapping):
        named = [(str(name), item) for name, item in color.items()]
    elif isinstance(color, (list, tuple)):
        named = [(_name_of(item, f"color {i + 1}"), item) for i, item in enumerate(color)]
    elif columns_of(color) is not None:
        named = [(name, color[name]) for name in columns_of(color)]
    else:
        return None
    if not named:
        raise InputError("color has no colorings; give a word, or an array per panel", option="color")
    return named


def panels(named, of, size, labels):
    """What the core draws: (title, word, codes or None, names, values or None) per coloring. labels: of the picture."""
    made = []
    for name, item in named:
        if isinstance(item, str) and item not in WORDS:
            raise OptionError(f"color has {item!r}; it must be an array, or one of {', '.join(map(repr, WORDS))}", option="color")
        if isinstance(item, str):
            codes, names = labels if item == "labels" else (None, [])
            made.append((name, item, codes, names, None))
        elif _is_of_classes(item):
            codes, names = _intake.labels(_match.labels(item, of, "color"), size)
            made.append((name, "labels", codes, names, None))
        else:
            column = _match.column(item, of, "color", lonely=True)
            made.append((name, "labels", None, [], _intake.column(column, "color", of.count, np.float64, missing=True)))
    return made


def _name_of(item, otherwise):
    if isinstance(item, str):
        return item
    name = getattr(item, "name", None)
    return otherwise if name is None else str(name)


def _is_of_classes(item):
    """Words, categories and truth values are classes, numbers a scale."""
    if isinstance(item, Mapping):
        item = list(item.values())
    if getattr(getattr(item, "dtype", None), "name", "") == "category" or hasattr(item, "labels"):
        return True
    array = np.asarray(item)
    if array.dtype.kind == "O":
        return not all(_cells.is_missing(value) or isinstance(value, (int, float, np.number)) for value in array.ravel())
    return array.dtype.kind in "USTb"

# SPDX-License-Identifier: Apache-2.0
"""Names of points in pictures: which are shown, in place of what, and which go first."""

import numbers

import numpy as np

from . import _cells, _core, _intake, _match
from ._errors import InputError
from ._named import Named
from ._run import say

DOC = """
names_from : str, sequence of str, or Series or dict by the names of the map's rows, optional
    Names that are shown in place of ``ids``: a column of a file, 'FILE:COLUMN', or a name per point. Where both have names of
    rows these are matched by name. ``names_by`` may also be a number per point: larger ones are placed first.
"""


class ItemNames:
    """What ``names``, ``names_from`` and ``names_by`` say, of which ``options`` keeps the words of the library."""

    def __init__(self, options, names_from=None):
        self.first = _named_first(options)
        self._from, self._by = names_from, None
        if not isinstance(options.get("names_by"), (str, type(None))):
            self._by = options.pop("names_by")

    def of(self, rows):
        """(ids that go first, names in place of ids, ranks) for the rows of a map."""
        return self.first, _names_of(self._from, rows), _ranks_of(self._by, rows)


def _named_first(options):
    """The ids that ``names`` lists; a number becomes the option's word."""
    names = options.get("names")
    if isinstance(names, str) or names is None:
        return []
    if isinstance(names, numbers.Integral) and not isinstance(names, bool):
        options["names"] = str(int(names))
        return []
    del options["names"]
    return _cells.names_in(names, "names")


def _names_of(names, rows):
    if names is None:
        return []
    if isinstance(names, str):
        words, ids, notes = _core.text_column(names)
        for what, _ in notes:
            say(f"names_from: {what}")
        names = Named.of(np.array(words, dtype=object), ids or None)
    taken = _match.labels(names, rows, "names_from")
    taken = taken.tolist() if hasattr(taken, "tolist") else list(taken)
    words = _cells.names_in(["" if _cells.is_missing(each) or each != each else each for each in taken], "names_from")
    if len(words) != rows.count:
        raise InputError(f"names_from has {len(words)} names; it must have {rows.count}, one per point", option="names_from")
    if missing := words.count(""):
        say(f"names_from: {missing} of {len(words)} points have no name")
    return words


def _ranks_of(by, rows):
    if by is None:
        return []
    return _intake.column(_match.column(by, rows, "names_by", lonely=True), "names_by", rows.count, np.float64, missing=True).tolist()

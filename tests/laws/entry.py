# SPDX-License-Identifier: Apache-2.0
"""An entry of the table: one call of the package (or command) on named inputs, its answers, and how it obeys the laws."""

from dataclasses import dataclass, field

import numpy as np

from generate import UNTIED
from roles import EQUAL, Form, within


# Forms of entries that name none
USUAL = {"columns": within(1e-4, "sums over columns round otherwise, by 2^-24 a column, times the condition of an answer", points=UNTIED)}


class Refused(Exception):
    """The call raised an error of the package; its message."""


def refusals():
    import dunlin

    return dunlin.Error, ValueError, TypeError


@dataclass(frozen=True, repr=False)
class Entry:
    """call(case, **run) computes; read(result, case) takes its answers, and may compute more (a lazy result). `free` names
    what changes no answer, or only as its role says: 'X*' another unit of X, 'X+' another origin, 'Y@' turned, 'X|' each
    column of X in another unit. `alone`: the input whose rows are independent of each other."""

    name: str
    takes: tuple
    call: object
    gives: dict
    read: object = None
    free: tuple = ()
    alone: str = ""
    least: int = 4
    most: int = 40
    dims: tuple = (1, 6)
    laws: dict = field(default_factory=dict)
    through: str = "python"  # the door: python or command

    def form(self, law) -> Form:
        return self.laws.get(law, USUAL.get(law, EQUAL))

    def answers(self, case, **run):
        """The answers by name, as copies. Raises Refused if the package raises InputError."""
        return self.finish(self.begin(case, **run), case)

    def begin(self, case, **run):
        try:
            return self.call(case, **{"n_jobs": 1, **run})
        except Refused:
            raise
        except refusals() as error:
            raise Refused(f"{type(error).__name__}: {error}") from error

    def finish(self, result, case):
        try:
            found = self.read(result, case) if self.read else {name: _member(result, name) for name in self.gives}
        except refusals() as error:
            raise Refused(f"{type(error).__name__}: {error}") from error
        return {name: np.array(value) for name, value in found.items() if value is not None}

    def __repr__(self):
        return self.name

    def _repr_pretty_(self, printer, cycle):
        """Of Hypothesis, which else prints every member."""
        printer.text(self.name)


def _member(result, name):
    if isinstance(result, (np.ndarray, float)):
        return result
    return result.get(name) if isinstance(result, dict) and name in result else getattr(result, name, None)


ENTRIES = []
LAWS = ("order", "columns", "scale", "units", "batch", "copies", "missing", "disguise", "ownership", "threads", "shape", "command")


def entry(name, takes, call, gives, **more):
    """Adds an entry. Words for the laws among `more` are its forms."""
    laws = {law: more.pop(law) for law in LAWS if law in more}
    free = tuple(more.pop("free", "").split())
    ENTRIES.append(Entry(name, tuple(takes.split()), call, gives, laws=laws, free=free, **more))

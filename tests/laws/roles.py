# SPDX-License-Identifier: Apache-2.0
"""What an answer is, so that a law knows how it must change with its input; and the forms in which an entry obeys a law."""

from dataclasses import dataclass, field

import numpy as np
from scipy.spatial import cKDTree


@dataclass(frozen=True)
class Role:
    """kind: 'rows' (first axis: rows of `of`), 'pairs' (both axes), 'partition' (clusters of rows, up to their names),
    'number' (a value), 'set' (rows without an order) or 'else' (compared as it is). units: the power of the unit of an
    input that it has; moves: the inputs with which it is shifted, as a centroid is."""

    kind: str
    of: str = "X"
    units: dict = field(default_factory=dict)
    moves: str = ""
    size: float = 0.0  # a magnitude that matters: differences are relative to it at least

    def scaled(self, value, name, factor):
        return np.asarray(value, np.float64) * np.float64(factor) ** self.units.get(name, 0)


def rows(of="X", moves="", size=0.0, **units):
    return Role("rows", of, units, moves, size)


def partition(of="X"):
    return Role("partition", of)


def pairs(of="X", **units):
    return Role("pairs", of, units)


def number(size=0.0, **units):
    return Role("number", "", units, size=size)


def rowset(moves="", **units):
    return Role("set", "", units, moves)


def other(moves="", **units):
    return Role("else", "", units, moves)


@dataclass(frozen=True)
class Form:
    """How an entry obeys a law: to `bound`, relative to the largest magnitude of an answer (0: every byte); `only` these
    answers; on inputs of these `points`; `reason`: why not to the byte, or with `broken`, why not at all. `minima`: the answer
    may be that of another minimum of the same input, which the input moved by the rounding of float32 leads to."""

    bound: float = 0.0
    reason: str = ""
    only: tuple = ()
    points: tuple = ()
    broken: bool = False
    minima: bool = False

    def text(self):
        if self.broken:
            return "no: " + self.reason
        limit = f"within {self.bound:g}" if self.bound else "equal"
        of = f" ({', '.join(self.only)})" if self.only else ""
        kinds = f" [{', '.join(self.points)}]" if self.points else ""
        return limit + of + kinds + (": " + self.reason if self.reason else "")


EQUAL = Form()
TINY = 2.0**-149  # the resolution of float32 below 2^-126, where it has no digits to spare


def within(bound, reason, **more):
    return Form(bound, reason, **more)


def broken(reason):
    return Form(reason=reason, broken=True)


def reordered(value, role, order):
    """An answer for rows in another order, back in the first one."""
    value = np.asarray(value)
    back = np.argsort(order)
    if role.kind in ("rows", "partition"):
        return value[back]
    return value[back][:, back] if role.kind == "pairs" else value


def difference(a, b, role, allowed=0.0):
    """The largest difference of two answers, relative to the largest magnitude; 0 where no bytes differ by more than is
    allowed."""
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape:
        return np.inf
    if role.kind == "partition":
        return 0.0 if (_canonical(a) == _canonical(b)).all() else 1.0
    if a.dtype.kind not in "fiub":
        return 0.0 if (a == b).all() else np.inf
    a, b = a.astype(np.float64), b.astype(np.float64)
    if not ((np.isnan(a) == np.isnan(b)).all() and (np.isinf(a) == np.isinf(b)).all()):
        return np.inf
    finite = np.isfinite(a)
    if not finite.any():
        return 0.0
    size = max(np.abs(a[finite]).max(), np.abs(b[finite]).max(), role.size)
    gap = _farthest_of_sets(a, b) if role.kind == "set" else np.abs(a[finite] - b[finite]).max()
    return gap / size if gap > max(TINY, allowed) else 0.0


def _canonical(labels):
    """Clusters numbered by their first row."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return first[inverse]


def _farthest_of_sets(a, b):
    """The largest distance along an axis from a row of one set to the nearest one of the other (Hausdorff)."""
    if (a == b).all():
        return 0.0
    a, b = a.reshape(len(a), -1), b.reshape(len(b), -1)
    return max(cKDTree(one).query(other, p=np.inf)[0].max() for one, other in ((a, b), (b, a)))

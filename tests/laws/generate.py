# SPDX-License-Identifier: Apache-2.0
"""Inputs of the laws: Hypothesis draws a recipe (sizes, kind, seed), which shrinks; NumPy makes the numbers.

Coordinates are multiples of 2^-14 below 64: exact in float32, and exact in float64 after a shift by whole numbers up to
2^38 and a product with a power of two. So a law about units compares the same numbers, not rounded ones.
"""

import numpy as np
from hypothesis import strategies as st

GRAIN = 2.0**-14
POINTS = ("normal", "clusters", "grid", "copies", "beside", "constant column", "constant row", "unlike columns")
UNTIED = ("normal", "clusters", "unlike columns")  # no two distances are equal, but by chance
GRAPHS = ("path", "star", "random", "components", "isolated", "complete")
LABELS = ("kinds", "numbers", "one", "all differ")


class Case(dict):
    """Named inputs: X points, Q further rows, C centers, Y a map of X, P places of Q, start, anchor, fixed maps of X (fixed: NaN is free), W weights of pairs, labels, weights, radii, values,
    D dissimilarities, G (n, edges, weights), pos places of vertices, field, strings, tracks. Members are attributes."""

    __getattr__ = dict.__getitem__

    def but(self, **changed):
        return Case({**self, **changed})

    def copy(self):
        return Case({name: _copied(value) for name, value in self.items()})

    def __repr__(self):
        """What makes the input again where it is small; else its recipe."""
        return "\n".join([f"recipe {self['recipe']}", *(f"  {name} = {_shown(value)}" for name, value in self.items() if name != "recipe")])


def _copied(value):
    if isinstance(value, np.ndarray):
        return value.copy()
    return type(value)(map(_copied, value)) if isinstance(value, (tuple, list)) else value


def _shown(value):
    if isinstance(value, np.ndarray) and value.size > 60:
        return f"<{'x'.join(map(str, value.shape))} {value.dtype}>"
    return " ".join(repr(value).split())


def rounded(array):
    return np.round(np.clip(array, -60, 60) / GRAIN) * GRAIN


def make_points(kind, n, d, generator):
    X = generator.normal(size=(n, d)) * 3
    if kind == "clusters":
        X = X / 3 + generator.normal(size=(3, d))[np.arange(n) % 3] * 10
    elif kind == "readings":  # to two decimals, which no float has, with instruments that are stuck
        X = X.round(2)
        X[:: max(n // 4, 1)] = X[:: max(n // 4, 1), :1]
        return X
    elif kind == "mirrored columns":
        X[:, 1] = -X[:, 0] if d > 1 else X[:, 0]
    elif kind == "counts":
        X = np.round(np.abs(X)) + np.where(np.arange(n) % 2, 0, 8)[:, None] * (np.arange(d) % 2)
    elif kind == "far clusters":
        X = X / 12 + np.where(np.arange(n) % 2, 20, -20)[:, None]
    elif kind == "grid":
        X = generator.integers(0, 4, (n, d)).astype(float)
    elif kind == "copies":
        X[: min(n // 2, 11)] = X[:1]
        X[n // 2 :: 2] = X[n // 2 - 1 : n - 1 : 2] if n > 3 and len(X[n // 2 :: 2]) == len(X[n // 2 - 1 : n - 1 : 2]) else X[n // 2 :: 2]
    elif kind == "beside":
        X[: min(n // 2, 11)] = X[:1]
        X[-1] = X[0] + GRAIN
    elif kind == "constant column":
        X[:, 0] = 7
    elif kind == "constant row":
        X[:: max(n // 3, 1)] = generator.integers(1, 9, (len(X[:: max(n // 3, 1)]), 1))
    elif kind == "unlike columns":
        X[:, 0] /= 16
    return rounded(X)


def make_graph(kind, n, generator):
    path = [(i, i + 1) for i in range(n - 1)]
    edges = {
        "path": path,
        "star": [(0, i) for i in range(1, n)],
        "random": path + [tuple(pair) for pair in generator.integers(0, n, (n, 2)) if pair[0] != pair[1]],
        "components": [edge for edge in path if edge[0] % 5 != 4],
        "isolated": path[: max(n - 3, 0)],
        "complete": [(i, j) for i in range(min(n, 8)) for j in range(i)] + path[min(n, 8) - 1 :],
    }[kind]
    edges = np.array(sorted({(min(edge), max(edge)) for edge in edges}), np.int64).reshape(-1, 2)
    return n, edges, generator.integers(1, 16, len(edges)) / 4


def make_labels(kind, n, generator):
    if kind == "kinds":
        return np.array(["oak", "elm", "ash"])[generator.integers(0, 3, n)]
    return {"numbers": generator.integers(0, 7, n), "one": np.zeros(n, int), "all differ": np.arange(n)}[kind]


def make(names, recipe):
    """The inputs of these names by a recipe."""
    n, d, generator = recipe["n"], recipe["d"], np.random.default_rng(recipe["seed"])
    case = Case(recipe=recipe)
    X = make_points(recipe["points"], n, d, generator)
    for name in names:
        case[name] = {
            "X": lambda: X,
            "Q": lambda: np.vstack([X[: n // 2 + 1], rounded(X[: n // 2 + 1] + generator.normal(size=(n // 2 + 1, d)))]),
            "C": lambda: X[np.linspace(0, n - 1, min(3, n)).astype(int)],
            "Y": lambda: make_points("normal", n, 2, generator) if d < 2 else rounded(X[:, :2] + generator.normal(size=(n, 2)) / 4),
            "V": lambda: rounded(generator.normal(size=(n, 3)) * 4),
            "start": lambda: rounded(generator.normal(size=(n, 2)) * 3),
            "anchor": lambda: rounded(generator.normal(size=(n, 2)) * 3),
            "fixed": lambda: np.where(np.arange(n)[:, None] % 3 == 2, np.nan, rounded(generator.normal(size=(n, 2)) * 3)),
            "W": lambda: _symmetric(generator.integers(1, 8, (n, n)) / 4),
            "labels": lambda: make_labels(recipe["labels"], n, generator),
            "radii": lambda: generator.integers(1, 8, n) / 16,
            "weights": lambda: generator.integers(1, 8, n) / 2,
            "values": lambda: rounded(generator.normal(size=n)),
            "D": lambda: _dissimilarities(X),
            "G": lambda: make_graph(recipe["graph"], n, generator),
            "pos": lambda: make_points(recipe["points"], n, 2, generator),
            "v": lambda: generator.integers(0, 1025, n) / 1024,
            "field": lambda: generator.integers(0, 1025, (8, 7)) / 1024,
            "cube": lambda: _blob(generator),
            "strings": lambda: ["".join(generator.choice(list("abc"), generator.integers(1, 7))) for _ in range(n)],
            "tracks": lambda: [rounded(generator.normal(size=(generator.integers(1, 6), 2))) for _ in range(n)],
        }[name]()
    return case


def _dissimilarities(X):
    """Whole numbers of grains, so that scaling by two is exact."""
    return rounded(np.sqrt(((X[:, None] - X[None]) ** 2).sum(2)))


def _symmetric(matrix):
    return np.tril(matrix, -1) + np.tril(matrix, -1).T


def _blob(generator):
    z, y, x = np.mgrid[-4:5, -4:5, -4:5]
    return np.round((3 - np.sqrt(x * x + y * y + z * z)) * 64 + generator.integers(0, 16, x.shape)) / 64


@st.composite
def cases(draw, names, least=2, most=60, dims=(1, 8), points=POINTS, graphs=GRAPHS, labels=LABELS):
    """Inputs of these names; sizes shrink to the least, kinds to the first."""
    recipe = {
        "n": draw(st.integers(least, most)),
        "d": draw(st.integers(*dims)),
        "points": draw(st.sampled_from(points)),
        "graph": draw(st.sampled_from(graphs)),
        "labels": draw(st.sampled_from(labels)),
        "seed": draw(st.integers(0, 99)),
    }
    return make(names, recipe)


@st.composite
def orders(draw, n):
    """An order of n rows, printed by its seed; 0, the reversal, is the simplest."""
    seed = draw(st.integers(0, 99))
    return np.arange(n)[::-1].copy() if seed == 0 else np.random.default_rng(seed).permutation(n)


def disguises(array):
    """The same numbers, exact in every of these types and layouts."""
    wide = np.zeros((array.shape[0] * 2, *array.shape[1:]), array.dtype)
    wide[::2] = array
    read_only = array.copy()
    read_only.flags.writeable = False
    found = {
        "Fortran order": np.asfortranarray(array),
        "float32": array.astype(np.float32),
        "big-endian": array.astype(">f8"),
        "every second row": wide[::2],
        "reversed twice": array[::-1].copy()[::-1],
        "read-only": read_only,
        "lists": array.tolist(),
    }
    if array.ndim == 2:
        import pandas

        found["pandas"] = pandas.DataFrame(array, columns=[f"c{i}" for i in range(array.shape[1])])
    if (array == np.round(array)).all():
        found["int64"], found["int16"] = array.astype(np.int64), array.astype(np.int16)
    if (array.astype(np.float16) == array).all():
        found["float16"] = array.astype(np.float16)
    return found

# SPDX-License-Identifier: Apache-2.0
"""Texts of dissimilarities that are no square table, and squares one half of which is empty."""

import pathlib

from harness import by_command, by_python, places, put, report

NAMES = ["Alpha", "Beta", "Gamma", "Delta", "Eps"]
BELOW = [[], [2.5], [3.5, 1], [4.75, 2.5, 1.5], [6.5, 4, 3.5, 3.75]]


def _value(i, j):
    return 0 if i == j else BELOW[max(i, j)][min(i, j)]


def _row(i, columns):
    return " ".join(str(_value(i, j)) for j in columns)


def _rows(columns_of, names=True):
    return "".join(f"{NAMES[i] + '   ' if names else ''}{_row(i, columns_of(i))}\n" for i in range(5))


FORMS = {
    "square.phy": "5\n" + _rows(lambda i: range(5)),
    "lower.phy": "   5\n" + _rows(range),
    "lower-diagonal.phy": "5\n" + _rows(lambda i: range(i + 1)),
    "upper.phy": "5\n" + _rows(lambda i: range(i + 1, 5)),
    "lowerdiag.txt": _rows(lambda i: range(i + 1), names=False),
    "lower.txt": _rows(range, names=False),
    "upper.txt": _rows(lambda i: range(i + 1, 5), names=False),
    "named.txt": _rows(range),
    "dist.txt": "      " + " ".join(NAMES[:4]) + "\n" + _rows(range).split("\n", 1)[1],
    "lower.csv": _rows(lambda i: range(i + 1), names=False).replace(" ", ","),
}


def _scaled(run, path, more=""):
    """Places and stress of five items."""
    run(f"mds {path} -o o.csv --seed 1 --report r.json --quiet {more}")
    return list(places("o.csv").values()), report()["quality"]


@by_command("distances")
def every_form_is_the_matrix(run):
    put("true.csv", "," + ",".join(NAMES) + "\n" + "".join(f"{NAMES[i]},{_row(i, range(5)).replace(' ', ',')}\n" for i in range(5)))
    wanted = _scaled(run, "true.csv")
    for name, text in FORMS.items():
        for more in ("", "--holds dissimilarities"):
            put(name, text)
            assert _scaled(run, name, more) == wanted, name
        run(f"info {name}").prints("5")
        run(f"kmedoids {name} --clusters 2 -o k.csv --quiet")
    run("mds square.phy -o o.csv --quiet")
    assert list(places("o.csv")) == NAMES
    run("mds dist.txt -o o.csv --quiet")
    assert list(places("o.csv")) == NAMES


@by_command("distances")
def pairs(run):
    listed = [f"{NAMES[i]},{NAMES[j]},{_value(i, j)}\n" for i in range(5) for j in range(i + 1, 5)]
    put("all.csv", "a,b,distance\n" + "".join(listed))
    put("some.csv", "".join(listed[:-1]))
    put("twice.csv", "".join(listed) + "Beta,Alpha,7\n")
    run("mds all.csv --holds dissimilarities -o o.csv").says("0 of 10 pairs missing")
    assert list(places("o.csv")) == NAMES
    run("mds some.csv --holds dissimilarities -o o.csv").says("1 of 10 pairs missing")
    run("mds twice.csv --holds dissimilarities -o o.csv", 3).says("twice.csv:11", "7")


@by_command("distances")
def half_a_square(run):
    whole = "".join(_row(i, range(5)).replace(" ", ",") + "\n" for i in range(5))
    put("whole.csv", whole)
    wanted = _scaled(run, "whole.csv")
    for name, cell in {"zeros.csv": "0", "empty.csv": ""}.items():
        put(name, "".join(",".join(str(_value(i, j)) if j <= i else cell for j in range(5)) + "\n" for i in range(5)))
        assert _scaled(run, name) == wanted, name
        run(f"mds {name} -o o.csv").says("half below its diagonal")
    put("one-zero.csv", whole.replace("2.5", "0", 1))
    run("mds one-zero.csv -o o.csv", 3).says("symmetric")


@by_command("distances")
def a_triangle_that_does_not_go_on(run):
    put("a.txt", "0\n1 0\n2 3 0\n4 5 0\n")
    run("mds a.txt --holds dissimilarities -o o.csv", 3).says("a.txt:4")
    put("a.phy", "4\nA\nB 1\nC 2 3\n")
    run("mds a.phy --holds dissimilarities -o o.csv", 3).says("4 items of PHYLIP", "3 rows")


@by_python("distances")
def in_python():
    import dunlin
    import numpy as np

    wanted = np.array([[_value(i, j) for j in range(5)] for i in range(5)], "float32")
    for name, text in FORMS.items():
        assert (np.asarray(dunlin.read(put(name, text), holds="dissimilarities")) == wanted).all(), name
    np.save("half.npy", np.tril(wanted))
    assert (np.asarray(dunlin.read("half.npy", holds="dissimilarities")) == wanted).all()
    pathlib.Path("half.npy").unlink()

# SPDX-License-Identifier: Apache-2.0
"""The table of inputs that people brought: checks of right values, by the command and by Python.

A check is a function with a decorator that names its folder of inputs. It runs in a copy of that folder.
by_command checks take `run`; by_python checks take nothing and import dunlin themselves. Only the standard library is
needed for the first kind.
"""

import csv
import json
import logging
import math
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import warnings
from contextlib import contextmanager

HERE = pathlib.Path(__file__).resolve().parent
COMMAND, PYTHON = [], []  # (folder, function)


def by_command(folder):
    """A check of the command on the inputs of `folder`: function(run)."""
    return _registered(COMMAND, folder)


def by_python(folder):
    """A check of the Python package on the inputs of `folder`: function()."""
    return _registered(PYTHON, folder)


def _registered(table, folder):
    def register(function):
        table.append((folder, function))
        return function

    return register


@contextmanager
def inputs(folder):
    """A copy of a folder of inputs as the current directory. Folders without files need not exist."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as copy:
        if (HERE / folder).is_dir():
            shutil.copytree(HERE / folder, copy, dirs_exist_ok=True)
        os.chdir(copy)
        try:
            yield
        finally:
            os.chdir(before)


class Ran:
    """What a run of the command left: exit code, standard output, standard error."""

    def __init__(self, arguments, done):
        self.arguments, self.code = arguments, done.returncode
        self.out, self.err = done.stdout, done.stderr

    def says(self, *words):
        """Checks that stderr has these words."""
        for word in words:
            assert word in self.err, f"dunlin {self.arguments}: stderr lacks {word!r}: {self.err}"
        return self

    def prints(self, *words):
        """Checks that stdout has these words."""
        for word in words:
            assert word in self.out, f"dunlin {self.arguments}: stdout lacks {word!r}: {self.out}"
        return self


def runner(command):
    """run(arguments, code=0): runs the command on a CPU and checks its exit code; code=None: any error (2 or 3).

    run.command is the command, for checks that run it on their own."""

    def run(arguments, code=0):
        given = arguments.split() if isinstance(arguments, str) else list(arguments)
        done = subprocess.run([command, *given], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
        ran = Ran(arguments, done)
        wanted = (2, 3) if code is None else (code,)
        assert ran.code in wanted, f"dunlin {arguments}: exit code {ran.code}, not {code}: {ran.err}"
        return ran

    run.command = command
    return run


def refused(call, *words, error=None):
    """Checks that a call raises an InputError, or another class of `error`, with these words; returns it."""
    import dunlin

    try:
        found = call()
    except error or dunlin.InputError as raised:
        for word in words:
            assert word in str(raised), f"{raised} lacks {word!r}"
        return raised
    raise AssertionError(f"no error, but {found}")


@contextmanager
def says(*words):
    """Checks that one InputWarning has these words, or without words that there is none; gives all warnings."""
    import dunlin

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        yield said
    lines = [str(each.message) for each in said if issubclass(each.category, dunlin.InputWarning)]
    if words:
        assert any(all(word in line for word in words) for line in lines), f"no warning has {words}: {lines}"
    else:
        assert not lines, f"warnings: {lines}"


@contextmanager
def logged():
    """The lines that the package logs, from level INFO on."""
    lines, handler, logger = [], logging.Handler(), logging.getLogger("dunlin")
    handler.emit = lambda record: lines.append(record.getMessage())
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield lines
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


def texts(picture):
    """The words of an SVG picture."""
    return re.findall(r">([^<>]{1,30})</text>", picture.data.decode())


def points(n=60, d=4, dtype="float32"):
    """Points of a normal distribution."""
    import numpy as np

    return np.random.default_rng(0).normal(size=(n, d)).astype(dtype)


def put(path, text):
    """Writes a file of this text, as it is."""
    with open(path, "w", newline="") as file:
        file.write(text)
    return path


def report(path="r.json"):
    """The report of a run, or what another file of JSON holds."""
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def rows(path):
    """The rows of a table as dicts."""
    with open(path, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t" if str(path).endswith(".tsv") else ","))


def labels_of(path):
    """The labels of a map, by row."""
    return [row["label"] for row in rows(path)]


def places(path):
    """The places of a map by id, or by row number where it has no ids."""
    table = rows(path)
    axes = [name for name in ("x", "y", "z") if name in table[0]]
    return {row.get("id", str(r)): tuple(float(row[axis]) for axis in axes) for r, row in enumerate(table)}


def apart(map_places, a, b):
    """The distance of two points of places()."""
    return math.dist(map_places[a], map_places[b])


def near(value, wanted, tolerance=1e-3):
    """Checks a number."""
    assert abs(value - wanted) <= tolerance, f"{value} is not {wanted} (+- {tolerance})"


def same_scores(a, b, tolerance=0.03):
    """Checks that two objects of scores agree, for few points: equal distances are ranked by the order of the rows."""
    assert a.keys() == b.keys(), f"scores differ: {sorted(a)} and {sorted(b)}"
    for name, value in a.items():
        near(value, b[name], tolerance)


def same_order(a, b, tolerance=1e-5):
    """Checks that two maps have the same places for the same ids."""
    assert a.keys() == b.keys(), f"ids differ: {sorted(a)[:3]} and {sorted(b)[:3]}"
    for name in a:
        assert math.dist(a[name], b[name]) <= tolerance, f"{name} is at {a[name]} and at {b[name]}"

# SPDX-License-Identifier: Apache-2.0
"""Parquet and Feather by the command of the package."""

import os
import subprocess
import sys

import numpy as np
import pytest

pyarrow = pytest.importorskip("pyarrow")
COMMAND = [sys.executable, "-m", "dunlin"]


def run(*words, cwd):
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    environment = {**os.environ, "PYTHONPATH": here}
    return subprocess.run([*COMMAND, *map(str, words)], cwd=cwd, env=environment, capture_output=True, text=True, timeout=120)


@pytest.fixture()
def table():
    rng = np.random.default_rng(2)
    return pyarrow.table({"id": [f"r{i}" for i in range(40)], "x": rng.normal(size=40), "y": rng.normal(size=40), "kind": ["a", "b"] * 20})


@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_a_columnar_file_is_read_as_its_table(tmp_path, table, kind):
    from pyarrow import csv, feather, parquet

    path = tmp_path / f"t.{kind}"
    parquet.write_table(table, path) if kind == "parquet" else feather.write_feather(table, path)
    csv.write_csv(table, tmp_path / "plain.csv")
    done = run("kmeans", path, "--clusters", 2, "-o", "a.csv", cwd=tmp_path)
    assert done.returncode == 0 and "is read by pyarrow, as a table of 40 rows" in done.stderr
    assert run("kmeans", "plain.csv", "--clusters", 2, "-o", "b.csv", cwd=tmp_path).returncode == 0
    assert (tmp_path / "a.csv").read_text() == (tmp_path / "b.csv").read_text()
    # As a second input, with a column; and its errors have their exit code
    labels = run("info", "plain.csv", "--labels", f"{path}:kind", cwd=tmp_path)
    assert "labels: 2 classes" in labels.stdout
    assert run("info", f"--labels={path}:none", "plain.csv", cwd=tmp_path).returncode == 3
    assert run("kmeans", path, "--clusters", 0, cwd=tmp_path).returncode == 2


def test_the_command_alone_names_the_format(tmp_path, table):
    from pyarrow import parquet

    from dunlin.__main__ import command

    parquet.write_table(table, tmp_path / "t.parquet")
    done = subprocess.run([command(), "info", "t.parquet"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 3 and "is Parquet; convert it: python3 -c" in done.stderr and "pyarrow" in done.stderr

# SPDX-License-Identifier: Apache-2.0
"""Parquet and Feather by the command of the package."""

import json
import os
import signal
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


def test_names_are_those_of_the_file(tmp_path):
    from pyarrow import parquet

    (tmp_path / "sub").mkdir()
    x = [None if row == 7 else row * row % 11 for row in range(40)]
    parquet.write_table(pyarrow.table({"x": x, "y": range(40)}), tmp_path / "sub" / 'a "gap".parquet')
    path = 'sub/a "gap".parquet'
    done = run("info", path, cwd=tmp_path)
    assert done.returncode == 3 and f"dunlin: {path}:9: row 8, column 1 'x': the cell is empty" in done.stderr
    done = run("info", path, "--fill", 0, cwd=tmp_path)
    assert done.stdout.startswith(f"{path}: csv, 40 rows") and f"note: {path} is read with 1 gaps filled" in done.stderr
    done = run("kmeans", path, "--fill", "mean", "--clusters", 2, "--report", "r.json", "--quiet", cwd=tmp_path)
    assert done.returncode == 0 and done.stderr == ""
    assert (tmp_path / 'a "gap".clusters.csv').exists()
    report = (tmp_path / "r.json").read_text()
    assert json.loads(report)["input"]["path"] == path and "/tmp" not in report
    # Misnamed: by its content, not as an array of NumPy
    os.rename(tmp_path / path, tmp_path / "odd.npy")
    assert run("info", "odd.npy", "--fill", 0, cwd=tmp_path).stdout.startswith("odd.npy: csv, 40 rows")


def test_a_terminal_has_the_names_and_the_progress(tmp_path, table):
    import pty

    from pyarrow import parquet

    parquet.write_table(table, tmp_path / "t.parquet")
    read, write = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(os.path.abspath(__file__)))}
    words = [*COMMAND, "tsne", "t.parquet", "--perplexity", "5", "--iterations", "50", "-o", "m.csv"]
    child = subprocess.Popen(words, cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, stdout=write, stderr=write)
    os.close(write)
    shown = b""
    while True:
        try:
            shown += os.read(read, 4096)
        except OSError:
            break
    assert child.wait(60) == 0 and b"\r" in shown and b"wrote m.csv" in shown and b"/tmp/" not in shown


def test_an_interrupt_ends_it_with_its_map(tmp_path):
    from pyarrow import parquet

    rng = np.random.default_rng(0)
    parquet.write_table(pyarrow.table({c: rng.normal(size=3000) for c in "abc"}), tmp_path / "t.parquet")
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(os.path.abspath(__file__)))}
    words = [*COMMAND, "tsne", "t.parquet", "--iterations", "1000000", "-o", "m.csv"]
    pipe = subprocess.PIPE
    child = subprocess.Popen(words, cwd=tmp_path, env=environment, stdout=pipe, stderr=pipe, start_new_session=True)
    line = b""
    while b"optimize" not in line and (line := child.stderr.readline()):
        pass
    os.killpg(child.pid, signal.SIGINT)
    out, _ = child.communicate(timeout=100)
    assert child.returncode in (0, 130) and b"wrote m.csv" in out


def columns_written(**columns):
    import io

    from pyarrow import csv

    from dunlin._columnar_cells import of_text

    text = io.BytesIO()
    csv.write_csv(of_text(pyarrow.table(columns)), text)
    return text.getvalue().decode().splitlines()


def test_columns_that_csv_lacks():
    number = pyarrow.array([1, 2, 3])
    lists = [[1, 2], None, [3, 4]]
    for kind in (pyarrow.list_(pyarrow.int64()), pyarrow.large_list(pyarrow.float32()), pyarrow.list_(pyarrow.float64(), 2)):
        found = columns_written(v=pyarrow.array(lists, kind), n=number)
        assert found == ['"v.0","v.1","n"', "1,2,1", ",,2", "3,4,3"]
    words = ['"w","n"', '"a",1', ",2", '"b",3']
    for kind in ("string_view", "binary_view", "binary", "large_string"):
        if hasattr(pyarrow, kind):
            cells = pyarrow.array(["a", None, "b"]).cast(getattr(pyarrow, kind)())
            assert columns_written(w=cells, n=number) == words
    assert columns_written(w=pyarrow.array(["a", None, "b"]).dictionary_encode(), n=number) == words
    # A blank line would be no row
    assert columns_written(x=pyarrow.array([1, None])) == ['"x"', '"1"', '""']


@pytest.mark.parametrize(
    "cells, kind, message",
    [
        ([[1, 2], [1, 2], [1]], None, "'v' has a list of 2 in row 1 and of 1 in row 3; give all rows lists of one length"),
        ([[[1]]] * 3, None, "'v' holds lists of list<"),
        ([[]] * 3, pyarrow.list_(pyarrow.int8()), "'v' holds lists that are all empty"),
        ([{"a": 1}] * 3, None, "'v' is a struct, which a table of text cannot hold; write the file with its fields"),
        ([b"\xff"] * 3, None, "'v' has bytes that are no text in UTF-8"),
    ],
)
def test_a_column_that_no_table_holds_is_one_error(tmp_path, cells, kind, message):
    from pyarrow import feather

    feather.write_feather(pyarrow.table({"v": pyarrow.array(cells, kind)}), tmp_path / "t.arrow")
    done = run("info", "t.arrow", cwd=tmp_path)
    assert done.returncode == 3 and done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"dunlin: t.arrow: column {message}")


def test_a_file_of_polars(tmp_path):
    polars = pytest.importorskip("polars")
    columns = {"name": [f"p{i}" for i in range(40)], "v": np.random.default_rng(1).normal(size=(40, 3)).tolist()}
    polars.DataFrame(columns).write_ipc(tmp_path / "t.arrow")
    done = run("info", "t.arrow", cwd=tmp_path)
    assert "40 rows, 3 columns" in done.stdout and "ids: 'p0' to 'p39'" in done.stdout

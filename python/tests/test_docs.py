# SPDX-License-Identifier: Apache-2.0
"""The examples of docs/python.md and of the docstrings run."""

import doctest
import inspect
import os
import re

import pytest

import dunlin

PAGE = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "python.md")


def test_the_examples_of_the_page_run_in_order(tmp_path, monkeypatch):
    for package in ("networkx", "sklearn"):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    with open(PAGE, encoding="utf-8") as file:
        blocks = re.findall(r"^```python\n(.*?)^```", file.read(), re.M | re.S)
    assert len(blocks) >= 6
    names = {}
    for block in blocks:
        exec(compile(block, PAGE, "exec"), names)
    assert (tmp_path / "map.png").stat().st_size > 1000


def test_the_examples_of_the_docstrings_run():
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner()
    tried = 0
    for name in dunlin.__all__:
        thing = getattr(dunlin, name)
        if inspect.isfunction(thing):
            for test in finder.find(thing, name, globs={}):
                tried += len(test.examples)
                runner.run(test)
    assert runner.failures == 0 and tried > 8


def test_every_public_name_has_a_docstring():
    for name in dunlin.__all__:
        assert inspect.getdoc(getattr(dunlin, name)), name


def test_stubs_have_the_same_parameters():
    import ast

    from dunlin import _stubs

    stubs = {node.name: node for node in ast.parse(_stubs.text()).body if isinstance(node, ast.FunctionDef)}
    for name in ("tsne", "mds", "layout", "neighbors", "kmeans", "mixture", "score", "draw"):
        arguments = stubs[name].args
        assert [a.arg for a in arguments.args + arguments.kwonlyargs] == list(
            inspect.signature(getattr(dunlin, name)).parameters
        )


def test_the_package_has_the_library_s_version():
    with open(os.path.join(os.path.dirname(__file__), "..", "pyproject.toml"), encoding="utf-8") as file:
        assert f'version = "{dunlin.__version__}"' in file.read()

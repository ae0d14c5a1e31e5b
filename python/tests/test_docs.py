# SPDX-License-Identifier: Apache-2.0
"""The examples of docs/python.md, of the docstrings and of the notebook run."""

import doctest
import inspect
import os
import re

import pytest

import dunlin

DOCS = os.path.join(os.path.dirname(__file__), "..", "..", "docs")
SECTIONS = {  # of docs/python.md that stand by themselves, and what they import; the others run together
    "From scikit-learn": ("sklearn",),
    "From umap-learn": ("sklearn",),
    "From openTSNE": ("sklearn",),
    "From hdbscan": ("sklearn", "pandas"),
    "With scanpy, UMAP and AnnData": ("anndata", "scanpy", "umap"),
    "With NetworkX and igraph": ("networkx", "igraph", "scipy"),
}


def examples():
    """The blocks of Python of docs/python.md by section; those of the sections not named above under the empty name."""
    with open(os.path.join(DOCS, "python.md"), encoding="utf-8") as file:
        parts = re.split(r"^## (.*)\n", file.read(), flags=re.M)
    found = {name: [] for name in ("", *SECTIONS)}
    for heading, text in zip(["", *parts[1::2]], parts[0::2]):
        blocks = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
        found[heading if heading in SECTIONS else ""] += blocks
    return found


@pytest.mark.parametrize("section", ["", *SECTIONS])
def test_the_examples_of_a_section_run_in_order(section, tmp_path, monkeypatch):
    for package in SECTIONS.get(section, ()):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    blocks = examples()[section]
    assert len(blocks) >= 2
    names = {}
    for block in blocks:
        exec(compile(block, f"python.md {section}", "exec"), names)


def test_python_has_one_page():
    assert [name for name in os.listdir(DOCS) if name.startswith("python")] == ["python.md"]


def test_the_notebook_runs():
    client = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    pytest.importorskip("sklearn")
    path = os.path.join(DOCS, "notebooks", "digits.ipynb")
    assert os.path.getsize(path) <= 300_000
    notebook = nbformat.read(path, as_version=4)
    assert any("image/png" in str(cell.get("outputs")) for cell in notebook.cells)
    package = os.path.dirname(os.path.dirname(os.path.abspath(dunlin.__file__)))
    environment = dict(os.environ, PYTHONPATH=package)
    client.NotebookClient(notebook, timeout=300, kernel_name="python3").execute(env=environment)


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
    for name in ("tsne", "umap", "pacmap", "transform", "mds", "layout", "neighbors", "kmeans", "mixture", "score", "draw", "view", "watch"):
        arguments = stubs[name].args
        assert [a.arg for a in arguments.args + arguments.kwonlyargs] == list(
            inspect.signature(getattr(dunlin, name)).parameters
        )


def test_the_package_has_the_library_s_version():
    with open(os.path.join(os.path.dirname(__file__), "..", "pyproject.toml"), encoding="utf-8") as file:
        assert f'version = "{dunlin.__version__}"' in file.read()

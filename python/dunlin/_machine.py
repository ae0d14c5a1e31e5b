# SPDX-License-Identifier: Apache-2.0
"""gpus(), options(), show_versions()."""

from . import _core
from ._errors import InputError
from ._groups import GROUPS
from ._run import used_gpu


def gpus():
    """The GPUs that can be used: a list of (name, bytes of memory, bytes free)."""
    found = _core.gpus()
    if found:
        used_gpu()
    return found


def options(function):
    """The options of a function: a dict from name to (default, meaning).

    Parameters
    ----------
    function : str
        'tsne', 'umap', 'pacmap', 'neighbors', 'kmeans', 'mixture', 'layout', 'mds', 'score', 'draw', 'read' or 'run'.
    """
    if function not in GROUPS:
        raise InputError(f"function is {function!r}; it must be one of {', '.join(GROUPS)}", option="function")
    return {name: (row[5], row[1]) for group in GROUPS[function] for name, row in group.rows.items()}


def show_versions():
    """Prints the versions of the package and of what it uses, the threads and the GPUs."""
    import platform
    import sys
    from importlib.metadata import PackageNotFoundError, version

    print(f"dunlin {_core.version}, Python {sys.version.split()[0]}, {platform.platform()}")
    for name in ("numpy", "scipy", "scikit-learn", "networkx", "igraph", "pandas", "polars", "pyarrow"):
        try:
            print(f"{name} {version(name)}")
        except PackageNotFoundError:
            print(f"{name}: not installed")
    print(f"CPU threads: {_core.usable_threads(0)}")
    found = gpus()
    print(f"GPUs: {', '.join(name for name, _, _ in found) or _core.why_no_gpu()}")

# SPDX-License-Identifier: Apache-2.0
"""Unchanged code with the library's work: ``python -m dunlin.accel SCRIPT``, ``%load_ext dunlin.accel``.

Both call dunlin.patch() first. See there for what is replaced. ``dunlin.accel.report()`` lists which calls
Dunlin did and which the original did.
"""

import os
import runpy
import sys

from ._accel import patch
from ._accel_report import report

__all__ = ["load_ipython_extension", "main", "report", "unload_ipython_extension"]
_USAGE = "usage: python -m dunlin.accel SCRIPT [ARGUMENTS]\n       python -m dunlin.accel -m MODULE [ARGUMENTS]"


_of_session = []  # the patch of %load_ext


def load_ipython_extension(ipython):
    """For ``%load_ext dunlin.accel``."""
    _of_session.append(patch())


def unload_ipython_extension(ipython):
    """For ``%unload_ext dunlin.accel``: the originals are back, unless the session has called patch() itself."""
    while _of_session:
        _of_session.pop().end()


def main():
    """Runs a script or a module as python does, after patch()."""
    arguments = sys.argv[1:]
    is_module = arguments[:1] == ["-m"]
    arguments = arguments[is_module:]
    if not arguments:
        sys.exit(_USAGE)
    patch()
    sys.argv = arguments
    if is_module:
        sys.path[0] = os.getcwd()
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
        runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    main()

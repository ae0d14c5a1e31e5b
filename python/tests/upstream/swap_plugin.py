# SPDX-License-Identifier: Apache-2.0
"""pytest plug-in: puts Dunlin's classes and functions in the place of those of other packages, for some by dunlin.patch(). Then
the report ends with the counts of calls that Dunlin and the original did.

The test files are those of the installed packages, unchanged. ``exceptions.py`` lists the tests that are not expected
to pass, each with a reason; such a test that passes is an error (strict).
"""

import os

import pytest

from exceptions import EXCEPTIONS, PATCHED, PATCHES, SWAPS


def pytest_configure(config):
    suite = os.environ["DUNLIN_SUITE"]
    if suite in PATCHED:
        import dunlin

        dunlin.patch(*PATCHES.get(suite, (suite,)))
    for place, name, source in SWAPS.get(suite, ()):
        replacement = _resolved(source)
        target = _resolved(place)
        setattr(target, name, replacement)


def _resolved(path):
    """An object by its path: a module, or an attribute of one."""
    import importlib

    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        module, _, name = path.rpartition(".")
        return getattr(importlib.import_module(module), name)


def pytest_collection_modifyitems(items):
    listed = EXCEPTIONS[os.environ["DUNLIN_SUITE"]]
    unused = set(listed)
    for item in items:
        name = item.nodeid.partition("::")[2]
        for key, reason in listed.items():
            if key in (name, name.partition("[")[0], name.rpartition("::")[2]):
                item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
                unused.discard(key)
    if unused:
        raise pytest.UsageError(f"exceptions.py lists tests that there are not: {sorted(unused)}")


def pytest_terminal_summary(terminalreporter):
    if os.environ["DUNLIN_SUITE"] not in PATCHED:
        return
    from dunlin import accel

    terminalreporter.section("calls by Dunlin and by the original")
    for each in sorted(accel.report(), key=lambda each: (each["name"], each["by"], -each["calls"])):
        reason = f": {each['reason']}" if each["reason"] else ""
        terminalreporter.write_line(f"{each['calls']:5d} {each['seconds']:8.1f} s  {each['name']} by {each['by']}{reason}")

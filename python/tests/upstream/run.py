# SPDX-License-Identifier: Apache-2.0
"""Runs the test files of scikit-learn, NetworkX, openTSNE and umap-learn with Dunlin's classes in the place of theirs.

run.py [SUITE...] [-- PYTEST ARGUMENTS]

umap-learn's tests are in its repository alone: they are cloned, or taken from the checkout that DUNLIN_UMAP_SOURCE names.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
from importlib.metadata import version

from exceptions import FILES

HERE = os.path.dirname(os.path.abspath(__file__))


def opentsne_tests():
    """A folder with openTSNE's ``tests``, which only its source distribution has."""
    name = f"opentsne-{version('openTSNE')}"
    folder = os.path.join(HERE, "..", "..", "..", "build", "python", name)
    if not os.path.isdir(os.path.join(folder, "tests")):
        wanted = ["--no-deps", "--no-binary", "openTSNE", f"openTSNE=={version('openTSNE')}"]
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--dest", folder, *wanted], check=True)
        (packed,) = [file for file in os.listdir(folder) if file.endswith(".tar.gz")]
        with tarfile.open(os.path.join(folder, packed)) as archive:
            for member in archive.getmembers():
                member.name = member.name.partition("/")[2]
                if member.isfile() and member.name.startswith("tests/") and ".." not in member.name:
                    archive.extract(member, folder)
        # A package, so that it is not taken for the folder of this package's tests
        open(os.path.join(folder, "tests", "__init__.py"), "a").close()
    return folder


def umap_with_tests():
    """A folder with the installed package umap and its ``tests``, which import their neighbors."""
    name = f"umap-{version('umap-learn')}"
    folder = os.path.join(HERE, "..", "..", "..", "build", "python", name)
    if not os.path.isdir(os.path.join(folder, "umap", "tests")):
        source = os.environ.get("DUNLIN_UMAP_SOURCE")
        if source is None:
            source = os.path.join(folder, "source")
            branch = f"release-{version('umap-learn')}"
            clone = ["git", "clone", "--quiet", "--depth", "1", "--branch", branch]
            subprocess.run([*clone, "https://github.com/lmcinnes/umap", source], check=True)
        installed = os.path.dirname(importlib.util.find_spec("umap").origin)
        without = shutil.ignore_patterns("__pycache__")
        shutil.copytree(installed, os.path.join(folder, "umap"), ignore=without, dirs_exist_ok=True)
        shutil.copytree(os.path.join(source, "umap", "tests"), os.path.join(folder, "umap", "tests"), ignore=without)
    return folder


SOURCES = {"opentsne": opentsne_tests, "umap": umap_with_tests}


def main():
    arguments = sys.argv[1:]
    more = arguments[arguments.index("--") + 1 :] if "--" in arguments else []
    suites = arguments[: arguments.index("--")] if "--" in arguments else arguments
    failed = []
    for suite in suites or list(FILES):
        path = [os.path.join(HERE, "..", ".."), HERE]
        if suite in SOURCES:
            path.insert(0, SOURCES[suite]())
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "swap_plugin",
            "-p",
            "no:cacheprovider",
            "--pyargs",
            *FILES[suite],
            *more,
        ]
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join(path), DUNLIN_SUITE=suite)
        print(f"== {suite}", flush=True)
        if subprocess.run(command, env=environment, cwd=HERE, check=False).returncode != 0:
            failed.append(suite)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Runs the test files of other packages with Dunlin's classes in the place of theirs.

run.py [SUITE...] [-- PYTEST ARGUMENTS]

Tests that are in a repository alone are cloned, or taken from the checkout that a variable names: DUNLIN_UMAP_LEARN_SOURCE,
DUNLIN_SCANPY_SOURCE, DUNLIN_PACMAP_SOURCE, DUNLIN_EMBEDDING_ATLAS_SOURCE.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
from importlib.metadata import PackageNotFoundError, version

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


def checkout(package, url, tag, parts):
    """A folder with parts of a repository whose tests are in no distribution: {path there: path in the folder}. The repository is
    cloned, or taken from the checkout that DUNLIN_<PACKAGE>_SOURCE names."""
    name = f"{package}-{version(package)}"
    folder = os.path.join(HERE, "..", "..", "..", "build", "python", name)
    if all(os.path.exists(os.path.join(folder, path)) for path in parts.values()):
        return folder
    source = os.environ.get(f"DUNLIN_{package.replace('-', '_').upper()}_SOURCE")
    if source is None:
        source = os.path.join(folder, "source")
        clone = ["git", "clone", "--quiet", "--depth", "1", "--branch", tag.format(version(package))]
        subprocess.run([*clone, url, source], check=True)
    for path, wanted in parts.items():
        there, here = os.path.join(source, path), os.path.join(folder, wanted)
        os.makedirs(os.path.dirname(here), exist_ok=True)
        if os.path.isdir(there):
            shutil.copytree(there, here, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
        else:
            shutil.copy(there, here)
    return folder


def umap_with_tests():
    """A folder with the installed package umap and its ``tests``, which import their neighbors."""
    folder = checkout("umap-learn", "https://github.com/lmcinnes/umap", "release-{}", {"umap/tests": "umap/tests"})
    installed = os.path.dirname(importlib.util.find_spec("umap").origin)
    shutil.copytree(installed, os.path.join(folder, "umap"), ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    return folder


def scanpy_tests():
    parts = {"tests": "tests", "src/testing": "testing", "pyproject.toml": "pyproject.toml"}
    return checkout("scanpy", "https://github.com/scverse/scanpy", "{}", parts)


def pacmap_tests():
    return checkout("pacmap", "https://github.com/YingfanWang/PaCMAP", "v{}", {"test": "test"})


def atlas_tests():
    parts = {"packages/backend/tests/test_projection.py": "tests/test_projection.py"}
    return checkout("embedding-atlas", "https://github.com/apple/embedding-atlas", "v{}", parts)


SOURCES = {
    "opentsne": opentsne_tests,
    "umap": umap_with_tests,
    "scanpy": scanpy_tests,
    "pacmap": pacmap_tests,
    "atlas": atlas_tests,
}
# Arguments of pytest beside the files
ARGUMENTS = {"scanpy": ["-p", "testing.scanpy._pytest", "-o", "addopts=", "-o", "cache_dir=.cache"]}


def main():
    arguments = sys.argv[1:]
    more = arguments[arguments.index("--") + 1 :] if "--" in arguments else []
    suites = arguments[: arguments.index("--")] if "--" in arguments else arguments
    failed = []
    for suite in suites or list(FILES):
        path = [os.path.join(HERE, "..", ".."), HERE, *filter(None, [os.environ.get("PYTHONPATH")])]
        files = FILES[suite]
        if suite in SOURCES:
            try:
                path.insert(0, SOURCES[suite]())
            except PackageNotFoundError as error:
                print(f"== {suite}: left out, {error.name} is not installed", flush=True)
                continue
            files = [os.path.join(path[0], file) if file.endswith(".py") else file for file in files]
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "swap_plugin",
            *ARGUMENTS.get(suite, ["-p", "no:cacheprovider"]),
            "--pyargs",
            *files,
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

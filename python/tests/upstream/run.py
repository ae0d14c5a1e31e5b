# SPDX-License-Identifier: Apache-2.0
"""Runs the test files of scikit-learn and NetworkX with Dunlin's classes: run.py [SUITE...] [-- PYTEST ARGUMENTS]."""

import os
import subprocess
import sys

from exceptions import FILES


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    arguments = sys.argv[1:]
    more = arguments[arguments.index("--") + 1 :] if "--" in arguments else []
    suites = arguments[: arguments.index("--")] if "--" in arguments else arguments
    failed = []
    for suite in suites or list(FILES):
        path = os.pathsep.join([os.path.join(here, "..", ".."), here])
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
        environment = dict(os.environ, PYTHONPATH=path, DUNLIN_SUITE=suite)
        print(f"== {suite}", flush=True)
        if subprocess.run(command, env=environment, cwd=here, check=False).returncode != 0:
            failed.append(suite)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()

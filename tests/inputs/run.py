# SPDX-License-Identifier: Apache-2.0
"""Runs the checks of the command on the inputs that people brought: run.py COMMAND [WORD...], those whose folder has a
word."""

import os
import sys
import traceback

import harness
import table  # noqa: F401  registers the checks

command, words = os.path.abspath(sys.argv[1]), sys.argv[2:]
chosen = [(folder, check) for folder, check in harness.COMMAND if not words or any(word in folder for word in words)]
failed = 0
for folder, check in chosen:
    try:
        with harness.inputs(folder):
            check(harness.runner(command))
    except Exception:  # a failure of a check must not hide the others
        failed += 1
        print(f"FAILED: {folder}, {check.__name__}", file=sys.stderr)
        traceback.print_exc(limit=-2)
print(f"{len(chosen) - failed} passed, {failed} failed")
sys.exit(1 if failed or not chosen else 0)

# SPDX-License-Identifier: Apache-2.0
"""Attacks on the command: files, streams, signals, limits. run.py COMMAND [WORD...]: those whose name has a word. Each ends with
an exit code that docs promise and, where it fails, with one sentence."""

import os
import sys
import tempfile
import traceback

import changing  # noqa: F401
import checkpoints  # noqa: F401
import files  # noqa: F401
import hdf5  # noqa: F401
import limits  # noqa: F401
import manners  # noqa: F401
import names  # noqa: F401
import fifos  # noqa: F401
import outputs  # noqa: F401
import server  # noqa: F401
import stops  # noqa: F401
import mutations  # noqa: F401
from attack import ATTACKS

words = sys.argv[2:]
chosen = [each for each in ATTACKS if not words or any(word in each.__name__ for word in words)]
failed = 0
for each in chosen:
    try:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            each()
            os.chdir("/")
    except Exception:  # a failure must not hide the others
        failed += 1
        print(f"FAILED: {each.__name__}", file=sys.stderr)
        traceback.print_exc(limit=-2)
print(f"{len(chosen) - failed} passed, {failed} failed")
sys.exit(1 if failed or not chosen else 0)

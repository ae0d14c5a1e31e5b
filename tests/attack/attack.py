# SPDX-License-Identifier: Apache-2.0
"""What the attacks share: the command, its exit codes, one sentence where it fails."""

import os
import subprocess
import sys

from checkpointed import points  # noqa: F401  the attacks use it

COMMAND = os.path.abspath(sys.argv[1])
ATTACKS = []
LEFT, BAD_INPUT, BAD_FILE, MEMORY = 0, 2, 3, 5


def attack(function):
    ATTACKS.append(function)
    return function


def run(*words, seconds=60, **more):
    more = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    return subprocess.run([COMMAND, *map(str, words)], timeout=seconds, **more)


def sentence(done):
    """The last line of standard error, which a failed command must have."""
    text = (done.stderr or b"").decode("utf-8", "replace").strip()
    assert text, f"exit code {done.returncode} without a word"
    return text.splitlines()[-1]


def refused(done, code, *words):
    assert done.returncode == code, f"exit code {done.returncode}, not {code}: {done.stderr!r}"
    for word in words:
        assert word in sentence(done), sentence(done)

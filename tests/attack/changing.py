# SPDX-License-Identifier: Apache-2.0
"""Files that another program overwrites, cuts short, extends or replaces while they are used."""

import array
import os
import pathlib
import random
import struct
import subprocess
import time

from attack import BAD_FILE, COMMAND, attack

WHOLE = "written to or cut short"


def float_rows(path, rows, columns):
    numbers = random.Random(0)
    values = array.array("f", (numbers.gauss(0, 1) for _ in range(4096))) * (rows * columns // 4096 + 1)
    pathlib.Path(path).write_bytes(struct.pack("<ii", rows, columns) + values[: rows * columns].tobytes())


def during(change, *words, mapped):
    """The command, with a change of its input when it has mapped it, or a moment after its start."""
    process = subprocess.Popen([COMMAND, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(0 if mapped else 0.05)
    while mapped and "x.fbin" not in pathlib.Path(f"/proc/{process.pid}/maps").read_text():
        assert process.poll() is None, process.communicate()
    change()
    errors = process.communicate(timeout=60)[1].decode()
    return process.returncode, errors.strip().splitlines()


def cut(path):
    os.truncate(path, 4096)


def overwrite(path):
    size = os.path.getsize(path)
    with open(path, "r+b", buffering=0) as file:
        file.write(b"\xff" * size)


def narrow(path):
    size = os.path.getsize(path)
    with open(path, "r+b", buffering=0) as file:
        file.write(b"9,8\n" * (size // 4))


def replace(path):
    pathlib.Path("other").write_bytes(b"1,2\n")
    os.replace("other", path)


@attack
def points_that_change_are_a_copy():
    for change in (cut, overwrite, replace):
        float_rows("x.fbin", 40_000, 64)
        words = ["neighbors", "x.fbin", "-k", "10", "--method", "exact", "-o", "k.npz", "--quiet"]
        code, errors = during(lambda: change("x.fbin"), *words, mapped=False)
        assert code == 0 or (code == BAD_FILE and "x.fbin" in errors[-1]), (change, code, errors)


@attack
def a_mapping_that_changes_ends_the_run():
    # A file of more than a quarter of --memory is mapped
    for change in (cut, overwrite, replace):
        float_rows("x.fbin", 40_000, 64)
        pathlib.Path("k.npz").write_text("former")
        words = ["neighbors", "x.fbin", "-k", "10", "--method", "exact", "-o", "k.npz", "--quiet", "--memory", "40M"]
        code, errors = during(lambda: change("x.fbin"), *words, mapped=True)
        if change is replace:  # the former file is still there for who has it open
            assert code == 0, (code, errors)
            continue
        assert code == BAD_FILE and "x.fbin" in errors[-1] and WHOLE in errors[-1], (change, code, errors)
        assert len(errors) == 1 and pathlib.Path("k.npz").read_text() == "former", errors


@attack
def text_that_changes_while_it_is_read():
    line = ",".join(["1.5"] * 20) + "\n"
    for change in (cut, narrow, lambda path: open(path, "a").write("7" * 5000)):
        for memory in ([], ["--memory", "8M"]):
            for wait in (0.01, 0.05, 0.1):
                pathlib.Path("t.csv").write_text(line * 150_000)
                process = subprocess.Popen([COMMAND, "kmeans", "t.csv", "--clusters", "2", "-o", "o.csv", *memory], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                time.sleep(wait)
                change("t.csv")
                errors = process.communicate(timeout=60)[1]
                assert process.returncode in (0, BAD_FILE, 5), (process.returncode, errors)

# SPDX-License-Identifier: Apache-2.0
"""Long serial work ends soon after a stop. Judged by the processor time from the signal to the end, which a busy machine
does not lengthen as it does the wall clock."""

import array
import os
import pathlib
import random
import signal
import struct
import subprocess
import time

from attack import COMMAND, attack

MOST = 0.3  # seconds of processor time, of which the end of a process with gigabytes takes a part
TICKS = os.sysconf("SC_CLK_TCK")


def npy(path, rows, columns, values, fortran=False):
    """A .npy of float32; bytes after `values` are holes of zeros."""
    header = f"{{'descr': '<f4', 'fortran_order': {fortran}, 'shape': ({rows}, {columns}), }}".encode()
    header += b" " * ((64 - (10 + len(header) + 1) % 64) % 64) + b"\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
        start = file.tell()
        for part in values:
            file.write(part)
        file.truncate(start + 4 * rows * columns)
    return path


def symmetric(path, items):
    """Dissimilarities that depend on the difference of the items' numbers."""
    some = random.Random(1)
    far = [0.0] + [1 + some.random() for _ in range(items - 1)]
    both = array.array("f", far[:0:-1] + far)
    return npy(path, items, items, (both[items - 1 - i : 2 * items - 1 - i].tobytes() for i in range(items)))


def used(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def stopped(words, moments):
    """Stops the command after each of these processor times in seconds; none may take long to end."""
    for moment in moments:
        process = subprocess.Popen([COMMAND, *words, "--threads", "1"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.time() + 20
        while process.poll() is None and used(process) < moment and time.time() < end:
            time.sleep(0.005)
        if process.poll() is not None:
            return  # a fast machine is done
        before = used(process)
        process.send_signal(signal.SIGTERM)
        _, status, total = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        after = total.ru_utime + total.ru_stime - before
        assert process.returncode in (0, 128 + signal.SIGTERM), process.returncode
        assert after < MOST, f"{after:.2f} s of processor time after a stop at {moment} s: {words}"


@attack
def a_stop_is_heard_while_a_square_is_read():
    stopped(["mds", npy("s.npy", 8000, 8000, [], fortran=True), "--holds", "dissimilarities", "-o", "s.csv"], (0.1,))


@attack
def a_stop_is_heard_while_pairs_are_sorted():
    stopped(["mds", symmetric("p.npy", 3500), "--holds", "dissimilarities", "--method", "smacof", "--transform", "ordinal", "-o", "p.csv"], (0.5,))


@attack
def a_stop_is_heard_while_columns_are_measured():
    some = array.array("f", (random.Random(2).random() for _ in range(100003)))
    block = (some.tobytes() * 11)[: 4 * 1000003]
    wide = npy("w.npy", 40, 1000003, (block[4 * 7 * r :] + block[: 4 * 7 * r] for r in range(40)))
    stopped(["mixture", wide, "--components", "2", "--covariance", "diagonal", "-o", "w.csv"], (2.5,))


@attack
def a_stop_is_heard_while_memory_is_touched():
    some = array.array("f", (random.Random(3).random() for _ in range(17000 * 3)))
    stopped(["kmedoids", npy("m.npy", 17000, 3, [some.tobytes()]), "--clusters", "3", "-o", "m.csv"], (0.05,))

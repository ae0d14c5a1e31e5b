# SPDX-License-Identifier: Apache-2.0
"""Memory and threads."""

import json
import os
import pathlib
import resource
import struct
import subprocess
import time

from attack import BAD_FILE, COMMAND, MEMORY, attack, points, refused, run, sentence


@attack
def memory_holds_while_a_file_is_read():
    points("big.csv", 60_000, 20)
    done = run("kmeans", "big.csv", "--clusters", "3", "--memory", "1M", "-o", "k.csv")
    refused(done, MEMORY, "--memory")
    most = subprocess.run(["sh", "-c", 'ulimit -v 400000; "$0" info /dev/zero', COMMAND], capture_output=True, timeout=120)
    assert most.returncode in (BAD_FILE, MEMORY), (most.returncode, most.stderr)


@attack
def the_limit_of_memory_is_named():
    points("p.csv", 300, 6)
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))  # noqa: E731
    for words in (["info"], ["info", "p.csv"]):
        lines = [line for line in run(*words, preexec_fn=limit).stdout.decode().splitlines() if line.startswith("memory: ")]
        assert len(lines) == 1 and "ulimit -v" in lines[0], lines
    for memory, by in (([], "ulimit -v"), (["--memory", "100M"], "option memory"), (["--memory", "100G"], "ulimit -v")):
        assert run("kmeans", "p.csv", "--clusters", "2", *memory, "-o", "k.csv", "--report", "r.json", preexec_fn=limit).returncode == 0
        told = json.loads(pathlib.Path("r.json").read_text())["memory_limit"]
        assert by in told["by"] and 0 < told["bytes"] < 1 << 30, told


@attack
def more_than_is_free_is_refused_whatever_is_allowed():
    with open("sparse.npy", "wb") as file:
        rows = 100_000_000
        header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, 2), }}".ljust(117).encode() + b"\n"
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
        file.truncate(128 + rows * 16)
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))  # noqa: E731
    refused(run("kmeans", "sparse.npy", "--clusters", "2", "--memory", "100G", "-o", "k.csv", preexec_fn=limit), MEMORY, "ulimit -v")


@attack
def threads_beyond_the_cores_cost_little():
    points("p.csv", 400, 5)
    took = []
    for threads in ("0", "1000"):
        begin = time.monotonic()
        assert run("tsne", "p.csv", "--threads", threads, "--iterations", "300", "-o", f"t{threads}.csv").returncode == 0
        took.append(time.monotonic() - begin)
    assert pathlib.Path("t0.csv").read_bytes() == pathlib.Path("t1000.csv").read_bytes()
    assert took[1] < 20 * took[0] + 5, took  # it was 60 times; a bound for busy machines


@attack
def threads_that_cannot_be_had_are_done_without():
    nobody = 65534
    points("p.csv", 400, 5)
    os.chmod(".", 0o777)

    def limit():
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        if os.geteuid() == 0:  # the limit does not hold for root
            os.setgid(nobody)
            os.setuid(nobody)

    try:
        done = run("tsne", "p.csv", "--iterations", "100", "-o", "n.csv", preexec_fn=limit)
    except PermissionError:
        return  # the command is in a folder that others cannot enter
    assert done.returncode == 0, (done.returncode, done.stderr)


@attack
def a_small_address_space_ends_in_time():
    points("p.csv", 300, 6)
    for megabytes in (90, 150, 220, 300, 500):
        limit = lambda most=megabytes << 20: resource.setrlimit(resource.RLIMIT_AS, (most, most))  # noqa: E731
        for words in (["info", "p.csv"], ["mixture", "p.csv", "--components", "3", "-o", "m.csv"], ["tsne", "p.csv", "--iterations", "30", "-o", "t.csv"]):
            done = run(*words, seconds=20, preexec_fn=limit)
            assert done.returncode in (0, MEMORY), (megabytes, words, done.returncode, done.stderr)
            assert done.returncode == 0 or "raise the limit" in sentence(done) or "memory" in sentence(done)

# SPDX-License-Identifier: Apache-2.0
"""Named pipes as inputs: a run without a writer can be stopped, and a run with one reads what it writes."""

import os
import pathlib
import signal
import subprocess
import time

from attack import BAD_FILE, COMMAND, attack, points, refused, run


@attack
def a_run_that_waits_for_a_writer_can_be_stopped():
    os.mkfifo("pipe.csv")
    points("p.csv")
    for words in ("tsne pipe.csv -o a.csv", "tsne p.csv --labels pipe.csv -o a.csv", "layout pipe.csv -o a.csv", "kmeans pipe.csv --clusters 2 -o a.csv"):
        process = subprocess.Popen([COMMAND, *words.split()], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(0.4)
        process.send_signal(signal.SIGTERM)
        error = process.communicate(timeout=10)[1]
        assert process.returncode == 128 + signal.SIGTERM, (words, process.returncode, error)
        assert not pathlib.Path("a.csv").exists()


@attack
def what_is_written_to_a_pipe_is_read_once():
    os.mkfifo("pipe.csv")
    points("p.csv")
    process = subprocess.Popen([COMMAND, "tsne", "pipe.csv", "--iterations", "50", "-o", "a.csv"], stdout=subprocess.DEVNULL)
    time.sleep(0.3)
    pathlib.Path("pipe.csv").write_bytes(pathlib.Path("p.csv").read_bytes())
    assert process.wait(20) == 0
    assert run("tsne", "p.csv", "--iterations", "50", "-o", "b.csv").returncode == 0
    assert pathlib.Path("a.csv").read_bytes() == pathlib.Path("b.csv").read_bytes()
    refused(run("info", "pipe.csv"), BAD_FILE, "is a pipe", "write it to a file")


@attack
def a_missing_file_is_said():
    for words in (["info", "no.csv"], ["tsne", "no.npy"], ["layout", "no.dot"]):
        refused(run(*words), BAD_FILE, "No such file or directory")

# SPDX-License-Identifier: Apache-2.0
"""Streams that are closed or full, signals, terminals."""

import pathlib
import signal
import subprocess
import time

from attack import BAD_FILE, COMMAND, attack, points, refused, run, sentence


@attack
def a_closed_standard_error_changes_nothing():
    points("p.csv")
    for closed in ("2>&-", "2>/dev/full", "<&- 2>&-"):
        done = subprocess.run(["sh", "-c", f'"$0" tsne p.csv --iterations 50 -o out.csv >/dev/null {closed}', COMMAND], timeout=60)
        assert done.returncode == 0, (closed, done.returncode)
        assert pathlib.Path("out.csv").read_text().startswith("x,y\n"), closed


@attack
def a_full_standard_output_is_said():
    points("p.csv")
    with open("/dev/full", "w") as full:
        for words in (["info", "p.csv"], ["--help"], ["tsne", "--help"], ["score", "p.csv", "--of", "p.csv"]):
            done = run(*words, stdout=full)
            assert done.returncode == BAD_FILE, (words, done.returncode)
            assert "standard output" in sentence(done)


@attack
def a_signal_ends_with_its_number():
    points("p.csv", 3000, 20)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        process = subprocess.Popen([COMMAND, "tsne", "p.csv", "--iterations", "1000000", "-o", "s.csv"], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        time.sleep(1.5)
        process.send_signal(number)
        assert process.wait(20) == 128 + number, (number, process.returncode)


@attack
def a_view_that_is_asked_to_end_has_ended_well():
    pathlib.Path("m.csv").write_text("x,y\n1,2\n2,3\n4,5\n")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        process = subprocess.Popen([COMMAND, "view", "m.csv", "--no-open"], stderr=subprocess.DEVNULL, stdout=subprocess.PIPE)
        if not process.stdout.readline():  # built without the viewer
            return
        process.send_signal(number)
        assert process.wait(20) == 0, (number, process.returncode)


@attack
def an_ignored_interrupt_stays_ignored():
    points("p.csv", 300, 5)
    ignore = lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)  # noqa: E731
    process = subprocess.Popen([COMMAND, "tsne", "p.csv", "--iterations", "3000", "-o", "i.csv", "--quiet"], preexec_fn=ignore, stdout=subprocess.DEVNULL)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0, process.returncode


@attack
def controls_do_not_reach_the_terminal():
    name = "a\x1b[31mb\x07.csv"
    pathlib.Path(name).write_text("x,y\n1,oops\n2,3\n4,5\n6,7\n")
    done = run("tsne", name)
    assert b"\x1b" not in done.stderr and b"\x07" not in done.stderr, done.stderr
    refused(done, BAD_FILE, "\\x1b[31mb\\x07.csv")

# SPDX-License-Identifier: Apache-2.0
"""Attacks on the command: files that nest, streams that are closed or full, signals, limits. run.py COMMAND [WORD...]: those
whose name has a word. Each ends with an exit code that docs promise and, where it fails, with one sentence."""

import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback

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


def points(path, rows=40, columns=3):
    lines = [",".join(str((r * 7 + c * 13 + r * c) % 101) for c in range(columns)) for r in range(rows)]
    pathlib.Path(path).write_text("\n".join(lines) + "\n")
    return path


@attack
def json_that_nests_is_refused():
    for name, text in {"list.json": "[" * 100_000 + "]" * 100_000, "object.json": '{"a":' * 100_000 + "1" + "}" * 100_000}.items():
        pathlib.Path(name).write_text(text)
        for more in (["draw", "-o", "x.png"], ["score", "--of", name], ["view"], ["density", "-o", "x.npy"], ["surface", "-o", "x.glb"]):
            refused(run(more[0], name, *more[1:]), BAD_FILE)
        points("p.csv")
        refused(run("tsne", "p.csv", "--start", name), BAD_FILE)
    pathlib.Path("lines.jsonl").write_text("[" * 100_000 + "\n")
    refused(run("info", "lines.jsonl"), BAD_FILE, "lists in lists")


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


@attack
def memory_holds_while_a_file_is_read():
    points("big.csv", 60_000, 20)
    done = run("kmeans", "big.csv", "--clusters", "3", "--memory", "1M", "-o", "k.csv")
    refused(done, MEMORY, "--memory")
    most = subprocess.run(["sh", "-c", 'ulimit -v 400000; "$0" info /dev/zero', COMMAND], capture_output=True, timeout=120)
    assert most.returncode in (BAD_FILE, MEMORY), (most.returncode, most.stderr)


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
    if os.geteuid() == 0:
        return  # a root user's processes are not limited
    points("p.csv", 400, 5)
    limit = lambda: resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))  # noqa: E731
    assert run("tsne", "p.csv", "--iterations", "100", "-o", "n.csv", preexec_fn=limit).returncode == 0


@attack
def long_labels_are_drawn_in_linear_time():
    pathlib.Path("long.csv").write_text("x,y,label\n" + "".join(f"{i % 7},{i % 5},{'ab cd ' * 17_000 if i % 2 else 'q'}\n" for i in range(20)))
    for output in ("long.png", "long.svg"):
        begin = time.monotonic()
        assert run("draw", "long.csv", "-o", output).returncode == 0
        assert time.monotonic() - begin < 20, output


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

# SPDX-License-Identifier: Apache-2.0
"""Checkpoints: edited ones with right checksums, two runs of one file, kills. For an hour or a night: DUNLIN_ATTACK_EDITS=50
DUNLIN_ATTACK_KILLS=5 DUNLIN_ATTACK_ATTEMPTS=200; DUNLIN_ATTACK_SEED draws other edits, DUNLIN_ATTACK_KEEP is a folder for files
that are not refused."""

import os
import pathlib
import random
import resource
import signal
import subprocess
import time

import checkpoint_file
from attack import BAD_FILE, BAD_INPUT, COMMAND, LEFT, attack, points, refused, run
from checkpointed import METHODS, inputs, output_of

EDITS = int(os.environ.get("DUNLIN_ATTACK_EDITS", "2"))  # of each method
KILLS = int(os.environ.get("DUNLIN_ATTACK_KILLS", "1"))  # of each method, with 1 of a few methods only
ATTEMPTS = int(os.environ.get("DUNLIN_ATTACK_ATTEMPTS", "40"))
SEED = int(os.environ.get("DUNLIN_ATTACK_SEED", "1"))
MOST_MEMORY = 1 << 20  # KiB

# One of each kind, where time is short
SOME = ["tsne", "kmeans", "mds stochastic", "mds hybrid", "layout annealing", "waves by tiles", "train by machines", "neighbors"]


def words_of(method):
    words = METHODS[method].split()
    return [*words, "-o", output_of(words), "--threads", "1", "--quiet", "--checkpoint", "run.checkpoint"]


def remove_files(*extra):
    for name in ("run.checkpoint", "run.checkpoint.previous", "run.checkpoint.lock", *extra):
        pathlib.Path(name).unlink(missing_ok=True)


def stages_of(method):
    """A file of each stage of a whole run, its last one left out where there are others."""
    remove_files()
    found = {}
    process = subprocess.Popen([COMMAND, *words_of(method), "--checkpoint-every", "0"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while process.poll() is None:
        try:
            content = pathlib.Path("run.checkpoint").read_bytes()
        except FileNotFoundError:
            continue
        sections = checkpoint_file.sections_of(content)
        loop, _ = checkpoint_file.loop_of(sections)
        files = found.setdefault((loop, sections[b"run"][-1]), [])
        if not files or files[-1] != content:
            files.append(content)
    assert process.returncode == LEFT, process.stderr.read()
    files = [files[len(files) // 2] for (_, finished), files in found.items() if not finished]
    return files or [files[0] for files in found.values()]


def resumed(method, seconds=60):
    """(exit code, peak of memory in KiB, standard error) of a run that goes on from the file."""
    with open("errors", "wb") as errors:
        process = subprocess.Popen([COMMAND, *words_of(method), "--resume"], stdout=subprocess.DEVNULL, stderr=errors)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid != 0:
                process.returncode = os.waitstatus_to_exitcode(status)
                return process.returncode, usage.ru_maxrss, pathlib.Path("errors").read_text(errors="replace")
            time.sleep(0.002)
        process.kill()
        process.wait()
        raise AssertionError(f"still running after {seconds} s")


def fault_of(method):
    """What is wrong with the end of a run that goes on from an edited file; None: nothing."""
    output = output_of(METHODS[method].split())
    pathlib.Path(output).unlink(missing_ok=True)
    try:
        code, memory, errors = resumed(method)
    except AssertionError as error:
        return str(error)
    last = errors.strip().splitlines()[-1] if errors.strip() else ""
    if code not in (LEFT, BAD_INPUT, BAD_FILE):
        return f"exit code {code}: {last}"
    if code != LEFT and ("unexpected" in last or not last):
        return f"exit code {code} without a sentence: {last}"
    if memory > MOST_MEMORY:
        return f"{memory} KiB of memory"
    if code == LEFT and output.endswith("map.csv"):
        words = set(pathlib.Path(output).read_text().lower().replace("\n", ",").split(","))
        if METHODS[method].startswith("waves"):
            words -= {"inf"}  # never reached
        if words & {"nan", "-nan", "inf", "-inf"}:
            return "a map that is not finite, without a word"
    return None


@attack
def an_edited_checkpoint_is_used_or_refused():
    inputs()
    count, told, faults = 0, 0, []
    for number, method in enumerate(METHODS):
        if EDITS <= 2 and method not in SOME:
            continue
        begun = time.monotonic()
        files = stages_of(method)
        if "DUNLIN_ATTACK_EDITS" in os.environ:
            print(f"{method}: {len(files)} stages, {time.monotonic() - begun:.2f} s", flush=True)
        for edit in range(EDITS):
            seed = SEED * 1_000_000 + number * 10_000 + edit
            content, what = checkpoint_file.edited(files[edit % len(files)], seed)
            remove_files()
            pathlib.Path("run.checkpoint").write_bytes(content)
            fault = fault_of(method)
            count += 1
            told += os.path.exists("errors") and os.path.getsize("errors") > 0
            if fault is not None:
                faults.append(f"{method}: {what}: {fault}")
                print(faults[-1], flush=True)
                if keep := os.environ.get("DUNLIN_ATTACK_KEEP"):
                    pathlib.Path(keep, f"{method} {seed}.checkpoint").write_bytes(content)
    print(f"{count} edited checkpoints: {told} refused, {count - told} used")
    assert not faults, "\n".join(faults)


@attack
def the_second_run_of_a_checkpoint_is_refused_at_any_moment():
    points("p.csv", 130, 6)
    words = [word if word != "60" else "1000000" for word in words_of("tsne")]
    first = [COMMAND, *words, "--tolerance", "0", "--checkpoint-every", "0"]
    process = subprocess.Popen(first, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not os.path.exists("run.checkpoint"):
            assert process.poll() is None
            time.sleep(0.01)
        for attempt in range(ATTEMPTS):
            # The writes of the first run and these attempts have no common beat
            time.sleep(attempt % 7 * 0.001)
            refused(run(*[word if word != "map.csv" else "other.csv" for word in words], "--resume"), BAD_FILE, "another run is writing it")
            assert process.poll() is None
        assert not os.path.exists("other.csv")
    finally:
        process.kill()
        process.wait()
    os.remove("p.csv")
    refused(run(*words_of("tsne"), "--resume"), BAD_FILE, "p.csv")  # the input, not the checkpoint: the lock of a run that ended does not block


@attack
def a_signal_writes_the_checkpoint():
    points("p.csv", 2000, 20)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        remove_files()
        words = [word if word != "60" else "1000000" for word in words_of("tsne")]
        process = subprocess.Popen([COMMAND, *words, "--tolerance", "0"], stderr=subprocess.PIPE)
        time.sleep(1.0)
        process.send_signal(number)
        _, errors = process.communicate(timeout=30)
        assert process.returncode == 128 + number, (number, process.returncode, errors)
        content = pathlib.Path("run.checkpoint").read_bytes()
        assert checkpoint_file.loop_of(checkpoint_file.sections_of(content))[0] == b"descent"
        assert not [name for name in os.listdir() if name.startswith(".") or name.endswith(".lock")], os.listdir()


def limited(most):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    return limit


@attack
def a_file_beyond_the_limit_of_sizes_is_a_sentence():
    points("p.csv", 3000, 6)
    pathlib.Path("out.csv").write_text("an old one\n")
    words = ["tsne", "p.csv", "--iterations", "30", "--scores", "none"]
    for more in (["-o", "out.csv"], ["-o", "out.png"], ["-o", "out.npy"], ["-o", "out.csv", "--report", "r.json"]):
        before = set(os.listdir())
        refused(run(*words, *more, preexec_fn=limited(200 if "r.json" in more else 8000)), BAD_FILE, "File too large")
        assert set(os.listdir()) == before, set(os.listdir()) - before
        assert pathlib.Path("out.csv").read_text() == "an old one\n"
    done = run(*words, "-o", "fits.csv", "--checkpoint", "c", "--checkpoint-every", "0", preexec_fn=limited(80_000))
    assert done.returncode == LEFT, done.stderr  # a checkpoint that cannot be written is a warning
    assert b"cannot be written" in done.stderr, done.stderr
    assert not [name for name in os.listdir() if name.startswith(".c")]


@attack
def files_of_others_are_neither_followed_nor_lost():
    points("p.csv")
    mine = pathlib.Path("mine")
    mine.write_text("mine\n")
    names = ("out.csv.tmp", "out.csv.part", "run.checkpoint.tmp", "run.checkpoint.part", ".out.csv.tmp")
    for name in names:
        os.symlink("mine", name)
    done = run("tsne", "p.csv", "--iterations", "20", "-o", "out.csv", "--checkpoint", "run.checkpoint", "--report", "r.json")
    assert done.returncode == LEFT, done.stderr
    assert mine.read_text() == "mine\n" and all(os.path.islink(name) for name in names)
    os.symlink("mine", "other.checkpoint.lock")
    refused(run("tsne", "p.csv", "--iterations", "20", "-o", "out.csv", "--checkpoint", "other.checkpoint"), BAD_FILE, "lock")
    for name in ("foreign", "foreign.previous"):
        pathlib.Path(name).write_text("a file of mine\n")
    refused(run("tsne", "p.csv", "--iterations", "20", "-o", "out.csv", "--checkpoint", "foreign"), BAD_FILE, "foreign")
    os.remove("foreign")
    run("tsne", "p.csv", "--iterations", "20", "-o", "out.csv", "--checkpoint", "foreign", "--checkpoint-every", "0")
    assert pathlib.Path("foreign.previous").read_text() == "a file of mine\n"


@attack
def a_killed_run_goes_on_to_the_same_bytes():
    inputs()
    chosen = METHODS if KILLS > 1 else SOME[::2]
    for method in chosen:
        output = output_of(METHODS[method].split())
        remove_files(output)
        begun = time.monotonic()
        done = run(*words_of(method), "--checkpoint-every", "0")
        assert done.returncode == LEFT, (method, done.stderr)
        seconds, wanted = time.monotonic() - begun, pathlib.Path(output).read_bytes()
        remove_files(output)
        for kill in range(KILLS):
            process = subprocess.Popen([COMMAND, *words_of(method), "--resume", "--checkpoint-every", "0"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(random.random() * seconds)
            process.kill()
            process.wait()
        done = run(*words_of(method), "--resume")
        assert done.returncode == LEFT, (method, done.stderr)
        assert pathlib.Path(output).read_bytes() == wanted, f"{method}: other bytes after {KILLS} kills"

# SPDX-License-Identifier: Apache-2.0
"""Runs of the command that are stopped after a given number of writes of their checkpoint, run.checkpoint of the current folder."""

import os
import pathlib
import signal
import subprocess

HERE = pathlib.Path(__file__).resolve().parent


class Stopped(Exception):
    """A run that did not end as it should."""


class Stopper:
    """Compiles stopped.c into a folder."""

    def __init__(self, folder):
        self.library = pathlib.Path(folder).resolve() / "stopped.so"
        compiler = os.environ.get("CC", "cc").split()
        subprocess.run([*compiler, "-shared", "-fPIC", "-O1", "-o", self.library, HERE / "stopped.c", "-ldl"], check=True)

    def writes(self, command, words):
        """How often a run writes its checkpoint, if after every iteration."""
        forget()
        ended(command, *words, "--checkpoint", "run.checkpoint", "--checkpoint-every", "0", env=self._environment(COUNT="writes"))
        return int(pathlib.Path("writes").read_text())

    def stop(self, command, words, at, by=signal.SIGKILL):
        """A run that gets a signal after its write number `at`. Returns the bytes of its checkpoint."""
        forget()
        environment = self._environment(AT=at, BY=int(by))
        done = _run(command, *words, "--checkpoint", "run.checkpoint", "--checkpoint-every", "0", env=environment)
        if done.returncode != (-by if by == signal.SIGKILL else 128 + by):
            raise Stopped(f"exit code {done.returncode} of a run that was stopped: {_last(done)}")
        return pathlib.Path("run.checkpoint").read_bytes()

    def _environment(self, **given):
        return {**os.environ, "LD_PRELOAD": os.fspath(self.library), **{f"DUNLIN_STOP_{name}": str(value) for name, value in given.items()}}


def forget():
    for suffix in ("", ".previous", ".lock"):
        pathlib.Path("run.checkpoint" + suffix).unlink(missing_ok=True)


def ended(command, *words, **more):
    """Runs to the end; returns what was written to standard error."""
    done = _run(command, *words, **more)
    if done.returncode != 0:
        raise Stopped(f"exit code {done.returncode}: {_last(done)}")
    return done.stderr


def resumed(command, *words):
    """Goes on from run.checkpoint to the end."""
    told = ended(command, *[word for word in words if word != "--quiet"], "--checkpoint", "run.checkpoint", "--resume")
    if "resumed from iteration" not in told:
        raise Stopped(f"the run began anew: {told.strip()}")


def _hears_interrupts():
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell starts background processes with the signal ignored


def _run(command, *words, **more):
    return subprocess.run([command, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True, errors="replace", timeout=300, preexec_fn=_hears_interrupts, **more)


def _last(done):
    return (done.stderr.strip().splitlines() or ["without a word"])[-1]

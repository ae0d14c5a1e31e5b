# SPDX-License-Identifier: Apache-2.0
"""A scheduler and workers as processes that tests kill, freeze and add."""

import json
import os
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
QUIET = {
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "100",
    "OPENBLAS_NUM_THREADS": "1",
}


def environment():
    paths = [HERE, os.path.dirname(HERE), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, **QUIET, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def wait_for(condition, seconds=300):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("waited in vain")


class Processes:
    """``prefix``: words before each command, such as those that enter a network namespace; ``more``: after each, those of the
    scheduler alone last."""

    def __init__(self, folder, host="127.0.0.1", prefix=(), more=(), scheduler=()):
        self.folder, self.host, self.prefix, self.more = str(folder), host, list(prefix), list(more)
        self.workers, self.files = {}, []
        self.file = os.path.join(self.folder, "scheduler.json")
        words = ["distributed.cli.dask_scheduler", "--host", host, "--port", "0", "--no-dashboard", "--no-show"]
        words += ["--scheduler-file", self.file, *more, *scheduler]
        self.scheduler = self._start("scheduler", self.prefix, *words)
        wait_for(lambda: os.path.exists(self.file) and os.path.getsize(self.file))
        with open(self.file) as file:
            self.address = json.load(file)["address"]

    def _start(self, name, prefix, *words, cwd=None):
        log = open(os.path.join(self.folder, f"{name}.log"), "ab")
        self.files.append(log)
        command = [*prefix, sys.executable, "-m", *words]
        return subprocess.Popen(command, env=environment(), stdout=log, stderr=log, cwd=cwd or self.folder)

    def add(self, name, cwd=None, prefix=None, **options):
        """A worker; the name is that of its log."""
        words = ["distributed.cli.dask_worker", self.address, "--no-nanny", "--nthreads", "1", "--no-dashboard"]
        words += ["--memory-limit", "0", "--name", name, "--local-directory", self.folder]
        words += self.more
        for key, value in options.items():
            words += [f"--{key}", str(value)]
        self.workers[name] = self._start(name, self.prefix if prefix is None else prefix, *words, cwd=cwd)

    def signal(self, name, number):
        self.workers[name].send_signal(number)

    def kill(self, name):
        self.workers[name].kill()
        self.workers.pop(name).wait()

    def freeze(self, name):
        self.signal(name, signal.SIGSTOP)

    def thaw(self, name):
        self.signal(name, signal.SIGCONT)

    def ensure(self, client, count):
        """Exactly so many workers, all awake."""
        for name, process in list(self.workers.items()):
            if process.poll() is not None:
                del self.workers[name]
            else:
                process.send_signal(signal.SIGCONT)
        while len(self.workers) > count:
            self.kill(sorted(self.workers)[-1])
        while len(self.workers) < count:
            self.add(f"w{len(self.files)}")
        wait_for(lambda: sorted(self.names(client)) == sorted(self.workers))

    def names(self, client):
        """{name: address} of the workers that the scheduler lists."""
        return {each["name"]: address for address, each in client.scheduler_info(n_workers=-1)["workers"].items()}

    def close(self):
        for process in [*self.workers.values(), self.scheduler]:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
                process.wait()
        for file in self.files:
            file.close()

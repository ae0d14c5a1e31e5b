# SPDX-License-Identifier: Apache-2.0
"""./dev cluster [COMMAND...]: a scheduler and two workers as processes of this machine; runs the examples of
docs/machines.md, or COMMAND with the scheduler's address in DUNLIN_SCHEDULER.

LocalProcesses is what the benchmark of distributed k-means uses, too.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class LocalProcesses:
    """A scheduler and workers of the Python that runs this, each with ``threads`` threads."""

    def __init__(self, folder, workers=2, threads=1):
        self.folder, self.threads = Path(folder), threads
        paths = os.pathsep.join([str(ROOT / "python"), str(ROOT / "bench"), os.environ.get("PYTHONPATH", "")])
        self.environment = dict(os.environ, PYTHONPATH=paths)
        self.workers, self.count = [], 0
        file = self.folder / "scheduler.json"
        file.unlink(missing_ok=True)  # of an earlier run
        words = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show", "--scheduler-file", str(file)]
        self.scheduler = self._start("scheduler", "distributed.cli.dask_scheduler", *words)
        until = time.monotonic() + 120
        while not (file.exists() and file.stat().st_size):
            if time.monotonic() > until or self.scheduler.poll() is not None:
                raise RuntimeError(f"the scheduler did not start: {(self.folder / 'scheduler.log').read_text()[-500:]}")
            time.sleep(0.05)
        self.address = json.loads(file.read_text())["address"]
        for _ in range(workers):
            self.add()

    def _start(self, name, module, *words):
        with open(self.folder / f"{name}.log", "ab") as log:
            command = [sys.executable, "-m", module, *words]
            return subprocess.Popen(command, stdout=log, stderr=log, env=self.environment, cwd=self.folder)

    def add(self):
        self.count += 1
        words = ["--no-nanny", "--nthreads", str(self.threads), "--no-dashboard", "--memory-limit", "0"]
        words += ["--name", f"worker-{self.count}", "--local-directory", str(self.folder)]
        made = self._start(f"worker-{self.count}", "distributed.cli.dask_worker", self.address, *words)
        self.workers.append(made)
        return made

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for process in [*self.workers, self.scheduler]:
            if process.poll() is None:
                process.kill()
            process.wait()


def examples():
    page = (ROOT / "docs" / "machines.md").read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)


def main():
    with tempfile.TemporaryDirectory() as folder, LocalProcesses(folder) as processes:
        print(f"scheduler at {processes.address}, two workers", flush=True)
        os.environ["DUNLIN_SCHEDULER"] = processes.address
        if sys.argv[1:]:
            return subprocess.run(sys.argv[1:], check=False).returncode
        os.chdir(folder)
        names = {}
        for block in examples():
            print(block, end="", flush=True)
            exec(compile(block, "machines.md", "exec"), names)
        print("the examples of docs/machines.md ran")
        names["client"].close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

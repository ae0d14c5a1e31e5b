# SPDX-License-Identifier: Apache-2.0
"""read_files.py DUNLIN: the command reads the files of each release, and goes on from its checkpoints or refuses them by version. Results
have the recorded bytes; on another processor, whose sums are rounded in another way, only that there are results is checked."""

import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

from recorded import HERE, RELEASES, content_of, processor, sum_of, unpack

COMMAND = os.path.abspath(sys.argv[1])


class Release:
    """What a release wrote, and the faults of reading it."""

    def __init__(self, name):
        self.name, self.folder, self.faults, self.unequal = name, HERE / name, [], 0
        self.why = "another version has other results" if RELEASES[name] != "bytes" else ""
        if (self.folder / "processor").read_text().strip() != processor():
            self.why = "it was recorded on another processor"

    def run(self, what, words):
        done = subprocess.run([COMMAND, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
        return done.returncode, done.stderr.strip().splitlines() or ["without a word"]

    def same(self, what, is_same):
        self.unequal += not is_same
        if not self.why and not is_same:
            self.faults.append(f"{what}: other bytes than recorded")

    def read_files(self):
        unpack(self.folder / "files.tar.xz")
        reads = json.loads(pathlib.Path("reads.json").read_text())
        for read in reads:
            words = shlex.split(read["command"])
            output = read["output"] or words[words.index("-o") + 1]
            pathlib.Path(output).unlink(missing_ok=True)
            code, told = self.run(read["name"], words)
            if code != 0 or not pathlib.Path(output).stat().st_size:
                self.faults.append(f"{read['name']}: exit code {code}: {told[-1]}")
            elif read["output"]:
                self.same(read["name"], content_of(output) == pathlib.Path("expected", read["name"]).read_bytes())
        return len(reads)

    def resume(self):
        unpack(self.folder / "checkpoints.tar.xz")
        runs, refused = json.loads(pathlib.Path("checkpoints.json").read_text()), 0
        for run in runs:
            pathlib.Path(run["checkpoint"]).replace("run.checkpoint")
            pathlib.Path(run["output"]).unlink(missing_ok=True)
            code, told = self.run(run["method"], [*shlex.split(run["command"]), "--checkpoint", "run.checkpoint", "--resume"])
            if code == 3 and "version is " + self.name in told[-1]:
                refused += 1
            elif code != 0 or not any("resumed from iteration" in line for line in told):
                self.faults.append(f"checkpoint of {run['method']}: exit code {code}: {told[-1]}")
            else:
                self.same(f"checkpoint of {run['method']}", sum_of(content_of(run["output"])) == run["sha256"])
            for suffix in ("", ".previous"):
                pathlib.Path("run.checkpoint" + suffix).unlink(missing_ok=True)
        return len(runs), refused


def main():
    faults = []
    for name in RELEASES:
        release = Release(name)
        with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as work:
            os.chdir(work)
            reads = release.read_files()
            runs, refused = release.resume()
            os.chdir("/")
        print(f"{name}: {reads} uses of its files; {runs} checkpoints, of which {refused} are refused by version")
        if release.why:
            print(f"{name}: equal bytes are not checked, {release.why}; {release.unequal} results differ")
        faults += [f"{name}: {fault}" for fault in release.faults]
    for fault in faults:
        print(f"FAILED: {fault}", file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()

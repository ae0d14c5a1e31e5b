# SPDX-License-Identifier: Apache-2.0
"""Dunlin's command on the inputs of this folder: seconds of its report, without reading and writing, and files as workloads.hpp
says. The last word is the program."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
from workloads import DT, DX, missing

WAVES = ("--scheme", "euler", "--spacing", DX, "--step", DT)


def call(program, *words):
    done = subprocess.run([str(w) for w in (program, *words)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{words[0]}: {done.stderr.strip()[-200:]}")


def has(program, verb):
    return subprocess.run([program, verb, "--help"], capture_output=True, check=False).returncode == 0


def kmeans(program, folder, report):
    iterations = (folder / "sizes").read_text().split()[2]
    labels, centroids = folder / "out-labels.csv", folder / "out-centroids.npy"
    call(program, "kmeans", folder / "points.npy", "--from", folder / "start.npy", "--iterations", iterations, "--stop", "never",
         "--device", "cpu", "--quiet", "-o", labels, "--centroids", centroids, "--report", report)  # fmt: skip

    def convert():
        found = np.loadtxt(labels, np.int32, skiprows=1, delimiter=",", ndmin=2)[:, -1]
        found.tofile(folder / "out-labels.i32")
        np.load(centroids).astype(np.float64).tofile(folder / "out-centroids.f64")

    return convert


def waves(program, folder, report):
    if not has(program, "waves"):
        missing("this build has no command waves")
    n, _, steps = (folder / "sizes").read_text().split()
    state = folder / "out-state.npy"
    call(program, "waves", "--line", n, *WAVES, "--until", DT * int(steps), "--start", folder / "v.npy", "--device", "cpu",
         "--quiet", "-o", state, "--report", report)  # fmt: skip

    def convert():
        v, w = np.load(state).reshape(2, int(n))
        v.tofile(folder / "out-v.f64")
        w.tofile(folder / "out-w.f64")

    return convert


def main(workload, folder, runs, seconds, program):
    folder, total = Path(folder), 0.0
    report = folder / "out-report.json"
    for done in range(int(runs)):
        convert = {"kmeans": kmeans, "waves": waves}[workload](program, folder, report)
        facts = json.loads(report.read_text())
        passed = facts["seconds"]["optimize"]
        print(f"seconds {passed:.9f}")
        total += passed if done else 0
        if done > 0 and total > float(seconds):
            break
    print("threads", facts["device"]["threads"])
    convert()


main(*sys.argv[1:])

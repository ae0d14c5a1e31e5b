# SPDX-License-Identifier: Apache-2.0
"""Runs and measures programs, and describes the machine."""

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 3 * 3600  # seconds after which one run is given up
PRELOADED = {}  # environment of measured programs: with --processor-time, the clock of processor_clock.cpp


class Failed(Exception):
    """A system is unavailable or did not finish, with the reason."""


@dataclass
class Measured:
    wall: float
    peak_mib: float
    others: float


def busy_seconds():
    """Core seconds that this machine has been busy, or was suspended by its host, since it started."""
    user, nice, system, _, _, irq, softirq, steal = map(int, Path("/proc/stat").read_text().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def run_measured(command, log):
    """Runs a command: wall seconds, peak resident memory, and the fraction of the machine used by other programs."""
    begin, busy = time.perf_counter(), busy_seconds()
    with open(log, "w") as out:
        child = subprocess.Popen([str(word) for word in command], stdout=out, stderr=subprocess.STDOUT,
                                 env=os.environ | PRELOADED)  # fmt: skip
        usage = wait_for(child, begin + PATIENCE)
    wall = time.perf_counter() - begin
    if child.returncode != 0:
        raise Failed(f"{Path(command[0]).name} {command[1]} ended with {child.returncode}: {last_line(log)}")
    others = busy_seconds() - busy - usage.ru_utime - usage.ru_stime
    return Measured(wall, usage.ru_maxrss / 1024, max(0.0, others / (wall * os.cpu_count())))


def wait_for(child, deadline):
    """Resource usage of the child, which is killed after the deadline."""
    while True:
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        if pid:
            child.returncode = os.waitstatus_to_exitcode(status)
            return usage
        if time.perf_counter() > deadline:
            child.kill()
        time.sleep(0.01)


def last_line(log):
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    return lines[-1][:200] if lines else "it said nothing"


def output_of(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"{Path(command[0]).name}: {(done.stderr or done.stdout).strip()[-200:]}")
    return done.stdout.strip()


def with_suffix(stem, suffix):
    return Path(f"{stem}{suffix}")


def show_processor_time(work):
    """From now on measured programs of one thread report seconds of processor time."""
    clock = Path(work).resolve() / "processor_clock.so"
    source = Path(__file__).resolve().parent / "processor_clock" / "processor_clock.cpp"
    output_of(["c++", "-O2", "-shared", "-fPIC", "-o", clock, source])
    PRELOADED["LD_PRELOAD"] = str(clock)


# Description of the machine and the build


def machine_in_words():

    def value(file, key):
        lines = Path(file).read_text().splitlines()
        return next((line.split(":", 1)[1].strip() for line in lines if line.startswith(key)), "")

    kib = int(value("/proc/meminfo", "MemTotal").split()[0])
    flags = value("/proc/cpuinfo", "flags").split()
    extras = [word for flag, word in (("avx512f", "AVX-512"), ("amx_tile", "AMX")) if flag in flags]
    words = [f"{os.cpu_count()} cores of {value('/proc/cpuinfo', 'model name')}", *extras, f"{kib / 2**20:.0f} GiB"]
    if "hypervisor" in flags:
        words.append("virtual")
    return ", ".join(words)


def commit_in_words():
    git = ["git", "-C", str(ROOT)]
    try:
        changed = output_of([*git, "status", "--porcelain", "--untracked-files=no"])
        return output_of([*git, "rev-parse", "--short", "HEAD"]) + ("+changes" if changed else "")
    except (Failed, OSError):
        return "unknown"


def our_blas():
    """Dunlin is linked with Debian's OpenBLAS and calls it from its own threads, with one thread per call."""
    try:
        return "openblas " + output_of(["dpkg-query", "-W", "-f", "${Version}", "libopenblas0-pthread"])
    except (Failed, OSError):
        return "openblas"

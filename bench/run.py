# SPDX-License-Identifier: Apache-2.0
"""The benchmark driver: Dunlin and its peers on this machine. `./dev bench --list` lists the cases.

Systems of a case take turns, run by run, so that a slow minute of the machine hurts all of them. Every row carries
the true KL of its map by one evaluator (`dunlin score`) and the force error of the system's own engine at its final
map (bench_force_error). A peer that cannot be had makes a failed row and a failed run, never a missing row.
README.md beside this file says how to read the results. Only Python's own library is used here.
"""

import argparse
import datetime
import os
import sys
from pathlib import Path

import codes_cases
import distributed_cases
import kmeans_cases
import mds
import mds_proof
import roof_cases
import tsne_cases
import waves_cases
from processes import ROOT, Failed, commit_in_words, machine_in_words, output_of, show_processor_time
from rows import BUSY, append_results, show

HERE = Path(__file__).resolve().parent


class Bench:
    """Paths of inputs, programs and peers."""

    def __init__(self, options):
        self.quick = options.quick
        self.runs = options.runs or (1 if options.quick else 3)
        self.threads = options.threads
        self.keep_busy = options.keep_busy or options.processor_time
        self.work = options.work
        self.data = options.data
        self.dunlin = options.build / "dunlin"
        self.force_error = options.build / "bench_force_error"
        self.python = self.work / "venv" / "bin" / "python"
        self.peers_missing = ""
        self.memo = {}
        self.work.mkdir(parents=True, exist_ok=True)
        self.version = output_of([self.dunlin, "--version"]).split()[-1]

    def prepare_peers(self):
        """Makes the virtual environment once per list of pins."""
        pins = (HERE / "requirements.txt").read_text()
        done = self.work / "venv" / "pins"
        if done.exists() and done.read_text() == pins:
            return
        try:
            output_of([sys.executable, "-m", "venv", self.work / "venv"])
            output_of([self.python, "-m", "pip", "install", "-q", "-r", HERE / "requirements.txt"])
            done.write_text(pins)
        except (Failed, OSError) as reason:
            self.peers_missing = f"the peers could not be installed: {reason}"

    def script(self, name, *words):
        if self.peers_missing:
            raise Failed(self.peers_missing)
        return [self.python, HERE / name, *words]

    def input(self, name, rows):
        """The stem of an input's files, which are generated on first use."""
        stem = self.work / f"{name}-{rows}"
        if not stem.with_suffix(".npy").exists():
            output_of(self.script("inputs.py", name, rows, self.data, self.work))
        return stem

    def stem(self, case, system):
        folder = self.work / "maps"
        folder.mkdir(exist_ok=True)
        return folder / f"{case}.{system}"


CASES = tsne_cases.CASES | codes_cases.CASES | kmeans_cases.CASES | distributed_cases.CASES
CASES |= mds.CASES | mds_proof.CASES | roof_cases.CASES | waves_cases.CASES


# Results


def without_paths(text, bench):
    """Results are published and must not contain paths of this machine."""
    for place in (bench.work, bench.data, ROOT):
        text = text.replace(str(place), "")
    return text


def folder_for(bench, rows):
    """Quick runs and runs on a busy machine are functional tests only: they are not published."""
    others = max((row.get("others", 0) for row in rows), default=0)
    if bench.quick:
        return bench.work / "quick"
    if others > BUSY and not bench.keep_busy:
        print(f"  other programs took {others:.0%} of the cores: kept apart, not in bench/results")
        return bench.work / "busy"
    return HERE / "results"


def run_case(bench, name, about):
    print(f"{name}: {CASES[name].__doc__}")
    about = about | {"case": name, "threads": bench.threads}
    try:
        found = CASES[name](bench)
    except (Failed, OSError) as reason:
        found = [{"system": "dunlin", "status": "failed", "note": str(reason)}]
    rows = [about | row for row in found]
    for row in rows:
        row["note"] = without_paths(row.get("note", ""), bench)
    show(rows)
    append_results(folder_for(bench, rows) / f"{name}.csv", rows)
    return all(row["status"] == "done" for row in rows)


# The command line


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench", description="Dunlin beside its peers, on this machine.")
    parser.add_argument("cases", nargs="*", metavar="CASE", help="which cases (default: all)")
    parser.add_argument("--list", action="store_true", help="say which cases there are")
    parser.add_argument("--quick", action="store_true", help="small inputs, one run: does everything work?")
    parser.add_argument("--runs", type=int, help="runs of each system (default: 3)")
    parser.add_argument("--keep-busy", action="store_true", help="publish results although other programs ran")
    parser.add_argument("--processor-time", action="store_true",
                        help="seconds are of one thread's processor time, for a machine that is busy")  # fmt: skip
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="threads of each system (default: all)")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "cpu", help="where the programs are")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "bench", help="inputs, maps and the peers")
    data = os.environ.get("DUNLIN_DATA", "DUNLIN_DATA-is-not-set")
    parser.add_argument("--data", type=Path, default=data, help="the data (default: $DUNLIN_DATA)")
    return parser.parse_args()


def main():
    options = arguments()
    if options.list:
        for name, case in CASES.items():
            print(f"{name:17}{case.__doc__}")
        return 0
    unknown = [name for name in options.cases if name not in CASES]
    if unknown:
        sys.exit(f"bench: there is no case {unknown[0]}; there are {', '.join(CASES)}")
    os.environ |= {key: str(options.threads) for key in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    if options.processor_time:
        options.threads = 1
    bench = Bench(options)
    if options.processor_time:
        show_processor_time(bench.work)
    bench.prepare_peers()
    machine = machine_in_words() + (", processor time" if options.processor_time else "")
    about = {"date": str(datetime.date.today()), "commit": commit_in_words(), "machine": machine}
    good = [run_case(bench, name, about) for name in options.cases or CASES]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())

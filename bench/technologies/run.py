#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same four workloads in many technologies, on this machine; `./dev bench technologies` installs what it can and calls this.

A technology is one source file of this folder, compiled or run as it stands, in a process of its own. All read the same input,
and check.py checks every result. What is not at hand (a compiler, a package, a processor's instructions) is one line and no row.
Rows go to bench/results/technologies.csv; docs/lab/technologies.md says what they mean. Only Python's own library is used here.
"""

import argparse
import datetime
import os
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from catalogue import technologies  # noqa: E402
from processes import ROOT, Failed, commit_in_words, machine_in_words, output_of, run_measured  # noqa: E402
from rows import append_results, in_cell, spread  # noqa: E402

COLUMNS = (
    "date commit machine others case technology version threads workload size clusters steps runs status "
    "median_s min_s max_s ns roof share lines agreement differ error peak_mib note"
).split()
BUSY = 0.05  # other programs' share of the cores above which a timing is not worth keeping


@dataclass
class Workload:
    """`elements`: what the column `ns` divides by; `traffic`: bytes that a run moves at least."""

    name: str
    kind: str
    size: int
    clusters: int = 0
    steps: int = 0

    @property
    def elements(self):
        return self.size * max(1, self.clusters) * max(1, self.steps)

    @property
    def traffic(self):
        """Points in and labels out; v and w in and out; four arrays in and one out."""
        return {"kmeans": 12 * self.size * self.steps, "waves": 32 * self.size * self.steps, "solve": 40 * self.size}[self.kind]

    def smaller(self, times):
        return Workload(self.name, self.kind, self.size // times, self.clusters, self.steps)

    def words(self):
        """For inputs.py"""
        sizes = {"kmeans": (self.size, self.clusters, self.steps), "waves": (self.size, self.steps), "solve": (self.size,)}
        return [self.kind, *sizes[self.kind]]


def workloads(quick):
    if quick:
        return [Workload("kmeans-4", "kmeans", 20_000, 4, 10), Workload("kmeans-128", "kmeans", 20_000, 128, 2),
                Workload("waves", "waves", 1 << 14, steps=8), Workload("solve", "solve", 1 << 12)]  # fmt: skip
    return [Workload("kmeans-4", "kmeans", 10_000_000, 4, 10), Workload("kmeans-128", "kmeans", 10_000_000, 128, 2),
            Workload("waves", "waves", 1 << 24, steps=8), Workload("solve", "solve", 1 << 22)]  # fmt: skip


@dataclass
class Bench:
    options: argparse.Namespace
    work: Path
    roof: float = 0
    versions: dict = field(default_factory=dict)

    @property
    def python(self):
        return self.work / "venv" / "bin" / "python"

    def input(self, workload):
        """The folder of a workload's files, which are made on first use."""
        folder = self.work / "-".join(str(word) for word in workload.words())
        if not (folder / "sizes").exists():
            output_of([self.python, HERE / "inputs.py", *workload.words(), folder])
        return folder


def prepare_python(bench):
    """A venv with the pinned packages of each list; a list that cannot be installed leaves its technologies out."""
    if not bench.python.exists():
        output_of([sys.executable, "-m", "venv", bench.work / "venv"])
    for name in ("requirements.txt", "requirements-torch.txt"):
        done, pins = bench.work / "venv" / name, (HERE / name).read_text()
        if done.exists() and done.read_text() == pins:
            continue
        try:
            output_of([bench.python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", HERE / name])
            done.write_text(pins)
        except Failed as reason:
            print(f"missing: the packages of {name}: {str(reason)[-160:]}")


def measure_roof(bench):
    """Bytes a second of a triad by all threads, measured in this run."""
    program = bench.work / "roof"
    output_of(["g++", "-std=c++20", "-O3", "-march=native", "-fopenmp", HERE / "roof.cpp", "-o", program])
    log = bench.work / "output.log"
    run = run_measured([program, 1 << 20 if bench.options.quick else 1 << 25], log)
    facts = facts_of(log.read_text())
    bench.roof = float(facts["rate"][0])
    print(f"roof: {bench.roof / 1e9:.1f} GB/s by {facts['threads'][0]} threads")
    rate = {"technology": "triad", "workload": "roof", "roof": bench.roof, "threads": facts["threads"][0], "status": "done"}
    return rate | {"lines": "", "agreement": "", "runs": 10, "others": run.others}


def facts_of(text):
    """The lines `NAME VALUE` of a program."""
    facts = {}
    for line in text.splitlines():
        name, _, value = line.strip().partition(" ")
        facts.setdefault(name, []).append(value)
    return facts


def lines_of(source, kind):
    """Lines between the comments `begin KIND` and `end KIND` that are neither blank nor a comment."""
    count, inside = 0, False
    for line in (HERE / source).read_text().splitlines():
        bare = line.strip()
        comment = bare.startswith(("//", "#")) and not bare.startswith("#pragma")
        if comment and bare.lstrip("/# ") in (f"begin {kind}", f"end {kind}"):
            inside = "begin" in bare
        elif inside and bare and not comment:
            count += 1
    return count


def ran(bench, technology, workload, folder):
    """One process of a technology: its facts, or the reason why there are none."""
    for old in folder.glob("out-*"):
        old.unlink()
    log = bench.work / "output.log"
    os.environ |= technology.environment
    try:
        run = run_measured(technology.command(bench, workload, folder, 3 if bench.options.quick else 6, 1.0), log)
    finally:
        for name in technology.environment:
            os.environ.pop(name, None)
    facts = facts_of(log.read_text(errors="replace"))
    return (technology.facts(bench, facts) if technology.facts else facts), run


def row_of(bench, technology, workload):
    """A row, or a string that says why there is none."""
    workload = workload.smaller(technology.smaller.get(workload.name, 1))
    folder = bench.input(workload)
    facts, run = ran(bench, technology, workload, folder)
    if run.others > BUSY and not bench.options.quick and not bench.options.keep_busy:
        facts, run = ran(bench, technology, workload, folder)  # once more
    if "missing" in facts:
        return facts["missing"][0]
    seconds = [float(s) for s in facts["seconds"]]
    counted = seconds[1:] or seconds
    times = spread(counted)
    row = {"technology": technology.name, "version": bench.versions.get(technology.name, ""), "workload": workload.name,
           "size": workload.size, "clusters": workload.clusters or "", "steps": workload.steps or "",
           "threads": facts.get("threads", ["1"])[-1], "runs": len(counted), "status": "done"}  # fmt: skip
    row |= times | {"ns": 1e9 * times["median_s"] / workload.elements, "roof": bench.roof}
    row |= {"share": workload.traffic / times["median_s"] / bench.roof, "peak_mib": round(run.peak_mib), "others": run.others}
    row |= {"lines": lines_of(technology.source, workload.kind) if technology.source else "", "note": facts.get("note", [""])[0]}
    row |= technology.check(bench, workload, folder, facts)
    if row["agreement"] == "wrong":
        row["status"] = "failed"
    return row


# What came of it


def show(rows):
    columns = "technology threads size median_s min_s max_s ns share lines agreement differ error".split()
    for workload in dict.fromkeys(row["workload"] for row in rows if row["workload"] != "roof"):
        here = [row for row in rows if row["workload"] == workload]
        table = [columns] + [[in_cell(row.get(c)) for c in columns] for row in here]
        widths = [max(len(line[c]) for line in table) for c in range(len(columns))]
        print(f"\n{workload}")
        for line in table:
            print("  " + "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench technologies", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="TECHNOLOGY", help="which technologies (default: all)")
    parser.add_argument("--list", action="store_true", help="say which technologies there are")
    parser.add_argument("--quick", action="store_true", help="small inputs: does everything work?")
    parser.add_argument("--keep-busy", action="store_true", help="publish rows although other programs ran")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "cpu", help="where Dunlin's command is")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "bench" / "technologies", help="inputs and programs")
    return parser.parse_args()


def chosen(names):
    known = technologies()
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"technologies: there is no {unknown[0]}; there are {', '.join(known)}")
    return [known[name] for name in names or known]


def measure(bench, technology):
    """The rows of a technology, and the lines about what it lacks."""
    rows, lines = [], []
    try:
        bench.versions[technology.name] = technology.prepare(bench)
    except (Failed, OSError) as reason:
        return rows, [f"missing: {technology.name}: {reason}"]
    for workload in workloads(bench.options.quick):
        if workload.kind not in technology.kinds:
            continue
        try:
            found = row_of(bench, technology, workload)
        except (Failed, KeyError, ValueError, OSError) as reason:
            found = {"technology": technology.name, "workload": workload.name, "status": "failed",
                     "note": str(reason).replace(str(ROOT), ""), "agreement": "failed"}  # fmt: skip
        if isinstance(found, str):
            lines.append(f"missing: {technology.name}, {workload.name}: {found}")
        else:
            rows.append(found)
    if not rows and len({line.rpartition(": ")[2] for line in lines}) == 1:  # one reason for all
        lines = [f"missing: {technology.name}: {lines[0].rpartition(': ')[2]}"]
    return rows, lines


def keep(bench, rows):
    """Quick runs and busy minutes are functional tests only: their rows are not published."""
    if bench.options.quick:
        places = {bench.work / "quick.csv": rows}
    else:
        busy = [] if bench.options.keep_busy else [row for row in rows if row.get("others", 0) > BUSY]
        if busy:
            print(f"\n{len(busy)} rows of minutes in which other programs ran are kept apart, in {bench.work / 'busy.csv'}")
        places = {HERE.parent / "results" / "technologies.csv": [r for r in rows if r not in busy], bench.work / "busy.csv": busy}
    for path, some in places.items():
        if some:
            append_results(path, some, COLUMNS)


def main():
    options = arguments()
    if options.list:
        for technology in technologies().values():
            print(f"{technology.name:22}{technology.about}")
        return 0
    selected = chosen(options.names)
    bench = Bench(options, options.work)
    bench.work.mkdir(parents=True, exist_ok=True)
    prepare_python(bench)
    about = {"date": str(datetime.date.today()), "commit": commit_in_words(), "machine": machine_in_words()}
    rows, lines = [measure_roof(bench)], []
    for technology in selected:
        print(f"{technology.name} ...", flush=True)
        found, missing = measure(bench, technology)
        rows += found
        lines += missing
    show(rows)
    print("\n" + "\n".join([*lines, "missing: julia: Debian bookworm has no package of it" if not shutil.which("julia") else
                            "missing: julia: it is here, but there is no source for it"]))  # fmt: skip
    failed = [row for row in rows if row["status"] != "done"]
    for row in failed:
        print(f"FAILED {row['technology']}, {row['workload']}: {row.get('note') or row['agreement']}")
    keep(bench, [about | {"case": "technologies"} | row for row in rows])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

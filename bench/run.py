"""The benchmark driver: Dunlin beside its peers on this machine. `./dev bench --list` names the cases.

Systems of a case take turns, run by run, so that a slow minute of the machine hurts all of them. Every row carries
the true KL of its map by one evaluator (`dunlin score`) and the force error of the system's own engine at its final
map (bench_force_error). A peer that cannot be had makes a failed row and a failed run, never a missing row.
README.md beside this file says how to read the results. Only Python's own library is used here.
"""

import argparse
import csv
import datetime
import math
import os
import statistics
import sys
from pathlib import Path

import kmeans_cases
import mds
import mds_proof
from processes import ROOT, Failed, commit_in_words, machine_in_words, output_of, with_suffix
from systems import ITERATIONS, dunlin_map, force_errors, peer_run, run_dunlin, true_scores

HERE = Path(__file__).resolve().parent
BUSY = 0.05  # other programs' share of the cores above which a timing is not worth keeping

COLUMNS = (
    "date commit machine others case system version blas threads rows columns runs status stage "
    "median_s min_s max_s speedup target met kl label_accuracy normalized_stress "
    "force_error_median force_error_p99 mass_error peak_mib note"
).split()


class Bench:
    """Where inputs, programs and peers are."""

    def __init__(self, options):
        self.quick = options.quick
        self.runs = options.runs or (1 if options.quick else 3)
        self.threads = options.threads
        self.keep_busy = options.keep_busy
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
        """The stem of an input's files, made on first use."""
        stem = self.work / f"{name}-{rows}"
        if not stem.with_suffix(".npy").exists():
            output_of(self.script("inputs.py", name, rows, self.data, self.work))
        return stem

    def stem(self, case, system):
        folder = self.work / "maps"
        folder.mkdir(exist_ok=True)
        return folder / f"{case}.{system}"


# Rows


def spread(values):
    return {"median_s": statistics.median(values), "min_s": min(values), "max_s": max(values)}


def take_turns(bench, systems):
    """Runs every system `bench.runs` times, in turn. Returns samples or, where a system failed, its reason."""
    samples = {name: [] for name in systems}
    for turn in range(bench.runs):
        for name, work in systems.items():
            if isinstance(samples[name], str):
                continue
            try:
                samples[name].append(work())
                print(f"  run {turn + 1} of {bench.runs}: {name} {samples[name][-1].seconds.get('whole', 0):.2f} s")
            except (Failed, KeyError, ValueError, OSError) as reason:
                samples[name] = f"{type(reason).__name__}: {reason}"
                print(f"  {name} failed: {samples[name]}")
    return samples


def judged(bench, sample, points, labels):
    """Scores, or a note that says why there are none: timings without a KL would be half a truth."""
    try:
        return true_scores(bench, sample, points, labels) | force_errors(bench, sample)
    except (Failed, KeyError, ValueError, OSError) as reason:
        return {"status": "failed", "note": f"not judged: {reason}"}


def rows_of(samples, stages, shared, scores):
    """A row per stage; `stages` maps a row's name to the stages of the report that it adds up."""
    first = samples[0]
    common = {"version": first.version, "blas": first.blas, "runs": len(samples), "status": "done", "note": first.note}
    common |= (
        {"peak_mib": round(max(s.peak_mib for s in samples)), "others": max(s.others for s in samples)}
        | shared
        | scores
    )
    for stage, parts in stages.items():
        yield common | {"stage": stage} | spread([sum(s.seconds.get(p, 0) for p in parts) for s in samples])


def add_speedups(rows, samples, theirs, ours_stages, theirs_stages, targets):
    """On our rows: median over turns of theirs / ours, and whether the target is met."""
    for row in rows:
        stage = row["stage"]
        if stage not in theirs_stages:
            continue
        pairs = zip(samples["dunlin"], samples[theirs], strict=True)

        def total(sample, parts):
            return sum(sample.seconds.get(p, 0) for p in parts)

        ratios = [total(t, theirs_stages[stage]) / max(total(o, ours_stages[stage]), 1e-9) for o, t in pairs]
        row["speedup"] = statistics.median(ratios)
        if stage in targets:
            row["target"] = targets[stage]
            row["met"] = "yes" if row["speedup"] >= targets[stage] else "no"


def compare(bench, systems, stages, targets, shared, judge):
    """The rows of a case: ours first, with its speed-up over the peer."""
    samples = take_turns(bench, systems)
    rows = []
    for name in systems:
        if isinstance(samples[name], str):
            rows.append(shared | {"system": name, "status": "failed", "note": samples[name]})
            continue
        scores = judge(samples[name][-1])
        rows += rows_of(samples[name], stages[name], shared | {"system": name}, scores)
    peers = [name for name in systems if name != "dunlin"]
    if peers and not any(isinstance(samples[name], str) for name in ("dunlin", peers[0])):
        ours = [row for row in rows if row["system"] == "dunlin"]
        add_speedups(ours, samples, peers[0], stages["dunlin"], stages[peers[0]], targets)
    return rows


# The cases


def against_map_peer(bench, case, peer, rows, stages, target):
    points = bench.input("mnist-pca50", rows)
    file = with_suffix(points, ".npy")
    ours, theirs = bench.stem(case, "dunlin"), bench.stem(case, peer)
    systems = {
        "dunlin": lambda: dunlin_map(bench, file, ours),
        peer: lambda: peer_run(bench, peer, file, theirs, ITERATIONS),
    }
    own = {name: (name,) for name in ("whole", "neighbors", "loop", "process")}

    def judge(sample):
        return judged(bench, sample, file, with_suffix(points, ".labels.npy"))

    shared = {"rows": rows, "columns": 50}
    return compare(bench, systems, {"dunlin": stages, peer: own}, {"whole": target}, shared, judge)


def mnist10k(bench):
    """MNIST's first 10,000 rows, 50 principal components, beside scikit-learn: at least 12 times faster"""
    stages = {
        "whole": ("whole",),
        "neighbors": ("neighbors",),
        "loop": ("affinities", "start", "optimise"),
        "process": ("process",),
    }
    return against_map_peer(bench, "mnist10k", "sklearn", 2000 if bench.quick else 10000, stages, 12)


def mnist70k(bench):
    """MNIST, 70,000 rows, 50 principal components, beside openTSNE's FFT: at least 3 times faster, aim 5"""
    stages = {
        "whole": ("whole",),
        "neighbors": ("neighbors", "affinities"),
        "loop": ("optimise",),
        "process": ("process",),
    }
    return against_map_peer(bench, "mnist70k", "opentsne", 10000 if bench.quick else 70000, stages, 3)


def end_to_end(bench):
    """MNIST, 70,000 x 784, from the file of images to the picture, exact neighbours: aim 40 s"""
    rows = 5000 if bench.quick else 70000
    points = bench.input("mnist", rows)
    stem = bench.stem("end-to-end", "dunlin")
    images, labels = with_suffix(points, "-idx3-ubyte.gz"), with_suffix(points, ".labels.npy")

    def work():
        return dunlin_map(
            bench, images, stem, "--neighbors", "exact", "--labels", labels, outputs=(".npy", ".csv", ".png")
        )

    names = ("process", "read", "neighbors", "affinities", "start", "optimise", "score", "write")

    def judge(sample):
        return judged(bench, sample, images, labels)

    stages = {"dunlin": {name: (name,) for name in names}}
    rows_found = compare(bench, {"dunlin": work}, stages, {}, {"rows": rows, "columns": 784}, judge)
    for row in rows_found:
        if row.get("stage") == "process":
            row |= {"target": 40, "met": "yes" if row["median_s"] <= 40 else "no"}
    return rows_found


def knn60k(bench):
    """Exact neighbours of MNIST's 60,000 training images, k = 90, beside FAISS's flat index: at least 2 times faster"""
    rows, k = (10000 if bench.quick else 60000), 90
    points = bench.input("mnist", rows)
    file = with_suffix(points, ".npy")
    ours, theirs = bench.stem("knn60k", "dunlin"), bench.stem("knn60k", "faiss")

    def search():
        sample = run_dunlin(bench, "neighbors", file, ours, "-k", k, "--method", "exact", outputs=(".npz",))
        sample.seconds["whole"] = sample.seconds["neighbors"]
        return sample

    systems = {"dunlin": search, "faiss": lambda: peer_run(bench, "faiss", file, theirs, k)}
    names = {name: (name,) for name in ("neighbors", "process")}
    found = compare(bench, systems, {"dunlin": names, "faiss": names}, {"neighbors": 2},
                    {"rows": rows, "columns": 784}, lambda sample: {})  # fmt: skip
    if all(row["status"] == "done" for row in found):
        same = output_of(bench.script("agree.py", with_suffix(ours, ".npz"), with_suffix(theirs, ".npy")))
        found[0]["note"] = f"share of neighbours in common with FAISS: {float(same):.6f}"
    return found


def made_map(bench, rows):
    """One run on generated points, kept, so that two cases can speak of it."""
    if rows not in bench.memo:
        points = with_suffix(bench.input("made", rows), ".npy")
        bench.memo[rows] = dunlin_map(bench, points, bench.stem("made", f"dunlin-{rows}"))
    return bench.memo[rows]


def made_rows(bench, rows):
    try:
        sample = made_map(bench, rows)
        iterations = sample.facts["iterations"]
        sample.seconds["iteration"] = sample.seconds["optimise"] / iterations
        scores = {"kl": sample.facts["quality"]["kl"]} | force_errors(bench, sample)
    except (Failed, KeyError, ValueError, OSError) as reason:
        return [{"system": "dunlin", "rows": rows, "columns": 50, "status": "failed", "note": str(reason)}]
    names = ("process", "neighbors", "affinities", "optimise", "iteration")
    shared = {"system": "dunlin", "rows": rows, "columns": 50}
    found = list(rows_of([sample], {name: (name,) for name in names}, shared, scores))
    input_mib = rows * 50 * 4 / 2**20
    found[0]["note"] += f"; {iterations} iterations; input {input_mib:.0f} MiB"
    return found


def million(bench):
    """A million generated points x 50 (blobs, sheet, branches, haze, outliers): seconds per iteration, peak memory"""
    rows = 50000 if bench.quick else 1000000
    found = made_rows(bench, rows)
    if found[0]["status"] == "done":
        limit = 4096 + rows * 50 * 4 / 2**20
        found[0] |= {"met": "yes" if found[0]["peak_mib"] <= limit else "no"}
        found[0]["note"] += f"; target is memory under {limit:.0f} MiB"
    return found


def growth(bench):
    """Seconds per iteration at 10,000, 100,000 and a million generated points: should grow as n log n"""
    sizes = (2000, 10000, 50000) if bench.quick else (10000, 100000, 1000000)
    found, before = [], None
    for rows in sizes:
        row = made_rows(bench, rows)[-1]
        if row["status"] == "done" and before and before["status"] == "done":

            def cost(r):
                return r["rows"] * math.log(r["rows"])

            grew = row["median_s"] / before["median_s"]
            row["note"] += f"; {grew:.1f} times the last, n log n would be {cost(row) / cost(before):.1f}"
        found.append(row)
        before = row
    return found


CASES = {
    "mnist10k": mnist10k,
    "mnist70k": mnist70k,
    "end-to-end": end_to_end,
    "knn60k": knn60k,
    "million": million,
    "growth": growth,
} | kmeans_cases.cases(sys.modules[__name__]) | mds.cases(sys.modules[__name__]) | mds_proof.cases(sys.modules[__name__])


# Results


def in_cell(value):
    if isinstance(value, float):
        return f"{value:.5g}"
    return "" if value is None else str(value).replace("\n", " ")


def write_results(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, extrasaction="raise")
        table.writeheader()
        table.writerows({key: in_cell(value) for key, value in row.items()} for row in rows)


def show(rows):
    columns = "system rows stage median_s min_s max_s speedup target met kl normalized_stress".split()
    columns += "force_error_median force_error_p99".split()
    table = [columns] + [[in_cell(row.get(c)) for c in columns] for row in rows]
    widths = [max(len(line[c]) for line in table) for c in range(len(columns))]
    for line in table:
        print("  " + "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))
    for row in rows:
        if row["status"] != "done":
            print(f"  FAILED {row['system']}: {row['note']}")


def without_paths(text, bench):
    """Results are published: no place on this machine belongs in them."""
    for place in (bench.work, bench.data, ROOT):
        text = text.replace(str(place), "")
    return text


def folder_for(bench, rows):
    """Quick runs and runs on a busy machine say whether things work, not how fast they are: they are not published."""
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
    write_results(folder_for(bench, rows) / f"{about['date']}-{name}.csv", rows)
    return all(row["status"] == "done" for row in rows)


# The command line


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench", description="Dunlin beside its peers, on this machine.")
    parser.add_argument("cases", nargs="*", metavar="CASE", help="which cases (default: all)")
    parser.add_argument("--list", action="store_true", help="say which cases there are")
    parser.add_argument("--quick", action="store_true", help="small inputs, one run: does everything work?")
    parser.add_argument("--runs", type=int, help="runs of each system (default: 3)")
    parser.add_argument("--keep-busy", action="store_true", help="publish results although other programs ran")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="threads of each system (default: all)")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release", help="where the programs are")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "bench", help="inputs, maps and the peers")
    data = os.environ.get("DUNLIN_DATA", ROOT.parent / "shared" / "data")
    parser.add_argument("--data", type=Path, default=data, help="the data (default: $DUNLIN_DATA)")
    return parser.parse_args()


def main():
    options = arguments()
    if options.list:
        for name, case in CASES.items():
            print(f"{name:14}{case.__doc__}")
        return 0
    unknown = [name for name in options.cases if name not in CASES]
    if unknown:
        sys.exit(f"bench: there is no case {unknown[0]}; there are {', '.join(CASES)}")
    os.environ |= {key: str(options.threads) for key in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    bench = Bench(options)
    bench.prepare_peers()
    about = {"date": str(datetime.date.today()), "commit": commit_in_words(), "machine": machine_in_words()}
    good = [run_case(bench, name, about) for name in options.cases or CASES]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Cases that prove multidimensional scaling by its stress: at its targets for several seeds, beside long runs over the
same pairs, and with distances that are fed or paged.

Rows are as in mds.py. Seconds are a wall clock's: beside other programs (column `others`) they are too long.
"""

import random
import statistics
from pathlib import Path

import mds
from processes import output_of, with_suffix
from rows import rows_of
from systems import run_dunlin
from tolerances import tolerance

LONG = 3000  # annealed steps of a reference, in each of which a point meets 24 others


def mixture(count=60000, columns=64, clusters=20):
    """Gaussians of standard deviation 1 around normally distributed centers."""
    draw = random.Random(2)
    centers = [[draw.gauss(0, 1) for _ in range(columns)] for _ in range(clusters)]
    for i in range(count):
        yield [c + draw.gauss(0, 1) for c in centers[i % clusters]]


def place(bench, name, file, *words):
    sample = run_dunlin(bench, "mds", file, bench.stem("mds", name.replace(" ", "-")), *words)
    sample.seconds["whole"] = sample.seconds["start"] + sample.seconds["optimize"]
    return sample


def stress_beside(bench, file, words, sample, method="dunlin"):
    """Stress of a map over the same pairs for all maps, by a run without steps."""
    name = sample.stem.name.removeprefix("mds.") + "-judged"
    words = [*words, "--method", method, "--iterations", "0", "--start", with_suffix(sample.stem, ".npy")]
    return place(bench, name, file, *words, "--exact-rows", "10000").facts["quality"]["normalized_stress"]


def row(samples, stage, system, facts):
    """One row for all runs; facts: further columns."""
    first = samples[0].facts["input"]
    shared = {"system": system, "rows": first["rows"], "columns": first["cols"]}
    return next(rows_of(samples, {stage: ("whole",)}, shared, facts))


def at_most(found, target):
    return {"target": target, "met": "yes" if found <= target else "no"}

# Targets


def targets(bench):
    """Name, file, flags, upper bound of the stress."""
    sets, data = mds.data_sets(bench), Path(bench.data)
    yield "eurodist", data / "matrices" / "eurodist.csv", [], tolerance("eurodist_stress")
    for name in ("cancer", "swissroll", "shuttle_small", "shuttle_big"):
        if name in sets:
            yield name, *sets[name], tolerance(f"{name}_stress")
    for count in mds.grid_counts(bench):
        for start in ("auto", "random"):
            yield f"grid {count}, {start} start", *mds.made_grid(bench, count, 0), tolerance("flat_stress")


def mds_gates(bench):
    """Stress of the default method and its targets, the worst of all seeds"""
    for name, file, words, most in targets(bench):
        words = [*words, *(["--start", "random"] if name.endswith("random start") else [])]
        samples = [place(bench, "gates", file, *words, "--seed", s + 1) for s in range(bench.runs)]
        found = [s.facts["quality"]["normalized_stress"] for s in samples]
        note = {"note": f"stress {min(found):.5g} to {max(found):.5g} of {len(found)} seeds"}
        yield row(samples, name, "dunlin", note | {"normalized_stress": max(found)} | at_most(max(found), most))

# Comparison with long runs


def hard_sets(bench):
    """Name: file and flags."""
    yield "grid 10000, noise", *mds.made_grid(bench, 10000, 0.01)
    if bench.quick:
        return
    yield "grid 100000, noise", *mds.made_grid(bench, 100000, 0.01)
    yield "20 Gaussians", mds.made(bench, "mixture", mixture, 64), []
    yield "MNIST", Path(bench.data) / "points" / "mnist" / "train-images-idx3-ubyte.gz", []


def mds_proof(bench):
    """The default beside 3,000 annealed steps, by stress over the same pairs: target within 1%"""
    for name, file, words in hard_sets(bench):
        stem = "proof-" + name.split(",")[0].replace(" ", "-")
        runs = {"3000 steps": [place(bench, f"{stem}-long", file, *words, "--scores", "none", "--iterations", LONG)]}
        runs["dunlin"] = [
            place(bench, f"{stem}-{s + 1}", file, *words, "--scores", "none", "--seed", s + 1) for s in range(bench.runs)
        ]
        found = {k: [stress_beside(bench, file, words, s) for s in samples] for k, samples in runs.items()}
        best = found["3000 steps"][0]
        for system, samples in runs.items():
            steps = [str(s.facts["iterations"]) for s in samples]
            facts = {"normalized_stress": max(found[system]), "note": f"{', '.join(steps)} steps"}
            if system == "dunlin":
                facts |= at_most(max(found[system]), 1.01 * best)
                facts["note"] += "; " + ", ".join(f"{f / best - 1:+.2%}" for f in found[system])
            yield row(samples, name, system, facts)

# On-demand and paged distances


def mds_paging(bench):
    """Glimmer's section 5.3: a graph's paths fed, paged from their matrix, and all of them"""
    for name in ("commanche",) if bench.quick else ("commanche", "crack"):
        graph = Path(bench.data) / "graphs" / "tfdp-bench" / f"{name}.mtx.xz"
        matrix = bench.work / "mds" / f"{name}.npy"
        if not matrix.exists():
            bench.prepare_peers()
            output_of(bench.script("paths.py", graph, matrix))
        small = matrix.stat().st_size // 2
        systems = {
            "feeding": (graph, ["--holds", "graph", "--weights-from", "none"], {"target": 1}),
            "paging": (matrix, ["--memory", small], {"target": 0.2}),
            "all distances": (matrix, [], {}),
        }
        for system, (file, words, facts) in systems.items():
            samples = [place(bench, f"paging-{system}-{s + 1}", file, *words, "--scores", "none", "--seed", s + 1)
                       for s in range(bench.runs)]  # fmt: skip
            stress = [stress_beside(bench, matrix, [], s, "smacof") for s in samples]
            facts = facts | {"normalized_stress": statistics.median(stress)}
            share = samples[0].facts.get("distances", {}).get("share", 1)
            facts["note"] = f"{share:.3g} of all distances; stress {min(stress):.5g} to {max(stress):.5g}"
            found = row(samples, name, system, facts)
            if "target" in facts:
                found["met"] = "yes" if found["median_s"] <= facts["target"] else "no"
            yield found


def listed(case):
    def rows(bench):
        return list(case(bench))

    rows.__doc__ = case.__doc__
    return rows


CASES = {"mds-gates": listed(mds_gates), "mds-proof": listed(mds_proof), "mds-paging": listed(mds_paging)}

# SPDX-License-Identifier: Apache-2.0
"""One run of one system, Dunlin or a peer, and the true scores of its map."""

import json
from dataclasses import dataclass, field
from pathlib import Path

from processes import our_blas, output_of, run_measured, with_suffix

PERPLEXITY = 30
ITERATIONS = 1000
EXAGGERATED = 250


@dataclass
class Sample:
    """The result of one run of one system."""

    seconds: dict  # by stage
    stem: Path  # of its files
    peak_mib: float = 0
    others: float = 0  # share of the cores that other programs took meanwhile
    version: str = ""
    blas: str = ""
    note: str = ""
    facts: dict = field(default_factory=dict)


def run_dunlin(bench, verb, points, stem, *words, outputs=(".npy",)):
    """Dunlin's command; its report has the seconds by stage."""
    report = with_suffix(stem, ".json")
    command = [bench.dunlin, verb, points, *words, "--threads", bench.threads, "--quiet", "--report", report]
    for suffix in outputs:
        command += ["-o", with_suffix(stem, suffix)]
    run = run_measured(command, with_suffix(stem, ".log"))
    facts = json.loads(report.read_text())
    seconds = {stage: s for stage, s in facts["seconds"].items() if s is not None} | {"process": run.wall}
    return Sample(seconds, stem, run.peak_mib, run.others, bench.version, our_blas(), facts=facts)


def dunlin_map(bench, points, stem, *words, outputs=(".npy",)):
    """t-SNE with the constants of every comparison; `whole` is from points in memory to the map, as for the peers."""
    constants = ["--perplexity", PERPLEXITY, "--iterations", ITERATIONS, "--exaggerated-iterations", EXAGGERATED]
    sample = run_dunlin(bench, "tsne", points, stem, *constants, *words, outputs=outputs)
    s = sample.seconds
    s["whole"] = sum(s.get(stage, 0) for stage in ("neighbors", "affinities", "start", "optimize"))
    options = sample.facts.get("options", {})
    sample.note = f"neighbors {options.get('neighbors')}, repulsion {options.get('repulsion')}"
    return sample


def peer_run(bench, peer, points, stem, number):
    return script_run(bench, stem, "peers.py", peer, points, stem, number, bench.threads)


def script_run(bench, stem, *words):
    """A peer's script, which writes its facts beside its result."""
    command = bench.script(*words)
    run = run_measured(command, with_suffix(stem, ".log"))
    facts = json.loads(with_suffix(stem, ".json").read_text())
    seconds = facts["seconds"] | {"process": run.wall}
    return Sample(seconds, stem, run.peak_mib, run.others, facts["version"], facts["blas"], facts["note"], facts)


# Evaluation of a map


def true_scores(bench, sample, points, labels):
    """KL and label accuracy, by one evaluator for all systems."""
    report = with_suffix(sample.stem, ".score.json")
    command = [bench.dunlin, "score", with_suffix(sample.stem, ".npy"), "--of", points]
    command += ["--labels", labels, "--perplexity", PERPLEXITY, "--neighbors", "exact", "--quiet", "--report", report]
    run_measured(command, with_suffix(sample.stem, ".score.log"))
    quality = json.loads(report.read_text())["quality"]
    return {key: quality[key] for key in ("kl", "label_accuracy") if key in quality}


def force_errors(bench, sample):
    """Force error of the engine that made the map, at that map; peers.py stores the forces of a peer."""
    command = [bench.force_error, with_suffix(sample.stem, ".npy")]
    forces = with_suffix(sample.stem, ".forces.npy")
    if forces.exists():
        command += ["given", forces, sample.facts["mass"]]
    else:
        command += [sample.facts["options"]["repulsion"]]
    found = json.loads(output_of(command))
    names = {"force_error_median": "median", "force_error_p99": "p99", "mass_error": "mass_error"}
    return {ours: found[theirs] for ours, theirs in names.items()}

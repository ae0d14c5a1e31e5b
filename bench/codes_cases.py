# SPDX-License-Identifier: Apache-2.0
"""The cases of neighbors by codes for run.py: MNIST and Gaussian clusters beside FAISS's IVF-PQ, and a million rows."""

import math

from processes import output_of, with_suffix
from rows import compare, rows_of
from systems import run_dunlin, script_run

K = 90
RECALL = 0.95


def search(bench, points, stem, parts):
    sample = run_dunlin(bench, "neighbors", points, stem, "-k", K, "--device", "cpu", "--method", "approximate",
                        "--codes", parts, "--recall", RECALL, outputs=(".npz",))  # fmt: skip
    sample.seconds["whole"] = sample.seconds["neighbors"]
    sample.note = f"{parts} bytes, {sample.facts['options']['probes']} cells met"
    return sample


def beside_faiss(bench, case, points, rows, columns, parts, peer_parts):
    file, stems = with_suffix(points, ".npy"), {name: bench.stem(case, name) for name in ("dunlin", "faiss")}
    cells = min(4096, round(math.sqrt(rows)))
    systems = {
        "dunlin": lambda: search(bench, file, stems["dunlin"], parts),
        "faiss": lambda: script_run(
            bench, stems["faiss"], "codes_peer.py", file, stems["faiss"], K, peer_parts, cells, RECALL, bench.threads
        ),
    }
    stages = {"dunlin": ("whole", "process"), "faiss": ("whole", "build", "search", "process")}
    stages = {name: {stage: (stage,) for stage in of} for name, of in stages.items()}
    suffixes = {stems["dunlin"]: ".npz", stems["faiss"]: ".npy"}

    def judge(sample):
        found = with_suffix(sample.stem, suffixes[sample.stem])
        return {"recall": float(output_of(bench.script("recall.py", file, found)))}

    return compare(bench, systems, stages, {}, {"rows": rows, "columns": columns}, judge)


def codes_mnist(bench):
    """Neighbors by codes, MNIST 60,000 x 784, k = 90, recall 0.95, 24 bytes, beside FAISS's IVF-PQ (28 bytes)"""
    rows = 10_000 if bench.quick else 60_000
    return beside_faiss(bench, "codes-mnist", bench.input("mnist", rows), rows, 784, 24, 28)


def codes_gaussians(bench):
    """Neighbors by codes, 200 Gaussian clusters, 200,000 x 50, k = 90, recall 0.95, 25 bytes, beside FAISS's IVF-PQ"""
    rows = 20_000 if bench.quick else 200_000
    return beside_faiss(bench, "codes-gaussians", bench.input("gaussians", rows), rows, 50, 25, 25)


def codes_million(bench):
    """Neighbors by codes, 200 Gaussian clusters, 1,000,000 x 50, k = 90, recall 0.95, 25 bytes: one run"""
    rows = 50_000 if bench.quick else 1_000_000
    points = with_suffix(bench.input("gaussians", rows), ".npy")
    sample = search(bench, points, bench.stem("codes-million", "dunlin"), 25)
    recall = float(output_of(bench.script("recall.py", points, with_suffix(sample.stem, ".npz"))))
    shared = {"system": "dunlin", "rows": rows, "columns": 50}
    return list(rows_of([sample], {stage: (stage,) for stage in ("whole", "process")}, shared, {"recall": recall}))


CASES = {"codes-mnist": codes_mnist, "codes-gaussians": codes_gaussians, "codes-million": codes_million}

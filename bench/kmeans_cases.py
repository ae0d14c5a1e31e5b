# SPDX-License-Identifier: Apache-2.0
"""The cases of k-means for run.py: two workloads beside scikit-learn and FAISS, and the sweeps of kmeans_sweeps.py."""

import csv
import json
import statistics

from processes import output_of, with_suffix
from rows import spread


def measure(bench, rows, columns, clusters, iterations, peers):
    """Facts by system; the systems alternate, run by run."""
    stem = bench.work / f"kmeans-{rows}-{columns}-{clusters}"
    points, start = with_suffix(stem, ".npy"), with_suffix(stem, ".start.npy")
    output_of(bench.script("kmeans_peer.py", "make", "normal", rows, columns, clusters, stem))
    words = [points, start, iterations, 1, bench.threads]
    commands = [[bench.dunlin.parent / "bench_kmeans", *words]]
    commands += [bench.script("kmeans_peer.py", peer, *words) for peer in peers]
    found = {}
    for _ in range(bench.runs):
        for command in commands:
            for name, facts in json.loads(output_of(command)).items():
                facts["seconds"] = found.get(name, {"seconds": []})["seconds"] + facts["seconds"]
                found[name] = facts
    points.unlink()
    return found


def beside(bench, rows, columns, clusters, iterations, targets):
    """`targets`: required speed-up of an iteration over each peer."""
    found = measure(bench, rows, columns, clusters, iterations, targets)
    each = {name: [s / iterations for s in facts["seconds"]] for name, facts in found.items()}
    shared = {"rows": rows, "columns": columns, "runs": bench.runs, "status": "done", "stage": "iteration"}
    result = []
    for name, seconds in each.items():
        note = f"{clusters} clusters; inertia {found[name]['inertia']:.7g}"
        row = shared | {"system": name, "note": note} | spread(seconds)
        row["version"] = found[name].get("version", bench.version)
        if name == "dunlin":
            faster = {peer: statistics.median(map(lambda a, b: a / b, each[peer], seconds)) for peer in targets}
            row["note"] += "".join(f"; {times:.2f} times {peer}" for peer, times in faster.items())
            row["speedup"], row["target"] = min(faster.values()), max(targets.values())
            row["met"] = "yes" if all(faster[peer] >= targets[peer] for peer in targets) else "no"
        result.append(row)
    return result


def kmeans10m(bench):
    """k-means, 10,000,000 x 2, 4 clusters, beside scikit-learn: at least 6 times faster an iteration"""
    rows = 100_000 if bench.quick else 10_000_000
    return beside(bench, rows, 2, 4, 10, {"sklearn": 6})


def kmeans1024(bench):
    """k-means, 100,000 x 128, 1,024 clusters, beside scikit-learn and FAISS: faster an iteration"""
    rows = 10_000 if bench.quick else 100_000
    return beside(bench, rows, 128, 1024, 5, {"sklearn": 1, "faiss": 1})


def kmeans_sweeps(bench):
    """k-means, two clusters at -0.25 and 0.25: points 10 to 10^7, columns and clusters 2 to 128; median of 30; plots"""
    runs, most = (3, 10_000) if bench.quick else (30, 10_000_000)
    folder = bench.work / "kmeans"
    program = bench.dunlin.parent / "bench_kmeans"
    print(output_of(bench.script("kmeans_sweeps.py", program, folder, runs, bench.threads, most)))
    result = []
    with open(folder / "kmeans-sweeps.csv", newline="") as file:
        for row in csv.DictReader(file):
            about = {"rows": row["rows"], "columns": row["columns"], "runs": row["runs"], "status": "done"}
            about["stage"] = f"{row['sweep']}, K = {row['clusters']}"
            for system in ("sequential", "dunlin", "cuda", "sklearn"):
                if not row.get(system):
                    continue
                note = "; ".join(
                    f"{row[f'{system}_over_{other}']} times {other}"
                    for other in ("sequential", "sklearn")
                    if row.get(f"{system}_over_{other}")
                )
                result.append(about | {"system": system, "median_s": float(row[system]) / 1e6, "note": note})
    return result


CASES = {"kmeans10m": kmeans10m, "kmeans1024": kmeans1024, "kmeans-sweeps": kmeans_sweeps}

"""The cases of k-means for run.py: two workloads beside scikit-learn, and three sweeps over points, columns, clusters."""

import csv
import json
import statistics


def cases(tools):
    """`tools` is the module run.py."""

    def measure(bench, kind, rows, columns, clusters, iterations, runs):
        """Seconds per iteration of every run, by system; scikit-learn's turn comes right after ours."""
        stem = bench.work / f"kmeans-{kind}-{rows}-{columns}-{clusters}"
        points, start = tools.with_suffix(stem, ".npy"), tools.with_suffix(stem, ".start.npy")
        if not points.exists():
            tools.output_of(bench.script("kmeans_peer.py", "make", kind, rows, columns, clusters, stem))
        words = [points, start, iterations, runs, bench.threads]
        ours = json.loads(tools.output_of([bench.dunlin.parent / "bench_kmeans", *words]))
        theirs = json.loads(tools.output_of(bench.script("kmeans_peer.py", "run", *words)))
        if rows * columns >= 10**7:
            points.unlink()
        version = theirs.pop("version")
        found = {name: [s / iterations for s in facts["seconds"]] for name, facts in (ours | theirs).items()}
        return found, version

    def beside_sklearn(bench, kind, rows, columns, clusters, iterations, target):
        found, version = measure(bench, kind, rows, columns, clusters, iterations, bench.runs)
        shared = {"rows": rows, "columns": columns, "runs": bench.runs, "status": "done", "stage": "iteration"}
        result = []
        for name, seconds in found.items():
            row = shared | {"system": name, "note": f"{clusters} clusters"} | tools.spread(seconds)
            row["version"] = version if name == "sklearn" else bench.version
            if name != "sklearn":
                row["speedup"] = statistics.median(found["sklearn"]) / row["median_s"]
            if name == "dunlin":
                row |= {"target": target, "met": "yes" if row["speedup"] >= target else "no"}
            result.append(row)
        return result

    def kmeans10m(bench):
        """k-means, 10,000,000 x 2, 4 clusters, beside scikit-learn: at least 6 times faster an iteration"""
        rows = 100_000 if bench.quick else 10_000_000
        return beside_sklearn(bench, "normal", rows, 2, 4, 10, 6)

    def kmeans1024(bench):
        """k-means, 100,000 x 128, 1,024 clusters, beside scikit-learn: faster an iteration"""
        rows = 10_000 if bench.quick else 100_000
        return beside_sklearn(bench, "normal", rows, 128, 1024, 5, 1)

    def sweeps(bench):
        most = 4 if bench.quick else 7
        yield from (("points", 10**power, 2, 2) for power in range(1, most + 1))
        rows = 1000 if bench.quick else 100_000
        yield from (("columns", rows, 2**power, 2) for power in range(1, 8))
        yield from (("clusters", rows, 2, 2**power) for power in range(1, 8))

    def kmeans_sweeps(bench):
        """k-means, two clusters at -0.25 and 0.25: points 10 to 10^7, columns and clusters 2 to 128; median of 30"""
        runs = 3 if bench.quick else 30
        result, table = [], []
        for sweep, rows, columns, clusters in sweeps(bench):
            found, _ = measure(bench, "pair", rows, columns, clusters, 10, runs)
            medians = {name: statistics.median(seconds) for name, seconds in found.items()}
            print(f"  {sweep}: {rows} x {columns}, {clusters} clusters: "
                  + ", ".join(f"{name} {1e6 * s:.1f} us" for name, s in medians.items()))  # fmt: skip
            for name, seconds in found.items():
                note = f"{sweep}; {clusters} clusters"
                for other in ("sequential", "sklearn"):
                    if other in medians:
                        note += f"; {medians[other] / medians[name]:.2f} times {other}"
                row = {"rows": rows, "columns": columns, "system": name, "stage": "iteration", "runs": runs}
                result.append(row | {"status": "done", "note": note} | tools.spread(seconds))
            table.append({"sweep": sweep, "rows": rows, "columns": columns, "clusters": clusters} | medians)
        names = ["sweep", "rows", "columns", "clusters", "sequential", "dunlin", "cuda", "sklearn"]
        with open(bench.work / "kmeans-sweeps.csv", "w", newline="") as file:
            out = csv.DictWriter(file, names)
            out.writeheader()
            out.writerows(table)
        return result

    return {"kmeans10m": kmeans10m, "kmeans1024": kmeans1024, "kmeans-sweeps": kmeans_sweeps}

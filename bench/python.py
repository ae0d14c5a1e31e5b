#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times the Python package beside scikit-learn, openTSNE and NetworkX.

    PYTHONPATH=python build/python/venv/bin/python bench/python.py [--runs 3] [--quick] [--save] [CASE...]

Needs the packages of python/requirements-upstream.txt in the environment that runs it. The systems of a case alternate,
each run in a new process; times are from arrays or graphs in memory to the result, conversion included, without imports
(but in `cold` and `import`). A row has the median, the extremes, and, of Dunlin's, the median ratio peer / Dunlin over
the turns. --save appends the rows to bench/results/python.csv. --quick: small inputs and one run, as a test that all
cases run. Real data come from DUNLIN_DATA. Without it the cases with MNIST are left out, and a line says so.
"""

import argparse
import datetime
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

from processes import ROOT, Failed, commit_in_words, machine_in_words, our_blas, run_measured
from rows import append_results, show, spread

RESULTS = ROOT / "bench" / "results" / "python.csv"
PACKAGES = {"sklearn": "scikit-learn", "opentsne": "openTSNE", "networkx": "networkx", "numpy": "numpy"}


# Work of one process: each returns (seconds, what the row says besides)


def timed(work):
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def repeated(work, least=0.5):
    """Seconds of a call, the median of calls for half a second after the first ones."""
    for _ in range(5):
        work()
    seconds, total = [], 0.0
    while total < least:
        seconds.append(timed(work)[0])
        total += seconds[-1]
    return statistics.median(seconds)


def points_of(rows, columns, kind="float32", clusters=20):
    import numpy as np

    rng = np.random.default_rng(20)
    centers = rng.normal(0, 3, (clusters, columns)).astype(kind)
    X = rng.standard_normal((rows, columns), np.float32).astype(kind, copy=False)
    X += centers[rng.integers(clusters, size=rows)]
    return X


def digits():
    import numpy as np

    file = ROOT / "examples" / "digits.csv.gz"
    return np.loadtxt(file, delimiter=",", skiprows=1, usecols=range(64), dtype=np.float32)


def mnist(name, size):
    import numpy as np

    return np.load(f"{os.environ['DUNLIN_BENCH_INPUTS']}/{name}-{size}.npy")


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def importing(system, size):
    import numpy  # noqa: F401

    before, threads = resident(), len(os.listdir("/proc/self/task"))
    if system == "dunlin":
        seconds, _ = timed(lambda: __import__("dunlin"))
    else:
        seconds, _ = timed(lambda: __import__("sklearn.manifold"))
    more = len(os.listdir("/proc/self/task")) - threads
    return seconds, {"note": f"beyond NumPy; {(resident() - before) / 2**20:.1f} MiB, {more} threads more"}


def cold(system, size):
    """The whole process is timed, see measured()."""
    X = digits()
    if system == "dunlin":
        import dunlin

        dunlin.tsne(X)
    else:
        from sklearn.manifold import TSNE

        TSNE(init="pca", random_state=0).fit(X)
    return None, {"rows": len(X), "columns": 64}


def binding(system, size):
    from dunlin import _core

    return repeated(lambda: _core.usable_threads(1)), {}


def small_call(system, size):
    X = points_of(20, 4)
    if system == "dunlin":
        import dunlin

        return repeated(lambda: dunlin.neighbors(X, 5)), {}
    from sklearn.neighbors import NearestNeighbors

    return repeated(lambda: NearestNeighbors(n_neighbors=5).fit(X).kneighbors()), {}


def estimator(system, size):
    """What the class adds to the function."""
    import dunlin

    X = points_of(20, 4)
    whole = repeated(lambda: dunlin.KNeighborsTransformer(n_neighbors=5).fit_transform(X))
    return max(0.0, whole - repeated(lambda: dunlin.neighbors(X, 5))), {"note": "KNeighborsTransformer less neighbors()"}


def narrowing(system, size):
    """float64 to float32 with the rule for far columns."""
    from dunlin import _intake
    from dunlin._run import Run

    X = points_of(size, 64, "float64")
    seconds = repeated(lambda: _intake.points(X, Run({})), 2.0)
    return seconds, {"columns": 64, "rate": X.nbytes / seconds, "note": "rate: bytes of float64 a second"}


def in_place(system, size):
    """float32 that is used where it lies: how much the peak grows."""
    import dunlin

    X = points_of(size, 64)
    Path("/proc/self/clear_refs").write_text("5")  # making X had a higher peak
    before = resident()
    seconds, _ = timed(lambda: dunlin.kmeans(X, 8, max_iter=5))
    status = Path("/proc/self/status").read_text()
    peak = int(status.partition("VmHWM:")[2].split()[0]) * 1024
    share = max(0, peak - before) / X.nbytes
    return seconds, {"columns": 64, "share": share, "note": f"k-means; the peak grows by {100 * share:.2g}% of X"}


def map_of(system, X):
    """(seconds, embedding) of t-SNE with perplexity 30, 250 + 750 iterations."""
    if system == "dunlin":
        import dunlin

        return timed(lambda: dunlin.tsne(X, max_iter=1000).embedding)
    if system == "sklearn":
        from sklearn.manifold import TSNE

        return timed(lambda: TSNE(init="pca", random_state=0, n_jobs=-1).fit_transform(X))
    import openTSNE

    return timed(lambda: openTSNE.TSNE(n_iter=750, n_jobs=-1, random_state=0).fit(X))


def judged(X, embedding):
    import dunlin
    import numpy as np

    return dunlin.score(np.asarray(embedding), X, perplexity=30)["kl"]


def tsne(system, size):
    X = digits() if size < 2000 else mnist("mnist-pca50", size)
    seconds, embedding = map_of(system, X)
    return seconds, {"columns": X.shape[1], "kl": judged(X, embedding)}


def knn(system, size):
    X = mnist("mnist", size) if size > 2000 else points_of(size, 784)
    if system == "dunlin":
        import dunlin

        seconds, _ = timed(lambda: dunlin.neighbors(X, 90, method="exact"))
    else:
        from sklearn.neighbors import NearestNeighbors

        seconds, _ = timed(lambda: NearestNeighbors(n_neighbors=90, algorithm="brute", n_jobs=-1).fit(X).kneighbors())
    return seconds, {"columns": 784, "note": "90 nearest"}


def kmeans(system, size):
    X = points_of(size, 32)
    clusters = min(100, size // 10)
    if system == "dunlin":
        from dunlin import KMeans
    else:
        from sklearn.cluster import KMeans
    model = KMeans(clusters, n_init=1, random_state=0, max_iter=100, tol=0)
    model.fit(X[: max(clusters, 200)])  # the first call starts threads
    seconds, fitted = timed(lambda: model.fit(X))
    note = f"{clusters} clusters, inertia {fitted.inertia_:.5g}"
    return seconds / max(1, fitted.n_iter_), {"columns": 32, "note": f"of an iteration; {note}"}


def smacof(system, size):
    X = points_of(size, 20)
    if system == "dunlin":
        from dunlin import MDS
    else:
        from sklearn.manifold import MDS
    options = {"n_init": 1, "init": "random", "max_iter": 300, "eps": 1e-6, "random_state": 0}
    seconds, fitted = timed(lambda: MDS(**options).fit(X))
    return seconds, {"columns": 20, "note": f"stress {fitted.stress_:.5g}, {fitted.n_iter_} iterations"}


def graph_of(size, edges=3):
    import networkx as nx

    return nx.barabasi_albert_graph(size, edges, seed=20)


def spring(system, size):
    G = graph_of(size)
    if system == "dunlin":
        from dunlin.networkx import spring_layout
    else:
        from networkx import spring_layout
    seconds, _ = timed(lambda: spring_layout(G, seed=0))
    return seconds, {"note": f"{G.number_of_edges()} edges"}


def layout(system, size):
    """The whole call beside the seconds of the library's stages."""
    import dunlin

    G = graph_of(size)
    seconds, drawn = timed(lambda: dunlin.layout(G))
    inside = sum(drawn.seconds.values())
    return seconds, {"note": f"{G.number_of_edges()} edges; {seconds / inside:.3g} times the library's {inside:.3g} s"}


def conversion(system, size):
    from dunlin import _graphs

    G = graph_of(size)
    seconds, _ = timed(lambda: _graphs.graph_of(G))
    return seconds, {"note": f"{G.number_of_edges()} edges"}


# Cases: work, systems (Dunlin first), sizes, least speed-up or most seconds (of in-place the most that the peak may grow, as a
# share of X)

CASES = {
    "import": (importing, ("dunlin", "sklearn"), (0,), None, 0.030),
    "cold": (cold, ("dunlin", "sklearn"), (1797,), None, 2.0),
    "binding": (binding, ("dunlin",), (0,), None, 5e-6),
    "call": (small_call, ("dunlin", "sklearn"), (20,), None, 100e-6),
    "estimator": (estimator, ("dunlin",), (20,), None, 1e-3),
    "narrowing": (narrowing, ("dunlin",), (2_000_000,), None, 0.512),
    "in-place": (in_place, ("dunlin",), (4_000_000,), None, 0.01),
    "tsne-digits": (tsne, ("dunlin", "sklearn"), (1797,), 20, None),
    "tsne-10k": (tsne, ("dunlin", "sklearn"), (10_000,), 20, None),
    "tsne-70k": (tsne, ("dunlin", "opentsne"), (70_000,), 15, None),
    "knn": (knn, ("dunlin", "sklearn"), (60_000,), 5, None),
    "kmeans": (kmeans, ("dunlin", "sklearn"), (1_000_000,), 3, None),
    "kmeans-small": (kmeans, ("dunlin", "sklearn"), (100, 1000, 10_000, 100_000), 1, None),
    "smacof": (smacof, ("dunlin", "sklearn"), (2000,), 10, None),
    "spring-1k": (spring, ("dunlin", "networkx"), (1000,), 30, None),
    "spring-10k": (spring, ("dunlin", "networkx"), (10_000,), 100, None),
    "layout": (layout, ("dunlin",), (100_000,), None, None),
    "conversion": (conversion, ("dunlin",), (333_334,), None, 0.5),
}
REAL = {"tsne-10k": "mnist-pca50", "tsne-70k": "mnist-pca50", "knn": "mnist"}
ONCE = {"tsne-70k", "spring-10k"}  # minutes of the peer


def measured(case, system, size, folder):
    """A run in a new process: a row's fields."""
    log = Path(folder) / "run.log"
    command = [sys.executable, __file__, "--work", case, "--system", system, "--size", size]
    usage = run_measured(command, log)
    said = json.loads(log.read_text().strip().splitlines()[-1])
    if said["seconds"] is None:
        said["seconds"] = usage.wall
    return said | {"peak_mib": usage.peak_mib, "others": usage.others}


def rows_of(case, runs, quick, folder):
    work, systems, sizes, least, most = CASES[case]
    for size in sizes:
        if quick:
            size = min(size, 1000)
        samples = {system: [] for system in systems}
        for turn in range(1 if quick or case in ONCE else runs):
            for system in systems:
                samples[system].append(measured(case, system, size, folder))
                print(f"  {case} {size}: {system} {samples[system][-1]['seconds']:.3g} s", flush=True)
        for system in systems:
            row = row_of(case, system, size, samples[system])
            if system == "dunlin":
                judge(row, samples, systems, least, most)
            yield row


def row_of(case, system, size, samples):
    import dunlin

    last = samples[-1]
    row = {"system": system, "rows": size, "stage": case, "runs": len(samples), "status": "done"}
    row |= {name: last[name] for name in ("rows", "columns", "kl", "rate", "note") if name in last}
    row |= spread([sample["seconds"] for sample in samples])
    row |= {"peak_mib": round(max(s["peak_mib"] for s in samples)), "others": max(s["others"] for s in samples)}
    row["threads"] = dunlin._core.usable_threads(0)
    row["version"] = dunlin.__version__ if system == "dunlin" else version(PACKAGES[system])
    if system == "dunlin":
        row["blas"] = our_blas()
    return row


def judge(row, samples, systems, least, most):
    """The speed-up over the peer, and whether the target is met: a least speed-up, most seconds or a largest share."""
    if len(systems) > 1:
        pairs = zip(samples["dunlin"], samples[systems[1]], strict=True)
        row["speedup"] = statistics.median(theirs["seconds"] / ours["seconds"] for ours, theirs in pairs)
    if least is not None:
        row["target"], row["met"] = least, "yes" if row["speedup"] >= least else "no"
    elif most is not None:
        found = statistics.median(sample.get("share", sample["seconds"]) for sample in samples["dunlin"])
        row["target"], row["met"] = most, "yes" if found <= most else "no"


def prepared(cases, quick, folder):
    """The cases whose data are there; MNIST's files are made in `folder`."""
    os.environ["DUNLIN_BENCH_INPUTS"] = str(folder)
    data = os.environ.get("DUNLIN_DATA")
    chosen = []
    for case in cases:
        if case in REAL and not quick:
            if not data:
                print(f"{case} is left out: DUNLIN_DATA names no folder with MNIST")
                continue
            for size in CASES[case][2]:
                if not (folder / f"{REAL[case]}-{size}.npy").exists():
                    arguments = [ROOT / "bench" / "inputs.py", REAL[case], size, data, folder]
                    subprocess.run([sys.executable, *map(str, arguments)], check=True)
        chosen.append(case)
    return chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--save", action="store_true")
    for name in ("--work", "--system", "--size"):
        parser.add_argument(name, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        seconds, more = CASES[given.work][0](given.system, int(given.size))
        print(json.dumps({"seconds": seconds, **more}))
        return
    for case in given.cases:
        if case not in CASES:
            parser.error(f"there is no case {case!r}; cases are {', '.join(CASES)}")
    inputs = ROOT / "build" / "bench" / "inputs"
    inputs.mkdir(parents=True, exist_ok=True)
    about = {"date": str(datetime.date.today()), "commit": commit_in_words(), "machine": machine_in_words()}
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        for case in prepared(given.cases or CASES, given.quick, inputs):
            try:
                rows = [about | {"case": "python"} | row for row in rows_of(case, given.runs, given.quick, folder)]
            except (Failed, json.JSONDecodeError, IndexError) as reason:
                failed.append(case)
                print(f"  {case} failed: {reason}")
                continue
            show(rows)
            if given.save:
                append_results(RESULTS, rows)
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()

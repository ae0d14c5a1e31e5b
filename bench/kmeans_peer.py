"""scikit-learn's k-means beside ours; run by run.py inside its virtual environment.

usage: kmeans_peer.py make KIND ROWS COLUMNS CLUSTERS STEM
       kmeans_peer.py run POINTS.npy CENTROIDS.npy ITERATIONS RUNS THREADS

`make` writes STEM.npy and STEM.start.npy. KIND is `pair`, two clusters at -0.25 and 0.25 in every column, even noise of
0.25 around them, or `normal`, no clusters at all. `run` prints JSON as bench_kmeans does: Lloyd's iteration from
the centroids given, tolerance 0. It stops when labels stop changing, so seconds are scaled to all the iterations.
"""

import json
import sys
import time

import numpy as np


def make(kind, rows, columns, clusters, stem):
    rng = np.random.default_rng(7)
    points = rng.standard_normal((rows, columns)) if kind == "normal" else rng.uniform(-0.25, 0.25, (rows, columns))
    if kind == "pair":
        points += np.where(rng.random(rows) < 0.5, -0.25, 0.25)[:, None]
    points = points.astype(np.float32)
    np.save(f"{stem}.start.npy", points[rng.choice(rows, clusters, replace=False)])
    np.save(f"{stem}.npy", points)


def run(points, centroids, iterations, runs, threads):
    import sklearn
    import threadpoolctl
    from sklearn.cluster import KMeans

    points, centroids = np.load(points), np.load(centroids)
    seconds, done = [], []
    with threadpoolctl.threadpool_limits(threads):
        for _ in range(runs):
            means = KMeans(len(centroids), init=centroids, n_init=1, max_iter=iterations, tol=0, algorithm="lloyd")
            begin = time.perf_counter()
            means.fit(points)
            seconds.append((time.perf_counter() - begin) * iterations / means.n_iter_)
            done.append(means.n_iter_)
    print(json.dumps({"sklearn": {"seconds": seconds, "inertia": float(means.inertia_), "iterations": done[0]},
                      "version": sklearn.__version__}))  # fmt: skip


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2], *map(int, sys.argv[3:6]), sys.argv[6])
    else:
        run(*sys.argv[2:4], *map(int, sys.argv[4:7]))

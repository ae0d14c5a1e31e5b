# SPDX-License-Identifier: Apache-2.0
"""k-means of other programs; run by run.py inside its virtual environment.

usage: kmeans_peer.py make KIND ROWS COLUMNS CLUSTERS STEM
       kmeans_peer.py sklearn|faiss POINTS.npy CENTROIDS.npy ITERATIONS RUNS THREADS

`make` writes STEM.npy and STEM.start.npy. KIND is `pair`, two clusters at -0.25 and 0.25 in every column, even noise of
0.25 around them, or `normal`, no clusters at all. The others print JSON as bench_kmeans does: Lloyd's iteration from the
centroids given, by scikit-learn (tolerance 0; it stops when labels stop changing, so seconds are scaled to all the
iterations) or by FAISS (all points, all iterations).
"""

import json
import os
import sys
import time

import numpy as np
from peers import best_blas_kernel


def make(kind, rows, columns, clusters, stem):
    rng = np.random.default_rng(7)
    points = rng.standard_normal((rows, columns)) if kind == "normal" else rng.uniform(-0.25, 0.25, (rows, columns))
    if kind == "pair":
        points += np.where(rng.random(rows) < 0.5, -0.25, 0.25)[:, None]
    points = points.astype(np.float32)
    np.save(f"{stem}.start.npy", points[rng.choice(rows, clusters, replace=False)])
    np.save(f"{stem}.npy", points)


def timed(work, runs):
    """Seconds of each run, and the result of the last; stops after three runs and 3 seconds."""
    seconds = []
    while len(seconds) < min(runs, 3) or (len(seconds) < runs and sum(seconds) < 3):
        begin = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - begin)
    return seconds, result


def sklearn_runs(points, centroids, iterations, runs, threads):
    import sklearn
    import threadpoolctl
    from sklearn.cluster import KMeans

    points, centroids = np.load(points), np.load(centroids)
    means = KMeans(len(centroids), init=centroids, n_init=1, max_iter=iterations, tol=0, algorithm="lloyd")
    with threadpoolctl.threadpool_limits(threads):
        seconds, fitted = timed(lambda: means.fit(points), runs)
    done = fitted.n_iter_
    return {"seconds": [s * iterations / done for s in seconds], "inertia": float(fitted.inertia_), "iterations": done,
            "version": sklearn.__version__}  # fmt: skip


def faiss_runs(points, centroids, iterations, runs, threads):
    if best_blas_kernel():
        os.environ.setdefault("OPENBLAS_CORETYPE", best_blas_kernel())
    import faiss

    points, centroids = np.load(points), np.load(centroids)
    faiss.omp_set_num_threads(threads)
    means = faiss.Kmeans(points.shape[1], len(centroids), niter=iterations, max_points_per_centroid=len(points),
                         min_points_per_centroid=1)  # fmt: skip
    seconds, _ = timed(lambda: means.train(points, init_centroids=centroids), runs)
    return {"seconds": seconds, "inertia": float(means.obj[-1]), "iterations": iterations, "version": faiss.__version__}


if __name__ == "__main__":
    what, *words = sys.argv[1:]
    if what == "make":
        make(words[0], *map(int, words[1:4]), words[4])
    else:
        runs_of = {"sklearn": sklearn_runs, "faiss": faiss_runs}[what]
        print(json.dumps({what: runs_of(*words[:2], *map(int, words[2:]))}))

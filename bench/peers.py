# SPDX-License-Identifier: Apache-2.0
"""Runs one peer once; run by run.py inside its virtual environment, one process per run.

usage: peers.py PEER POINTS.npy OUT_STEM ITERATIONS THREADS

PEER is `sklearn`, `opentsne` (t-SNE; ITERATIONS in all, 250 of them exaggerated) or `faiss` (exact neighbors; the
number is k). Writes OUT_STEM.npy (the map, or neighbors' ids), for t-SNE also OUT_STEM.forces.npy, the repulsion
that the peer's own engine computes at its final map, and OUT_STEM.json: seconds by stage and what ran.
Seconds begin when the points are in memory and end when the map is.
"""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np
import threadpoolctl

PERPLEXITY = 30
EXAGGERATED = 250


class Clock:
    def __init__(self):
        self.seconds = {}

    def time(self, stage, work):
        begin = time.perf_counter()
        result = work()
        self.seconds[stage] = self.seconds.get(stage, 0) + time.perf_counter() - begin
        return result


# scikit-learn


def sklearn_map(points, iterations, threads, clock):
    import sklearn
    from sklearn.manifold import TSNE
    from sklearn.neighbors import NearestNeighbors

    search = NearestNeighbors.kneighbors_graph
    NearestNeighbors.kneighbors_graph = lambda *a, **k: clock.time("neighbors", lambda: search(*a, **k))
    tsne = TSNE(perplexity=PERPLEXITY, init="pca", max_iter=iterations, n_jobs=-1, random_state=1)
    y = clock.time("whole", lambda: tsne.fit_transform(points))
    # the rest includes affinities and initialization, some 0.01 s at 10,000 points
    clock.seconds["loop"] = clock.seconds["whole"] - clock.seconds["neighbors"]
    note = f"exact neighbors (k = 3 perplexity + 1), Barnes-Hut angle 0.5, {tsne.n_iter_ + 1} iterations"
    return y, sklearn_repulsion(y, threads), {"version": sklearn.__version__, "note": note}


def sklearn_repulsion(y, threads):
    """For a graph with one edge of weight 0, the gradient of the engine is -repulsion / Z; for weight 1, its cost is
    log(Z / q)."""
    from sklearn.manifold import _barnes_hut_tsne

    y = np.ascontiguousarray(y, np.float32)
    offsets = np.ones(len(y) + 1, np.int64)
    offsets[0] = 0

    def gradient(weight):
        force = np.zeros_like(y)
        cost = _barnes_hut_tsne.gradient(
            np.full(1, weight, np.float32), y, np.ones(1, np.int64), offsets, force, 0.5, 2, 0,
            dof=1, compute_error=True, num_threads=threads,
        )  # fmt: skip
        return force, cost

    q = 1 / (1 + float(((y[0].astype(float) - y[1]) ** 2).sum()))
    mass = float(np.exp(gradient(1)[1]) * q)
    return -gradient(0)[0].astype(np.float64) * mass, mass


# openTSNE


def opentsne_map(points, iterations, threads, clock):
    import openTSNE
    from openTSNE import affinity, initialization

    def whole():
        p = clock.time(
            "neighbors",
            lambda: affinity.PerplexityBasedNN(points, perplexity=PERPLEXITY, n_jobs=threads, random_state=1),
        )
        start = clock.time("start", lambda: initialization.pca(points, random_state=1))
        tsne = openTSNE.TSNE(
            perplexity=PERPLEXITY, n_iter=iterations - EXAGGERATED, n_jobs=threads, random_state=1,
            negative_gradient_method="fft",
        )  # fmt: skip
        return clock.time("loop", lambda: tsne.fit(affinities=p, initialization=start)), p

    embedding, p = clock.time("whole", whole)
    kind = type(p.knn_index).__name__
    note = f"neighbors by {kind} (its default; the stage holds its affinities too), FFT"
    return np.asarray(embedding), opentsne_repulsion(embedding), {"version": openTSNE.__version__, "note": note}


def opentsne_repulsion(y):
    """The engine's gradient is -repulsion / Z."""
    from openTSNE import _tsne

    y = np.array(y, np.float32).astype(np.float64)
    force = np.zeros_like(y)
    mass = _tsne.estimate_negative_gradient_fft_2d(
        y, force, n_interpolation_points=3, min_num_intervals=50, ints_in_interval=1, dof=1
    )
    return -force * mass, float(mass)


# FAISS


def best_blas_kernel():
    """The wheel's OpenBLAS does not know recent processors and would use SSE3 kernels."""
    flags = Path("/proc/cpuinfo").read_text().split("flags", 1)[-1].split("\n", 1)[0].split()
    return "SkylakeX" if "avx512f" in flags else "Haswell" if "avx2" in flags else None


def faiss_neighbors(points, k, threads, clock):
    if "OPENBLAS_CORETYPE" not in os.environ and best_blas_kernel():
        os.environ["OPENBLAS_CORETYPE"] = best_blas_kernel()
    import faiss

    faiss.omp_set_num_threads(threads)

    def search():
        index = faiss.IndexFlatL2(points.shape[1])
        index.add(points)
        return index.search(points, k + 1)[1]

    found = clock.time("neighbors", search)
    clock.seconds["whole"] = clock.seconds["neighbors"]
    return without_self(found), {"version": faiss.__version__, "note": f"IndexFlatL2, {k + 1} with the point itself"}


def without_self(found):
    """Removes the point itself, or the last neighbor if duplicates have displaced the point from its own list."""
    own = found == np.arange(len(found))[:, None]
    own[~own.any(axis=1), -1] = True
    return found[~own].reshape(len(found), -1)


# The command


def blas_in_words():
    pools = threadpoolctl.threadpool_info()
    parts = ("internal_api", "version", "architecture")
    names = [" ".join(p[part] for part in parts if p.get(part)) for p in pools if p["user_api"] == "blas"]
    return " + ".join(sorted(set(names))) or "none"


def main(peer, points_file, stem, iterations, threads):
    points = np.load(points_file)
    clock = Clock()
    if peer == "faiss":
        result, facts = faiss_neighbors(points, iterations, threads, clock)
        np.save(f"{stem}.npy", result.astype(np.int32))
    else:
        make = {"sklearn": sklearn_map, "opentsne": opentsne_map}[peer]
        y, (forces, mass), facts = make(points, iterations, threads, clock)
        np.save(f"{stem}.npy", np.ascontiguousarray(y, np.float32))
        np.save(f"{stem}.forces.npy", np.ascontiguousarray(forces, np.float32))
        facts["mass"] = mass
    facts |= {"seconds": clock.seconds, "blas": blas_in_words(), "threads": threads}
    Path(f"{stem}.json").write_text(json.dumps(facts, indent=1))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))

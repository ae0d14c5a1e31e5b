#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""t-SNE of four Gaussians in 50 dimensions by one program at one size, as in figure 2 of t-SNE-CUDA (Chan et al. 2018): a row
of CSV with seconds from array to map, by the defaults of each program, and its Kullback-Leibler divergence.

    for n in 500 1000 2000; do timeout 600 bench/four_gaussians.py "dunlin, GPU" $n; done | bench/append.py four-gaussians

Programs: "dunlin, GPU", "dunlin, CPU", scikit-learn, openTSNE. The first map of a process loads libraries; small sizes of
dunlin are timed on the second one.
"""

import os
import sys
import time

import numpy as np


def points(n, columns=50):
    generator = np.random.default_rng(1)
    centers = 4 * generator.normal(size=(4, columns))
    return (generator.normal(size=(n, columns)) + centers[np.arange(n) % 4]).astype(np.float32)


def divergence(program, X):
    """Of the map of X that the program makes."""
    threads = os.cpu_count()
    if program == "scikit-learn":
        from sklearn.manifold import TSNE

        return TSNE(n_jobs=threads, random_state=1).fit(X).kl_divergence_
    if program == "openTSNE":
        from openTSNE import TSNE

        return TSNE(n_jobs=threads, random_state=1).fit(X.astype(np.float64)).kl_divergence
    import dunlin

    return dunlin.tsne(X, device="cuda" if program == "dunlin, GPU" else "cpu", n_jobs=threads, seed=1).kl


def main(program, rows):
    X = points(rows)
    if program.startswith("dunlin") and rows <= 4000:
        divergence(program, X)
    begin = time.perf_counter()
    kl = divergence(program, X)
    print("system,rows,threads,median_s,kl")
    print(f'"{program}",{rows},{os.cpu_count()},{time.perf_counter() - begin:.4f},{kl:.4f}')


main(sys.argv[1], int(sys.argv[2]))

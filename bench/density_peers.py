#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Density of a map beside histogram2d with SciPy's gaussian_filter, and KDEpy's FFTKDE, on the same grid with the same
bandwidth, in one process with alternating runs. Prints a CSV row per program: seconds, the median over runs of the ratio
to Dunlin's time of the same turn, and the largest difference from Dunlin's field relative to its largest value.

    PYTHONPATH=python build/python/venv/bin/python bench/density_peers.py [--points N] [--nodes N] [--runs N] [--commit NAME]

needs numpy, scipy and KDEpy (pip install KDEpy). The points are sixty discs in random order, float32; FFTKDE takes
float64, whose conversion is not counted. gaussian_filter is cut off at 4 standard deviations, its default."""

import argparse
import datetime
import statistics
import sys
import time

import numpy as np
from KDEpy import FFTKDE
from scipy.ndimage import gaussian_filter

import dunlin


def discs(n):
    draw = np.random.default_rng(1)
    centers = 7 + 86 * draw.random((60, 2))
    radius = 7 * np.sqrt(draw.random(n))
    angle = 2 * np.pi * draw.random(n)
    offsets = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    return (centers[draw.integers(0, 60, n)] + offsets).astype(np.float32)


def by_dunlin(points, h, nodes, threads):
    return dunlin.density(points, bandwidth=h, nodes=nodes, bands="", device="cpu", n_jobs=threads)


def by_histogram(points, h, like):
    edges = [np.linspace(a[0] - like.spacing / 2, a[-1] + like.spacing / 2, len(a) + 1) for a in like.axes]
    counts, _, _ = np.histogram2d(points[:, 0], points[:, 1], bins=edges)
    return gaussian_filter(counts, h / like.spacing, mode="constant") / like.spacing**2


def by_kdepy(points, h, like):
    grid = np.stack(np.meshgrid(*like.axes, indexing="ij"), axis=-1).reshape(-1, 2)
    return FFTKDE(kernel="gaussian", bw=h).fit(points).evaluate(grid).reshape(like.field.shape) * len(points)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--points", type=int, default=10_000_000)
    parser.add_argument("--nodes", type=int, default=1024)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--commit", default="unknown")
    given = parser.parse_args()
    points = discs(given.points)
    wide = points.astype(np.float64)
    h = dunlin.density(points, nodes=given.nodes).options["bandwidth"]
    like = by_dunlin(points, h, given.nodes, given.threads)
    programs = {
        "dunlin": lambda: by_dunlin(points, h, given.nodes, given.threads).field,
        "histogram2d + gaussian_filter": lambda: by_histogram(points, h, like),
        "KDEpy FFTKDE": lambda: by_kdepy(wide, h, like),
    }
    seconds, fields = {name: [] for name in programs}, {}
    for _ in range(given.runs):
        for name, run in programs.items():
            begin = time.perf_counter()
            fields[name] = run()
            seconds[name].append(time.perf_counter() - begin)
    print("date,commit,program,points,nodes,threads,seconds,ratio,difference")
    for name, all_seconds in seconds.items():
        ratio = statistics.median(a / b for a, b in zip(all_seconds, seconds["dunlin"]))
        difference = np.abs(fields[name] - fields["dunlin"]).max() / fields["dunlin"].max()
        print(
            f"{datetime.date.today()},{given.commit},{name},{given.points},{given.nodes},{given.threads},"
            f"{statistics.median(all_seconds):.4f},{ratio:.3g},{difference:.2g}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws figures of The Antimatroid (Lewellen 2015-16) from bench/results, beside what it prints: distributed
k-means, sweeps of k-means on a GPU, and the equations of FitzHugh and Nagumo."""

import re

from chart import COLORS, SOFT, Chart, latest, legend, table_of, value_of
from svg import Picture, publish
from waves import NODES, euler

GBPS = 1 / 8  # of a gigabit in gigabytes


def spans(curves):
    every = [p for curve in curves for p in curve]
    return [p[0] for p in every], [p[1] for p in every]


# Distributed k-means: figures 3, 4 and 6 to 8


def rates(figure, system, of):
    """(size in MiB, GB a second): `of` is the pattern of the size in a row's note."""
    rows = latest(["distributed.csv", f"stage=figure {figure}", f"system={system}"])
    found = []
    for row in rows:
        size, unit = re.search(of + r" (\d+) (KiB|MiB)", row["note"]).groups()
        found.append((int(size) / (1024 if unit == "KiB" else 1), float(row["rate"]) / 1e9))
    return found


def transfers(picture):
    systems = {"pull": "a range of a file", "socket": "a socket", "messages": "messages"}
    for i, (figure, of, name) in enumerate(
        ((3, "blocks of", "MiB in a block, 128 in all"), (4, "payload", "MiB in all"))
    ):
        curves = {s: rates(figure, s, of) for s in systems}
        rings = [[(1 / 128, 4.7 * GBPS / 117), (64, 4.7 * GBPS)], [(7168, 7.7 * GBPS)]][i]
        if figure == 3:  # blocks of 64 MiB are the first rows of figure 4
            for s in systems:
                curves[s] += [(64, rate) for size, rate in rates(4, s, "payload") if size == 128]
        chart = Chart(
            picture, (70 + 430 * i, 50, 330, 190), f"Figure {figure}", (name, "GB/s"), *spans([*curves.values(), rings])
        )
        for color, curve in zip(COLORS, curves.values()):
            chart.curve(curve, color)
        chart.rings(rings, COLORS[6])
    legend(picture, 80, 300, [(label, color, "line") for label, color in zip(systems.values(), COLORS)])
    legend(picture, 80, 354, [("published; in figure 4 the peak", COLORS[6], "ring")])


RUNS = {
    "sequential": "one thread, sequential",
    "threads": "one process",
    "distributed": "2 workers",
    "distributed, sent by messages, one thread": "2 workers, rows sent",
    "spark local[2]": "Spark MLlib",
}


def runs(picture):
    curves = {}
    for system in RUNS:
        rows = [
            row
            for row in table_of("distributed.csv")
            if row["system"] == system and row["stage"] in ("figure 6", "figure 7")
        ]
        curves[system] = [(int(row["rows"]), float(row["median_s"])) for row in rows]
    rings = [(1e7, 10.82)]
    chart = Chart(
        picture,
        (70, 460, 330, 210),
        "Figures 6 and 7",
        ("rows", "seconds of 100 iterations"),
        *spans([*curves.values(), rings]),
    )
    for color, curve in zip(COLORS, curves.values()):
        chart.curve(curve, color)
    chart.rings(rings, COLORS[6])
    first = dict(curves["sequential"])
    ratios = {s: [(n, first[n] / t) for n, t in curves[s]] for s in ("threads", "distributed")}
    rings = [(1e8, 7.3)]
    chart = Chart(
        picture,
        (500, 460, 330, 210),
        "Figure 8",
        ("rows", "times as fast as the sequential thread"),
        *spans([*ratios.values(), rings]),
    )
    for system, curve in ratios.items():
        chart.curve(curve, COLORS[list(RUNS).index(system)])
    chart.rings(rings, COLORS[6])
    legend(picture, 500, 300, [(label, color, "line") for label, color in zip(RUNS.values(), COLORS)])
    legend(picture, 500, 390, [("published: 4 machines, 12 cores", COLORS[6], "ring")])


def distributed():
    picture = Picture(900, 720)
    transfers(picture)
    runs(picture)
    return picture


# Sweeps of k-means


SYSTEMS = {"sequential": "one thread, sequential", "dunlin": "16 threads", "cuda": "H200", "sklearn": "scikit-learn"}


def sweeps():
    picture = Picture(900, 330)
    found = {}
    for row in table_of("kmeans-sweeps.csv"):
        sweep, _, clusters = row["stage"].partition(", K = ")
        x = {"points": row["rows"], "columns": row["columns"], "clusters": clusters}.get(sweep)
        if x:
            found.setdefault(sweep, {}).setdefault(row["system"], []).append((int(x), 1e6 * float(row["median_s"])))
    every = spans([curve for of in found.values() for curve in of.values()])[1]
    titles = {
        "points": "points, 2-D, K = 2",
        "columns": "columns, 100,000 points, K = 2",
        "clusters": "clusters, 100,000 points, 2-D",
    }
    for i, (sweep, of) in enumerate(found.items()):
        chart = Chart(
            picture,
            (60 + 290 * i, 50, 235, 190),
            titles[sweep],
            (sweep, "microseconds an iteration"),
            spans(of.values())[0],
            every,
        )
        for system, curve in of.items():
            chart.curve(curve, COLORS[list(SYSTEMS).index(system)])
    for i, (label, color) in enumerate(zip(SYSTEMS.values(), COLORS)):
        legend(picture, 80 + 200 * i, 305, [(label, color, "line")])
    return picture


# FitzHugh and Nagumo


def held_end():
    """Figure 1: v(200) = 1 is held from rest; the rings are the crests of bench/results."""
    picture = Picture(720, 300)
    v, w = [0.0] * NODES, [0.0] * NODES
    steps = 2800
    for _ in range(steps):
        v[-1] = 1.0
        v, w = euler(v, w, 306.19 / steps, 0.01)
    v[-1] = 1.0
    crests = [
        tuple(value_of(["waves.csv", f"stage=figure 1: {what} of crest {k}", "got"]) for what in "xv")
        for k in (1, 2, 3)
    ]
    curves = {"v": [(i / 2, value) for i, value in enumerate(v)], "w": [(i / 2, value) for i, value in enumerate(w)]}
    chart = Chart(
        picture,
        (60, 50, 540, 190),
        "v(200) = 1 is held: t = 306.19",
        ("x", ""),
        [0, 200],
        [-0.4, 1],
        log=(False, False),
    )
    for color, curve in zip(COLORS, curves.values()):
        chart.curve(curve, color, dots=False)
    chart.rings(crests, COLORS[6])
    legend(picture, 625, 60, [("v", COLORS[0], "dot"), ("w", COLORS[1], "dot"), ("crests", COLORS[6], "ring")])
    return picture


def got(stage, column="got"):
    return value_of(["waves.csv", f"stage={stage}", column])


def errors(picture):
    """Figures 3 and 4 with the slopes that are published: a quarter, and a half, for half the step."""
    space = [(0.5**k, got(f"figure 3: rmse after halving {k}")) for k in range(3)]
    time = {t: [(0.1 * 0.5**k, got(f"figure 4: rmse at t {t}, halving {k}")) for k in range(2)] for t in (5, 20)}
    chart = Chart(picture, (70, 50, 240, 190), "Figure 3: error by spacing", ("dx", "RMSE at t = 1"), *spans([space]))
    chart.curve([(x, space[0][1] * x**2) for x, _ in space], SOFT, dashed=True, dots=False)
    chart.dots(space, COLORS[0])
    chart = Chart(picture, (380, 50, 240, 190), "Figure 4: error by step", ("dt", "RMSE"), *spans(time.values()))
    for color, (t, curve) in zip(COLORS, time.items()):
        chart.curve([(x, curve[0][1] * x / 0.1) for x, _ in curve], SOFT, dashed=True, dots=False)
        chart.dots(curve, color)
    legend(
        picture,
        660,
        60,
        [("t = 5", COLORS[0], "dot"), ("t = 20", COLORS[1], "dot"), ("published order: 2 and 1", SOFT, "dashed")],
    )


POWERS = [10, 12, 14, 16, 18, 20, 22, 24]
ON_GPU = [1 << 16, 1 << 20, 1 << 22, 1 << 24]
SOLVERS = ["thomas", "cyclic-reduction", "parallel-reduction", "partition"]


def times(picture):
    run = [(1 << p, got(f"figure 5: run of one step of 2^{p} nodes", "median_s")) for p in POWERS]
    step = [(1 << p, got(f"figure 6: step of 2^{p} nodes", "median_s")) for p in POWERS]
    gpu = [
        (
            n,
            value_of(
                ["waves-gpu.csv", "what=run", "case=euler, extremes and small parts", f"nodes={n}", "median_us*1e-6"]
            ),
        )
        for n in ON_GPU
    ]
    chart = Chart(
        picture, (70, 340, 240, 190), "Figures 5 and 6: Euler", ("nodes", "seconds"), *spans([run, step, gpu])
    )
    for color, curve in zip(COLORS, (run, step, gpu)):
        chart.curve(curve, color)
    curves = {
        s: [(1 << p, got(f"figure 14: {s}, iteration of 2^{p} nodes", "median_s")) for p in POWERS[:6]] for s in SOLVERS
    }
    chart = Chart(
        picture,
        (380, 340, 240, 190),
        "Figure 14: an iteration of Newton's method",
        ("nodes", "seconds"),
        *spans(curves.values()),
    )
    for color, curve in zip(COLORS[3:], curves.values()):
        chart.curve(curve, color)
    looks = ["run of one step, two cores", "further step, two cores", "step of a run, H200"]
    legend(picture, 660, 350, [(name, color, "line") for name, color in zip(looks, COLORS)])
    legend(picture, 660, 420, [(name, color, "line") for name, color in zip(SOLVERS, COLORS[3:])])


def waves():
    picture = Picture(860, 580)
    errors(picture)
    times(picture)
    return picture


if __name__ == "__main__":
    publish(
        {
            "distributed-figures": distributed(),
            "kmeans-sweeps": sweeps(),
            "waves-figure-1": held_end(),
            "waves-figures": waves(),
        }
    )

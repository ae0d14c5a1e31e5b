#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws figures 6 and 7 of "Force Directed Placement: GPU implementation" (Chan, So and Teper 2009) and the table of
"CUDA Force-directed Graph Drawing" (He and Jin) from bench/results, beside what they print."""

from chart import COLORS, GRID, SOFT, Axis, Chart, legend, numeral, value_of
from svg import Picture, publish

# Figure 6: time against size

SIZES = [64 << i for i in range(15)]


def time_by_size():
    picture = Picture(720, 360)
    curves = {}
    for name, device in (("16 cores", "cpu, 16 cores"), ("H200", "cuda")):
        words = ["layout-gpu.csv", f"device={device}", "method=eades"]
        curves[name] = [(3 * n, value_of([*words, f"case=eades-{n}", "median_s"])) for n in SIZES]
    every = [p for curve in curves.values() for p in curve]
    chart = Chart(
        picture,
        (60, 50, 520, 250),
        "Eades' method, random graphs with two edges a vertex",
        ("vertices + edges", "seconds of 100 iterations"),
        [p[0] for p in every],
        [p[1] for p in every],
    )
    for color, curve in zip(COLORS, curves.values()):
        chart.curve(curve, color)
    legend(picture, 610, 60, [(name, color, "line") for name, color in zip(curves, COLORS)])
    return picture


# Figure 7: what each step gains

GRAPHS = {
    "rand32": "rand32 (32 / 31)",
    "actors": "actors (100 / 260)",
    "actors2": "actors2 (232 / 698)",
    "rand256": "rand256 (256 / 1,599)",
}
HOISTED, VECTORS = "hoisted constants and one wait", "vector loads"
STEPS = [  # name, rungs before and after it, printed per cent of the four graphs
    ("port to the GPU", "sequential", "thread per vertex: x and y apart", (-55, 97, 171, 538)),
    ("float2", "thread per vertex: x and y apart", "thread per vertex", (5, 5, 5, 5)),
    ("thread per pair", "thread per vertex", "thread per pair", (22, 79, 281, -15)),
    ("constants last, one wait", "thread per pair", HOISTED, (23, 11, 5, 4)),
    ("sums in local memory", "sums in memory", HOISTED, (4, 4, 6, 4)),
    ("edges of 4 bytes", HOISTED, "edges of 4 bytes", (0, 0, 0, 0)),
    ("tiles of 16 x 16", HOISTED, "shared-memory tiles", (-4, 1, -1, -2)),
    ("transposed storage", "shared-memory tiles", "transposed storage", (6, 13, 18, 73)),
    ("parallel reduction", "transposed storage", "parallel reduction", (31, 83, 46, 469)),
    ("float4", "parallel reduction", VECTORS, (2, -1, -10, -3)),
]
WHOLE = [
    ("all of them", "sequential", VECTORS, (0.99, 9, 20.6, 58)),  # as speed-ups; rand32: the product of its steps
    ("one launch of one cluster", "sequential", "one launch of one cluster", ()),
]


def us(graph, rung):
    return value_of(["layout-eades-ladder.csv", f"graph={graph}", f"rung={rung}", "us_per_step"])


def gains():
    picture = Picture(900, 360)
    left, wide, top, step = 170, 160, 52, 22
    rows = [(name, a, b, [1 + percent / 100 for percent in published]) for name, a, b, published in STEPS] + WHOLE
    bottom = top + step * len(rows)
    for i, (name, *_) in enumerate(rows):
        picture.words(left - 12, top + step * i + 15, name, size=11, anchor="end")
    for k, (graph, label) in enumerate(GRAPHS.items()):
        begin = left + (wide + 22) * k
        axis = Axis([0.1, 100], True, begin + 6, begin + wide - 6)
        picture.words(begin + wide / 2, top - 10, label, size=11, weight="bold")
        for value in (0.1, 1, 10, 100):
            picture.line([(axis.at(value), top), (axis.at(value), bottom)], "#9aa5ae" if value == 1 else GRID)
            picture.words(axis.at(value), bottom + 15, numeral(value), size=10, color=SOFT)
        for i, (_, before, after, published) in enumerate(rows):
            y = top + step * i + 11
            if published:
                picture.ring(axis.at(published[k]), y, 4, COLORS[6])
            picture.dot(axis.at(us(graph, before) / us(graph, after)), y, 2.8, COLORS[0])
    picture.words(left + 2 * wide, bottom + 32, "times as fast as before the step", size=11, color=SOFT)
    legend(picture, 30, bottom + 28, [("H200", COLORS[0], "dot")])
    legend(picture, 90, bottom + 28, [("published", COLORS[6], "ring")])
    return picture


# The table of He and Jin

SETS = {
    "test": 200,
    "physicians": 241,
    "wiki-vote-counts": 8340,
    "gowalla-counts": 196591,
    "texas-counts": 1379917,
    "hyves-counts": 1402673,
}
PROGRAMS = [  # ours, its label, that of the poster and its seconds per iteration
    ("cpu: sequential", "1", "one thread", "sequential", (0.0032, 0.0048, 1.97, 1096.71, None, None)),
    ("cpu: threads", "16", "16 threads", "OpenMP", (0.0024, 0.0047, 0.012, 3.54, 170.3, 176.14)),
    (
        "gpu: a thread per vertex",
        "0",
        "H200, thread per vertex",
        "GPU, naive",
        (0.00019, 0.00024, 0.0061, 1.73, 87.87, 91.91),
    ),
    ("gpu: dunlin tree", "0", "H200, Dunlin's tree", "GPU, Barnes-Hut", (0.00083, 0.00084, 0.0026, 0.078, 2.72, 2.8)),
]


def seconds(program, threads, graph):
    return value_of(
        ["layout-fr-ladder.csv", f"program={program}", f"graph={graph}", f"threads={threads}", "ms_per_iteration*1e-3"]
    )


def table():
    picture = Picture(900, 400)
    ours = [[(n, seconds(program, threads, graph)) for graph, n in SETS.items()] for program, threads, *_ in PROGRAMS]
    printed = [[(n, s) for n, s in zip(SETS.values(), values) if s] for *_, values in PROGRAMS]
    every = [p for curve in ours + printed for p in curve]
    chart = Chart(
        picture,
        (70, 50, 570, 290),
        "An iteration of Fruchterman and Reingold",
        ("vertices", "seconds"),
        [p[0] for p in every],
        [p[1] for p in every],
    )
    for color, curve, rings in zip(COLORS, ours, printed):
        chart.curve(curve, color)
        chart.rings(rings, color)
    legend(picture, 675, 60, [(label, color, "line") for (_, _, label, *_), color in zip(PROGRAMS, COLORS)])
    legend(picture, 675, 150, [(f"poster: {label}", color, "ring") for (*_, label, _), color in zip(PROGRAMS, COLORS)])
    return picture


if __name__ == "__main__":
    publish({"placement-figure-6": time_by_size(), "placement-figure-7": gains(), "poster-table": table()})

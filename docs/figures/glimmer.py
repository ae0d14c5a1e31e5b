#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws figures 3 to 6 and 8 of Glimmer (Ingram, Munzner and Olano) from bench/results, beside the draft."""

from chart import COLORS, Chart, latest, legend, shares, table_of
from svg import Picture, publish

METHODS = ["glimmer", "gpu-sf", "hybrid", "landmark", "stochastic", "classical", "smacof", "dunlin"]
COLOR = dict(zip(METHODS, COLORS))
LEAST = 1e-14  # what has less stress is drawn here

DATA = [
    "cancer",
    "swissroll",
    "grid 1000",
    "grid 1000, noise",
    "grid 10000",
    "grid 10000, noise",
    "shuttle_small",
    "shuttle_big",
]
PUBLISHED = {  # stress and seconds of figure 9, without the documents, which are not public
    "glimmer": [(0.026, 1.11), (0.005, 10.41), (0, 2.84)],
    "hybrid": [(0.076, 0.43), (0.030, 44.23), (0.124, 5.53)],
    "landmark": [(0.1, 0.048), (0.020, 44.89), (0, 1.79)],
}
ON_GPU = ["cancer", "shuttle-14500", "shuttle-43500", "grid-1000", "grid-10000"]
GRIDS = [1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000]
GPU_GRIDS = [1000, 10000, 50000, 200000]
GRIDS_PUBLISHED = {"glimmer": [(10000, 2.84), (200000, 30)], "hybrid": [(10000, 5.53)], "landmark": [(10000, 1.79)]}


def cpu_row(file, system, stage):
    rows = [row for row in table_of(file) if row["system"] == system and row["stage"] == stage and row["median_s"]]
    return latest([file, f"system={system}", f"stage={stage}"])[-1] if rows else None


def gpu_row(method, case):
    name = case if method == "dunlin" else f"{method}:{case}"
    rows = [row for row in table_of("mds-gpu.csv") if row["case"] == name and row["device"] == "cuda"]
    return latest(["mds-gpu.csv", f"case={name}", "device=cuda"])[-1] if rows else None


def number(row, column):
    return float(row[column])


# Figures 3 and 4: speed, filtered speed and stress


def trace(data, column):
    rows = [row for row in table_of("mds-signal-trace.csv") if row["data"] == data and row[column]]
    return [(int(row["iteration"]), float(row[column])) for row in rows]


def signal(data, title, columns, log):
    picture = Picture(720, 340)
    curves = {name: trace(data, column) for name, column in columns.items()}
    points = [point for curve in curves.values() for point in curve]
    chart = Chart(
        picture,
        (70, 50, 510, 230),
        title,
        ("iteration", ""),
        [p[0] for p in points],
        [p[1] for p in points],
        log=(False, log),
    )
    for color, curve in zip(COLORS, curves.values()):
        chart.curve(curve, color, dots=False)
    legend(picture, 605, 60, [(name, color, "dot") for name, color in zip(curves, COLORS)])
    return picture


# Figure 5: the stages of an iteration


def stages():
    picture = Picture(900, 140)
    bars, parts = {}, {}
    for row in table_of("mds-stages.csv"):
        data, _, stage = row["stage"].partition(": ")
        stage = stage.removeprefix("3 and 5 ").removeprefix("6 and 7 ").lstrip("0123456789 ")
        parts.setdefault(stage, COLORS[len(parts) % len(COLORS)])
        bars.setdefault(data, {})[stage] = 1e6 * number(row, "median_s")
    named = {f"{data}: {sum(of.values()):.0f} µs": of for data, of in bars.items()}
    shares(picture, 150, 14, 720, named, parts)
    return picture


# Figure 6: stress against time, a panel for each method


def speed_and_quality():
    picture = Picture(900, 490)
    cpu = {m: [cpu_row("mds-table.csv", m, d) for d in DATA] for m in METHODS}
    gpu = {m: [gpu_row(m, c) for c in ON_GPU] for m in METHODS}

    def points(rows):
        found = [(number(r, "normalized_stress"), number(r, "median_s")) for r in rows if r]
        return [(max(stress, LEAST), seconds) for stress, seconds in found]

    every = [p for of in (cpu, gpu) for rows in of.values() for p in points(rows)] + [(0.1, 44.89)]
    for i, method in enumerate(METHODS):
        box = (60 + 215 * (i % 4), 50 + 225 * (i // 4), 165, 145)
        chart = Chart(picture, box, method, ("stress", "seconds"), [p[0] for p in every], [p[1] for p in every])
        chart.dots(points(cpu[method]), COLORS[0])
        chart.dots(points(gpu[method]), COLORS[1])
        chart.rings([(max(stress, LEAST), s) for stress, s in PUBLISHED.get(method, [])], COLORS[6])
    legend(picture, 70, 470, [("one thread of a CPU", COLORS[0], "dot")])
    legend(picture, 270, 470, [("H200", COLORS[1], "dot")])
    legend(picture, 350, 470, [("published: cancer, shuttle, grid of 10,000 (Pentium 4, GeForce 7800GS)", COLORS[6], "ring")])
    return picture


# Figure 8: time for grids


def grids():
    picture = Picture(900, 430)
    cpu = {
        m: [
            (int(r["rows"]), number(r, "median_s"))
            for r in (cpu_row("mds-grids.csv", m, f"grid {n}") for n in GRIDS)
            if r
        ]
        for m in METHODS
        if m != "stochastic"
    }
    gpu = {
        m: [(int(r["items"]), number(r, "median_s")) for r in (gpu_row(m, f"grid-{n}") for n in GPU_GRIDS) if r]
        for m in ("glimmer", "gpu-sf", "hybrid", "dunlin")
    }
    every = [p for of in (cpu, gpu, GRIDS_PUBLISHED) for curve in of.values() for p in curve]
    chart = Chart(
        picture, (60, 50, 620, 320), "Grids in 8-D", ("points", "seconds"), [p[0] for p in every], [p[1] for p in every]
    )
    for method, curve in cpu.items():
        chart.curve(curve, COLOR[method])
    for method, curve in gpu.items():
        chart.curve(curve, COLOR[method], dashed=True)
    for method, points in GRIDS_PUBLISHED.items():
        chart.rings(points, COLOR[method])
    chart.name((200000, 30), "below 30 s", above=True)
    legend(picture, 715, 60, [(f"{m}, one thread", COLOR[m], "line") for m in cpu])
    legend(picture, 715, 200, [(f"{m}, H200", COLOR[m], "dashed") for m in gpu])
    legend(picture, 715, 285, [(f"{m}, published", COLOR[m], "ring") for m in GRIDS_PUBLISHED])
    return picture


if __name__ == "__main__":
    publish(
        {
            "mds-figure-3": signal(
                "grid 10000", "gpu-sf, a grid of 10,000", {"speed": "velocity", "stress": "normalized_stress"}, True
            ),
            "mds-figure-4": signal("cancer", "gpu-sf, cancer", {"speed": "velocity", "filtered": "filtered"}, False),
            "mds-figure-5": stages(),
            "mds-figure-6": speed_and_quality(),
            "mds-figure-8": grids(),
        }
    )

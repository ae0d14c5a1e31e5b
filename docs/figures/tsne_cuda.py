#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws figures 2 and 7 of t-SNE-CUDA (Chan, Rao, Huang and Canny 2018) from bench/results, beside the paper."""

import math

from chart import COLORS, SOFT, Chart, legend, shares, value_of
from svg import Picture, publish

SIZES = [500, 1000, 2000, 4000, 8000, 16000, 32000, 64000, 128000, 256000, 500000, 1000000, 5000000, 10000000]
SHAPES = {
    "mnist60k": 60000,
    "gaussians-50000x1024-10": 50000,
    "gaussians-1200000x2048-1000": 1200000,
    "gaussians-1200000x4096-1000": 1200000,
    "gaussians-2200000x300-1000": 2200000,
}
PUBLISHED = {  # of MNIST (60,000), codes of CIFAR-10 (50,000) and ImageNet (1.2 million), GloVe (2.2 million)
    "t-SNE-CUDA": [(60000, 6.98), (50000, 5.22), (1200000, 486), (1200000, 523), (2200000, 573.2)],
    "Multicore t-SNE, 4": [(60000, 501), (50000, 275.46)],
    "BH-TSNE": [(60000, 1156), (50000, 870.71)],
    "scikit-learn": [(50000, 3665.44)],
}


def seconds(case, stage):
    return value_of(["gpu.csv", f"case={case}", f"stage={stage}", "median_s"])


def by_size():
    picture = Picture(900, 420)
    ours = [(n, seconds(f"gaussians-{n}x50-4", "whole")) for n in SIZES]
    shaped = [(n, seconds(case, "whole")) for case, n in SHAPES.items()]
    every = [*ours, *shaped, *(p for of in PUBLISHED.values() for p in of)]
    chart = Chart(
        picture,
        (60, 50, 590, 310),
        "Whole t-SNE, 1,000 iterations",
        ("points", "seconds"),
        [p[0] for p in every],
        [p[1] for p in every],
    )
    unit = dict(ours)[1000000] / (1e6 * math.log(1e6))
    chart.curve([(n, unit * n * math.log(n)) for n in SIZES if n >= 30000], SOFT, dashed=True, dots=False)
    chart.curve(ours, COLORS[0])
    chart.dots(shaped, COLORS[1])
    for color, points in zip(COLORS[2:], PUBLISHED.values()):
        chart.rings(points, color)
    looks = [
        ("Dunlin, four Gaussians, 50-D", COLORS[0], "line"),
        ("Dunlin, the shapes below", COLORS[1], "dot"),
        ("n log n through a million", SOFT, "dashed"),
    ]
    legend(picture, 685, 60, looks)
    legend(picture, 685, 130, [(name, color, "ring") for name, color in zip(PUBLISHED, COLORS[2:])])
    for i, line in enumerate(
        [
            "Published: MNIST 60,000 x 784,",
            "CIFAR-10 50,000 x 1,024,",
            "ImageNet 1.2 million x 2,048 and 4,096,",
            "GloVe 2.2 million x 300",
        ]
    ):
        picture.words(676, 225 + 15 * i, line, size=11, color=SOFT, anchor="start")
    return picture


PARTS = {
    "neighbors": "neighbors",
    "attraction": "iteration: attraction",
    "repulsion": "iteration: repulsion",
    "step": "iteration: step",
}


def parts():
    """Shares of a whole run; those of the loop by the times of its parts at the final map."""
    picture, colors = Picture(900, 110), {name: color for name, color in zip([*PARTS, "rest"], COLORS)}
    bars = {}
    for n, label in ((500000, "500,000 points"), (5000000, "5 million")):
        of = {name: seconds(f"gaussians-{n}x50-4", stage) for name, stage in PARTS.items()}
        whole, loop = (seconds(f"gaussians-{n}x50-4", stage) for stage in ("whole", "loop"))
        scale = loop / sum(of[name] for name in list(PARTS)[1:])
        of = {name: part * (1 if name == "neighbors" else scale) for name, part in of.items()}
        bars[f"{label}: {whole:.3g} s"] = of | {"rest": max(0, whole - loop - of["neighbors"])}
    shares(picture, 160, 14, 710, bars, colors)
    return picture


if __name__ == "__main__":
    publish({"tsne-figure-2": by_size(), "tsne-figure-7": parts()})

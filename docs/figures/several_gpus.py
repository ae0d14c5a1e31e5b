#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/images/several-gpus.svg: the stages of runs on one and on two GPUs, from bench/results."""

import sys

from svg import DOCS, SOFT, Picture, publish

sys.path.insert(0, str(DOCS.parent / "bench"))
from figures import value_of  # noqa: E402

TSNE = {"neighbors": "#4878a8", "affinities": "#8fb4d6", "start": "#c9b36b", "optimize": "#c4654e"}
SEARCH = {"neighbors": TSNE["neighbors"]}
REST = "#c8cdd2"
LEGEND = {"neighbors": TSNE["neighbors"], "affinities": TSNE["affinities"], "start": TSNE["start"],
          "iterations": TSNE["optimize"], "rest": REST}  # fmt: skip
RUNS = [
    ("t-SNE, four Gaussians", "tsne-gaussians-10000000x50", TSNE),
    ("t-SNE, 1,000 clusters", "tsne-blobs-10000000x50", TSNE),
    ("neighbors, four Gaussians", "cells-gaussians-10000000x50", SEARCH),
    ("neighbors, 1,000 clusters", "cells-blobs-10000000x50", SEARCH),
]


def seconds(case, gpus, stage):
    return value_of(["several-gpus.csv", f"case={case}", f"gpus={gpus}", f"stage={stage}", "median:seconds"])


def bars():
    left, wide, step = 200, 520, 62
    picture = Picture(left + wide + 90, 46 + step * len(RUNS))
    for i, (name, color) in enumerate(LEGEND.items()):
        picture.bar(left + 100 * i, 14, 12, 12, color)
        picture.words(left + 100 * i + 18, 25, name, size=12, anchor="start")
    longest = max(seconds(case, 1, "whole") for _, case, _ in RUNS)
    for i, (label, case, stages) in enumerate(RUNS):
        picture.words(left - 40, 46 + step * i + 29, label, size=12, anchor="end")
        for gpus in (1, 2):
            x, y = left, 46 + step * i + 24 * (gpus - 1)
            total = seconds(case, gpus, "whole")
            parts = {color: seconds(case, gpus, stage) for stage, color in stages.items()}
            parts[REST] = max(0, total - sum(parts.values()))
            picture.words(left - 14, y + 15, str(gpus), size=12, color=SOFT, anchor="end")
            for color, part in parts.items():
                picture.bar(x, y, wide * part / longest, 20, color)
                x += wide * part / longest
            picture.words(x + 8, y + 15, f"{total:.3g} s", size=12, color=SOFT, anchor="start")
    return picture


if __name__ == "__main__":
    publish({"several-gpus": bars()})

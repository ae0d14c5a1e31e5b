#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/images/several-gpus.svg: the stages of runs on one, two and four GPUs, from bench/results."""

import sys

from svg import DOCS, SOFT, Picture, publish

sys.path.insert(0, str(DOCS.parent / "bench"))
from figures import value_of  # noqa: E402

TSNE = {"neighbors": "#4878a8", "affinities": "#8fb4d6", "start": "#c9b36b", "optimize": "#c4654e"}
UMAP = {"neighbors": TSNE["neighbors"], "memberships": TSNE["affinities"], "start": TSNE["start"], "optimize": TSNE["optimize"]}
REST = "#c8cdd2"
LEGEND = {"neighbors": TSNE["neighbors"], "affinities": TSNE["affinities"], "start": TSNE["start"],
          "iterations": TSNE["optimize"], "rest": REST}  # fmt: skip
RUNS = [
    ("100 million, clusters", "tsne-blobs-100000000x50-perplexity10", TSNE),
    ("10 million, Gaussians", "tsne-gaussians-10000000x50", TSNE),
    ("10 million, clusters", "tsne-blobs-10000000x50", TSNE),
    ("UMAP, 10 million, Gaussians", "umap-gaussians-10000000x50", UMAP),
]


def seconds(case, gpus, stage):
    return value_of(["several-gpus.csv", f"case={case}", f"gpus={gpus}", f"stage={stage}", "median:seconds"])


def bars():
    left, wide, step = 220, 520, 86
    picture = Picture(left + wide + 90, 46 + step * len(RUNS))
    for i, (name, color) in enumerate(LEGEND.items()):
        picture.bar(left + 100 * i, 14, 12, 12, color)
        picture.words(left + 100 * i + 18, 25, name, size=12, anchor="start")
    for i, (label, case, stages) in enumerate(RUNS):
        picture.words(left - 40, 46 + step * i + 39, label, size=12, anchor="end")
        longest = seconds(case, 1, "whole")  # a bar is a share of the time on one
        for line, gpus in enumerate((1, 2, 4)):
            x, y = left, 46 + step * i + 24 * line
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

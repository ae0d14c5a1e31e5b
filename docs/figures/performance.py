#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/images/performance.svg: the share of each stage in whole t-SNE runs, from bench/results."""

import sys

from svg import DOCS, SOFT, Picture, publish

sys.path.insert(0, str(DOCS.parent / "bench"))
from figures import value_of  # noqa: E402

STAGES = {"neighbors": "#4878a8", "affinities": "#8fb4d6", "start": "#c9b36b", "iterations": "#c4654e", "rest": "#c8cdd2"}
CPU = {"neighbors": "neighbors", "affinities": "affinities", "start": "start", "iterations": "optimise"}
GPU = CPU | {"iterations": "loop"}
RUNS = [
    ("two cores: MNIST, 70,000 x 784", ["end-to-end.csv"], CPU, "process"),
    ("two cores: generated, 1,000,000 x 50", ["million.csv"], CPU | {"start": None}, "process"),
    ("H200: MNIST, 60,000 x 784", ["gpu.csv", "case=mnist60k"], GPU, "whole"),
    ("H200: four Gaussians, 1,000,000 x 50", ["gpu.csv", "case=gaussians-1000000x50-4"], GPU, "whole"),
    ("H200: structured, 5,000,000 x 50", ["gpu.csv", "case=structured-5000000x50"], GPU, "whole"),
    ("H200: structured, 10,000,000 x 50", ["gpu.csv", "case=structured-10000000x50"], GPU, "whole"),
]


def seconds(words, stage):
    return value_of([*words, f"stage={stage}", "median_s"])


def bars():
    left, wide, step = 290, 500, 40
    picture = Picture(left + wide + 90, 60 + step * len(RUNS))
    for i, (name, color) in enumerate(STAGES.items()):
        picture.bar(left + 100 * i, 14, 12, 12, color)
        picture.words(left + 100 * i + 18, 25, name, size=12, anchor="start")
    for i, (label, words, stages, whole) in enumerate(RUNS):
        y, x = 46 + step * i, left
        total = seconds(words, whole)
        parts = {name: seconds(words, stage) for name, stage in stages.items() if stage}
        parts["rest"] = max(0, total - sum(parts.values()))
        picture.words(left - 12, y + 17, label, size=12, anchor="end")
        for name, part in parts.items():
            picture.bar(x, y, wide * part / total, 26, STAGES[name])
            x += wide * part / total
        picture.words(left + wide + 10, y + 17, f"{total:.3g} s", size=12, color=SOFT, anchor="start")
    return picture


if __name__ == "__main__":
    publish({"performance": bars()})

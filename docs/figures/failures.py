#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what maps lose: made data beside its map by a method of the command, for the pages of UMAP and PaCMAP.

    failures.py DUNLIN      draws them with this command
    failures.py --check     says whether they are there; maps of another processor may differ in their last digits
"""

import csv
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from svg import DOCS, Picture, publish

COLORS = ("#1f77b4", "#d95f02", "#2ca02c", "#7b3294", "#8c6d31")
PANEL, GAP, TOP = 300, 30, 34
NAMES = ("umap-failure", "pacmap-failure")


def blobs(seed, parts):
    """(x, y, class) of normal clouds, (count, x, y, deviation) each."""
    draw = random.Random(seed)
    return [
        (x + deviation * draw.gauss(0, 1), y + deviation * draw.gauss(0, 1), k)
        for k, (count, x, y, deviation) in enumerate(parts)
        for _ in range(count)
    ]


def square(seed, count):
    draw = random.Random(seed)
    points = [(draw.random(), draw.random()) for _ in range(count)]
    return [(x, y, int(3 * x) + 3 * int(3 * y)) for x, y in points]


def mapped(dunlin, points, command):
    with tempfile.TemporaryDirectory() as folder:
        data, out = Path(folder) / "data.csv", Path(folder) / "map.csv"
        with open(data, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["a", "b"])
            writer.writerows(point[:2] for point in points)
        subprocess.run([dunlin, *command, str(data), "-o", str(out), "--quiet", "--scores", "none"], check=True)
        with open(out, newline="") as file:
            rows = [[float(cell) for cell in row[-2:]] for row in list(csv.reader(file))[1:]]
    return [(x, y, point[2]) for (x, y), point in zip(rows, points)]


def row(panels):
    picture = Picture(len(panels) * (PANEL + GAP) + GAP, PANEL + TOP + 10)
    for k, (points, title) in enumerate(panels):
        left = GAP + k * (PANEL + GAP)
        picture.words(left + PANEL / 2, 20, title)
        picture.map(left, TOP, PANEL, points, COLORS)
    return picture


def main():
    if sys.argv[1:] == ["--check"]:
        missing = [name for name in NAMES if not (DOCS / "images" / f"{name}.svg").exists()]
        sys.exit(f"missing: {missing}" if missing else 0)
    dunlin = sys.argv.pop(1)
    # Three clouds: one ten times as wide, two near each other and one far away
    clouds = blobs(1, [(500, 0, 0, 3), (500, 12, 0, 0.3), (500, 60, 0, 0.3)])
    plain = square(2, 2000)
    publish(
        {
            NAMES[0]: row(
                [
                    (clouds, "data: widths 10 : 1 : 1"),
                    (mapped(dunlin, clouds, ["umap"]), "UMAP: equal widths, no distances"),
                    (mapped(dunlin, clouds, ["umap", "--start", "random", "--seed", "5"]), "UMAP from a random start"),
                ]
            ),
            NAMES[1]: row(
                [
                    (clouds, "data: widths 10 : 1 : 1"),
                    (mapped(dunlin, clouds, ["pacmap"]), "PaCMAP: equal widths"),
                    (mapped(dunlin, plain, ["pacmap"]), "PaCMAP of a uniform square"),
                ]
            ),
        }
    )


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/images/neighbors.svg: the strategies of the search."""

from svg import Picture, publish

COLUMNS = [
    ("exact", "up to a fixed number of rows and columns",
     ("Leaves of 192 rows", "pairs are pruned by bounds from bytes", "candidates are measured in double"),
     ("All rows, by tensor cores", "pairs are pruned by bounds from halves", "candidates are measured in double")),
    ("approximate", "above; accuracy by --recall or --probes",
     ("The nearest leaves", "within them: the exact search", ""),
     ("The nearest cells of k-means", "within them: the exact search", "")),
    ("approximate by --codes", "for points that do not fit into memory",
     ("Codes in the nearest cells", "byte products select 3 k candidates", "these are measured from the rows"),
     ("Codes in the nearest cells", "tensor cores select 3 k candidates", "these are measured from the rows")),
]  # fmt: skip


def picture():
    left, wide, gap = 60, 270, 16
    width = left + 3 * wide + 2 * gap + 20
    full = 3 * wide + 2 * gap
    image = Picture(width, 408)
    image.box(left, 14, full, 38, "points and a metric", ["equal rows are found by hash and searched once"], "both")
    image.words(left / 2, 190, "CPU", weight="bold")
    image.words(left / 2, 294, "GPU", weight="bold")
    for i, (name, when, cpu, gpu) in enumerate(COLUMNS):
        x = left + i * (wide + gap)
        image.arrow(x + wide / 2, 52, x + wide / 2, 78)
        image.words(x + wide / 2, 96, name, weight="bold")
        image.words(x + wide / 2, 114, when, size=11)
        for y, (title, *lines), fill in ((132, cpu, "cpu"), (236, gpu, "gpu")):
            image.box(x, y, wide, 92, title, [line for line in lines if line], fill)
        image.arrow(x + wide / 2, 328, x + wide / 2, 354)
    image.box(left, 356, full, 38, "k nearest of each row, ties by id", ["the recall of an approximate search is estimated on a sample"], "both")
    return image


if __name__ == "__main__":
    publish({"neighbors": picture()})

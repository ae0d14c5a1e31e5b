#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/images/nearness.svg: stress against neighborhoods for values of --nearness, from bench/results."""

import csv
from itertools import groupby

from svg import DOCS, SOFT, Picture, publish

CURVE, STRESS, PEER = "#4878a8", "#c9b36b", "#c4654e"
COLUMNS, WIDTH, HEIGHT = 4, 215, 190
LEFT, TOP, INNER_WIDTH, INNER_HEIGHT = 44, 30, 150, 120


def graphs():
    """Name, vertices and {nearness: (neighborhoods, stress)} of every graph of the last date."""
    with open(DOCS.parent / "bench" / "results" / "layout-nearness.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    last = max(row["date"] for row in rows)
    for name, group in groupby((row for row in rows if row["date"] == last), key=lambda row: row["graph"]):
        group = list(group)
        points = {row["nearness"]: (float(row["neighborhoods"]), float(row["scaled_stress"])) for row in group}
        yield name.split("/")[-1].split(" ")[0].removesuffix(".mtx").removesuffix(".txt"), int(group[0]["vertices"]), points


def panel(picture, left, top, name, vertices, points):
    """One graph: neighborhoods to the right, stress upwards in units of sfdp's."""
    of_peer = points["sfdp"][1]
    most = max(stress / of_peer for _, stress in points.values())
    least = min(stress / of_peer for _, stress in points.values())
    margin = 0.06 * (most - least)

    def height(ratio):
        return top + INNER_HEIGHT * (most + margin - ratio) / (most - least + 2 * margin)

    def place(value):
        kept, stress = points[value]
        return left + INNER_WIDTH * kept, height(stress / of_peer)

    picture.words(left + INNER_WIDTH / 2, top - 10, f"{name} ({vertices:,})", size=12, weight="bold")
    picture.line([(left, top), (left, top + INNER_HEIGHT), (left + INNER_WIDTH, top + INNER_HEIGHT)], SOFT)
    for ratio in (least, most):
        picture.words(left - 4, height(ratio) + 4, f"{ratio:.2f}", size=10, color=SOFT, anchor="end")
    for share in (0, 1):
        picture.words(left + INNER_WIDTH * share, top + INNER_HEIGHT + 13, str(share), size=10, color=SOFT)
    values = sorted((value for value in points if value.isdigit()), key=int)
    picture.line([place(value) for value in values], CURVE, 2)
    for value in values:
        picture.dot(*place(value), 2.5, CURVE)
    for value in (values[0], values[-1]):
        x, y = place(value)
        picture.words(x, y - 6, value, size=10, color=CURVE)
    picture.dot(*place("stress"), 4, STRESS)
    picture.dot(*place("sfdp"), 4, PEER)


def curves():
    drawn = list(graphs())
    picture = Picture(COLUMNS * WIDTH, 30 + -(-len(drawn) // COLUMNS) * HEIGHT)
    legend = [("--nearness 0 to 32", CURVE), ("--method stress", STRESS), ("sfdp", PEER)]
    for i, (words, color) in enumerate(legend):
        picture.dot(60 + 190 * i, 16, 4, color)
        picture.words(72 + 190 * i, 20, words, size=12, anchor="start")
    for i, graph in enumerate(drawn):
        panel(picture, LEFT + i % COLUMNS * WIDTH, 30 + TOP + i // COLUMNS * HEIGHT, *graph)
    return picture


if __name__ == "__main__":
    publish({"nearness": curves()})

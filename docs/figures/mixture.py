#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws mixtures of three Gaussians with each form of covariance, as ellipses of two standard deviations.

    mixture.py DUNLIN      draws them with this command
    mixture.py --check     says whether the picture is there; mixtures of another processor may differ in their last digits
"""

import csv
import json
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from svg import DOCS, Picture, publish

NAME = "mixture"
COLORS = ["#1f77b4", "#ff7f0e", "#2ca02c"]
PANEL, GAP, TITLE = 250, 14, 26
# center, standard deviations along and across, angle, points
GROUPS = [((-2.0, 0.5), (2.0, 0.35), 0.6, 300), ((1.5, 1.5), (1.2, 0.3), -0.9, 200), ((1.5, -2.0), (0.5, 0.5), 0.0, 200)]


def points():
    draw = random.Random(3)
    for (x, y), (along, across), angle, count in GROUPS:
        for _ in range(count):
            u, v = along * draw.gauss(0, 1), across * draw.gauss(0, 1)
            yield x + u * math.cos(angle) - v * math.sin(angle), y + u * math.sin(angle) + v * math.cos(angle)


def numbers_in(path):
    with open(path, newline="") as file:
        return [[float(value) for value in row] for row in list(csv.reader(file))[1:]]


def fitted(dunlin, covariance):
    """Labels, means, a covariance matrix of each component, BIC."""
    with tempfile.TemporaryDirectory() as folder:
        there = {name: Path(folder) / name for name in ("p.csv", "o.csv", "m.csv", "v.csv", "r.json")}
        there["p.csv"].write_text("x,y\n" + "".join(f"{x:.5f},{y:.5f}\n" for x, y in points()))
        subprocess.run(
            [dunlin, "mixture", there["p.csv"], "--components", "3", "--covariance", covariance, "--restarts", "5"]
            + ["--tolerance", "1e-6", "-o", there["o.csv"], "--means", there["m.csv"], "--variances", there["v.csv"]]
            + ["--report", there["r.json"], "--quiet"],
            check=True,
        )
        labels = [int(row[-1]) for row in numbers_in(there["o.csv"])]
        rows = numbers_in(there["v.csv"])
        matrices = {
            "diagonal": lambda k: [[rows[k][0], 0], [0, rows[k][1]]],
            "full": lambda k: rows[2 * k : 2 * k + 2],
            "spherical": lambda k: [[rows[k][0], 0], [0, rows[k][0]]],
            "tied": lambda k: rows,
        }
        bic = json.loads(there["r.json"].read_text())["quality"]["bic"]
        return labels, numbers_in(there["m.csv"]), [matrices[covariance](k) for k in range(3)], bic


def ellipse(mean, matrix):
    """Two standard deviations: the circle of radius 2 by the Cholesky factor."""
    a = math.sqrt(matrix[0][0])
    b = matrix[1][0] / a
    c = math.sqrt(matrix[1][1] - b * b)
    turns = [2 * math.pi * i / 60 for i in range(61)]
    return [(mean[0] + 2 * a * math.cos(t), mean[1] + 2 * (b * math.cos(t) + c * math.sin(t))) for t in turns]


def main():
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if (DOCS / "images" / f"{NAME}.svg").exists() else f"missing: {NAME}")
    dunlin, forms = sys.argv.pop(1), ["spherical", "diagonal", "tied", "full"]
    rows = list(points())
    picture = Picture(GAP + len(forms) * (PANEL + GAP), PANEL + TITLE + 2 * GAP)
    scale = PANEL / 15
    for panel, form in enumerate(forms):
        left, top = GAP + panel * (PANEL + GAP), GAP + TITLE
        labels, means, matrices, bic = fitted(dunlin, form)
        picture.words(left + PANEL / 2, GAP + 10, f"{form}, BIC {bic:.0f}")

        def at(place, left=left, top=top):
            return left + PANEL / 2 + scale * place[0], top + PANEL / 2 - scale * place[1]

        first = min(labels)
        for k, color in enumerate(COLORS):
            members = [at(row) for row, label in zip(rows, labels) if label - first == k]
            picture.dots(members, 2.4, color)
            picture.line([at(place) for place in ellipse(means[k], matrices[k])], "#1d2329", 1.5)
    publish({NAME: picture})


if __name__ == "__main__":
    main()

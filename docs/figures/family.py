#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the digits of examples/ by variants of t-SNE, for the page of its family.

    family.py DUNLIN      draws them with this command
    family.py --check     says whether the picture is there; maps of another processor may differ in their last digits
"""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

from svg import DOCS, Picture, publish

NAME = "tsne-family"
COLORS = "#1f77b4 #ff7f0e #2ca02c #d62728 #9467bd #8c564b #e377c2 #7f7f7f #bcbd22 #17becf".split()
PANEL, GAP, TITLE, COLUMNS = 260, 16, 26, 3
VARIANTS = [
    "",
    "--perplexities 30,300",
    "--affinities uniform",
    "--freedom 0.5",
    "--late-exaggeration 4",
    "--anchor start",
]


def mapped(dunlin, options):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "map.csv"
        digits = DOCS.parent / "examples" / "digits.csv.gz"
        subprocess.run(
            [dunlin, "tsne", digits, "-o", out, "--quiet", "--scores", "none", *options.split()], check=True
        )
        with open(out, newline="") as file:
            return [(float(row["x"]), float(row["y"]), int(row["label"])) for row in csv.DictReader(file)]


def main():
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if (DOCS / "images" / f"{NAME}.svg").exists() else f"missing: {NAME}")
    dunlin = sys.argv.pop(1)
    rows = -(-len(VARIANTS) // COLUMNS)
    picture = Picture(GAP + COLUMNS * (PANEL + GAP), GAP + rows * (PANEL + TITLE))
    for k, options in enumerate(VARIANTS):
        left, top = GAP + k % COLUMNS * (PANEL + GAP), GAP + k // COLUMNS * (PANEL + TITLE)
        picture.words(left + PANEL / 2, top + 10, options or "t-SNE")
        picture.map(left, top + 10, PANEL, mapped(dunlin, options), COLORS, diameter=2.2)
    publish({NAME: picture})


if __name__ == "__main__":
    main()

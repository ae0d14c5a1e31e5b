#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/images/words.svg: a t-SNE map of words by GloVe, with the names that have room (figure 11 of t-SNE-CUDA).

    words.py DUNLIN VECTORS   draws it with this command: glove.6B.50d.txt, its first 2,445 words
    words.py --check          says whether it is there

The picture is that of `dunlin draw`, with its discs as one path and whole pixels, so that the file is small."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from svg import DOCS, Picture

CIRCLE = re.compile(r'<circle cx="([\d.]+)" cy="([\d.]+)"')
NAME = re.compile(r'<text x="([\d.]+)" y="([\d.]+)"(?: text-anchor="(\w+)")?[^>]*>(.*)</text>')


def drawn(dunlin, vectors):
    with tempfile.TemporaryDirectory() as folder:
        table, picture = Path(folder) / "words.csv", Path(folder) / "words.svg"
        subprocess.run([dunlin, "tsne", vectors, "--metric", "cosine", "-o", table, "--quiet"], check=True)
        options = ["--names", "all", "--title", "none", "--width", "1000", "--height", "900", "--quiet"]
        subprocess.run([dunlin, "draw", table, *options, "-o", picture], check=True)
        return picture.read_text()


def smaller(text):
    places = sorted((round(float(y)), round(float(x))) for x, y in CIRCLE.findall(text))
    path, last = "", (0, 0)
    for place in places:
        path += f"m{place[1] - last[1]} {place[0] - last[0]}h0"
        last = place
    picture = Picture(1000, 900)
    picture.shapes.append(f'<path d="{path}" stroke="#7fa9d0" stroke-width="4" stroke-linecap="round"/>')
    style = (
        'font-size="10" fill="#1d2329" stroke="#ffffff" stroke-width="2" stroke-linejoin="round" paint-order="stroke"'
    )
    picture.shapes.append(f"<g {style}>")
    for x, y, anchor, word in NAME.findall(text):
        turned = f' text-anchor="{anchor}"' if anchor else ""
        picture.shapes.append(f'<text x="{float(x):.0f}" y="{float(y):.0f}"{turned}>{word}</text>')
    picture.shapes.append("</g>")
    return picture.svg()


def main():
    image = DOCS / "images" / "words.svg"
    if sys.argv[1] == "--check":
        sys.exit(0 if image.exists() else f"{image} is missing")
    image.write_text(smaller(drawn(*sys.argv[1:])))


if __name__ == "__main__":
    main()

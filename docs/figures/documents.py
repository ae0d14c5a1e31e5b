#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the picture of documents in docs/formats.md: the paragraphs of eight pages of these docs, colored by page.

    documents.py DUNLIN      draws it with this command
    documents.py --check     says whether it is there; the paragraphs change, and it is drawn when it no longer fits them
"""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

from svg import DOCS

PAGES = ("layout", "mds", "kmeans", "waves", "neighbors", "pictures", "machines", "scores")
WORDS = 25  # of the shortest paragraph that is shown


def paragraphs(page):
    parts = (DOCS / f"{page}.md").read_text().split("\n\n")
    return [" ".join(part.split()) for part in parts if len(part.split()) >= WORDS and part[0] not in "|<`"]


def main():
    picture = DOCS / "images" / "documents.png"
    if sys.argv[1] == "--check":
        sys.exit(0 if picture.exists() else f"{picture} is missing")
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "paragraphs.csv"
        with table.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["page", "text"])
            writer.writerows((page, text) for page in PAGES for text in paragraphs(page))
        options = ["--text", "text", "--labels", "page", "--metric", "cosine", "--width", "640", "--height", "480"]
        subprocess.run([sys.argv[1], "tsne", table, *options, "-o", picture], check=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the picture of documents in docs/formats.md: examples/paragraphs.csv, paragraphs of eight pages, colored by page.

    documents.py DUNLIN      draws it with this command
    documents.py --check     says whether it is there
"""

import subprocess
import sys

from svg import DOCS


def main():
    picture = DOCS / "images" / "documents.png"
    if sys.argv[1] == "--check":
        sys.exit(0 if picture.exists() else f"{picture} is missing")
    table = DOCS.parent / "examples" / "paragraphs.csv"
    options = ["--text", "text", "--labels", "page", "--metric", "cosine", "--width", "640", "--height", "480"]
    subprocess.run([sys.argv[1], "tsne", table, *options, "-o", picture], check=True)


if __name__ == "__main__":
    main()

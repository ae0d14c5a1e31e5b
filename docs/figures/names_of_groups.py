#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the picture of docs/names-of-groups.md: communities of examples/includes.dot.gz, a library's headers, named by the words of
their paths.

    names_of_groups.py DUNLIN   draws it with this command
    names_of_groups.py --check  says whether it is there
"""

import csv
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from svg import DOCS


def main():
    picture = DOCS / "images" / "names-of-groups.png"
    if sys.argv[1] == "--check":
        sys.exit(0 if picture.exists() else f"{picture} is missing")
    dunlin, graph = sys.argv[1], DOCS.parent / "examples" / "includes.dot.gz"
    with tempfile.TemporaryDirectory() as folder:
        groups, texts = Path(folder) / "groups.csv", Path(folder) / "texts.csv"
        run = lambda *words: subprocess.run([dunlin, *words, "--quiet"], check=True)
        run("communities", graph, "-o", groups)
        with open(groups, newline="") as table, open(texts, "w", newline="") as file:
            paths = [row["id"] for row in csv.DictReader(table)]
            csv.writer(file).writerows([("id", "text"), *((path, re.sub("[/_.]", " ", path)) for path in paths)])
        run("communities", graph, "--text", f"{texts}:text", "-o", groups)
        size = ["--width", "900", "--height", "700", "--title", "none", "--names", "none"]
        run("layout", graph, "--color", f"{groups}:name", *size, "-o", picture)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Prints the relative links of the Markdown files of a folder that lead nowhere, to files or to headings, and the source
files that the pages of docs name in backticks and that do not exist; exit code 1 if there are any."""

import re
import sys
from pathlib import Path

LINK = re.compile(r"\]\(([^)\s]+)\)")
SOURCE = re.compile(r"`((?:[a-z_0-9]+/)+\w+\.(?:hpp|cpp|cuh|cu))`")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)


def anchors(path):
    """The anchors that GitHub gives to headings: lower case, punctuation dropped, spaces as dashes, repeats numbered."""
    seen, found = {}, set()
    for heading in re.findall(r"^#+ +(.*)$", CODE.sub(lambda m: m[0].strip("`"), path.read_text()), re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        found.add(f"{anchor}-{seen[anchor]}" if anchor in seen else anchor)
        seen[anchor] = seen.get(anchor, 0) + 1
    return found


def broken(path, root):
    for link in LINK.findall(CODE.sub("", path.read_text())):
        if re.match(r"[a-z]+:", link):
            continue
        place, _, anchor = link.partition("#")
        target = (path.parent / place) if place else path
        if not target.exists():
            yield f"{path.relative_to(root)}: {link} is not there"
        elif anchor and anchor not in anchors(target):
            yield f"{path.relative_to(root)}: {link} names no heading"


def missing_sources(page, root, files):
    """Source files are named from any folder on: `src/a/b.hpp`, `a/b.hpp`; NAME stands for any name."""
    for name in sorted(set(SOURCE.findall(page.read_text()))):
        if "NAME" not in name and not any(file.endswith("/" + name) for file in files):
            yield f"{page.relative_to(root)}: {name} is no source file"


def main(folder):
    root = Path(folder)
    folders = ("src", "include", "app", "tests", "bench", "python", "graphviz", "examples")
    files = [f"/{file.relative_to(root)}" for name in folders for file in (root / name).rglob("*.[ch]*")]
    pages = [*root.glob("*.md"), *(root / "docs").rglob("*.md"), *(root / "bench").glob("*.md")]
    wrong = [words for page in sorted(pages) for words in broken(page, root)]
    wrong += [words for page in sorted((root / "docs").glob("*.md")) for words in missing_sources(page, root, files)]
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

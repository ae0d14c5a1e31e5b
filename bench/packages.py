# SPDX-License-Identifier: Apache-2.0
"""Debian's packages as documents, from apt's own index on this machine: stand-ins for the documents of Glimmer's paper,
which are not public. A package's label is its section.

    packages.py FOLDER    writes FOLDER/package-tags.svm and FOLDER/package-words.svm
"""

import math
import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

DOCUMENTS = 28433  # as many as the paper has
MOST_WORDS = 8  # of a document, likewise


class NoIndex(Exception):
    """apt has no index, with the reason."""


def stanzas():
    """The fields of every package in apt's index, one version each."""
    try:
        done = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, text=True, check=False)
    except OSError as reason:
        raise NoIndex(f"apt-cache cannot be run: {reason}") from reason
    seen = set()
    for text in done.stdout.split("\n\n"):
        fields = {}
        for line in text.splitlines():
            if line.startswith(" "):
                fields[key] += line  # of the field before it
                continue
            key, _, value = line.partition(":")
            fields[key] = value.strip()
        if fields.get("Package") and fields["Package"] not in seen:
            seen.add(fields["Package"])
            yield fields
    if not seen:
        raise NoIndex("apt's index is empty; run apt-get update")


def section(fields):
    return fields.get("Section", "none").rpartition("/")[2]


def write(path, documents):
    """documents: (label, {word: value}); words are numbered in order of appearance."""
    words = sorted({word for _, values in documents for word in values})
    column = {word: k + 1 for k, word in enumerate(words)}
    with open(path, "w") as out:
        for label, values in documents:
            entries = sorted((column[word], value) for word, value in values.items())
            print(label, *(f"{k}:{value:.6g}" for k, value in entries), file=out)
    return len(documents), len(words)


def tagged(packages):
    """Packages with tags, by their tags."""
    for fields in packages:
        tags = [tag.strip() for tag in fields.get("Tag", "").split(",")]
        if any(tags):
            yield section(fields), {tag: 1.0 for tag in tags if tag}


def described(packages):
    """Some packages by the words of their short descriptions with the highest tf-idf."""
    chosen = random.Random(1).sample(packages, min(DOCUMENTS, len(packages)))
    counts = [Counter(re.findall(r"[a-z]{3,}", fields.get("Description", "").lower())) for fields in chosen]
    holders = Counter(word for words in counts for word in words)
    for fields, words in zip(chosen, counts):
        worth = {w: n * math.log(len(chosen) / holders[w]) for w, n in words.items()}
        most = sorted(worth, key=lambda w: (-worth[w], w))[:MOST_WORDS]
        yield section(fields), {w: worth[w] for w in most}


def make(folder):
    """Writes both files; returns their paths by name."""
    paths = {name: Path(folder) / f"package-{name}.svm" for name in ("tags", "words")}
    if not all(path.exists() for path in paths.values()):
        packages = sorted(stanzas(), key=lambda fields: fields["Package"])
        for name, documents in (("tags", tagged(packages)), ("words", described(packages))):
            rows, columns = write(paths[name], list(documents))
            print(f"  {paths[name]}: {rows} x {columns}")
    return paths


if __name__ == "__main__":
    try:
        make(sys.argv[1])
    except NoIndex as reason:
        sys.exit(f"packages.py: {reason}")

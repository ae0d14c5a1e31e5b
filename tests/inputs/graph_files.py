# SPDX-License-Identifier: Apache-2.0
"""What the checks of graphs share."""

CPU = "--device cpu"


def put(name, text):
    """Writes a file of this text, as it is."""
    with open(name, "w", newline="") as file:
        file.write(text)
    return name


def text_of(name):
    """The text of a file."""
    with open(name, newline="") as file:
        return file.read()


def counts(run, name, more=""):
    """(vertices, edges) that `dunlin info` finds in a graph."""
    words = run(f"info {name} {more}").out.splitlines()[0].split(", ")
    return int(words[1].split()[0]), int(words[2].split()[0])


def weights(run, name, more=""):
    """The line of the weights of `dunlin info`."""
    lines = run(f"info {name} {more}").out.splitlines()
    return next(line.removeprefix("weights: ") for line in lines if line.startswith("weights: "))


def networkx():
    """NetworkX, or None."""
    try:
        import networkx
    except ImportError:
        return None
    return networkx

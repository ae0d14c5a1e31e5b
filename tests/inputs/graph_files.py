# SPDX-License-Identifier: Apache-2.0
"""What the checks of graphs share."""

CPU = "--device cpu"


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


def edges(graph, **options):
    """The edges of a graph as layout() reads it, by the names of its nodes, and their weights."""
    import numpy as np
    import dunlin

    layout = dunlin.layout(graph, device="cpu", iterations=1, **options)
    offsets, targets, weights = layout.graph.csr
    nodes, sources = list(layout), np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return {frozenset((nodes[a], nodes[b])): float(w) for a, b, w in zip(sources, targets, weights)}


def pairs(text):
    """{'ab': 1} of 'ab bc': edges of weight 1."""
    return {frozenset(edge): 1.0 for edge in text.split()}

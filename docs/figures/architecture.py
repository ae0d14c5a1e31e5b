#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of docs/architecture.md: which folder of src includes which, found in the sources, and the way of a
t-SNE run and of a graph. A function that is named but not found in its file ends the script with a message."""

import re
import sys
from collections import defaultdict
from pathlib import Path

from svg import DOCS, Picture, publish

ROOT = DOCS.parent
SOURCES = (".hpp", ".cpp", ".cu", ".cuh")

# The folders of src


def includes():
    """folder -> folders of src that it includes, itself left out."""
    found = defaultdict(set)
    for path in sorted((ROOT / "src").rglob("*")):
        if path.suffix not in SOURCES:
            continue
        folder = path.relative_to(ROOT / "src").parts[0]
        found[folder]
        for name in re.findall(r'#include "([^"]+)"', path.read_text()):
            if (ROOT / "src" / name).exists() and "/" in name and name.split("/")[0] != folder:
                found[folder].add(name.split("/")[0])
    return found


def reach(edges, start):
    seen, todo = set(), [start]
    while todo:
        for next_one in edges[todo.pop()] - seen:
            seen.add(next_one)
            todo.append(next_one)
    return seen


def grouped(edges):
    """Folders that include each other, directly or not, are one box: the boxes, and which includes which."""
    far = {folder: reach(edges, folder) for folder in edges}
    box = {f: tuple(sorted({g for g in edges if g in far[f] and f in far[g]} | {f})) for f in edges}
    return {box[f]: {box[g] for h in box[f] for g in edges[h]} - {box[f]} for f in edges}


def without_shortcuts(edges):
    """Arrows that a longer way implies are left out."""
    return {a: {b for b in bs if not any(b in reach(edges, c) for c in bs - {b})} for a, bs in edges.items()}


def height_of(edges, box):
    return 1 + max((height_of(edges, below) for below in edges[box]), default=-1)


# Where a box stands in its row, of the width, so that no arrow crosses another box; a new folder is put in the middle
COLUMNS = {"backend": 0.42, "mds": 0.19, "tsne": 0.64, "umap": 0.5, "pacmap": 0.38, "placement": 0.7, "reliability": 0.75, "surface": 0.7, "kmedoids": 0.19, "sequences": 0.1,
            "density": 0.935,
           "layout": 0.1, "scores": 0.28, "mixture": 0.56, "forces": 0.07,
           "neighbors": 0.42, "kmeans": 0.42, "arrange": 0.17, "picture": 0.88, "io": 0.88, "graph": 0.26,
           "initialization": 0.68, "stress": 0.27, "distance": 0.42, "math": 0.36, "options": 0.74,
           "clusters": 0.8, "spanning": 0.8, "hierarchy": 0.9, "communities": 0.3, "waves": 0.58, "run": 0.56, "live": 0.66,
           "numerics": 0.54, "progress": 0.6, "shards": 0.62}  # fmt: skip


def house():
    edges = grouped(includes())
    arrows = without_shortcuts(edges)
    rows = defaultdict(list)
    for box in sorted(edges):
        rows[height_of(edges, box)].append(box)
    top, step, width = 132, 92, 900
    picture = Picture(width, top + step * len(rows) + 86)
    picture.box(20, 14, 860, 36, "app (the command), graphviz (dot -Kdunlin), examples/cpp", fill="outside")
    picture.arrow(450, 50, 450, 64)
    picture.box(20, 66, 860, 36, "include/dunlin: all that a caller may name, and what the folders of src share", fill="both")
    places = {}
    for height, boxes in rows.items():
        y = top + step * (len(rows) - 1 - height)
        for box in boxes:
            places[box] = (COLUMNS.get(" + ".join(box), 0.5) * width, y)
    for box, below in arrows.items():
        for other in sorted(below):
            (x1, y1), (x2, y2) = places[box], places[other]
            picture.arrow(x1, y1 + 38, x2 + max(-25, min(25, 0.1 * (x1 - x2))), y2)
    for box, (x, y) in places.items():
        name = " + ".join(box)
        size = 24 + 8 * len(name)
        picture.box(x - size / 2, y, size, 38, name)
    bottom = top + step * len(rows) - 20
    picture.words(450, bottom, "folders of src: an arrow goes from a folder to one that it includes; arrows that others imply are left out",
                  size=11)  # fmt: skip
    picture.box(20, bottom + 16, 860, 36, "tests, bench: see include/dunlin and src", fill="outside")
    return picture


# The way of a run: rows of (stage, steps); a step is (function, file) or None; one step: CPU and GPU share the text

TSNE = [
    ("command", [("map_points", "app/point_maps.hpp")]),
    ("read", [("read_points", "src/io/points.cpp")]),
    ("settle options, choose the device", [("embed", "src/tsne/tsne.cpp")]),
    ("way in", [("run_stages", "src/descent/stages.hpp"), ("embed_on_cuda", "src/tsne/cuda.cu")]),
    ("start", [("pca_start", "src/initialization/initial_map.cpp"), ("pca_start_on_device", "src/initialization/pca.cu")]),
    ("neighbors", [("search", "src/neighbors/search.cpp"), ("search_on_device", "src/neighbors/cuda/search.cu")]),
    ("affinities", [("affinities_of_distances", "src/tsne/affinities.cpp"), ("affinities_on_device", "src/tsne/affinities.cu")]),
    ("optimize: 1,000 iterations", [("descend", "src/descent/descend.hpp")]),
    ("of it: repulsion", [("Repeller", "src/descent/repeller.cpp"), ("CudaRepeller", "src/descent/cuda_repeller.cu")]),
    ("of it: attraction", [("attract", "src/forces/attraction/attraction.cpp"), ("attract", "src/forces/attraction/attraction.cu")]),
    ("cost of the map", [("kl", "src/scores/kl.cpp"), ("kl_on_device", "src/scores/kl.cu")]),
    ("scores", [("evaluate", "src/scores/evaluate.cpp")]),
    ("map and picture", [("write_map_outputs", "app/point_maps.cpp")]),
]
LAYOUT = [
    ("command", [("lay_out", "app/layout.cpp")]),
    ("read", [("read_network", "src/io/network/read.cpp")]),
    ("settle options, choose the device", [("place", "src/layout/layout.cpp")]),
    ("each component by itself", [("place_components", "src/layout/layout.cpp")]),
    ("way in", [("place_on_cpu", "src/layout/cpu.cpp"), ("place_on_cuda", "src/layout/cuda.cu")]),
    ("coarser and coarser graphs", [("coarsen", "src/graph/coarsen.cpp"), ("coarsen", "src/graph/coarsen.cu")]),
    ("place the coarsest", [("place_coarsest", "src/layout/coarsest.cpp")]),
    ("initial layout, level by level", [("initial_layout", "src/layout/initial_layout.hpp")]),
    ("of it: stress", [("reduce_stress", "src/layout/sparse_stress.cpp"), ("reduce_stress", "src/layout/sparse_stress.cu")]),
    ("refine by forces", [("refine", "src/layout/multilevel.hpp")]),
    ("of it: repulsion", [("Repeller", "src/layout/repeller.hpp"), ("CudaRepeller", "src/layout/cuda_repeller.cuh")]),
    ("pack the components", [("pack", "src/arrange/pack.cpp")]),
    ("scores", [("evaluate", "src/scores/drawing.cpp")]),
    ("drawing and picture", [("write_outputs", "app/layout.cpp")]),
]


def require(function, file):
    if not re.search(rf"\b{function}\b", (ROOT / file).read_text()):
        sys.exit(f"architecture: {file} has no {function}")


def way(rows):
    step, left, wide = 54, 250, 300
    picture = Picture(left + 2 * wide + 50, 40 + step * len(rows))
    picture.words(left + wide / 2, 22, "CPU", weight="bold")
    picture.words(left + 20 + wide * 3 / 2, 22, "GPU", weight="bold")
    for i, (stage, steps) in enumerate(rows):
        y = 34 + step * i
        picture.words(left - 18, y + 24, stage, anchor="end")
        for function, file in steps:
            require(function, file)
        shared = len(steps) == 1
        for column, (function, file) in enumerate(steps):
            x = left + column * (wide + 20)
            fill = "both" if shared else ("cpu", "gpu")[column]
            picture.box(x, y, 2 * wide + 20 if shared else wide, 38, function, [file], fill)
        if i + 1 < len(rows):
            for x in (left + wide / 2, left + 20 + wide * 3 / 2):
                picture.arrow(x, y + 38, x, y + step)
    return picture


if __name__ == "__main__":
    publish({"architecture": house(), "architecture-tsne": way(TSNE), "architecture-layout": way(LAYOUT)})

# SPDX-License-Identifier: Apache-2.0
"""A small run of each method that writes checkpoints, with its inputs. The attacks edit its files, tests/crosswise.py resumes them by
another build, and tests/compat keeps those of releases."""

import pathlib

# Each method with a state of its own, as short as it shows all its stages
METHODS = {
    "tsne": "tsne p.csv --iterations 60",
    "tsne grid": "tsne p.csv --iterations 60 --repulsion grid",
    "tsne in 3-D": "tsne p.csv --iterations 55 --dim 3",
    "umap": "umap p.csv --iterations 30",
    "pacmap": "pacmap p.csv --iterations 10,10,20",
    "kmeans": "kmeans p.csv --clusters 7 --restarts 6",
    "kmeans of a chosen number": "kmeans p.csv --clusters 2 --up-to 9",
    "mds dunlin": "mds p.csv --starts 3 --iterations 40",
    "mds smacof": "mds p.csv --method smacof --starts 1 --iterations 60",
    "mds ordinal": "mds p.csv --method smacof --transform ordinal --starts 2 --iterations 60",
    "mds stochastic": "mds p.csv --method stochastic --iterations 20",
    "mds gpu-sf": "mds p.csv --method gpu-sf --iterations 30",
    "mds glimmer": "mds q.csv --method glimmer --iterations 12",
    "mds hybrid": "mds p.csv --method hybrid --iterations 20",
    "mds with fixed items": "mds p.csv --fixed f.csv --iterations 40",
    "layout multilevel": "layout mesh.csv --iterations 30",
    "layout fruchterman-reingold": "layout mesh.csv --method fruchterman-reingold --iterations 30",
    "layout eades": "layout mesh.csv --method eades --iterations 30",
    "layout forceatlas2": "layout mesh.csv --method forceatlas2 --iterations 30",
    "layout annealing": "layout mesh.csv --method annealing --iterations 2 --moves 4",
    "layout stress": "layout mesh.csv --method stress --iterations 20",
    "waves on a graph": "waves mesh.csv --stimulate 0 --until 40",
    "waves by tiles": "waves --grid 40x40 --stimulate 1 --until 30 --scheme euler",
    "waves by tolerance": "waves mesh.csv --stimulate 0 --until 40 --tolerance 1e-2 --scheme heun --stimulus-every 15",
    "waves implicit": "waves --line 80 --stimulate 0 --until 40 --scheme crank-nicolson",
    "waves adaptive": "waves --line 200 --stimulate 0 --until 30 --scheme adaptive",
    "waves from each": "waves mesh.csv --stimulate each",
    "train": "train p.csv --layers 8,6 --pretrain-epochs 4 --epochs 4 --prototypes 0",
    "train by machines": "train p.csv --layers 8,6 --pretrain rbm --pretrain-epochs 4 --epochs 3",
    "train by persistent machines": "train p.csv --layers 8,6 --pretrain rbm --divergence pcd --pretrain-epochs 4 --epochs 3",
    "train alone": "train p.csv --layers 8,6 --pretrain none --loss whole --epochs 10 --optimizer adam",
    "neighbors": "neighbors q.csv -k 5 --method exact",
}


def points(path, rows=40, columns=3):
    lines = [",".join(str((r * 7 + c * 13 + r * c) % 101) for c in range(columns)) for r in range(rows)]
    pathlib.Path(path).write_text("\n".join(lines) + "\n")
    return path


def inputs():
    points("p.csv", 130, 6)
    points("q.csv", 2200, 6)
    edges = [(i, i + 1) for i in range(99) if i % 10 < 9] + [(i, i + 10) for i in range(90)]
    pathlib.Path("mesh.csv").write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in edges))
    pathlib.Path("f.csv").write_text("x,y\n0,0\n90,0\n0,90\n")


def output_of(words):
    return {"train": "model.npz", "neighbors": "near.npz", "kmeans": "labels.csv"}.get(words[0], "map.csv")

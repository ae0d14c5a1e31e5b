# SPDX-License-Identifier: Apache-2.0
"""write_files.py DUNLIN FOLDER: files of every format that the command reads again, what comes of reading them, and checkpoints of runs that
were stopped midway; see README.md."""

import json
import os
import pathlib
import random
import shutil
import sys
import tempfile

from recorded import HERE, content_of, pack, processor, sum_of

sys.path[:0] = [os.fspath(HERE.parent), os.fspath(HERE.parent / "attack")]
from checkpointed import METHODS, inputs, output_of  # noqa: E402
from stopped import Stopper, ended, resumed  # noqa: E402

IDS = "--ids id --threads 1"
WRITES = (
    f"tsne old.csv {IDS} --perplexity 10 --iterations 300 -o map.csv -o map.tsv -o map.npy -o map.json --report map.report.json --state tsne.npz",
    f"tsne old.csv {IDS} --perplexity 10 --iterations 100 --dim 3 -o map3.csv",
    f"tsne old.csv {IDS} --iterations 80 --scores none --steer acts.json --log log.json --report steered.json -o steered.csv",
    f"umap old.csv {IDS} --iterations 100 -o umap.csv --report umap.report.json --state umap.npz",
    f"pacmap old.csv {IDS} --iterations 30,30,60 -o pacmap.csv --report pacmap.report.json --state pacmap.npz",
    "tsne cells.h5ad --iterations 50 --perplexity 3 -o cells.h5ad --threads 1",
    f"train old.csv {IDS} --layers 12,8 --pretrain-epochs 40 --epochs 10 --prototypes 30 -o model.npz",
    f"train old.csv {IDS} --layers 12,8 --pretrain rbm --pretrain-epochs 10 --epochs 3 -o machines.npz",
    f"kmeans old.csv {IDS} --clusters 4 -o labels.csv --centroids centroids.csv",
    f"kmeans old.csv {IDS} --clusters 4 --metric cosine -o cosine.csv --centroids directions.npy",
    f"mixture old.csv {IDS} --components 4 -o mixture.csv --means means.csv --variances variances.csv --responsibilities shares.csv",
    f"kmedoids old.csv {IDS} --clusters 4 -o medoids.csv",
    f"neighbors old.csv {IDS} -k 12 -o near.npz -o near.mtx -o near.csv",
    f"score map.csv --of old.csv {IDS} --scores none --per-point doubt.csv",
    "layout mesh.csv -o drawing.csv -o drawing.json -o drawing.dot -o drawing.graphml -o drawing.gexf --threads 1",
    "mds matrix.csv --method smacof --starts 1 -o mds.npy --per-point stress.csv --threads 1",
    "waves --line 101 --spacing 0.5 --stimulate 3 --until 20 -o line.npy -o line.csv --threads 1",
    "density map.csv --nodes 64 -o field.csv --peaks peaks.csv --threads 1",
)
# Name, command, the output that is compared; a picture depends on the fonts of a machine, and is only made
READS = (
    *((f"score {kind}", f"score map.{kind} --of old.csv {IDS} --scores full --report out.json", "out.json") for kind in ("csv", "tsv", "npy", "json")),
    ("draw a map in 3-D", "draw map3.csv -o out.html", None),
    ("draw a column", "draw map.csv --color doubt.csv:home --shares -o out.svg", None),
    ("draw clusters", "draw umap.csv --labels labels.csv:cluster -o out.svg", None),
    ("draw a map in an annotated matrix", "draw cells.h5ad -o out.svg", None),
    *((f"draw from {kind}", f"layout drawing.{kind} --start input --iterations 1 -o out.csv --threads 1", "out.csv") for kind in ("dot", "graphml", "gexf")),
    *((f"score a drawing in {kind}", f"score drawing.{kind} --of mesh.csv --holds graph --scores full --report out.json", "out.json") for kind in ("csv", "json")),
    ("transform by t-SNE", f"transform new.csv --map map.npy --of old.csv {IDS} --map-report map.report.json --state tsne.npz -o out.csv", "out.csv"),
    *((f"transform by {name}", f"transform new.csv --map {name}.csv --of old.csv {IDS} --map-report {name}.report.json --state {name}.npz -o out.csv", "out.csv")
      for name in ("umap", "pacmap")),
    *((f"transform by the network {name}", f"transform new.csv {IDS} --model {name}.npz -o out.csv", "out.csv") for name in ("model", "machines")),
    ("grow a map", f"tsne all.csv {IDS} --grow map.json --iterations 20 -o out.csv", "out.csv"),
    ("clusters of centroids", f"kmeans new.csv {IDS} --from centroids.csv --iterations 0 -o out.csv", "out.csv"),
    ("clusters of directions", f"kmeans new.csv {IDS} --metric cosine --from directions.npy --iterations 0 -o out.csv", "out.csv"),
    *((f"map by neighbors in {kind}", f"tsne old.csv {IDS} --neighbors near.{kind} --iterations 30 -o out.csv", "out.csv") for kind in ("npz", "mtx", "csv")),
    ("acts of a log", f"tsne old.csv {IDS} --iterations 80 --scores none --steer log.json -o out.csv", "out.csv"),
    ("acts of a report", f"tsne old.csv {IDS} --iterations 80 --scores none --steer steered.json -o out.csv", "out.csv"),
    ("mds from a map", "mds matrix.csv --method smacof --start mds.npy --iterations 5 -o out.csv --threads 1", "out.csv"),
    ("waves from a state", "waves --line 101 --spacing 0.5 --start line.npy --until 1 -o out.csv --threads 1", "out.csv"),
)
ACTS = """{"steering": [{"act": "pin", "pass": 0, "iteration": 8, "points": [3, 5], "places": [4, -4, 5, 5]},
 {"act": "nudge", "pass": 0, "iteration": 12, "points": [7], "by": [2, 1]}, {"act": "free", "pass": 0, "iteration": 50, "points": [5]}]}"""


def inputs_of_files():
    source = random.Random(7)
    rows = []
    for i in range(120):
        kind = i % 4
        rows.append(f"p{i}," + ",".join(f"{source.random() + 3 * (kind == c):.4f}" for c in range(5)) + f",kind {kind}")
    head = "id,a,b,c,d,e,kind"
    for name, chosen in (("all", rows), ("old", rows[:96]), ("new", rows[96:])):
        pathlib.Path(name + ".csv").write_text("\n".join([head, *chosen]) + "\n")
    places = [(source.random(), source.random()) for _ in range(30)]
    lines = (",".join(f"{((x - u) ** 2 + (y - v) ** 2) ** 0.5:.5f}" for u, v in places) for x, y in places)
    pathlib.Path("matrix.csv").write_text("\n".join(lines) + "\n")
    edges = [(i, i + 1) for i in range(59) if i % 10 < 9] + [(i, i + 10) for i in range(50)]
    pathlib.Path("mesh.csv").write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in edges))
    pathlib.Path("acts.json").write_text(ACTS)
    shutil.copy(HERE.parent / "inputs/h5ad-06/v06.h5ad", "cells.h5ad")


def write_files(command, folder):
    inputs_of_files()
    for words in WRITES:
        ended(command, *words.split(), "--quiet")
    files = {path.name: path.read_bytes() for path in pathlib.Path().iterdir()}
    reads = []
    for name, words, output in READS:
        ended(command, *words.split())
        reads.append({"name": name, "command": words, "output": output})
        if output:
            files[f"expected/{name}"] = content_of(output)
            pathlib.Path(output).unlink()
    files["reads.json"] = json.dumps(reads, indent=1).encode()
    pack(folder / "files.tar.xz", files)


def write_checkpoints(command, folder):
    inputs()
    files = {path.name: path.read_bytes() for path in pathlib.Path().iterdir()}
    stopper, runs = Stopper(tempfile.gettempdir()), []
    for method, line in METHODS.items():
        output = output_of(line.split())
        words = [*line.split(), "-o", output, "--device", "cpu", "--threads", "1"]
        ended(command, *words)
        whole = sum_of(content_of(output))
        at = max(1, stopper.writes(command, words) // 2)
        name = f"{method.replace(' ', '-')}.checkpoint"
        files[name] = stopper.stop(command, words, at)
        resumed(command, *words)
        if sum_of(content_of(output)) != whole:
            sys.exit(f"{method}: a resumed run has other bytes")
        runs.append({"method": method, "command": " ".join(words), "checkpoint": name, "output": output, "sha256": whole, "write": at})
    files["checkpoints.json"] = json.dumps(runs, indent=1).encode()
    pack(folder / "checkpoints.tar.xz", files)


def main():
    command, folder = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    (folder / "processor").write_text(processor() + "\n")
    for write in (write_files, write_checkpoints):
        with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as work:
            os.chdir(work)
            write(command, folder)
            os.chdir("/")


if __name__ == "__main__":
    main()
